/* SPDX-License-Identifier: MIT
 *
 * The step that adam.c and adamw.c share; they differ in where weight decay acts.
 */
#ifndef L2R_TRAIN_OPTIMISERS_ADAM_H
#define L2R_TRAIN_OPTIMISERS_ADAM_H

#include "nn/optimiser.h"

/* g = grad + decay p, the moments, then p = keep p - lr (m / (1-β1^t)) / (sqrt(v / (1-β2^t)) + eps). */
void l2r_adam_step(struct l2r_optimiser *opt, l2r_real *value, const l2r_real *grad, double lr, double decay,
                   double keep);

#endif
