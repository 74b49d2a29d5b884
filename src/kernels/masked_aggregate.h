/* SPDX-License-Identifier: MIT
 *
 * Neighbour aggregation under a mask on the edges, for explanations (aggregate.h has the sum without one):
 *
 *     y_v = self_v + Σ_{u in N(v)} m_uv · s_v s_u · φ(x_u + e_uv)
 *
 * m_uv is one number for each undirected edge, so both of its arcs read the same entry. The self part is not masked,
 * and s stays what it is in the whole graph: m multiplies a message and changes nothing else. With all m = 1 this is
 * aggregate.h's sum.
 *
 *     d_x_v  = (its self part) + Σ_{u in N(v)} m_uv s_v s_u φ'(x_v + e_uv) d_y_u
 *     d_m_uv = Σ over the two arcs of s_v s_u · φ(x_u + e_uv) · d_y_v        (u → v and v → u; a self loop is one arc)
 *
 * There is no gradient for tables of edge features: masks are learned with the parameters frozen. Each row, and each
 * arc's own share of d_m, is computed by one thread in one order; shares are added arc by arc.
 */
#ifndef L2R_KERNELS_MASKED_AGGREGATE_H
#define L2R_KERNELS_MASKED_AGGREGATE_H

#include "kernels/aggregate.h"

struct l2r_masked_aggregation {
    struct l2r_adjacency graph;
    int64_t dim;
    const l2r_real *norm;       /* [n_nodes]: s; NULL: 1 everywhere */
    const l2r_real *edge_table; /* [types × dim]: e, and φ is ReLU; NULL: no edge features, φ the identity */
    const l2r_real *root;       /* [dim]: the self part is s_v² ReLU(x_v + root); NULL: it is linear */
    l2r_real self_scale;        /* self part when norm is NULL */
    const l2r_real *mask;       /* [n_edges] */
    const int32_t *arc_edge;    /* [n_arcs]: row of mask */
};

void l2r_masked_aggregate_forward(l2r_real *y, const l2r_real *x, const struct l2r_masked_aggregation *a);

/* d_x = beta·d_x + … (NULL: not wanted); d_arc [n_arcs] gets each arc's share of d_m (written; NULL: not wanted). */
void l2r_masked_aggregate_backward(l2r_real *d_x, l2r_real beta, l2r_real *d_arc, const l2r_real *d_y,
                                   const l2r_real *x, const struct l2r_masked_aggregation *a);

/* d_mask[arc_edge[i]] += d_arc[i], in the order of the arcs. */
void l2r_mask_collect(l2r_real *d_mask, const l2r_real *d_arc, const int32_t *arc_edge, int64_t n_arcs);

/* The undirected edge of every arc, numbered in the order in which the lower (or only) end meets them; returns how many
 * there are. Lists must be rising, as a batch's are. cursor: [n_nodes] */
int64_t l2r_number_edges(int32_t *arc_edge, const struct l2r_adjacency *graph, int32_t *cursor);

#endif
