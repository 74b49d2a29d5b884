/* SPDX-License-Identifier: MIT
 *
 * See lists.h. Work is cut by lists, messages by the node v that all arcs u→v and v→w meet at: reading x_{u→v} is in
 * the order of memory, and every arc belongs to one node as the one that arrives there.
 */
#include "kernels/lists.h"

#include "base/threads.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

enum { ROWS_A_CHUNK = 64, TILE = 256 };

struct work {
    l2r_real *y;
    l2r_real beta;
    const l2r_real *x;
    const int32_t *start, *item, *reverse;
    int64_t n, dim;
    bool backward;
};

/* One tile of row i: `width` is a constant but for the last tile. */
L2R_INLINE void sum_tile(const struct work *w, int64_t i, int64_t j0, int64_t width)
{
    l2r_real sum[TILE], *y = w->y + i * w->dim + j0;
    for (int64_t j = 0; j < width; j++) sum[j] = w->beta == 0 ? 0 : w->beta * y[j];
    for (int64_t e = w->start[i]; e < w->start[i + 1]; e++) {
        const l2r_real *x = w->x + w->item[e] * w->dim + j0;
        for (int64_t j = 0; j < width; j++) sum[j] += x[j];
    }
    for (int64_t j = 0; j < width; j++) y[j] = sum[j];
}

L2R_CLONES(static, sum_rows, (const struct work *w, int64_t begin, int64_t end), (w, begin, end))
{
    for (int64_t i = begin; i < end; i++)
        for (int64_t j0 = 0; j0 < w->dim; j0 += TILE) sum_tile(w, i, j0, w->dim - j0 < TILE ? w->dim - j0 : TILE);
}

/* Forwards the arcs of v are read and the reverse ones written, backwards it is the other way round. */
L2R_INLINE void message_tile(const struct work *w, int64_t v, int64_t j0, int64_t width)
{
    l2r_real sum[TILE] = {0};
    for (int64_t e = w->start[v]; e < w->start[v + 1]; e++) {
        const l2r_real *x = w->x + (w->backward ? w->reverse[e] : e) * w->dim + j0;
        for (int64_t j = 0; j < width; j++) sum[j] += x[j];
    }
    for (int64_t e = w->start[v]; e < w->start[v + 1]; e++) {
        const l2r_real *x = w->x + (w->backward ? w->reverse[e] : e) * w->dim + j0;
        l2r_real *y = w->y + (w->backward ? e : w->reverse[e]) * w->dim + j0;
        if (w->beta == 0)
            for (int64_t j = 0; j < width; j++) y[j] = sum[j] - x[j];
        else
            for (int64_t j = 0; j < width; j++) y[j] = w->beta * y[j] + (sum[j] - x[j]);
    }
}

L2R_CLONES(static, message_nodes, (const struct work *w, int64_t begin, int64_t end), (w, begin, end))
{
    for (int64_t v = begin; v < end; v++)
        for (int64_t j0 = 0; j0 < w->dim; j0 += TILE) message_tile(w, v, j0, w->dim - j0 < TILE ? w->dim - j0 : TILE);
}

static void chunk_of(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, ROWS_A_CHUNK, chunk);
    (w->reverse ? message_nodes : sum_rows)(w, begin, end);
}

static void run(struct work *w)
{
    l2r_parallel(l2r_chunk_count(w->n, ROWS_A_CHUNK), chunk_of, w);
}

void l2r_list_sums(l2r_real *y, l2r_real beta, const l2r_real *x, const int32_t *start, const int32_t *item,
                   int64_t n_rows, int64_t dim)
{
    struct work w = {.y = y, .beta = beta, .x = x, .start = start, .item = item, .n = n_rows, .dim = dim};
    run(&w);
}

void l2r_reverse_arcs(int32_t *reverse, const struct l2r_adjacency *graph, int32_t *cursor)
{
    for (int64_t v = 0; v < graph->n_nodes; v++) cursor[v] = graph->arc_start[v];
    /* v rises, and so do the neighbours in each list: the next unused arc of u is the one that names v. */
    for (int64_t v = 0; v < graph->n_nodes; v++)
        for (int64_t e = graph->arc_start[v]; e < graph->arc_start[v + 1]; e++) {
            reverse[e] = cursor[graph->neighbour[e]]++;
            assert(graph->neighbour[reverse[e]] == v);
        }
}

void l2r_arc_messages_forward(l2r_real *y, const l2r_real *x, const struct l2r_adjacency *graph, const int32_t *reverse,
                              int64_t dim)
{
    struct work w = {.y = y, .x = x, .start = graph->arc_start, .reverse = reverse, .n = graph->n_nodes, .dim = dim};
    run(&w);
}

void l2r_arc_messages_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const struct l2r_adjacency *graph,
                               const int32_t *reverse, int64_t dim)
{
    struct work w = {.y = d_x,
                     .beta = beta,
                     .x = d_y,
                     .start = graph->arc_start,
                     .reverse = reverse,
                     .n = graph->n_nodes,
                     .dim = dim,
                     .backward = true};
    run(&w);
}
