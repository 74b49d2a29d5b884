/* SPDX-License-Identifier: MIT
 *
 * From a list of edges, in any order, once or twice, with self loops, to sorted neighbour lists without repetition.
 */
#ifndef L2R_DATA_ARC_LISTS_H
#define L2R_DATA_ARC_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct l2r_arc_lists {
    int64_t n_nodes, n_arcs, n_self_loops;
    int64_t *start;     /* [n_nodes + 1] */
    int32_t *neighbour; /* [n_arcs], ascending for each node */
    int32_t *edge;      /* [n_arcs]: the first input edge that gave this arc; NULL unless asked for */

    int64_t *cursor; /* scratch */
    int32_t *scattered, *scattered_edge;
    size_t node_capacity, arc_capacity, edge_capacity;
};

/* edges [n_edges × 2] must be within 0 .. n_nodes-1. False when out of memory. The object is reused from call to call;
 * zeroed memory is a valid empty one. */
bool l2r_arc_lists_build(struct l2r_arc_lists *adjacency, int64_t n_nodes, const int32_t *edges, int64_t n_edges,
                         bool with_edge);
void l2r_arc_lists_clear(struct l2r_arc_lists *adjacency);

#endif
