/* SPDX-License-Identifier: MIT
 *
 * Neighbour aggregation over the symmetric adjacency of a batch:
 *
 *     y_v = self_v + Σ_{u in N(v)} s_v s_u · φ(x_u + e_uv)
 *
 *     φ(x + e) = x            without edge features
 *              = ReLU(x + e)  with edge features, e_uv a row of a small table chosen by the arc's type
 *     s        = 1, or 1/sqrt(degree + 1) (GCN's symmetric norm; self loops of the data are skipped there)
 *     self_v   = scale · x_v                          (GIN: scale = 1 + eps)
 *              = s_v² · x_v                           (GCN)
 *              = s_v² · ReLU(x_v + root)              (OGB's GCN)
 *
 * Because {u,v} is stored as two arcs with equal features, the gradient walks the same lists:
 *     d_x_v = (its self part) + Σ_{u in N(v)} s_v s_u · φ'(x_v + e_uv) · d_y_u
 * Each row is summed by one thread in the order of the list, so the number of threads changes no bit. The second half
 * of this header is the same sum under a mask on the edges, which explanations learn.
 *
 * Not here: several statistics at once (multi_aggregate.h), learned weights of arcs (factor.h), and the fusion of a sum
 * with the linear layer around it (graph_linear.h).
 */
#ifndef L2R_KERNELS_AGGREGATE_H
#define L2R_KERNELS_AGGREGATE_H

#include "kernels/real.h"

/* For outputs whose rows are not those of the inputs (batch/levels.h): row v of y is made of row self[v] of x and of
 * its neighbours, which are rows of x. */
struct l2r_row_map {
    int64_t n_sources;        /* rows of x */
    const int32_t *self;      /* [n_nodes] */
    const l2r_real *arc_norm; /* [n_arcs]: s_v s_u, 0 for a self loop; NULL where it is not needed */
};

/* The graphs of a batch as lists of neighbours: node v has the arcs arc_start[v] .. arc_start[v+1]. */
struct l2r_adjacency {
    int64_t n_nodes, n_arcs;
    const int32_t *arc_start;            /* [n_nodes + 1] */
    const int32_t *neighbour;            /* [n_arcs] */
    const int32_t *arc_type;             /* [n_arcs]: row of a table of edge features */
    const l2r_real *inverse_root_degree; /* [n_nodes]: 1/sqrt(neighbours other than v, + 1) */
    const struct l2r_row_map *map;       /* NULL: rows of x and of y are the nodes */
};

struct l2r_aggregation {
    struct l2r_adjacency graph;
    int64_t dim;
    const l2r_real *norm;       /* [n_nodes]: s; NULL: 1 everywhere */
    const l2r_real *edge_table; /* [n_types × dim]: e; NULL: no edge features */
    int64_t n_types;
    const l2r_real *root; /* [dim]: OGB's root embedding; NULL: self part is linear */
    l2r_real self_scale;  /* used when norm is NULL */
    const l2r_real *bias; /* [dim]: added to every row of y; NULL: none */
};

void l2r_aggregate_forward(l2r_real *y, const l2r_real *x, const struct l2r_aggregation *a);

/* d_x = beta·d_x + …; d_table [n_types × dim], d_root [dim] get the sums (written, not added); either may be NULL.
 * x is needed with edge features or root only. scratch: l2r_aggregate_scratch numbers. */
void l2r_aggregate_backward(l2r_real *d_x, l2r_real beta, l2r_real *d_table, l2r_real *d_root, const l2r_real *d_y,
                            const l2r_real *x, const struct l2r_aggregation *a, l2r_real *scratch);
int64_t l2r_aggregate_scratch(const struct l2r_aggregation *a);

/* ---- under a mask on the edges (masked_aggregate.c) ----
 *
 *
 *     y_v = self_v + Σ_{u in N(v)} m_uv · s_v s_u · φ(x_u + e_uv)
 *
 * m_uv is one number for each undirected edge, so both of its arcs read the same entry. The self part is not masked,
 * and s stays what it is in the whole graph: m multiplies a message and changes nothing else. With all m = 1 this is
 * the sum above.
 *
 *     d_x_v  = (its self part) + Σ_{u in N(v)} m_uv s_v s_u φ'(x_v + e_uv) d_y_u
 *     d_m_uv = Σ over the two arcs of s_v s_u · φ(x_u + e_uv) · d_y_v        (u → v and v → u; a self loop is one arc)
 *
 * Each row, and each arc's own share of d_m, is computed by one thread in one order; shares, and the sums for tables of
 * edge features and for root, are added arc by arc.
 */

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

/* Gradients of the table [n_types × dim] and of root [dim], written; either may be NULL. */
void l2r_masked_aggregate_tables(l2r_real *d_table, int64_t n_types, l2r_real *d_root, const l2r_real *d_y,
                                 const l2r_real *x, const struct l2r_masked_aggregation *a);

/* d_mask[arc_edge[i]] += d_arc[i], in the order of the arcs. */
void l2r_mask_collect(l2r_real *d_mask, const l2r_real *d_arc, const int32_t *arc_edge, int64_t n_arcs);

/* The undirected edge of every arc, numbered in the order in which the lower (or only) end meets them; returns how many
 * there are. Lists must be rising, as a batch's are. cursor: [n_nodes] */
int64_t l2r_number_edges(int32_t *arc_edge, const struct l2r_adjacency *graph, int32_t *cursor);

#endif
