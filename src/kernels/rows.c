/* SPDX-License-Identifier: MIT
 *
 * See rows.h. Every function cuts its work into chunks whose borders depend on the sizes alone, and adds partial
 * results in a fixed order: one thread and eight give the same bits. Scattering writes to TABLES tables instead of
 * one per thread for the same reason; eight are enough to keep the usual machines busy, and few enough to be added up
 * quickly.
 */
#include "kernels/rows.h"

#include "base/threads.h"

#include <string.h>

/* ---- lookup and sums of whole arrays ---- */

enum { ROWS_A_CHUNK = 256, VALUES_A_CHUNK = 1 << 16, TABLES = 8 };

struct work {
    l2r_real *y;
    const l2r_real *x, *z;
    const int32_t *index; /* [n]: row of the table */
    double *partial;
    l2r_real alpha, beta;
    int64_t n, n_rows, dim, chunk_size;
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

L2R_CLONES(extern, l2r_row_add, (l2r_real *restrict y, const l2r_real *restrict x, int64_t n), (y, x, n))
{
    for (int64_t j = 0; j < n; j++) y[j] += x[j];
}

L2R_CLONES(extern, l2r_row_axpby, (l2r_real * y, l2r_real beta, l2r_real alpha, const l2r_real *x, int64_t n),
           (y, beta, alpha, x, n))
{
    if (beta == 0)
        for (int64_t j = 0; j < n; j++) y[j] = alpha * x[j];
    else
        for (int64_t j = 0; j < n; j++) y[j] = beta * y[j] + alpha * x[j];
}

L2R_CLONES(extern, l2r_row_sum_of_two, (l2r_real * y, const l2r_real *a, const l2r_real *b, int64_t n), (y, a, b, n))
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
    for (int64_t i = begin; i < end; i++) l2r_row_add(table + w->index[i] * w->dim, w->x + i * w->dim, w->dim);
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
    for (int64_t c = 0; c < l2r_chunk_count(n, size); c++)
        l2r_row_add(d_table, scratch + c * n_rows * dim, n_rows * dim);
}

static void axpby_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    range(&begin, &end, w, chunk);
    l2r_row_axpby(w->y + begin, w->beta, w->alpha, w->x + begin, end - begin);
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
    l2r_row_sum_of_two(w->y + begin, w->x + begin, w->z + begin, end - begin);
}

void l2r_sum_of_two(l2r_real *y, const l2r_real *a, const l2r_real *b, int64_t n)
{
    struct work w = {.y = y, .x = a, .z = b, .n = n};
    run(&w, VALUES_A_CHUNK, sum_chunk);
}

/* Products are exact in double; eight sums run side by side. */
L2R_CLONES_OF(double, dot_range, (const l2r_real *restrict a, const l2r_real *restrict b, int64_t n), (a, b, n))
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

/* ---- rows that stand for several nodes ---- */

enum { NODES_A_CHUNK = 256, EXPANDED_ROWS_A_CHUNK = 16, NODES_A_SUM = 32, TILE = 64 };

struct expansion {
    l2r_real *out;
    l2r_real beta;
    const l2r_real *in;
    const int32_t *index, *start, *node;
    const struct l2r_dropout *dropout;
    int64_t n, dim;
};

L2R_CLONES(static, copy_masked,
           (l2r_real *restrict y, const l2r_real *restrict x, const struct l2r_dropout *dropout, uint32_t first,
            int64_t n),
           (y, x, dropout, first, n))
{
    struct l2r_dropout d = *dropout;
    for (int64_t j = 0; j < n; j++) y[j] = x[j] * l2r_mask_value(&d, first + (uint32_t)j);
}

static void expand_chunk(void *context, int64_t chunk)
{
    const struct expansion *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, NODES_A_CHUNK, chunk);
    for (int64_t i = begin; i < end; i++) {
        const l2r_real *from = w->in + w->index[i] * w->dim;
        if (w->dropout)
            copy_masked(w->out + i * w->dim, from, w->dropout, (uint32_t)(i * w->dim), w->dim);
        else
            memcpy(w->out + i * w->dim, from, (size_t)w->dim * sizeof *from);
    }
}

void l2r_expand_forward(l2r_real *y, const l2r_real *x, const int32_t *index, const struct l2r_dropout *dropout,
                        int64_t n, int64_t dim)
{
    struct expansion w = {.out = y, .in = x, .index = index, .dropout = dropout, .n = n, .dim = dim};
    l2r_parallel(l2r_chunk_count(n, NODES_A_CHUNK), expand_chunk, &w);
}

void l2r_row_lists(int32_t *start, int32_t *node, const int32_t *index, int64_t n, int64_t n_rows)
{
    memset(start, 0, (size_t)(n_rows + 1) * sizeof *start);
    for (int64_t i = 0; i < n; i++) start[index[i] + 1]++;
    for (int64_t r = 0; r < n_rows; r++) start[r + 1] += start[r];
    for (int64_t i = 0; i < n; i++)
        node[start[index[i]]++] = (int32_t)i; /* moves each start to its end, the next start */
    for (int64_t r = n_rows; r > 0; r--) start[r] = start[r - 1];
    start[0] = 0;
}

/* One tile of columns of one row. */
L2R_INLINE void sum_tile(l2r_real *d_x, const struct expansion *w, const int32_t *node, int64_t n, int64_t j0,
                         int64_t width)
{
    l2r_real total[TILE] = {0};
    for (int64_t i0 = 0; i0 < n; i0 += NODES_A_SUM) {
        l2r_real part[TILE] = {0};
        for (int64_t i = i0; i < n && i < i0 + NODES_A_SUM; i++) {
            int64_t at = node[i] * w->dim + j0;
            const l2r_real *g = w->in + at;
            if (w->dropout) {
                struct l2r_dropout d = *w->dropout;
                for (int64_t j = 0; j < width; j++) part[j] += g[j] * l2r_mask_value(&d, (uint32_t)at + (uint32_t)j);
            } else {
                for (int64_t j = 0; j < width; j++) part[j] += g[j];
            }
        }
        for (int64_t j = 0; j < width; j++) total[j] += part[j];
    }
    for (int64_t j = 0; j < width; j++) d_x[j] = (w->beta == 0 ? 0 : w->beta * d_x[j]) + total[j];
}

L2R_CLONES(static, collapse_rows, (const struct expansion *w, int64_t begin, int64_t end), (w, begin, end))
{
    for (int64_t r = begin; r < end; r++) {
        const int32_t *node = w->node + w->start[r];
        int64_t n = w->start[r + 1] - w->start[r], j = 0;
        l2r_real *d_x = w->out + r * w->dim;
        for (; j + TILE <= w->dim; j += TILE) sum_tile(d_x + j, w, node, n, j, TILE);
        if (j < w->dim) sum_tile(d_x + j, w, node, n, j, w->dim - j);
    }
}

static void collapse_chunk(void *context, int64_t chunk)
{
    const struct expansion *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, EXPANDED_ROWS_A_CHUNK, chunk);
    collapse_rows(w, begin, end);
}

void l2r_expand_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const int32_t *start, const int32_t *node,
                         const struct l2r_dropout *dropout, int64_t n_rows, int64_t dim)
{
    struct expansion w = {
        .out = d_x, .beta = beta, .in = d_y, .start = start, .node = node, .dropout = dropout, .n = n_rows, .dim = dim};
    l2r_parallel(l2r_chunk_count(n_rows, EXPANDED_ROWS_A_CHUNK), collapse_chunk, &w);
}

/* ---- several matrices as one ---- */

enum { NUMBERS_A_CHUNK = 16384 };

struct joining {
    l2r_real *y;
    int64_t y_stride, x_stride, rows, cols, rows_a_chunk;
    l2r_real beta;
    const l2r_real *x;
    int32_t *argmax_out, which;
    const int32_t *argmax;
};

L2R_CLONES(static, copy_rows, (const struct joining *w, int64_t begin, int64_t end), (w, begin, end))
{
    for (int64_t i = begin; i < end; i++) {
        l2r_real *y = w->y + i * w->y_stride;
        const l2r_real *x = w->x + i * w->x_stride;
        if (w->beta == 0)
            for (int64_t j = 0; j < w->cols; j++) y[j] = x[j];
        else
            for (int64_t j = 0; j < w->cols; j++) y[j] = w->beta * y[j] + x[j];
    }
}

static void copy_chunk(void *context, int64_t chunk)
{
    const struct joining *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->rows, w->rows_a_chunk, chunk);
    copy_rows(w, begin, end);
}

void l2r_block_copy(l2r_real *y, int64_t y_stride, l2r_real beta, const l2r_real *x, int64_t x_stride, int64_t rows,
                    int64_t cols)
{
    struct joining w = {.y = y, .y_stride = y_stride, .x_stride = x_stride, .rows = rows, .cols = cols, .beta = beta};
    w.x = x;
    w.rows_a_chunk = cols < NUMBERS_A_CHUNK ? NUMBERS_A_CHUNK / (cols + 1) + 1 : 1;
    l2r_parallel(l2r_chunk_count(rows, w.rows_a_chunk), copy_chunk, &w);
}

L2R_CLONES(static, take_larger, (l2r_real * y, int32_t *argmax, const l2r_real *x, int32_t which, int64_t n),
           (y, argmax, x, which, n))
{
    for (int64_t i = 0; i < n; i++) {
        int larger = (which == 0) | (x[i] > y[i]) | (x[i] != x[i]);
        y[i] = larger ? x[i] : y[i];
        argmax[i] = larger ? which : argmax[i];
    }
}

static void take_chunk(void *context, int64_t chunk)
{
    const struct joining *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->rows, NUMBERS_A_CHUNK, chunk);
    take_larger(w->y + begin, w->argmax_out + begin, w->x + begin, w->which, end - begin);
}

void l2r_largest_take(l2r_real *y, int32_t *argmax, const l2r_real *x, int32_t which, int64_t n)
{
    struct joining w = {.y = y, .argmax_out = argmax, .x = x, .which = which, .rows = n};
    l2r_parallel(l2r_chunk_count(n, NUMBERS_A_CHUNK), take_chunk, &w);
}

L2R_CLONES(static, give,
           (l2r_real * d_x, l2r_real beta, const l2r_real *d_y, const int32_t *argmax, int32_t which, int64_t n),
           (d_x, beta, d_y, argmax, which, n))
{
    for (int64_t i = 0; i < n; i++) {
        l2r_real d = argmax[i] == which ? d_y[i] : 0;
        d_x[i] = beta == 0 ? d : beta * d_x[i] + d;
    }
}

static void give_chunk(void *context, int64_t chunk)
{
    const struct joining *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->rows, NUMBERS_A_CHUNK, chunk);
    give(w->y + begin, w->beta, w->x + begin, w->argmax + begin, w->which, end - begin);
}

void l2r_largest_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const int32_t *argmax, int32_t which,
                          int64_t n)
{
    struct joining w = {.y = d_x, .beta = beta, .x = d_y, .argmax = argmax, .which = which, .rows = n};
    l2r_parallel(l2r_chunk_count(n, NUMBERS_A_CHUNK), give_chunk, &w);
}
