/* SPDX-License-Identifier: MIT
 *
 * Layer normalisation (Ba et al. 2016): every row on the same scale, whatever the other rows are.
 *
 *     y_i = γ ∘ n_i + β,   n_i = (x_i − mean_i) / sqrt(variance_i + ε),   mean and biased variance over the columns
 *
 * Backwards, with g = d_y ∘ γ:   d_x_i = (g − mean(g) − n_i mean(g ∘ n_i)) / sqrt(variance_i + ε)
 */
#ifndef L2R_KERNELS_LAYER_NORM_H
#define L2R_KERNELS_LAYER_NORM_H

#include "kernels/real.h"

struct l2r_layer_norm {
    const l2r_real *x;           /* [rows × cols] */
    const l2r_real *gamma;       /* [cols] */
    l2r_real *mean, *inverse_sd; /* [rows]: forward writes them, backward reads them */
    int64_t rows, cols;
};

void l2r_layer_norm_forward(l2r_real *y, const struct l2r_layer_norm *norm, const l2r_real *beta);
/* d_x = b·d_x + … (NULL: not wanted; may be d_y); d_gamma and d_beta are added to (NULL: not wanted). scratch:
 * l2r_layer_norm_scratch doubles. */
void l2r_layer_norm_backward(l2r_real *d_x, l2r_real b, l2r_real *d_gamma, l2r_real *d_beta, const l2r_real *d_y,
                             const struct l2r_layer_norm *norm, double *scratch);
int64_t l2r_layer_norm_scratch(int64_t rows, int64_t cols);

#endif
