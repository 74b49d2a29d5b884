/* SPDX-License-Identifier: MIT
 *
 * See norm.h. Rows stream by while the sums of a few hundred columns stay in the first-level cache.
 *
 * Backwards, what was dropped or below zero is found again from x, so the output need not be kept:
 *
 *     g = d_y through dropout and activation,   d_β = Σ g,   d_γ = Σ g (x − mean) / sd
 *     d_x = a·g − times·(b·(x − mean) + c),     a = γ / sd, b = a Σ g (x − mean) / (sd² n), c = a Σ g / n
 *
 * One pass makes g (in place) and the sums, another d_x.
 */
#include "kernels/norm.h"

#include "base/threads.h"

#include <stddef.h>
#include <string.h>

/* ---- statistics and forward ---- */

enum { ROWS_A_CHUNK = 256, ROWS_A_FLOAT_SUM = 32, TILE = 512 };

struct moments {
    const l2r_real *x, *count; /* count: [rows], or NULL: one each */
    double *partial;           /* [chunks × 2 × cols] */
    int64_t rows, cols;
};

int64_t l2r_moments_scratch(int64_t rows, int64_t cols)
{
    return (l2r_chunk_count(rows, ROWS_A_CHUNK) + 1) * 2 * cols;
}

/* first += times · (x − origin), second += times · (x − origin)². */
L2R_INLINE void add_row(l2r_real *restrict first, l2r_real *restrict second, const l2r_real *restrict x,
                        const l2r_real *restrict origin, int64_t n, l2r_real times)
{
    for (int64_t j = 0; j < n; j++) {
        l2r_real d = x[j] - origin[j];
        first[j] += times * d;
        second[j] += times * (d * d);
    }
}

/* A tile's sums of a few rows in float join the whole in double: sum[0…n) and sum[cols…cols + n). */
L2R_INLINE void add_tile(double *restrict sum, const l2r_real *restrict first, const l2r_real *restrict second,
                         int64_t n, int64_t cols)
{
    for (int64_t j = 0; j < n; j++) {
        sum[j] += (double)first[j];
        sum[cols + j] += (double)second[j];
    }
}

L2R_CLONES(static, moments_rows, (double *sum, const struct moments *m, int64_t begin, int64_t end),
           (sum, m, begin, end))
{
    const l2r_real *origin = m->x;
    int64_t cols = m->cols;
    for (int64_t j0 = 0; j0 < cols; j0 += TILE) {
        int64_t width = cols - j0 < TILE ? cols - j0 : TILE;
        for (int64_t j = 0; j < width; j++) sum[j0 + j] = sum[cols + j0 + j] = 0;
        for (int64_t i0 = begin; i0 < end; i0 += ROWS_A_FLOAT_SUM) {
            l2r_real first[TILE] = {0}, second[TILE] = {0};
            for (int64_t i = i0; i < end && i < i0 + ROWS_A_FLOAT_SUM; i++) {
                const l2r_real *x = m->x + i * cols + j0;
                if (m->count)
                    add_row(first, second, x, origin + j0, width, m->count[i]);
                else
                    add_row(first, second, x, origin + j0, width, 1);
            }
            add_tile(sum + j0, first, second, width, cols);
        }
    }
}

static void moments_chunk(void *context, int64_t chunk)
{
    const struct moments *m = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, m->rows, ROWS_A_CHUNK, chunk);
    moments_rows(m->partial + chunk * 2 * m->cols, m, begin, end);
}

/* Σ (x − first row) and its squares, [2 × cols]. */
static void sums_about_first(double *sums, const l2r_real *x, const struct l2r_row_counts *counts, double *scratch,
                             int64_t rows, int64_t cols)
{
    struct moments m = {x, counts ? counts->count : NULL, scratch, rows, cols};
    int64_t chunks = l2r_chunk_count(rows, ROWS_A_CHUNK);
    l2r_parallel(chunks, moments_chunk, &m);
    for (int64_t j = 0; j < 2 * cols; j++) {
        sums[j] = 0;
        for (int64_t c = 0; c < chunks; c++) sums[j] += scratch[2 * c * cols + j];
    }
}

void l2r_moments_of(l2r_real *mean, l2r_real *variance, const double *sums, const l2r_real *origin, int64_t n,
                    int64_t cols)
{
    for (int64_t j = 0; j < cols; j++) {
        double shift = sums[j] / (double)n, square = sums[cols + j] / (double)n - shift * shift;
        mean[j] = (l2r_real)((double)origin[j] + shift);
        variance[j] = (l2r_real)(square > 0 ? square : 0);
    }
}

void l2r_moments(l2r_real *mean, l2r_real *variance, const l2r_real *x, const struct l2r_row_counts *counts,
                 double *scratch, int64_t rows, int64_t cols)
{
    double *sums = scratch + l2r_moments_scratch(rows, cols) - 2 * cols;
    sums_about_first(sums, x, counts, scratch, rows, cols);
    l2r_moments_of(mean, variance, sums, x, counts ? counts->total : rows, cols);
}

void l2r_moment_sums(double *sums, const l2r_real *origin, const l2r_real *x, const struct l2r_row_counts *counts,
                     double *scratch, int64_t rows, int64_t cols)
{
    double n = counts ? (double)counts->total : (double)rows;
    memset(sums, 0, 2 * (size_t)cols * sizeof *sums);
    if (rows == 0) return;
    sums_about_first(sums, x, counts, scratch, rows, cols);
    for (int64_t j = 0; j < cols; j++) {
        double moved = (double)x[j] - (double)origin[j], first = sums[j];
        sums[j] = first + n * moved;
        sums[cols + j] += moved * (2 * first + n * moved);
    }
}

L2R_CLONES(extern, l2r_affine_rows, (l2r_real * y, const struct l2r_affine *a, int64_t begin, int64_t end),
           (y, a, begin, end))
{
    int64_t cols = a->cols;
    bool relu = l2r_is_relu(a->act);
    for (int64_t i = begin; i < end; i++) {
        const l2r_real *restrict x = a->x + i * cols, *restrict scale = a->scale, *restrict shift = a->shift;
        l2r_real *restrict out = y + (i - begin) * cols;
        if (relu)
            for (int64_t j = 0; j < cols; j++) {
                l2r_real value = x[j] * scale[j] + shift[j];
                out[j] = value < 0 ? 0 : value; /* NaN stays */
            }
        else
            for (int64_t j = 0; j < cols; j++) out[j] = x[j] * scale[j] + shift[j];
        if (l2r_is_called(a->act)) a->act->forward(out, out, cols);
        if (!a->dropout) continue;
        struct l2r_dropout dropout = *a->dropout;
        uint32_t first = (uint32_t)(i * cols);
        for (int64_t j = 0; j < cols; j++) out[j] *= l2r_mask_value(&dropout, first + (uint32_t)j);
    }
}

struct forward {
    l2r_real *y;
    const struct l2r_affine *a;
    int64_t rows;
};

static void affine_chunk(void *context, int64_t chunk)
{
    const struct forward *f = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, f->rows, ROWS_A_CHUNK, chunk);
    l2r_affine_rows(f->y + begin * f->a->cols, f->a, begin, end);
}

void l2r_affine_forward(l2r_real *y, const struct l2r_affine *a, int64_t rows)
{
    struct forward f = {y, a, rows};
    l2r_parallel(l2r_chunk_count(rows, ROWS_A_CHUNK), affine_chunk, &f);
}

const l2r_real *l2r_input_rows(const struct l2r_input *input, l2r_real *temp, int64_t begin, int64_t end)
{
    if (input->data) return input->data + begin * input->cols;
    l2r_affine_rows(temp, input->affine, begin, end);
    return temp;
}

int64_t l2r_input_temp(const struct l2r_input *input, int64_t rows)
{
    return input->data ? 0 : rows * input->cols;
}

/* ---- backward ---- */

struct backward {
    l2r_real *d_x, *d_y;
    const l2r_real *g; /* d_y after the first pass */
    l2r_real beta;
    const struct l2r_norm_saved *saved;
    const l2r_real *count; /* [rows], or NULL: one each */
    const l2r_real *term;  /* [3 × cols]: a, b, c */
    double *partial;       /* [chunks × 2 × cols] */
    int64_t rows;
};

/* d_y through dropout and activation, in place: n ≤ TILE numbers of which the first is column j of row i. */
L2R_INLINE void unmask(l2r_real *restrict d_y, const struct l2r_affine *a, int64_t i, int64_t j, int64_t n)
{
    const l2r_real *restrict x = a->x + i * a->cols + j, *restrict scale = a->scale + j, *restrict shift = a->shift + j;
    if (l2r_is_relu(a->act))
        for (int64_t k = 0; k < n; k++) d_y[k] = x[k] * scale[k] + shift[k] > 0 ? d_y[k] : 0;
    if (l2r_is_called(a->act)) {
        l2r_real before[TILE];
        for (int64_t k = 0; k < n; k++) before[k] = x[k] * scale[k] + shift[k];
        a->act->backward(d_y, before, n);
    }
    if (!a->dropout) return;
    struct l2r_dropout dropout = *a->dropout;
    uint32_t first = (uint32_t)(i * a->cols + j);
    for (int64_t k = 0; k < n; k++) d_y[k] *= l2r_mask_value(&dropout, first + (uint32_t)k);
}

L2R_INLINE void add_gradient_row(l2r_real *restrict first, l2r_real *restrict second, const l2r_real *restrict g,
                                 const l2r_real *restrict x, const l2r_real *restrict mean, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        first[j] += g[j];
        second[j] += g[j] * (x[j] - mean[j]);
    }
}

L2R_CLONES(static, sums_rows, (double *sum, const struct backward *w, int64_t begin, int64_t end), (sum, w, begin, end))
{
    const struct l2r_affine *a = &w->saved->affine;
    int64_t cols = a->cols;
    for (int64_t j0 = 0; j0 < cols; j0 += TILE) {
        int64_t width = cols - j0 < TILE ? cols - j0 : TILE;
        for (int64_t j = 0; j < width; j++) sum[j0 + j] = sum[cols + j0 + j] = 0;
        for (int64_t i0 = begin; i0 < end; i0 += ROWS_A_FLOAT_SUM) {
            l2r_real first[TILE] = {0}, second[TILE] = {0};
            for (int64_t i = i0; i < end && i < i0 + ROWS_A_FLOAT_SUM; i++) {
                l2r_real *g = w->d_y + i * cols + j0;
                unmask(g, a, i, j0, width);
                add_gradient_row(first, second, g, a->x + i * cols + j0, w->saved->mean + j0, width);
            }
            add_tile(sum + j0, first, second, width, cols);
        }
    }
}

static void sums_chunk(void *context, int64_t chunk)
{
    const struct backward *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->rows, ROWS_A_CHUNK, chunk);
    sums_rows(w->partial + chunk * 2 * w->saved->affine.cols, w, begin, end);
}

L2R_CLONES(static, input_rows, (const struct backward *w, int64_t begin, int64_t end), (w, begin, end))
{
    int64_t cols = w->saved->affine.cols;
    const l2r_real *a = w->term, *b = a + cols, *c = b + cols, *mean = w->saved->mean;
    for (int64_t i = begin; i < end; i++) {
        const l2r_real *g = w->g + i * cols, *x = w->saved->affine.x + i * cols;
        l2r_real *out = w->d_x + i * cols, times = w->count ? w->count[i] : 1;
        if (w->beta == 0)
            for (int64_t j = 0; j < cols; j++) out[j] = a[j] * g[j] - times * (b[j] * (x[j] - mean[j]) + c[j]);
        else
            for (int64_t j = 0; j < cols; j++)
                out[j] = w->beta * out[j] + (a[j] * g[j] - times * (b[j] * (x[j] - mean[j]) + c[j]));
    }
}

static void input_chunk(void *context, int64_t chunk)
{
    const struct backward *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->rows, ROWS_A_CHUNK, chunk);
    input_rows(w, begin, end);
}

int64_t l2r_norm_backward_scratch(int64_t rows, int64_t cols)
{
    return l2r_moments_scratch(rows, cols) + 3 * cols;
}

/* a, b, c of every column, and the parameters' gradients. */
static void finish_sums(l2r_real *term, l2r_real *d_gamma, l2r_real *d_beta, const struct l2r_norm_saved *saved,
                        const double *own, const double *all, double n)
{
    int64_t cols = saved->affine.cols;
    for (int64_t j = 0; j < cols; j++) {
        double inverse = (double)saved->inverse_sd[j], a = (double)saved->gamma[j] * inverse;
        if (d_beta) d_beta[j] += (l2r_real)own[j];
        if (d_gamma) d_gamma[j] += (l2r_real)(own[cols + j] * inverse);
        term[j] = (l2r_real)a;
        term[cols + j] = n > 0 ? (l2r_real)(a * inverse * inverse * all[cols + j] / n) : 0;
        term[2 * cols + j] = n > 0 ? (l2r_real)(a * all[j] / n) : 0;
    }
}

void l2r_norm_backward_sums(double *sums, l2r_real *d_y, const struct l2r_norm_saved *saved, double *scratch,
                            int64_t rows)
{
    int64_t chunks = l2r_chunk_count(rows, ROWS_A_CHUNK), cols = saved->affine.cols;
    struct backward w = {.d_y = d_y, .saved = saved, .partial = scratch, .rows = rows};
    l2r_parallel(chunks, sums_chunk, &w);
    for (int64_t j = 0; j < 2 * cols; j++) {
        sums[j] = 0;
        for (int64_t k = 0; k < chunks; k++) sums[j] += scratch[2 * k * cols + j];
    }
}

void l2r_norm_backward_rows(l2r_real *d_x, l2r_real beta, l2r_real *d_gamma, l2r_real *d_beta, const l2r_real *d_y,
                            const struct l2r_norm_saved *saved, const double *own, const double *all, double n,
                            double *scratch, int64_t rows)
{
    void *rest = scratch + l2r_moments_scratch(rows, saved->affine.cols);
    l2r_real *term = rest;
    struct backward w = {.d_x = d_x,
                         .g = d_y,
                         .beta = beta,
                         .saved = saved,
                         .count = saved->counts ? saved->counts->count : NULL,
                         .term = term,
                         .rows = rows};
    finish_sums(term, d_gamma, d_beta, saved, own, all, n);
    if (d_x) l2r_parallel(l2r_chunk_count(rows, ROWS_A_CHUNK), input_chunk, &w);
}

void l2r_norm_backward(l2r_real *d_x, l2r_real beta, l2r_real *d_gamma, l2r_real *d_beta, l2r_real *d_y,
                       const struct l2r_norm_saved *saved, double *scratch, int64_t rows)
{
    double n = !saved->batch_statistics ? 0 : saved->counts ? (double)saved->counts->total : (double)rows;
    double *sums = scratch + l2r_moments_scratch(rows, saved->affine.cols) - 2 * saved->affine.cols;
    l2r_norm_backward_sums(sums, d_y, saved, scratch, rows);
    l2r_norm_backward_rows(d_x, beta, d_gamma, d_beta, d_y, saved, sums, sums, n, scratch, rows);
}
