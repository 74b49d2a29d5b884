/* SPDX-License-Identifier: MIT
 *
 * Leaky ReLU (Maas et al. 2013) with the slope that chemprop uses:
 *
 *     act(x) = x for x > 0, x / 10 below,     act'(x) = 1 for x > 0, 1 / 10 below
 */
#include "kernels/activation.h"

static const l2r_real slope = (l2r_real)0.1;

static void leaky_relu(l2r_real *y, const l2r_real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : slope * x[i];
}

static void leaky_relu_backward(l2r_real *d, const l2r_real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) d[i] *= x[i] > 0 ? 1 : slope;
}

const struct l2r_activation l2r_activation_leakyrelu = {
    .name = "leakyrelu", .equation = "x above 0, 0.1 x below", .forward = leaky_relu, .backward = leaky_relu_backward};
