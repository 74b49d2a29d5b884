/* SPDX-License-Identifier: MIT
 *
 * Several matrices of the same shape as one: side by side, or the largest of each place.
 */
#ifndef L2R_KERNELS_JOIN_H
#define L2R_KERNELS_JOIN_H

#include "kernels/real.h"

/* A block of columns: y[i, 0..cols) = beta·y + x, rows of y and x y_stride and x_stride numbers apart. */
void l2r_block_copy(l2r_real *y, int64_t y_stride, l2r_real beta, const l2r_real *x, int64_t x_stride, int64_t rows,
                    int64_t cols);

/* y = x and argmax = which where x is larger (or not a number); for which = 0 everywhere. So the first of equals stays. */
void l2r_largest_take(l2r_real *y, int32_t *argmax, const l2r_real *x, int32_t which, int64_t n);
/* d_x = beta·d_x + d_y where argmax = which. */
void l2r_largest_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const int32_t *argmax, int32_t which,
                          int64_t n);

#endif
