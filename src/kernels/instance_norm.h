/* SPDX-License-Identifier: MIT
 *
 * Instance normalisation (Ulyanov et al. 2016) over the rows of each graph: every column of a graph on the same scale,
 * whatever the other graphs are.
 *
 *     y_ik = (x_ik − mean_gk) / sqrt(variance_gk + ε),   mean and biased variance over the rows i of graph g
 *
 * Backwards:   d_x_ik = (d_y_ik − mean_g(d_y_k) − y_ik mean_g(d_y_k ∘ y_k)) / sqrt(variance_gk + ε)
 *
 * Nothing is learned and no running statistics are kept, so that training and prediction do the same. The single row of
 * a graph becomes 0.
 */
#ifndef L2R_KERNELS_INSTANCE_NORM_H
#define L2R_KERNELS_INSTANCE_NORM_H

#include "kernels/real.h"

struct l2r_instance_norm {
    const int32_t *start; /* [n_graphs + 1]: rows start[g] .. start[g+1] are graph g's */
    int64_t n_graphs, cols;
    l2r_real *inverse_sd; /* [n_graphs × cols]: forward writes it, backward reads it */
};

void l2r_instance_norm_forward(l2r_real *y, const l2r_real *x, const struct l2r_instance_norm *norm);
/* d_x = beta·d_x + … */
void l2r_instance_norm_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const l2r_real *y,
                                const struct l2r_instance_norm *norm);

#endif
