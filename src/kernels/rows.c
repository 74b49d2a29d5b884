/* SPDX-License-Identifier: MIT
 * See rows.h. */
#include "kernels/rows.h"

#include "base/threads.h"

#include <string.h>

enum { ROWS_A_CHUNK = 256, SEGMENTS_A_CHUNK = 4, VALUES_A_CHUNK = 1 << 16, TABLES = 8 };

struct work {
    l2r_real *y;
    int32_t *argmax_out;
    const int32_t *argmax;
    const l2r_real *x, *z;
    const int32_t *index; /* row indices, or segment starts */
    const int32_t *row;   /* where the rows of segments are; NULL: in place */
    double *partial;
    l2r_real alpha, beta;
    int64_t n, n_rows, dim, chunk_size;
    enum l2r_readout kind;
};

static void range(int64_t *begin, int64_t *end, const struct work *w, int64_t chunk)
{
    l2r_chunk_range(begin, end, w->n, w->chunk_size, chunk);
}

static void run(struct work *w, int64_t chunk_size, l2r_chunk_fn *fn)
{
    w->chunk_size = chunk_size;
    l2r_parallel(l2r_chunk_count(w->n, chunk_size), fn, w);
}

static L2R_CLONES void add_into(l2r_real *restrict y, const l2r_real *restrict x, int64_t n)
{
    for (int64_t j = 0; j < n; j++) y[j] += x[j];
}

static L2R_CLONES void axpby(l2r_real *y, l2r_real beta, l2r_real alpha, const l2r_real *x, int64_t n)
{
    if (beta == 0)
        for (int64_t j = 0; j < n; j++) y[j] = alpha * x[j];
    else
        for (int64_t j = 0; j < n; j++) y[j] = beta * y[j] + alpha * x[j];
}

static L2R_CLONES void sum_of_two(l2r_real *y, const l2r_real *a, const l2r_real *b, int64_t n)
{
    for (int64_t j = 0; j < n; j++) y[j] = a[j] + b[j];
}

static void gather_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    range(&begin, &end, w, chunk);
    for (int64_t i = begin; i < end; i++)
        memcpy(w->y + i * w->dim, w->x + w->index[i] * w->dim, (size_t)w->dim * sizeof(l2r_real));
}

void l2r_rows_gather(l2r_real *y, const l2r_real *table, const int32_t *index, int64_t n, int64_t dim)
{
    struct work w = {.y = y, .x = table, .index = index, .n = n, .dim = dim};
    run(&w, ROWS_A_CHUNK, gather_chunk);
}

static void scatter_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    range(&begin, &end, w, chunk);
    l2r_real *table = w->y + chunk * w->n_rows * w->dim;
    memset(table, 0, (size_t)(w->n_rows * w->dim) * sizeof *table);
    for (int64_t i = begin; i < end; i++) add_into(table + w->index[i] * w->dim, w->x + i * w->dim, w->dim);
}

int64_t l2r_rows_scratch(int64_t n_rows, int64_t dim)
{
    return TABLES * n_rows * dim;
}

void l2r_rows_scatter_add(l2r_real *d_table, const l2r_real *d_y, const int32_t *index, l2r_real *scratch, int64_t n,
                          int64_t n_rows, int64_t dim)
{
    if (n == 0) return;
    struct work w = {.y = scratch, .x = d_y, .index = index, .n = n, .n_rows = n_rows, .dim = dim};
    int64_t size = l2r_chunk_count(n, TABLES);
    run(&w, size, scatter_chunk);
    for (int64_t c = 0; c < l2r_chunk_count(n, size); c++) add_into(d_table, scratch + c * n_rows * dim, n_rows * dim);
}

static const l2r_real *row_at(const struct work *w, int64_t i)
{
    return w->x + (w->row ? w->row[i] : i) * w->dim;
}

static L2R_CLONES void max_rows(l2r_real *y, int32_t *argmax, const struct work *w, int64_t begin, int64_t end)
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
    range(&first, &last, w, chunk);
    for (int64_t g = first; g < last; g++) {
        int64_t begin = w->index[g], end = w->index[g + 1];
        l2r_real *y = w->y + g * dim;
        if (w->kind == L2R_READOUT_MAX && begin < end) {
            max_rows(y, w->argmax_out + g * dim, w, begin, end);
            continue;
        }
        memset(y, 0, (size_t)dim * sizeof *y);
        if (w->kind == L2R_READOUT_MAX)
            for (int64_t j = 0; j < dim; j++) w->argmax_out[g * dim + j] = -1;
        for (int64_t i = begin; i < end; i++) add_into(y, row_at(w, i), dim);
        if (w->kind == L2R_READOUT_MEAN && begin < end) axpby(y, 0, (l2r_real)1 / (l2r_real)(end - begin), y, dim);
    }
}

void l2r_segment_forward(l2r_real *y, int32_t *argmax, const l2r_real *x, const int32_t *start, enum l2r_readout kind,
                         int64_t n_segments, int64_t dim)
{
    l2r_segment_forward_rows(y, argmax, x, NULL, start, kind, n_segments, dim);
}

void l2r_segment_forward_rows(l2r_real *y, int32_t *argmax, const l2r_real *x, const int32_t *row, const int32_t *start,
                              enum l2r_readout kind, int64_t n_segments, int64_t dim)
{
    struct work w = {
        .y = y, .argmax_out = argmax, .x = x, .index = start, .row = row, .n = n_segments, .dim = dim, .kind = kind};
    run(&w, SEGMENTS_A_CHUNK, segment_chunk);
}

static void segment_back_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t first, last, dim = w->dim;
    range(&first, &last, w, chunk);
    for (int64_t g = first; g < last; g++) {
        int64_t begin = w->index[g], end = w->index[g + 1];
        const l2r_real *d_y = w->x + g * dim;
        if (w->kind == L2R_READOUT_MAX) {
            if (w->beta == 0) memset(w->y + begin * dim, 0, (size_t)((end - begin) * dim) * sizeof *w->y);
            for (int64_t j = 0; j < dim && begin < end; j++) w->y[w->argmax[g * dim + j] * dim + j] += d_y[j];
        } else {
            l2r_real scale = w->kind == L2R_READOUT_MEAN && begin < end ? (l2r_real)1 / (l2r_real)(end - begin) : 1;
            for (int64_t i = begin; i < end; i++) axpby(w->y + i * dim, w->beta, scale, d_y, dim);
        }
    }
}

void l2r_segment_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const int32_t *argmax,
                          const int32_t *start, enum l2r_readout kind, int64_t n_segments, int64_t dim)
{
    struct work w = {
        .y = d_x, .beta = beta, .x = d_y, .argmax = argmax, .index = start, .n = n_segments, .dim = dim, .kind = kind};
    run(&w, SEGMENTS_A_CHUNK, segment_back_chunk);
}

static void segment_add_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t first, last, dim = w->dim;
    range(&first, &last, w, chunk);
    for (int64_t g = first; g < last; g++)
        for (int64_t i = w->index[g]; i < w->index[g + 1]; i++)
            sum_of_two(w->y + i * dim, w->x + i * dim, w->z + g * dim, dim);
}

void l2r_segment_add(l2r_real *y, const l2r_real *x, const l2r_real *z, const int32_t *start, int64_t n_segments,
                     int64_t dim)
{
    struct work w = {.y = y, .x = x, .z = z, .index = start, .n = n_segments, .dim = dim};
    run(&w, SEGMENTS_A_CHUNK, segment_add_chunk);
}

static void axpby_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    range(&begin, &end, w, chunk);
    axpby(w->y + begin, w->beta, w->alpha, w->x + begin, end - begin);
}

void l2r_axpby(l2r_real *y, l2r_real beta, l2r_real alpha, const l2r_real *x, int64_t n)
{
    struct work w = {.y = y, .beta = beta, .alpha = alpha, .x = x, .n = n};
    run(&w, VALUES_A_CHUNK, axpby_chunk);
}

static void sum_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    range(&begin, &end, w, chunk);
    sum_of_two(w->y + begin, w->x + begin, w->z + begin, end - begin);
}

void l2r_sum_of_two(l2r_real *y, const l2r_real *a, const l2r_real *b, int64_t n)
{
    struct work w = {.y = y, .x = a, .z = b, .n = n};
    run(&w, VALUES_A_CHUNK, sum_chunk);
}

/* Products are exact in double; eight sums run side by side. */
static L2R_CLONES double dot_range(const l2r_real *restrict a, const l2r_real *restrict b, int64_t n)
{
    enum { LANES = 8 };
    double lane[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) lane[k] += (double)a[i + k] * (double)b[i + k];
    for (int k = 0; i < n; i++, k++) lane[k] += (double)a[i] * (double)b[i];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

static void dot_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    range(&begin, &end, w, chunk);
    w->partial[chunk] = dot_range(w->x + begin, w->z + begin, end - begin);
}

int64_t l2r_dot_scratch(int64_t n)
{
    return l2r_chunk_count(n, VALUES_A_CHUNK);
}

double l2r_dot(const l2r_real *a, const l2r_real *b, double *scratch, int64_t n)
{
    struct work w = {.x = a, .z = b, .partial = scratch, .n = n};
    run(&w, VALUES_A_CHUNK, dot_chunk);
    double sum = 0;
    for (int64_t c = 0; c < l2r_dot_scratch(n); c++) sum += scratch[c];
    return sum;
}
