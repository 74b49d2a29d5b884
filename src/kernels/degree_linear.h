/* SPDX-License-Identifier: MIT
 *
 * A linear layer after degree scalers, without the scaled copies of its input:
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
#ifndef L2R_KERNELS_DEGREE_LINEAR_H
#define L2R_KERNELS_DEGREE_LINEAR_H

#include "kernels/multi_aggregate.h"

#include <stdbool.h>

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
