/* SPDX-License-Identifier: MIT
 * See the end of dependence.h. Rows are dealt to threads in fixed chunks, and each row is summed by one thread in one
 * order, so the bits do not depend on the number of threads. */
#include "kernels/dependence.h"

#include "base/threads.h"

#include <math.h>
#include <string.h>

enum { ROWS_A_CHUNK = 8, LANES = 4 };

typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
#define AT(p) (*(const quad *)(p))

L2R_CLONES_OF(double, distance, (const l2r_real *x, const l2r_real *y, int64_t dim), (x, y, dim))
{
    l2r_vec sum = {0};
    double total = 0;
    int64_t j = 0;
    for (; j + L2R_LANES <= dim; j += L2R_LANES) {
        l2r_vec apart = *(const l2r_vec *)(x + j) - *(const l2r_vec *)(y + j);
        sum += apart * apart;
    }
    for (int l = 0; l < L2R_LANES; l++) total += (double)sum[l];
    for (; j < dim; j++) total += ((double)x[j] - (double)y[j]) * ((double)x[j] - (double)y[j]);
    return total;
}

void l2r_squared_distances(double *k, const l2r_real *x, double share, int64_t rows, int64_t dim)
{
    int64_t stride = l2r_kernel_stride(rows);
    for (int64_t n = 0; n < rows; n++) {
        k[n * stride + n] = 0;
        for (int64_t m = 0; m < n; m++)
            k[n * stride + m] = k[m * stride + n] = distance(x + n * dim, x + m * dim, dim) / share;
    }
}

void l2r_rbf(double *k, double scale, int64_t rows)
{
    int64_t stride = l2r_kernel_stride(rows);
    for (int64_t n = 0; n < rows; n++) {
        k[n * stride + n] = 1;
        for (int64_t m = 0; m < n; m++) k[n * stride + m] = k[m * stride + n] = exp(-scale * k[n * stride + m]);
    }
}

struct work {
    const struct l2r_kernel_matrices *m;
    const double *w;
    const double *f, *g; /* [rows]: w or ones */
    double *mean;        /* [count × rows]: r_k */
    double *total;       /* [count]: t_k */
    double *value;       /* [rows]: each row's part of 2 L */
    double *sum;         /* [chunks × stride]: the current row of S */
    double *gradient;    /* [rows] or NULL */
    double divisor;      /* R, or the sum of the weights */
    int64_t stride;
};

L2R_CLONES_OF(double, dot, (const double *a, const double *b, int64_t n), (a, b, n))
{
    quad sum = {0};
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES) sum += AT(a + j) * AT(b + j);
    double total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    for (; j < n; j++) total += a[j] * b[j];
    return total;
}

static void mean_chunk(void *context, int64_t chunk)
{
    const struct work *s = context;
    int64_t begin, end, rows = s->m->rows;
    l2r_chunk_range(&begin, &end, rows, ROWS_A_CHUNK, chunk);
    for (int64_t k = 0; k < s->m->count; k++)
        for (int64_t n = begin; n < end; n++)
            s->mean[k * rows + n] = s->f[n] * dot(s->m->kernel[k] + n * s->stride, s->w, rows) / s->divisor;
}

/* sum(m) += M_k(n,m) for one row n. */
L2R_CLONES(static, add_row,
           (double *sum, const double *kernel, const double *f, const double *mean, double own, double shift,
            int64_t n),
           (sum, kernel, f, mean, own, shift, n))
{
    for (int64_t m = 0; m < n; m++) sum[m] += own * f[m] * kernel[m] - mean[m] + shift;
}

/* out[0] = Σ_m g_m M_k(n,m)²,  out[1] = Σ_m w_m X(n,m) (S − M_k)(n,m), X = K_k (scaled) or M_k (weighted). */
L2R_CLONES(static, take_row,
           (double out[2], const struct work *s, const double *sum, const double *kernel, const double *mean,
            double own, double shift, int64_t n),
           (out, s, sum, kernel, mean, own, shift, n))
{
    const double *f = s->f, *g = s->g, *w = s->w;
    double of_kernel = s->m->scaled ? 1 : 0, of_entry = 1 - of_kernel;
    quad square = {0}, slope = {0};
    int64_t m = 0;
    for (; m + LANES <= n; m += LANES) {
        quad k = AT(kernel + m), entry = own * AT(f + m) * k - AT(mean + m) + shift;
        square += AT(g + m) * entry * entry;
        slope += AT(w + m) * (of_kernel * k + of_entry * entry) * (AT(sum + m) - entry);
    }
    out[0] = (square[0] + square[1]) + (square[2] + square[3]);
    out[1] = (slope[0] + slope[1]) + (slope[2] + slope[3]);
    for (; m < n; m++) {
        double k = kernel[m], entry = own * f[m] * k - mean[m] + shift;
        out[0] += g[m] * entry * entry;
        out[1] += w[m] * (of_kernel * k + of_entry * entry) * (sum[m] - entry);
    }
}

/* Σ_m g_m sum_m². */
static double weighted_square(const double *g, const double *sum, int64_t n)
{
    double total = 0;
    for (int64_t m = 0; m < n; m++) total += g[m] * sum[m] * sum[m];
    return total;
}

static void value_chunk(void *context, int64_t chunk)
{
    const struct work *s = context;
    int64_t begin, end, rows = s->m->rows;
    double *sum = s->sum + chunk * s->stride, part[2];
    l2r_chunk_range(&begin, &end, rows, ROWS_A_CHUNK, chunk);
    for (int64_t n = begin; n < end; n++) {
        double slope = 0;
        memset(sum, 0, (size_t)rows * sizeof *sum);
        for (int64_t k = 0; k < s->m->count; k++)
            add_row(sum, s->m->kernel[k] + n * s->stride, s->f, s->mean + k * rows, s->f[n],
                    s->total[k] - s->mean[k * rows + n], rows);
        s->value[n] = weighted_square(s->g, sum, rows);
        for (int64_t k = 0; k < s->m->count; k++) {
            take_row(part, s, sum, s->m->kernel[k] + n * s->stride, s->mean + k * rows, s->f[n],
                     s->total[k] - s->mean[k * rows + n], rows);
            s->value[n] -= part[0];
            slope += part[1];
        }
        s->value[n] *= s->g[n];
        if (s->gradient) s->gradient[n] = s->m->scaled ? 2 * slope : slope;
    }
}

int64_t l2r_weighted_hsic_scratch(int64_t count, int64_t rows)
{
    return count * rows + count + 2 * rows + l2r_chunk_count(rows, ROWS_A_CHUNK) * l2r_kernel_stride(rows);
}

double l2r_weighted_hsic(double *gradient, const struct l2r_kernel_matrices *m, const double *w, double *scratch)
{
    struct work s = {.m = m, .w = w, .mean = scratch, .gradient = gradient, .stride = l2r_kernel_stride(m->rows)};
    int64_t chunks = l2r_chunk_count(m->rows, ROWS_A_CHUNK);
    s.total = s.mean + m->count * m->rows;
    s.value = s.total + m->count;
    double *ones = s.value + m->rows;
    s.sum = ones + m->rows;
    for (int64_t n = 0; n < m->rows; n++) {
        ones[n] = 1;
        s.divisor += m->scaled ? 1 : w[n];
    }
    s.f = m->scaled ? w : ones;
    s.g = m->scaled ? ones : w;
    l2r_parallel(chunks, mean_chunk, &s);
    for (int64_t k = 0; k < m->count; k++) {
        s.total[k] = 0;
        for (int64_t n = 0; n < m->rows; n++) s.total[k] += s.g[n] * s.mean[k * m->rows + n] / s.divisor;
    }
    l2r_parallel(chunks, value_chunk, &s);
    double value = 0;
    for (int64_t n = 0; n < m->rows; n++) value += s.value[n];
    return 0.5 * value;
}
