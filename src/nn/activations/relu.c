/* SPDX-License-Identifier: MIT
 *
 * ReLU (Nair and Hinton 2010):  act(x) = max(x, 0),  act'(x) = [x > 0].
 *
 * Kernels fuse it with the operation before it and never call these functions, which define what the fused loops
 * compute.
 */
#include "kernels/activation.h"

static void relu(l2r_real *y, const l2r_real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] = x[i] < 0 ? 0 : x[i]; /* NaN stays */
}

static void relu_backward(l2r_real *d, const l2r_real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) d[i] = x[i] > 0 ? d[i] : 0;
}

const struct l2r_activation l2r_activation_relu = {
    .name = "relu", .equation = "max(x, 0)", .forward = relu, .backward = relu_backward, .relu = true};
