/* SPDX-License-Identifier: MIT
 *
 * A graph seen as K graphs on the same nodes, its factors: every arc has one weight in each of them,
 *
 *     g_uv,k = sigmoid(l_u,k + r_v,k + b_type(uv),k)        from u to v; of a node to itself: sigmoid(l_v,k + r_v,k)
 *     y_v,k  = s_v² g_vv,k x_v,k + Σ_{u in N(v)} s_v s_u g_uv,k x_u,k,     s = 1/sqrt(degree + 1)
 *
 * where x_v,k is factor k's block of the columns of x (or all of them, the same for every factor), and y_v,k that of y.
 * Self loops of the data are left out, as in GCN.
 *
 * Gates are stored in the order of the arcs of their target v, then one row per node for its own: gates
 * [(n_arcs + n_nodes) × K]. g_uv and g_vu differ; `reverse` finds the opposite arc. Each row is summed by one thread in
 * the order of the list.
 */
#ifndef L2R_KERNELS_FACTOR_H
#define L2R_KERNELS_FACTOR_H

#include "kernels/aggregate.h"

struct l2r_factors {
    struct l2r_adjacency graph;
    const int32_t *reverse; /* [n_arcs]: the arc from v to u, for the arc from u to v */
    int64_t n;              /* K */
};

/* Block k of `width` columns: first .. first of k + 1. Equal widths where K divides it. */
static inline int64_t l2r_factor_column(int64_t width, int64_t n_factors, int64_t k)
{
    return k * width / n_factors;
}

/* scores [n_nodes × 2K]: l, then r. bonds [types × K] or NULL. */
void l2r_gates_forward(l2r_real *gates, const l2r_real *scores, const l2r_real *bonds, const struct l2r_factors *f);
/* d_scores = beta·d_scores + …; d_bonds [n_types × K] gets the sums (written), NULL: not wanted. scratch:
 * l2r_gates_scratch numbers. */
void l2r_gates_backward(l2r_real *d_scores, l2r_real beta, l2r_real *d_bonds, const l2r_real *d_gates,
                        const l2r_real *gates, const struct l2r_factors *f, l2r_real *scratch, int64_t n_types);
int64_t l2r_gates_scratch(const struct l2r_factors *f, int64_t n_types);

/* y [n_nodes × width]; x the same, or, shared by all factors, [n_nodes × width/K]. */
void l2r_factor_forward(l2r_real *y, const l2r_real *x, const l2r_real *gates, const struct l2r_factors *f,
                        int64_t width, int shared);
/* d_x = beta_x·d_x + …, d_gates = beta_g·d_gates + …; either may be NULL. */
void l2r_factor_backward(l2r_real *d_x, l2r_real beta_x, l2r_real *d_gates, l2r_real beta_g, const l2r_real *d_y,
                         const l2r_real *x, const l2r_real *gates, const struct l2r_factors *f, int64_t width,
                         int shared);

#endif
