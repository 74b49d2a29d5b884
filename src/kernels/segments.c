/* SPDX-License-Identifier: MIT
 *
 * See segments.h. The work is cut by segments (softmax: by rows).
 */
#include "kernels/segments.h"

#include "base/threads.h"
#include "kernels/rows.h"

#include <math.h>
#include <string.h>

enum { ROWS_A_CHUNK = 256, SEGMENTS_A_CHUNK = 4 };

/* ---- reductions ---- */

struct work {
    l2r_real *y;
    int32_t *argmax_out;
    const int32_t *argmax;
    const l2r_real *x, *z;
    const int32_t *start; /* [n + 1] */
    const int32_t *row;   /* where the rows of segments are; NULL: in place */
    l2r_real beta;
    int64_t n, dim;
    enum l2r_reduction kind;
};

static void run(struct work *w, l2r_chunk_fn *fn)
{
    l2r_parallel(l2r_chunk_count(w->n, SEGMENTS_A_CHUNK), fn, w);
}

static const l2r_real *row_at(const struct work *w, int64_t i)
{
    return w->x + (w->row ? w->row[i] : i) * w->dim;
}

L2R_CLONES(static, max_rows, (l2r_real * y, int32_t *argmax, const struct work *w, int64_t begin, int64_t end),
           (y, argmax, w, begin, end))
{
    int64_t dim = w->dim;
    memcpy(y, row_at(w, begin), (size_t)dim * sizeof *y);
    for (int64_t j = 0; j < dim; j++) argmax[j] = (int32_t)begin;
    for (int64_t i = begin + 1; i < end; i++) {
        const l2r_real *x = row_at(w, i);
        for (int64_t j = 0; j < dim; j++)
            if (x[j] > y[j]) {
                y[j] = x[j];
                argmax[j] = (int32_t)i;
            }
    }
}

static void segment_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t first, last, dim = w->dim;
    l2r_chunk_range(&first, &last, w->n, SEGMENTS_A_CHUNK, chunk);
    for (int64_t g = first; g < last; g++) {
        int64_t begin = w->start[g], end = w->start[g + 1];
        l2r_real *y = w->y + g * dim;
        if (w->kind == L2R_REDUCE_MAX && begin < end) {
            max_rows(y, w->argmax_out + g * dim, w, begin, end);
            continue;
        }
        memset(y, 0, (size_t)dim * sizeof *y);
        if (w->kind == L2R_REDUCE_MAX)
            for (int64_t j = 0; j < dim; j++) w->argmax_out[g * dim + j] = -1;
        for (int64_t i = begin; i < end; i++) l2r_row_add(y, row_at(w, i), dim);
        if (w->kind == L2R_REDUCE_MEAN && begin < end)
            l2r_row_axpby(y, 0, (l2r_real)1 / (l2r_real)(end - begin), y, dim);
    }
}

void l2r_segment_forward(l2r_real *y, int32_t *argmax, const l2r_real *x, const int32_t *start, enum l2r_reduction kind,
                         int64_t n_segments, int64_t dim)
{
    l2r_segment_forward_rows(y, argmax, x, NULL, start, kind, n_segments, dim);
}

void l2r_segment_forward_rows(l2r_real *y, int32_t *argmax, const l2r_real *x, const int32_t *row, const int32_t *start,
                              enum l2r_reduction kind, int64_t n_segments, int64_t dim)
{
    struct work w = {
        .y = y, .argmax_out = argmax, .x = x, .start = start, .row = row, .n = n_segments, .dim = dim, .kind = kind};
    run(&w, segment_chunk);
}

static void segment_back_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t first, last, dim = w->dim;
    l2r_chunk_range(&first, &last, w->n, SEGMENTS_A_CHUNK, chunk);
    for (int64_t g = first; g < last; g++) {
        int64_t begin = w->start[g], end = w->start[g + 1];
        const l2r_real *d_y = w->x + g * dim;
        if (w->kind == L2R_REDUCE_MAX) {
            if (w->beta == 0) memset(w->y + begin * dim, 0, (size_t)((end - begin) * dim) * sizeof *w->y);
            for (int64_t j = 0; j < dim && begin < end; j++) w->y[w->argmax[g * dim + j] * dim + j] += d_y[j];
        } else {
            l2r_real scale = w->kind == L2R_REDUCE_MEAN && begin < end ? (l2r_real)1 / (l2r_real)(end - begin) : 1;
            for (int64_t i = begin; i < end; i++) l2r_row_axpby(w->y + i * dim, w->beta, scale, d_y, dim);
        }
    }
}

void l2r_segment_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const int32_t *argmax,
                          const int32_t *start, enum l2r_reduction kind, int64_t n_segments, int64_t dim)
{
    struct work w = {
        .y = d_x, .beta = beta, .x = d_y, .argmax = argmax, .start = start, .n = n_segments, .dim = dim, .kind = kind};
    run(&w, segment_back_chunk);
}

static void segment_add_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t first, last, dim = w->dim;
    l2r_chunk_range(&first, &last, w->n, SEGMENTS_A_CHUNK, chunk);
    for (int64_t g = first; g < last; g++)
        for (int64_t i = w->start[g]; i < w->start[g + 1]; i++)
            l2r_row_sum_of_two(w->y + i * dim, w->x + i * dim, w->z + g * dim, dim);
}

void l2r_segment_add(l2r_real *y, const l2r_real *x, const l2r_real *z, const int32_t *start, int64_t n_segments,
                     int64_t dim)
{
    struct work w = {.y = y, .x = x, .z = z, .start = start, .n = n_segments, .dim = dim};
    run(&w, segment_add_chunk);
}

/* ---- soft clusters ---- */

struct softmax {
    l2r_real *out;
    l2r_real beta;
    const l2r_real *in, *s;
    int64_t n_rows, n_clusters;
};

static void softmax_chunk(void *context, int64_t chunk)
{
    const struct softmax *w = context;
    int64_t begin, end, k = w->n_clusters;
    l2r_chunk_range(&begin, &end, w->n_rows, ROWS_A_CHUNK, chunk);
    for (int64_t v = begin; v < end; v++) {
        const l2r_real *x = w->in + v * k;
        double top = (double)x[0], sum = 0;
        for (int64_t j = 1; j < k; j++) top = fmax(top, (double)x[j]);
        for (int64_t j = 0; j < k; j++) sum += exp((double)x[j] - top);
        for (int64_t j = 0; j < k; j++) w->out[v * k + j] = (l2r_real)(exp((double)x[j] - top) / sum);
    }
}

void l2r_softmax_forward(l2r_real *s, const l2r_real *x, int64_t n_rows, int64_t n_clusters)
{
    struct softmax w = {.out = s, .in = x, .n_rows = n_rows, .n_clusters = n_clusters};
    l2r_parallel(l2r_chunk_count(n_rows, ROWS_A_CHUNK), softmax_chunk, &w);
}

static void softmax_back_chunk(void *context, int64_t chunk)
{
    const struct softmax *w = context;
    int64_t begin, end, k = w->n_clusters;
    l2r_chunk_range(&begin, &end, w->n_rows, ROWS_A_CHUNK, chunk);
    for (int64_t v = begin; v < end; v++) {
        const l2r_real *d_s = w->in + v * k, *s = w->s + v * k;
        l2r_real *d_x = w->out + v * k;
        double mean = 0;
        for (int64_t j = 0; j < k; j++) mean += (double)s[j] * (double)d_s[j];
        for (int64_t j = 0; j < k; j++) {
            l2r_real g = (l2r_real)((double)s[j] * ((double)d_s[j] - mean));
            d_x[j] = w->beta == 0 ? g : w->beta * d_x[j] + g;
        }
    }
}

void l2r_softmax_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_s, const l2r_real *s, int64_t n_rows,
                          int64_t n_clusters)
{
    struct softmax w = {d_x, beta, d_s, s, n_rows, n_clusters};
    l2r_parallel(l2r_chunk_count(n_rows, ROWS_A_CHUNK), softmax_back_chunk, &w);
}

L2R_CLONES(static, add_times, (l2r_real *restrict y, l2r_real a, const l2r_real *restrict x, int64_t n), (y, a, x, n))
{
    for (int64_t j = 0; j < n; j++) y[j] += a * x[j];
}

/* In a fixed number of running sums, folded in order. */
L2R_CLONES_OF(double, dot, (const l2r_real *a, const l2r_real *b, int64_t n), (a, b, n))
{
    l2r_vec sum = {0};
    double total = 0;
    int64_t j = 0;
    for (; j + L2R_LANES <= n; j += L2R_LANES) sum += *(const l2r_vec *)(a + j) * *(const l2r_vec *)(b + j);
    for (int l = 0; l < L2R_LANES; l++) total += (double)sum[l];
    for (; j < n; j++) total += (double)a[j] * (double)b[j];
    return total;
}

struct clusters {
    const struct l2r_soft_clusters *p;
    l2r_real *z; /* or d_s */
    l2r_real *d_h;
    l2r_real beta_s, beta_h;
    const l2r_real *d_z;
    const struct l2r_adjacency *graph;
    double *squares; /* SᵀS of each graph */
    l2r_real *loss;
};

static void cluster_chunk(void *context, int64_t chunk)
{
    const struct clusters *w = context;
    const struct l2r_soft_clusters *p = w->p;
    int64_t first, last, width = p->n_clusters * p->dim;
    l2r_chunk_range(&first, &last, p->n_graphs, SEGMENTS_A_CHUNK, chunk);
    for (int64_t g = first; g < last; g++) {
        memset(w->z + g * width, 0, (size_t)width * sizeof *w->z);
        for (int64_t v = p->start[g]; v < p->start[g + 1]; v++)
            for (int64_t k = 0; k < p->n_clusters; k++)
                add_times(w->z + g * width + k * p->dim, p->s[v * p->n_clusters + k], p->h + v * p->dim, p->dim);
    }
}

void l2r_soft_clusters_forward(l2r_real *z, const struct l2r_soft_clusters *p)
{
    struct clusters w = {.p = p, .z = z};
    l2r_parallel(l2r_chunk_count(p->n_graphs, SEGMENTS_A_CHUNK), cluster_chunk, &w);
}

/* d_s_vk = h_v · d_z_gk,  d_h_v = Σ_k s_vk d_z_gk. */
static void cluster_back_node(const struct clusters *w, const l2r_real *d_z, int64_t v)
{
    const struct l2r_soft_clusters *p = w->p;
    int64_t dim = p->dim;
    l2r_real *d_s = w->z ? w->z + v * p->n_clusters : NULL, *d_h = w->d_h ? w->d_h + v * dim : NULL;
    if (d_h && w->beta_h == 0) memset(d_h, 0, (size_t)dim * sizeof *d_h);
    if (d_h && w->beta_h != 0 && w->beta_h != 1)
        for (int64_t j = 0; j < dim; j++) d_h[j] *= w->beta_h;
    for (int64_t k = 0; k < p->n_clusters; k++) {
        if (d_h) add_times(d_h, p->s[v * p->n_clusters + k], d_z + k * dim, dim);
        if (!d_s) continue;
        l2r_real g = (l2r_real)dot(p->h + v * dim, d_z + k * dim, dim);
        d_s[k] = w->beta_s == 0 ? g : w->beta_s * d_s[k] + g;
    }
}

static void cluster_back_chunk(void *context, int64_t chunk)
{
    const struct clusters *w = context;
    const struct l2r_soft_clusters *p = w->p;
    int64_t first, last;
    l2r_chunk_range(&first, &last, p->n_graphs, SEGMENTS_A_CHUNK, chunk);
    for (int64_t g = first; g < last; g++)
        for (int64_t v = p->start[g]; v < p->start[g + 1]; v++)
            cluster_back_node(w, w->d_z + g * p->n_clusters * p->dim, v);
}

void l2r_soft_clusters_backward(l2r_real *d_s, l2r_real beta_s, l2r_real *d_h, l2r_real beta_h, const l2r_real *d_z,
                                const struct l2r_soft_clusters *p)
{
    struct clusters w = {.p = p, .z = d_s, .d_h = d_h, .beta_s = beta_s, .beta_h = beta_h, .d_z = d_z};
    l2r_parallel(l2r_chunk_count(p->n_graphs, SEGMENTS_A_CHUNK), cluster_back_chunk, &w);
}

/* log s, where an underflown share counts as the smallest number whose logarithm is harmless. */
static double log_share(double s)
{
    return log(fmax(s, 1e-30));
}

/* square [K × K] = SᵀS of graph g; returns the sum of its squares. */
static double cluster_products(double *square, const struct l2r_soft_clusters *p, int64_t g)
{
    int64_t k = p->n_clusters;
    double sum = 0;
    memset(square, 0, (size_t)(k * k) * sizeof *square);
    for (int64_t v = p->start[g]; v < p->start[g + 1]; v++)
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = 0; j < k; j++) square[i * k + j] += (double)p->s[v * k + i] * (double)p->s[v * k + j];
    for (int64_t i = 0; i < k * k; i++) sum += square[i] * square[i];
    return sum;
}

/* Node v's part of the loss before SᵀS, and its whole slope:
 *     ∂/∂s_v  (4 s_v SᵀS − 4 Σ_{u in N(v)} s_u) / n² − (log s_v + 1) / n. */
static double loss_node(l2r_real *slope, const struct l2r_soft_clusters *p, const struct l2r_adjacency *graph,
                        const double *square, double n, int64_t v)
{
    int64_t k = p->n_clusters, begin = graph->arc_start[v], end = graph->arc_start[v + 1];
    const l2r_real *own = p->s + v * k;
    double loss = (double)(end - begin) / (n * n);
    for (int64_t i = 0; i < k; i++) {
        double s = (double)own[i], near = 0, product = 0, logarithm = log_share(s);
        for (int64_t e = begin; e < end; e++) near += (double)p->s[(int64_t)graph->neighbour[e] * k + i];
        for (int64_t j = 0; j < k; j++) product += (double)own[j] * square[j * k + i];
        loss -= 2 * s * near / (n * n) + s * logarithm / n;
        slope[v * k + i] = (l2r_real)(4 * (product - near) / (n * n) - (logarithm + 1) / n);
    }
    return loss;
}

static void loss_chunk(void *context, int64_t chunk)
{
    const struct clusters *w = context;
    const struct l2r_soft_clusters *p = w->p;
    int64_t first, last;
    l2r_chunk_range(&first, &last, p->n_graphs, SEGMENTS_A_CHUNK, chunk);
    for (int64_t g = first; g < last; g++) {
        double *square = w->squares + g * p->n_clusters * p->n_clusters, n = (double)(p->start[g + 1] - p->start[g]);
        double loss = n > 0 ? cluster_products(square, p, g) / (n * n) : 0;
        for (int64_t v = p->start[g]; v < p->start[g + 1]; v++) loss += loss_node(w->z, p, w->graph, square, n, v);
        w->loss[g] = (l2r_real)loss;
    }
}

void l2r_soft_clusters_losses(l2r_real *loss, l2r_real *slope, const struct l2r_soft_clusters *p,
                              const struct l2r_adjacency *graph, double *scratch)
{
    struct clusters w = {.p = p, .z = slope, .graph = graph, .squares = scratch, .loss = loss};
    l2r_parallel(l2r_chunk_count(p->n_graphs, SEGMENTS_A_CHUNK), loss_chunk, &w);
}
