/* SPDX-License-Identifier: MIT
 *
 * Choosing nodes by score, and the subgraph between those chosen.
 *
 *     graph of 5 nodes, ratio 0.6       score  .9 .1 .5 .5 .5      keep 3:  0 2 3
 *
 *     0──1──2──3──4                ──►  0  2──3      numbered anew: 0  1──2
 *
 * Of every graph the ⌈ratio·n⌉ nodes of highest score stay, in their order; of equal scores the lower node number wins.
 * Scores are compared in steps of 2⁻¹² of the graph's largest: nodes that look alike have scores that differ by
 * rounding alone, and rounding depends on the order of sums, so that without steps it would decide which of them stays.
 */
#ifndef L2R_KERNELS_TOP_K_H
#define L2R_KERNELS_TOP_K_H

#include "kernels/aggregate.h"

/* ⌈ratio·n⌉ for 0 < ratio ≤ 1, where ratio is meant as the decimal number it was written as (0.55 of 100 is 55,
 * although the product in binary is above); at least 1 unless n is 0. */
int64_t l2r_keep_count(double ratio, int64_t n);

/* Segment g of `keep` (kept_start[g] .. kept_start[g+1]) gets the row numbers kept of segment g, rising; place [rows]
 * gets each row's position in `keep`, or -1. A NaN counts as the highest score, so that divergence shows. scratch:
 * [rows] */
void l2r_top_k(int32_t *keep, int32_t *place, const l2r_real *score, const int32_t *start, const int32_t *kept_start,
               l2r_real *scratch, int64_t n_segments);

/* arc_start [n_kept + 1] of the subgraph; returns its number of arcs. */
int64_t l2r_subgraph_arcs(int32_t *arc_start, const struct l2r_adjacency *graph, const int32_t *keep,
                          const int32_t *place, int64_t n_kept);
/* neighbour, arc_type [arcs] in the order of the old lists, inverse_root_degree [n_kept]. */
void l2r_subgraph_fill(int32_t *neighbour, int32_t *arc_type, l2r_real *inverse_root_degree, int32_t *arc_start,
                       const struct l2r_adjacency *graph, const int32_t *keep, const int32_t *place, int64_t n_kept);

/* y_i = x_k · gate_i with k = keep[i], gate_i = tanh(score_k):  y [n_kept × dim]. */
void l2r_gate_forward(l2r_real *y, l2r_real *gate, const l2r_real *x, const l2r_real *score, const int32_t *keep,
                      int64_t n_kept, int64_t dim);
/* d_x_k = beta_x·d_x_k + gate_i d_y_i,  d_score_k = beta_s·d_score_k + (1 − gate_i²) Σ d_y_i ∘ x_k; 0 for rows that
 * were not kept. Either may be NULL. */
void l2r_gate_backward(l2r_real *d_x, l2r_real beta_x, l2r_real *d_score, l2r_real beta_s, const l2r_real *d_y,
                       const l2r_real *x, const l2r_real *gate, const int32_t *place, int64_t n_rows, int64_t dim);

#endif
