/* SPDX-License-Identifier: MIT
 *
 * See layer_norm.h. Rows are independent of each other, but for the gradients of γ and β: each chunk of rows adds its
 * own up, and the chunks are added in order.
 */
#include "kernels/layer_norm.h"

#include "base/threads.h"

#include <math.h>
#include <stddef.h>

enum { ROWS_A_CHUNK = 128 };
static const double epsilon = 1e-5;

struct work {
    l2r_real *y; /* or d_x */
    l2r_real b;
    const l2r_real *beta, *d_y;
    const struct l2r_layer_norm *norm;
    double *partial; /* [chunks × 2 × cols] */
};

L2R_INLINE l2r_real row_sum(const l2r_real *x, int64_t n)
{
    l2r_vec sums = {0};
    l2r_real sum = 0;
    int64_t j = 0;
    for (; j + L2R_LANES <= n; j += L2R_LANES) sums += *(const l2r_vec *)(x + j);
    for (; j < n; j++) sum += x[j];
    for (int k = 0; k < (int)L2R_LANES; k++) sum += sums[k];
    return sum;
}

/* Σ a_j b_j (x_j − mean). */
L2R_INLINE l2r_real centred_sum(const l2r_real *a, const l2r_real *b, const l2r_real *x, l2r_real mean, int64_t n)
{
    l2r_vec sums = {0};
    l2r_real sum = 0;
    int64_t j = 0;
    for (; j + L2R_LANES <= n; j += L2R_LANES)
        sums += *(const l2r_vec *)(a + j) * *(const l2r_vec *)(b + j) * (*(const l2r_vec *)(x + j) - mean);
    for (; j < n; j++) sum += a[j] * b[j] * (x[j] - mean);
    for (int k = 0; k < (int)L2R_LANES; k++) sum += sums[k];
    return sum;
}

L2R_CLONES(static, forward_rows, (const struct work *w, int64_t begin, int64_t end), (w, begin, end))
{
    const struct l2r_layer_norm *p = w->norm;
    int64_t cols = p->cols;
    for (int64_t i = begin; i < end; i++) {
        const l2r_real *x = p->x + i * cols;
        l2r_real *y = w->y + i * cols, mean = row_sum(x, cols) / (l2r_real)cols;
        for (int64_t j = 0; j < cols; j++) y[j] = x[j] - mean;
        double variance = (double)l2r_row_dot(y, y, cols) / (double)cols;
        l2r_real inverse = (l2r_real)(1 / sqrt(variance + epsilon));
        p->mean[i] = mean;
        p->inverse_sd[i] = inverse;
        for (int64_t j = 0; j < cols; j++) y[j] = y[j] * inverse * p->gamma[j] + w->beta[j];
    }
}

/* Σ d_y ∘ n and Σ d_y of these rows, [2 × cols]. */
L2R_CLONES(static, sum_rows, (double *sum, const struct work *w, int64_t begin, int64_t end), (sum, w, begin, end))
{
    const struct l2r_layer_norm *p = w->norm;
    int64_t cols = p->cols;
    for (int64_t j = 0; j < 2 * cols; j++) sum[j] = 0;
    for (int64_t i = begin; i < end; i++) {
        const l2r_real *x = p->x + i * cols, *d_y = w->d_y + i * cols;
        l2r_real mean = p->mean[i], inverse = p->inverse_sd[i];
        for (int64_t j = 0; j < cols; j++) {
            sum[j] += (double)(d_y[j] * ((x[j] - mean) * inverse));
            sum[cols + j] += (double)d_y[j];
        }
    }
}

L2R_CLONES(static, input_rows, (const struct work *w, int64_t begin, int64_t end), (w, begin, end))
{
    const struct l2r_layer_norm *p = w->norm;
    int64_t cols = p->cols;
    for (int64_t i = begin; i < end; i++) {
        const l2r_real *x = p->x + i * cols, *d_y = w->d_y + i * cols;
        l2r_real *d_x = w->y + i * cols, mean = p->mean[i], inverse = p->inverse_sd[i];
        l2r_real first = l2r_row_dot(d_y, p->gamma, cols) / (l2r_real)cols;
        l2r_real second = inverse * centred_sum(d_y, p->gamma, x, mean, cols) / (l2r_real)cols;
        for (int64_t j = 0; j < cols; j++) {
            l2r_real g = inverse * (d_y[j] * p->gamma[j] - first - (x[j] - mean) * inverse * second);
            d_x[j] = w->b == 0 ? g : w->b * d_x[j] + g;
        }
    }
}

static void forward_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->norm->rows, ROWS_A_CHUNK, chunk);
    forward_rows(w, begin, end);
}

/* Sums first: d_x may take the place of d_y. */
static void backward_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->norm->rows, ROWS_A_CHUNK, chunk);
    sum_rows(w->partial + 2 * chunk * w->norm->cols, w, begin, end);
    if (w->y) input_rows(w, begin, end);
}

void l2r_layer_norm_forward(l2r_real *y, const struct l2r_layer_norm *norm, const l2r_real *beta)
{
    struct work w = {.y = y, .beta = beta, .norm = norm};
    l2r_parallel(l2r_chunk_count(norm->rows, ROWS_A_CHUNK), forward_chunk, &w);
}

int64_t l2r_layer_norm_scratch(int64_t rows, int64_t cols)
{
    return l2r_chunk_count(rows, ROWS_A_CHUNK) * 2 * cols;
}

void l2r_layer_norm_backward(l2r_real *d_x, l2r_real b, l2r_real *d_gamma, l2r_real *d_beta, const l2r_real *d_y,
                             const struct l2r_layer_norm *norm, double *scratch)
{
    int64_t chunks = l2r_chunk_count(norm->rows, ROWS_A_CHUNK), cols = norm->cols;
    struct work w = {.y = d_x, .b = b, .d_y = d_y, .norm = norm, .partial = scratch};
    l2r_parallel(chunks, backward_chunk, &w);
    for (int64_t j = 0; j < cols; j++) {
        double gamma = 0, beta = 0;
        for (int64_t k = 0; k < chunks; k++) {
            gamma += scratch[2 * k * cols + j];
            beta += scratch[(2 * k + 1) * cols + j];
        }
        if (d_gamma) d_gamma[j] += (l2r_real)gamma;
        if (d_beta) d_beta[j] += (l2r_real)beta;
    }
}
