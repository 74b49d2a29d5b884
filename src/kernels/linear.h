/* SPDX-License-Identifier: MIT
 *
 * Fully connected layer:  y = x Wᵀ + b,  x [rows × in], W [out × in] (PyTorch's layout), b [out], y [rows × out].
 * Bias and, on demand, ReLU are applied to each block of rows while it is still in the cache.
 */
#ifndef L2R_KERNELS_LINEAR_H
#define L2R_KERNELS_LINEAR_H

#include "kernels/norm.h"

/* b may be NULL. temp: l2r_linear_temp numbers (none when x is there). */
void l2r_linear_forward(l2r_real *y, const struct l2r_input *x, const l2r_real *w, const l2r_real *b, bool relu,
                        l2r_real *temp, int64_t rows, int64_t out);
int64_t l2r_linear_temp(const struct l2r_input *x, int64_t rows, int64_t out);

/* What flows back, d_z being the gradient before the activation; each output may be NULL:
 *     d_x = beta_x·d_x + d_z W,   d_w = beta_w·d_w + d_zᵀ x,   d_b = beta_b·d_b + Σ rows of d_z
 * d_w is summed over slices of rows, a product each, that are added in order: the slices depend on the shape alone. */
struct l2r_linear_gradient {
    l2r_real *d_x, *d_w, *d_b;
    l2r_real beta_x, beta_w, beta_b;
    const l2r_real *d_z, *w;
    struct l2r_input x;
    int64_t rows, out;
};
/* scratch: l2r_linear_backward_scratch bytes. */
void l2r_linear_backward(const struct l2r_linear_gradient *g, void *scratch);
int64_t l2r_linear_backward_scratch(const struct l2r_linear_gradient *g);

/* out = beta·out + Σ of the slices in order, partial [slices × n]. */
void l2r_add_slices(l2r_real *out, l2r_real beta, const l2r_real *partial, int64_t slices, int64_t n);

/* In place: d_y becomes the gradient before the activation, d_y ∘ [y > 0]. */
void l2r_relu_backward(l2r_real *d_y, const l2r_real *y, int64_t n);

/* d_b = beta·d_b + column sums of d_y, accumulated in double over fixed chunks. scratch: see
 * l2r_column_sums_scratch. */
void l2r_column_sums(l2r_real *d_b, l2r_real beta, const l2r_real *d_y, double *scratch, int64_t rows, int64_t cols);
/* sum[cols] = column sums of a few rows, on the calling thread. */
void l2r_sum_rows(double *sum, const l2r_real *y, int64_t rows, int64_t cols);
/* Doubles of scratch that l2r_column_sums needs. */
int64_t l2r_column_sums_scratch(int64_t rows, int64_t cols);

#endif
