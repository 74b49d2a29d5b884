/* SPDX-License-Identifier: MIT
 *
 * GELU, the Gaussian error linear unit (Hendrycks and Gimpel 2016), exact rather than by its tanh approximation:
 *
 *     act(x) = x Φ(x),     act'(x) = Φ(x) + x φ(x)
 *
 * Φ is the distribution function of the standard normal distribution, φ its density.
 */
#include "kernels/activation.h"

#include <math.h>

static double distribution(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440); /* 1/√2 */
}

static double density(double x)
{
    return 0.39894228040143267794 * exp(-0.5 * x * x); /* 1/√(2π) */
}

static void gelu(l2r_real *y, const l2r_real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] = (l2r_real)((double)x[i] * distribution((double)x[i]));
}

static void gelu_backward(l2r_real *d, const l2r_real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double at = (double)x[i];
        d[i] *= (l2r_real)(distribution(at) + at * density(at));
    }
}

const struct l2r_activation l2r_activation_gelu = {
    .name = "gelu", .equation = "x Phi(x)", .forward = gelu, .backward = gelu_backward};
