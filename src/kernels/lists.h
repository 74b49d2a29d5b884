/* SPDX-License-Identifier: MIT
 *
 * Sums of rows over lists, and the messages between the directed arcs of a graph.
 *
 *     lists      y_i = Σ_{k in list i} x_k                      backwards the same over the lists turned round
 *     messages   y_{v→w} = Σ_{u in N(v), u ≠ w} x_{u→v}         x, y: a row for every arc
 *                        = s_v − x_{w→v},   s_v = Σ_u x_{u→v}   so that a hub costs no more than its arcs
 *
 * Arc a of node w's list, with neighbour v, is v→w; reverse[a] is w→v, and a self loop is its own reverse. Backwards,
 * d_x_{u→v} = Σ_{w ≠ u} d_y_{v→w}. Each row of y and of d_x is written by one thread, in one order.
 */
#ifndef L2R_KERNELS_LISTS_H
#define L2R_KERNELS_LISTS_H

#include "kernels/aggregate.h"

/* n_rows lists of rows of a matrix of n_sources rows, and for each of those the lists that it is in. */
struct l2r_lists {
    int64_t n_rows, n_sources;
    const int32_t *start, *item;           /* [n_rows + 1], [start[n_rows]] */
    const int32_t *back_start, *back_item; /* [n_sources + 1], [start[n_rows]] */
};

/* y = beta·y + Σ of the lists: y [n_rows × dim]. */
void l2r_list_sums(l2r_real *y, l2r_real beta, const l2r_real *x, const int32_t *start, const int32_t *item,
                   int64_t n_rows, int64_t dim);

/* The other direction of every arc; lists must be rising, as a batch's are. cursor: [n_nodes] */
void l2r_reverse_arcs(int32_t *reverse, const struct l2r_adjacency *graph, int32_t *cursor);

void l2r_arc_messages_forward(l2r_real *y, const l2r_real *x, const struct l2r_adjacency *graph, const int32_t *reverse,
                              int64_t dim);
/* d_x = beta·d_x + … */
void l2r_arc_messages_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const struct l2r_adjacency *graph,
                               const int32_t *reverse, int64_t dim);

#endif
