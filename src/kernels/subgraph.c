/* SPDX-License-Identifier: MIT
 * The subgraph of top_k.h: arcs whose two ends stay, in the order of the old lists. Lists that were symmetric and rising stay so. */
#include "base/threads.h"
#include "kernels/top_k.h"

#include <math.h>

enum { NODES_A_CHUNK = 1024 };

struct work {
    int32_t *arc_start, *neighbour, *arc_type;
    l2r_real *inverse_root_degree;
    const struct l2r_adjacency *graph;
    const int32_t *keep, *place;
    int64_t n;
};

/* arc_start[i + 1] becomes the number of arcs of node i. */
static void count_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, NODES_A_CHUNK, chunk);
    for (int64_t i = begin; i < end; i++) {
        int32_t arcs = 0;
        for (int64_t e = w->graph->arc_start[w->keep[i]]; e < w->graph->arc_start[w->keep[i] + 1]; e++)
            arcs += w->place[w->graph->neighbour[e]] >= 0;
        w->arc_start[i + 1] = arcs;
    }
}

int64_t l2r_subgraph_arcs(int32_t *arc_start, const struct l2r_adjacency *graph, const int32_t *keep,
                          const int32_t *place, int64_t n_kept)
{
    struct work w = {.arc_start = arc_start, .graph = graph, .keep = keep, .place = place, .n = n_kept};
    l2r_parallel(l2r_chunk_count(n_kept, NODES_A_CHUNK), count_chunk, &w);
    arc_start[0] = 0;
    for (int64_t i = 0; i < n_kept; i++) arc_start[i + 1] += arc_start[i];
    return arc_start[n_kept];
}

static void fill_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, NODES_A_CHUNK, chunk);
    for (int64_t i = begin; i < end; i++) {
        int64_t at = w->arc_start[i], others = 0;
        for (int64_t e = w->graph->arc_start[w->keep[i]]; e < w->graph->arc_start[w->keep[i] + 1]; e++) {
            int32_t u = w->place[w->graph->neighbour[e]];
            if (u < 0) continue;
            w->neighbour[at] = u;
            w->arc_type[at++] = w->graph->arc_type[e];
            others += u != i;
        }
        w->inverse_root_degree[i] = (l2r_real)(1 / sqrt((double)(others + 1)));
    }
}

void l2r_subgraph_fill(int32_t *neighbour, int32_t *arc_type, l2r_real *inverse_root_degree, int32_t *arc_start,
                       const struct l2r_adjacency *graph, const int32_t *keep, const int32_t *place, int64_t n_kept)
{
    struct work w = {arc_start, neighbour, arc_type, inverse_root_degree, graph, keep, place, n_kept};
    l2r_parallel(l2r_chunk_count(n_kept, NODES_A_CHUNK), fill_chunk, &w);
}
