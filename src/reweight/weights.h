/* SPDX-License-Identifier: MIT
 *
 * Sample weights that lower an objective, the dependence between variables.
 *
 *     w = n · softmax(s):  positive, mean 1;  with classes, the same within each of them, so that no class gains or loses
 *
 * From the given logits s, T steps of Adam or SGD on  L(w)/L(1) + λ·mean((w−1)²) + Σ_n c_n w_n / n.  Dividing by the value at the
 * start makes one step size serve every width and batch.
 * Strength: the learned logits are a direction. Their size is then set so that the effective sample size
 * ESS = (Σw)² / (n Σw²) meets a target ρ:  w = n · softmax(τ s), τ by bisection.
 */
#ifndef L2R_REWEIGHT_WEIGHTS_H
#define L2R_REWEIGHT_WEIGHTS_H

#include "reweight/objective.h"

#include <stdbool.h>

/* Classes within which weights have mean 1. */
struct l2r_strata {
    int32_t count;
    const int32_t *of; /* [n], 0 .. count−1; NULL: all rows are one class */
    double *scratch;   /* [2 × count] */
};

struct l2r_inner_options {
    int64_t steps;
    double lr;
    bool sgd;        /* SGD with momentum instead of Adam */
    double momentum; /* of SGD */
    double penalty;  /* λ */
    double ess;      /* ρ in (0, 1); 0: τ stays 1 */
};

struct l2r_inner_report {
    double before, after; /* L at the start and with the weights given back */
    double ess, least, median, most;
    bool moved; /* false: the weights stayed 1 (nothing to decorrelate) */
};

/* Weights of the LAST n of the objective's rows; those before are `fixed` [n_rows − n] (queued groups). logits [n]: where to start; then
 * log w. extra [n] or NULL: c. scratch: l2r_learn_weights_scratch doubles. */
void l2r_learn_weights(double *w, double *logits, struct l2r_inner_report *report,
                       const struct l2r_objective *objective, const double *fixed, const double *extra,
                       const struct l2r_strata *strata, int64_t n, const struct l2r_inner_options *options,
                       double *scratch);
int64_t l2r_learn_weights_scratch(int64_t n_rows, int64_t n);

/* w = n · softmax(tau · s), by class. */
void l2r_softmax_weights(double *w, const double *s, double tau, const struct l2r_strata *strata, int64_t n);
double l2r_effective_sample_size(const double *w, int64_t n);
/* The τ at which n · softmax(τ s) has the wanted ESS; the largest tried when s allows no such (all equal: 0). */
double l2r_find_strength(const double *s, double ess, const struct l2r_strata *strata, double *scratch, int64_t n);

#endif
