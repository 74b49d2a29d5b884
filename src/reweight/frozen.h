/* SPDX-License-Identifier: MIT
 *
 * Weights for representations that do not change any more: Z of all training graphs under a network that is done.
 *
 *     s ← 0;  in each of T steps (--inner-steps):  R random rows, new Fourier features
 *             w = softmax(s) · n by class,  one step of Adam on L(w) / L(1)            dependence.h, weights.h
 *     w(ρ) = n · softmax(τ s), τ such that the effective sample size is ρ              for any number of ρ
 *
 * Fresh features in every step leave no chance to fit those of one draw, and R bounds time and memory whatever the size
 * of the data. All pairs count, weighted by what the head uses (importance.h).
 */
#ifndef L2R_REWEIGHT_FROZEN_H
#define L2R_REWEIGHT_FROZEN_H

#include "reweight/importance.h"
#include "reweight/learner.h"

enum { L2R_FROZEN_ROWS = 1500 /* R */ };

struct l2r_frozen {
    struct l2r_learner learner;
    struct l2r_importance importance;
};

enum l2r_status l2r_frozen_init(struct l2r_frozen *frozen, const struct l2r_learner_options *options,
                                const struct l2r_config *config, const struct l2r_network *network,
                                const struct l2r_dataset *data, struct l2r_error *error);
void l2r_frozen_clear(struct l2r_frozen *frozen);

/* s [n], the direction of the weights, from z [n × width] of the graphs [n]. */
enum l2r_status l2r_frozen_learn(double *s, struct l2r_frozen *frozen, const struct l2r_network *network,
                                 const float *z, const int32_t *graphs, int64_t n, struct l2r_error *error);
/* w [n] of mean 1 and effective sample size ess along s. */
enum l2r_status l2r_frozen_weights(double *w, struct l2r_frozen *frozen, const double *s, const int32_t *graphs,
                                   int64_t n, double ess, struct l2r_error *error);
/* The share of the dependence that w [n] leaves, and that the same weights leave in random order, on R rows and Fourier
 * features that no step has seen. l2r_frozen_learn comes first. */
enum l2r_status l2r_frozen_judge(double *left, double *shuffled, struct l2r_frozen *frozen, const double *w,
                                 const float *z, int64_t n, struct l2r_error *error);
/* w [n] in random order. */
void l2r_frozen_shuffle(double *w, const struct l2r_frozen *frozen, int64_t n);

#endif
