/* SPDX-License-Identifier: MIT
 *
 * Batch norm backwards (norm.h): what was dropped or below zero is found again from x, so the output need not be kept.
 *
 *     g = d_y through dropout and activation,   d_β = Σ g,   d_γ = Σ g (x − mean) / sd
 *     d_x = a·g − times·(b·(x − mean) + c),     a = γ / sd, b = a Σ g (x − mean) / (sd² n), c = a Σ g / n
 *
 * One pass makes g (in place) and the sums, another d_x.
 */
#include "base/threads.h"
#include "kernels/norm.h"

#include <stddef.h>

enum { ROWS_A_CHUNK = 256, ROWS_A_FLOAT_SUM = 32, TILE = 512 };

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

/* d_y through dropout and activation, in place: n numbers of which the first is column j of row i. */
L2R_INLINE void unmask(l2r_real *restrict d_y, const struct l2r_affine *a, int64_t i, int64_t j, int64_t n)
{
    const l2r_real *restrict x = a->x + i * a->cols + j, *restrict scale = a->scale + j, *restrict shift = a->shift + j;
    if (a->act == L2R_RELU)
        for (int64_t k = 0; k < n; k++) d_y[k] = x[k] * scale[k] + shift[k] > 0 ? d_y[k] : 0;
    if (!a->dropout) return;
    struct l2r_dropout dropout = *a->dropout;
    uint32_t first = (uint32_t)(i * a->cols + j);
    for (int64_t k = 0; k < n; k++) d_y[k] *= l2r_mask_value(&dropout, first + (uint32_t)k);
}

L2R_INLINE void add_row(l2r_real *restrict first, l2r_real *restrict second, const l2r_real *restrict g,
                        const l2r_real *restrict x, const l2r_real *restrict mean, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        first[j] += g[j];
        second[j] += g[j] * (x[j] - mean[j]);
    }
}

static L2R_CLONES void sums_rows(double *sum, const struct backward *w, int64_t begin, int64_t end)
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
                add_row(first, second, g, a->x + i * cols + j0, w->saved->mean + j0, width);
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
    const struct backward *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->rows, ROWS_A_CHUNK, chunk);
    sums_rows(w->partial + chunk * 2 * w->saved->affine.cols, w, begin, end);
}

static L2R_CLONES void input_rows(const struct backward *w, int64_t begin, int64_t end)
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
    void *behind = scratch + l2r_moments_scratch(rows, saved->affine.cols);
    l2r_real *term = behind;
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
