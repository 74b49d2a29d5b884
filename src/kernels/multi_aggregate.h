/* SPDX-License-Identifier: MIT
 *
 * Several statistics of a node's neighbours in one sweep over its arcs, each multiplied by functions of its degree:
 *
 *     m_uv = x_u + e_uv            e_uv a row of a small table chosen by the arc's type, or nothing
 *     y_v  = [ scale_s(v) · a_v  for each scaler s, for each aggregator a ]         [n_scalers · n_aggregators · dim]
 *
 *     mean, max, min   of m_uv over the neighbours u, plus own_v (a part of every message that depends on v alone)
 *     std              sqrt(variance of m_uv + 1e-5); own_v has no part in it
 *     identity 1,  amplification log(degree + 1) / delta,  attenuation delta / log(degree + 1)
 *
 * A node without neighbours gives 0. Of equal messages the first neighbour by number is the largest (or smallest), and
 * it alone gets the gradient. The variance is summed from differences to the first message, so that equal messages have
 * exactly none.
 *
 * As in aggregate.h the gradient walks the same symmetric lists, each row summed by one thread in the order of the
 * list:
 *     d_x_u = Σ_{v in N(u)} [ g_mean_v + g_std_v (m_uv − mean_v) + g_max_v [u = argmax_v] + g_min_v [u = argmin_v] ]
 * where g are the gradients of v's statistics with the scales (and 1/degree, 1/std) already in them.
 */
#ifndef L2R_KERNELS_MULTI_AGGREGATE_H
#define L2R_KERNELS_MULTI_AGGREGATE_H

#include "kernels/aggregate.h"

#include <stdbool.h>

/* Sets of these, as bits; they stand in y in this order. */
enum l2r_aggregator { L2R_MEAN = 1, L2R_MAX = 2, L2R_MIN = 4, L2R_STD = 8, L2R_ALL_AGGREGATORS = 15 };
enum l2r_scaler { L2R_IDENTITY = 1, L2R_AMPLIFICATION = 2, L2R_ATTENUATION = 4, L2R_ALL_SCALERS = 7 };

struct l2r_multi_aggregation {
    struct l2r_adjacency graph;
    int64_t dim;
    unsigned aggregators, scalers;
    double delta;               /* > 0 */
    const l2r_real *own;        /* [n_nodes × dim] or NULL */
    const l2r_real *edge_table; /* [n_types × dim] or NULL */
    int64_t n_types;
    /* Filled by forward for backward, each [n_nodes × dim]; NULL: no gradient is wanted. */
    l2r_real *mean, *deviation;
    l2r_lane *arg_max, *arg_min;
};

/* The scales of node v, which has neighbours, in the order of the set; returns how many. */
int l2r_multi_aggregate_scales(l2r_real scale[3], const struct l2r_multi_aggregation *a, int64_t v);
/* Columns of y. */
int64_t l2r_multi_aggregate_width(const struct l2r_multi_aggregation *a);

void l2r_multi_aggregate_forward(l2r_real *y, const l2r_real *x, const struct l2r_multi_aggregation *a);

/* The gradients g of the statistics, [n_nodes × n_aggregators × dim], and d_own = beta·d_own + … (NULL: not wanted). */
void l2r_multi_aggregate_fold(l2r_real *g, l2r_real *d_own, l2r_real beta, const l2r_real *d_y,
                              const struct l2r_multi_aggregation *a);
/* d_x = beta·d_x + …; d_table [n_types × dim] gets the sums (written, not added; NULL without edges). scratch:
 * l2r_multi_aggregate_scratch numbers. */
void l2r_multi_aggregate_backward(l2r_real *d_x, l2r_real beta, l2r_real *d_table, const l2r_real *g, const l2r_real *x,
                                  const struct l2r_multi_aggregation *a, l2r_real *scratch);
int64_t l2r_multi_aggregate_scratch(const struct l2r_multi_aggregation *a);

/* ---- a linear layer after the scalers (degree_linear.c) ----
 *
 * It needs no scaled copies of its input:
 *
 *     y_v = Σ_s scale_s(v) · x_v V_sᵀ = x_v V(v)ᵀ,    V(v) = Σ_s scale_s(v) V_s
 *
 *     x [rows × in],   y [rows × out],   V = [V_1 ‖ …] [out × n_scales·in]
 *
 * V(v) depends on the degree of v alone, and a batch has few different degrees. Rows of equal degree are brought
 * together and multiplied by their own V(d): one product of rows × in × out instead of n_scales of them, and an input
 * n_scales times narrower.
 *
 * Rows without neighbours give 0. Groups go by degree, upwards; within a group rows keep their order.
 */

struct l2r_degree_groups {
    int64_t n_rows, n_groups, n_scales;
    const int32_t *order;  /* [n_rows]: rows by degree, those of degree 0 first */
    const int64_t *start;  /* [n_groups + 1]: places in `order`; start[0] rows have degree 0 */
    const l2r_real *scale; /* [n_groups × n_scales] */
};

/* x [rows × n_in], v [n_out × n_scales · n_in], y [rows × n_out]. scratch: l2r_degree_linear_scratch numbers. */
void l2r_degree_linear_forward(l2r_real *y, const l2r_real *x, const l2r_real *v,
                               const struct l2r_degree_groups *groups, l2r_real *scratch, int64_t n_in, int64_t n_out);
/* d_x = beta_x·d_x + …, d_v = beta_v·d_v + …; either may be NULL. */
void l2r_degree_linear_backward(l2r_real *d_x, l2r_real beta_x, l2r_real *d_v, l2r_real beta_v, const l2r_real *d_y,
                                const l2r_real *x, const l2r_real *v, const struct l2r_degree_groups *groups,
                                l2r_real *scratch, int64_t n_in, int64_t n_out);
int64_t l2r_degree_linear_scratch(int64_t n_rows, int64_t n_in, int64_t n_out, bool backward);

#endif
