/* SPDX-License-Identifier: MIT
 *
 * AdamW (Loshchilov and Hutter 2019): weight decay shrinks the parameter itself instead of entering the gradient,
 *
 *     p -= lr weight_decay p,   then Adam's step with the bare gradient (adam.c).
 */
#include "nn/optimiser.h"

static void step(struct l2r_optimiser *opt, l2r_real *value, const l2r_real *grad, double lr)
{
    l2r_adam_step(opt, value, grad, lr, 0, 1 - lr * opt->weight_decay);
}

const struct l2r_optimiser_type l2r_optimiser_adamw = {
    .name = "adamw", .title = "AdamW (decoupled weight decay)", .n_moments = 2, .step = step};
