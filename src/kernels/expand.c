/* SPDX-License-Identifier: MIT
 * See expand.h. */
#include "kernels/expand.h"

#include "base/threads.h"

#include <string.h>

enum { NODES_A_CHUNK = 256, ROWS_A_CHUNK = 16, NODES_A_SUM = 32, TILE = 64 };

struct work {
    l2r_real *out;
    l2r_real beta;
    const l2r_real *in;
    const int32_t *index, *start, *node;
    const struct l2r_dropout *dropout;
    int64_t n, dim;
};

static L2R_CLONES void copy_masked(l2r_real *restrict y, const l2r_real *restrict x, const struct l2r_dropout *dropout,
                                   uint32_t first, int64_t n)
{
    struct l2r_dropout d = *dropout;
    for (int64_t j = 0; j < n; j++) y[j] = x[j] * l2r_mask_value(&d, first + (uint32_t)j);
}

static void expand_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
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
    struct work w = {.out = y, .in = x, .index = index, .dropout = dropout, .n = n, .dim = dim};
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
L2R_INLINE void sum_tile(l2r_real *d_x, const struct work *w, const int32_t *node, int64_t n, int64_t j0, int64_t width)
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

static L2R_CLONES void sum_rows(const struct work *w, int64_t begin, int64_t end)
{
    for (int64_t r = begin; r < end; r++) {
        const int32_t *node = w->node + w->start[r];
        int64_t n = w->start[r + 1] - w->start[r], j = 0;
        l2r_real *d_x = w->out + r * w->dim;
        for (; j + TILE <= w->dim; j += TILE) sum_tile(d_x + j, w, node, n, j, TILE);
        if (j < w->dim) sum_tile(d_x + j, w, node, n, j, w->dim - j);
    }
}

static void sum_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, ROWS_A_CHUNK, chunk);
    sum_rows(w, begin, end);
}

void l2r_expand_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const int32_t *start, const int32_t *node,
                         const struct l2r_dropout *dropout, int64_t n_rows, int64_t dim)
{
    struct work w = {
        .out = d_x, .beta = beta, .in = d_y, .start = start, .node = node, .dropout = dropout, .n = n_rows, .dim = dim};
    l2r_parallel(l2r_chunk_count(n_rows, ROWS_A_CHUNK), sum_chunk, &w);
}
