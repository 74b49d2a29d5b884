/* SPDX-License-Identifier: MIT
 *
 * An activation to copy: SiLU, also called swish (Elfwing et al. 2018). With σ the logistic function:
 *
 *     act(x) = x σ(x),     act'(x) = σ(x) (1 + x (1 − σ(x)))
 *
 * As src/nn/activations/silu.c it is `--activation silu`. backward multiplies the gradient by the slope at the input x;
 * the contract tests compare the two with central differences. docs/adding.md says what else can be added.
 */
#include "kernels/activation.h"

#include <math.h>

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static void forward(l2r_real *y, const l2r_real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] = (l2r_real)((double)x[i] * logistic((double)x[i]));
}

static void backward(l2r_real *d, const l2r_real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double at = (double)x[i], s = logistic(at);
        d[i] *= (l2r_real)(s * (1 + at * (1 - s)));
    }
}

const struct l2r_activation l2r_activation_silu = {
    .name = "silu", .equation = "x sigmoid(x)", .forward = forward, .backward = backward};
