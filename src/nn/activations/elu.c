/* SPDX-License-Identifier: MIT
 *
 * ELU, the exponential linear unit (Clevert et al. 2016), with alpha = 1:
 *
 *     act(x) = x for x > 0, exp(x) − 1 below,     act'(x) = 1 for x > 0, exp(x) below
 */
#include "kernels/activation.h"

#include <math.h>

static void elu(l2r_real *y, const l2r_real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : (l2r_real)expm1((double)x[i]);
}

static void elu_backward(l2r_real *d, const l2r_real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) d[i] *= x[i] > 0 ? 1 : (l2r_real)exp((double)x[i]);
}

const struct l2r_activation l2r_activation_elu = {
    .name = "elu", .equation = "x above 0, exp(x) - 1 below", .forward = elu, .backward = elu_backward};
