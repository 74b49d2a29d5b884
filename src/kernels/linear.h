/* SPDX-License-Identifier: MIT
 *
 * Fully connected layer:  y = act(x Wᵀ + b),  x [rows × in], W [out × in] (PyTorch's layout), b [out], y [rows × out].
 * Bias and activation are applied to each block of rows while it is still in the cache.
 */
#ifndef L2R_KERNELS_LINEAR_H
#define L2R_KERNELS_LINEAR_H

#include "kernels/real.h"

/* b may be NULL. */
void l2r_linear_forward(l2r_real *y, const l2r_real *x, const l2r_real *w, const l2r_real *b, enum l2r_activation act,
                        int64_t rows, int64_t in, int64_t out);

/* In place: d_y becomes the gradient before the activation, d_y ∘ [y > 0]. */
void l2r_relu_backward(l2r_real *d_y, const l2r_real *y, int64_t n);

/* d_b = beta·d_b + column sums of d_y, accumulated in double over fixed chunks. scratch: see l2r_column_sums_scratch. */
void l2r_column_sums(l2r_real *d_b, l2r_real beta, const l2r_real *d_y, double *scratch, int64_t rows, int64_t cols);
/* Doubles of scratch that l2r_column_sums needs. */
int64_t l2r_column_sums_scratch(int64_t rows, int64_t cols);

#endif
