/* SPDX-License-Identifier: MIT
 * See norm.h. */
#include "kernels/norm.h"

#include "base/threads.h"

#include <stddef.h>

enum { ROWS_A_CHUNK = 256, ROWS_A_FLOAT_SUM = 32, TILE = 64 };

struct work {
    l2r_real *out, *d_y;
    l2r_real beta;
    const l2r_real *x, *y, *scale, *shift;
    const l2r_real *term; /* backward: [3 × cols], see input_gradient */
    const struct l2r_norm_saved *saved;
    const struct l2r_dropout *dropout;
    enum l2r_activation act;
    double *partial;       /* [chunks × 2 × cols] */
    const l2r_real *count; /* [rows], or NULL: one each */
    int64_t rows, cols;
};

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t l2r_moments_scratch(int64_t rows, int64_t cols)
{
    return l2r_chunk_count(rows, ROWS_A_CHUNK) * 2 * cols;
}

/* Adds the chunks' partial sums of one column in order; which = 0 or 1. */
static double total(const double *partial, int64_t chunks, int64_t cols, int which, int64_t j)
{
    double sum = 0;
    for (int64_t c = 0; c < chunks; c++) sum += partial[(2 * c + which) * cols + j];
    return sum;
}

static L2R_CLONES void moments_rows(double *sum, const l2r_real *x, const l2r_real *origin, const l2r_real *count,
                                    int64_t rows, int64_t cols)
{
    for (int64_t j0 = 0; j0 < cols; j0 += TILE) {
        int64_t width = min64(TILE, cols - j0);
        for (int64_t j = 0; j < width; j++) sum[j0 + j] = sum[cols + j0 + j] = 0;
        for (int64_t i0 = 0; i0 < rows; i0 += ROWS_A_FLOAT_SUM) {
            l2r_real first[TILE] = {0}, second[TILE] = {0};
            for (int64_t i = i0; i < min64(i0 + ROWS_A_FLOAT_SUM, rows); i++) {
                l2r_real times = count ? count[i] : 1;
                for (int64_t j = 0; j < width; j++) {
                    l2r_real d = x[i * cols + j0 + j] - origin[j0 + j];
                    first[j] += times * d;
                    second[j] += times * (d * d);
                }
            }
            for (int64_t j = 0; j < width; j++) {
                sum[j0 + j] += (double)first[j];
                sum[cols + j0 + j] += (double)second[j];
            }
        }
    }
}

static void moments_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->rows, ROWS_A_CHUNK, chunk);
    moments_rows(w->partial + chunk * 2 * w->cols, w->x + begin * w->cols, w->x, w->count ? w->count + begin : NULL,
                 end - begin, w->cols);
}

void l2r_moments(l2r_real *mean, l2r_real *variance, const l2r_real *x, const struct l2r_row_counts *counts,
                 double *scratch, int64_t rows, int64_t cols)
{
    struct work w = {.x = x, .partial = scratch, .count = counts ? counts->count : NULL, .rows = rows, .cols = cols};
    double n = counts ? (double)counts->total : (double)rows;
    int64_t chunks = l2r_chunk_count(rows, ROWS_A_CHUNK);
    l2r_parallel(chunks, moments_chunk, &w);
    for (int64_t j = 0; j < cols; j++) {
        double shift = total(scratch, chunks, cols, 0, j) / n;
        double square = total(scratch, chunks, cols, 1, j) / n - shift * shift;
        mean[j] = (l2r_real)((double)x[j] + shift);
        variance[j] = (l2r_real)(square > 0 ? square : 0);
    }
}

static L2R_CLONES void affine_rows(l2r_real *y, const struct work *w, int64_t begin, int64_t end)
{
    int64_t cols = w->cols;
    int relu = w->act == L2R_RELU;
    for (int64_t i = begin; i < end; i++) {
        const l2r_real *x = w->x + i * cols;
        l2r_real *out = y + i * cols;
        uint32_t first = (uint32_t)(i * cols);
        for (int64_t j = 0; j < cols; j++) {
            l2r_real value = x[j] * w->scale[j] + w->shift[j];
            out[j] = relu && value < 0 ? 0 : value;
        }
        if (!w->dropout) continue;
        struct l2r_dropout dropout = *w->dropout;
        for (int64_t j = 0; j < cols; j++) out[j] *= l2r_mask_value(&dropout, first + (uint32_t)j);
    }
}

static void affine_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->rows, ROWS_A_CHUNK, chunk);
    affine_rows(w->out, w, begin, end);
}

void l2r_affine_forward(l2r_real *y, const l2r_real *x, const l2r_real *scale, const l2r_real *shift,
                        enum l2r_activation act, const struct l2r_dropout *dropout, int64_t rows, int64_t cols)
{
    struct work w = {
        .out = y, .x = x, .scale = scale, .shift = shift, .act = act, .dropout = dropout, .rows = rows, .cols = cols};
    l2r_parallel(l2r_chunk_count(rows, ROWS_A_CHUNK), affine_chunk, &w);
}

/* d_y through dropout and activation, in place. */
static L2R_CLONES void unmask_row(l2r_real *d_y, const l2r_real *y, const struct l2r_norm_saved *s, uint32_t first,
                                  int64_t cols)
{
    if (s->act == L2R_RELU) {
        l2r_real scale = s->dropout ? s->dropout->scale : 1;
        for (int64_t j = 0; j < cols; j++) d_y[j] = y[j] > 0 ? d_y[j] * scale : 0;
    } else if (s->dropout) {
        struct l2r_dropout dropout = *s->dropout;
        for (int64_t j = 0; j < cols; j++) d_y[j] *= l2r_mask_value(&dropout, first + (uint32_t)j);
    }
}

/* Sums of d_y and of d_y · (x − mean), for d_beta and d_gamma. */
static L2R_CLONES void gradient_sums(double *sum, const l2r_real *d_y, const l2r_real *x, const l2r_real *mean,
                                     int64_t rows, int64_t cols)
{
    for (int64_t j0 = 0; j0 < cols; j0 += TILE) {
        int64_t width = min64(TILE, cols - j0);
        for (int64_t j = 0; j < width; j++) sum[j0 + j] = sum[cols + j0 + j] = 0;
        for (int64_t i0 = 0; i0 < rows; i0 += ROWS_A_FLOAT_SUM) {
            l2r_real first[TILE] = {0}, second[TILE] = {0};
            for (int64_t i = i0; i < min64(i0 + ROWS_A_FLOAT_SUM, rows); i++)
                for (int64_t j = 0; j < width; j++) {
                    l2r_real g = d_y[i * cols + j0 + j];
                    first[j] += g;
                    second[j] += g * (x[i * cols + j0 + j] - mean[j0 + j]);
                }
            for (int64_t j = 0; j < width; j++) {
                sum[j0 + j] += (double)first[j];
                sum[cols + j0 + j] += (double)second[j];
            }
        }
    }
}

static void sums_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end, cols = w->cols;
    l2r_chunk_range(&begin, &end, w->rows, ROWS_A_CHUNK, chunk);
    for (int64_t i = begin; i < end; i++)
        unmask_row(w->d_y + i * cols, w->y + i * cols, w->saved, (uint32_t)(i * cols), cols);
    gradient_sums(w->partial + chunk * 2 * cols, w->d_y + begin * cols, w->x + begin * cols, w->saved->mean,
                  end - begin, cols);
}

/* d_x = a·d_y − times·(b·(x − mean) + c) with a, b, c per column, times the row's count. */
static L2R_CLONES void input_gradient(l2r_real *d_x, const struct work *w, int64_t begin, int64_t end)
{
    int64_t cols = w->cols;
    const l2r_real *a = w->term, *b = a + cols, *c = b + cols;
    for (int64_t i = begin; i < end; i++) {
        const l2r_real *g = w->d_y + i * cols, *x = w->x + i * cols;
        l2r_real *out = d_x + i * cols, times = w->count ? w->count[i] : 1;
        if (w->beta == 0)
            for (int64_t j = 0; j < cols; j++)
                out[j] = a[j] * g[j] - times * (b[j] * (x[j] - w->saved->mean[j]) + c[j]);
        else
            for (int64_t j = 0; j < cols; j++)
                out[j] = w->beta * out[j] + (a[j] * g[j] - times * (b[j] * (x[j] - w->saved->mean[j]) + c[j]));
    }
}

static void input_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->rows, ROWS_A_CHUNK, chunk);
    input_gradient(w->out, w, begin, end);
}

int64_t l2r_norm_backward_scratch(int64_t rows, int64_t cols)
{
    return l2r_moments_scratch(rows, cols) + 3 * cols;
}

void l2r_norm_backward(l2r_real *d_x, l2r_real beta, l2r_real *d_gamma, l2r_real *d_beta, l2r_real *d_y,
                       const l2r_real *y, const l2r_real *x, const struct l2r_norm_saved *saved, double *scratch,
                       int64_t rows, int64_t cols)
{
    struct work w = {.out = d_x,
                     .d_y = d_y,
                     .beta = beta,
                     .x = x,
                     .y = y,
                     .saved = saved,
                     .partial = scratch,
                     .count = saved->counts ? saved->counts->count : NULL,
                     .rows = rows,
                     .cols = cols};
    int64_t chunks = l2r_chunk_count(rows, ROWS_A_CHUNK);
    l2r_parallel(chunks, sums_chunk, &w);
    l2r_real *term = (l2r_real *)(scratch + l2r_moments_scratch(rows, cols));
    for (int64_t j = 0; j < cols; j++) {
        double first = total(scratch, chunks, cols, 0, j), second = total(scratch, chunks, cols, 1, j);
        double inverse = (double)saved->inverse_sd[j], a = (double)saved->gamma[j] * inverse;
        if (d_beta) d_beta[j] += (l2r_real)first;
        if (d_gamma) d_gamma[j] += (l2r_real)(second * inverse);
        double n = !saved->batch_statistics ? 0 : saved->counts ? (double)saved->counts->total : (double)rows;
        term[j] = (l2r_real)a;
        term[cols + j] = n > 0 ? (l2r_real)(a * inverse * inverse * second / n) : 0;
        term[2 * cols + j] = n > 0 ? (l2r_real)(a * first / n) : 0;
    }
    w.term = term;
    if (d_x) l2r_parallel(chunks, input_chunk, &w);
}
