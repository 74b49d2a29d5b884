/* SPDX-License-Identifier: MIT
 *
 * Optimisers on flat arrays: all parameters of a model are one block, their gradients another, so a step is one loop.
 * The definitions are PyTorch's. With g the gradient, p the parameter, t the number of this step (from 1):
 *
 *     adam    g += weight_decay p;              m = β1 m + (1-β1) g;   v = β2 v + (1-β2) g²
 *             p -= lr (m / (1-β1^t)) / (sqrt(v / (1-β2^t)) + eps)
 *     adamw   p -= lr weight_decay p; then adam's step with the bare g
 *     sgd     g += weight_decay p;              m = momentum m + g;    p -= lr m
 *
 * Every element is computed on its own, so threads cannot change the result.
 */
#ifndef L2R_TRAIN_OPTIMISER_H
#define L2R_TRAIN_OPTIMISER_H

#include "base/status.h"
#include "kernels/real.h"

#include <stdbool.h>
#include <stdint.h>

struct l2r_optimiser_kind {
    const char *name; /* as typed: "adam" */
    const char *title;
    int32_t n_moments; /* arrays of state: 1 = m, 2 = m and v */
    bool decoupled;    /* weight decay shrinks the parameter itself, not by way of the gradient */
};

extern const struct l2r_optimiser_kind l2r_optimiser_kinds[]; /* ends with a row whose name is NULL */

struct l2r_optimiser {
    const struct l2r_optimiser_kind *kind;
    double beta1, beta2, eps; /* 0.9, 0.999, 1e-8 */
    double momentum;          /* sgd; 0 */
    double weight_decay;      /* 0 */
    int64_t steps;            /* taken so far */
    l2r_real *m, *v;          /* [n], owned; v is NULL where the kind has one moment */
    int64_t n;
};

/* Sets the defaults above and zeroed moments for n parameters. A resumed run fills m, v and steps afterwards. */
enum l2r_status l2r_optimiser_init(struct l2r_optimiser *opt, const char *kind, int64_t n, struct l2r_error *error);
void l2r_optimiser_clear(struct l2r_optimiser *opt);

/* One step with learning rate lr; n must be the optimiser's. */
void l2r_optimiser_step(struct l2r_optimiser *opt, l2r_real *value /* [n] */, const l2r_real *grad /* [n] */, int64_t n,
                        double lr);

/* sqrt(sum of squares), accumulated in double over a fixed partition: the same bits for any number of threads. */
double l2r_grad_norm(const l2r_real *grad /* [n] */, int64_t n);
/* Scales the gradient by min(1, max_norm / (norm + 1e-6)); returns the norm before. A norm that is not finite scales
 * nothing: the caller reports it. */
double l2r_grad_clip(l2r_real *grad /* [n] */, int64_t n, double max_norm);

#endif
