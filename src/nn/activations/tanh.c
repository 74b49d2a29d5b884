/* SPDX-License-Identifier: MIT
 *
 * The hyperbolic tangent:  act(x) = tanh(x),  act'(x) = 1 − tanh(x)².
 */
#include "kernels/activation.h"

#include <math.h>

static void forward(l2r_real *y, const l2r_real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] = (l2r_real)tanh((double)x[i]);
}

static void backward(l2r_real *d, const l2r_real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double y = tanh((double)x[i]);
        d[i] *= (l2r_real)(1 - y * y);
    }
}

const struct l2r_activation l2r_activation_tanh = {
    .name = "tanh", .equation = "tanh(x)", .forward = forward, .backward = backward};
