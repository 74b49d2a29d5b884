/* SPDX-License-Identifier: MIT
 *
 * An optimiser: src/fit/optimisers/NAME.c defines one `const struct l2r_optimiser_type l2r_optimiser_NAME`, and
 * `--optimiser NAME`, `l2r list optimisers` and the checkpoint follow. All parameters of a model are one block and
 * their gradients another, so a step is one loop over flat arrays:
 *
 *     value [n]  grad [n]  ──step(lr)──►  value [n]          m [n], v [n]: the moments, kept from step to step
 *
 * Every element is computed on its own, so threads cannot change the result. The learning rate of each epoch comes from
 * nn/schedule.h. The definitions are PyTorch's.
 */
#ifndef L2R_NN_OPTIMISER_H
#define L2R_NN_OPTIMISER_H

#include "base/config.h"
#include "base/status.h"
#include "kernels/real.h"

#include <stdbool.h>
#include <stdint.h>

enum { L2R_OPTIMISER_CHUNK = 1 << 14 }; /* elements a thread takes at a time: four arrays of them fit a level-2 cache */

struct l2r_optimiser;

struct l2r_optimiser_type {
    const char *name; /* as typed: "adam" */
    const char *title;
    int32_t n_moments;                /* arrays of state: 1 = m, 2 = m and v */
    const struct l2r_option *options; /* its own, beside --lr and --weight-decay; ends with a zero row; NULL: none */
    /* Reads its own options; NULL: it has none. */
    void (*configure)(struct l2r_optimiser *opt, const struct l2r_config *config);
    /* One step. opt->steps counts this one already, from 1. */
    void (*step)(struct l2r_optimiser *opt, l2r_real *value /* [n] */, const l2r_real *grad /* [n] */, double lr);
};

extern const struct l2r_optimiser_type *const l2r_optimisers[]; /* NULL at the end */
extern const char l2r_optimiser_choices[];                      /* "adam|adamw|sgd" */

struct l2r_optimiser {
    const struct l2r_optimiser_type *type;
    double beta1, beta2, eps; /* 0.9, 0.999, 1e-8 */
    double momentum;          /* 0 */
    double weight_decay;      /* 0 */
    double own[4];            /* free for the type's own settings; 0 */
    int64_t steps;            /* taken so far */
    l2r_real *m, *v;          /* [n], owned; v is NULL where the type has one moment */
    int64_t n;
};

/* Sets the defaults above and zeroed moments for n parameters. A resumed run fills m, v and steps afterwards. */
enum l2r_status l2r_optimiser_init(struct l2r_optimiser *opt, const char *name, int64_t n, struct l2r_error *error);
/* The same from --optimiser, --weight-decay and the type's own options. */
enum l2r_status l2r_optimiser_start(struct l2r_optimiser *opt, const struct l2r_config *config, int64_t n,
                                    struct l2r_error *error);
void l2r_optimiser_clear(struct l2r_optimiser *opt);

/* One step with learning rate lr; n must be the optimiser's. */
void l2r_optimiser_step(struct l2r_optimiser *opt, l2r_real *value /* [n] */, const l2r_real *grad /* [n] */, int64_t n,
                        double lr);

/* The same for the parameters from number `first` on; the others, and their moments, stay as they are. */
void l2r_optimiser_step_from(struct l2r_optimiser *opt, l2r_real *value, const l2r_real *grad, int64_t first, int64_t n,
                             double lr);

/* sqrt(sum of squares), accumulated in double over a fixed partition: the same bits for any number of threads. */
double l2r_grad_norm(const l2r_real *grad /* [n] */, int64_t n);
/* Scales the gradient by min(1, max_norm / (norm + 1e-6)); returns the norm before. If the norm is not finite the
 * gradient stays as it is: the caller reports it. */
double l2r_grad_clip(l2r_real *grad /* [n] */, int64_t n, double max_norm);

/* The step that fit/optimisers/adam.c and adamw.c share; they differ in where weight decay acts:
 *     g = grad + decay p, the moments, then p = keep p - lr (m / (1-β1^t)) / (sqrt(v / (1-β2^t)) + eps)
 */
void l2r_adam_step(struct l2r_optimiser *opt, l2r_real *value, const l2r_real *grad, double lr, double decay,
                   double keep);

#endif
