/* SPDX-License-Identifier: MIT
 *
 * Sample weights that minimise an objective L(w), the dependence between variables:
 *
 *     w = n · softmax(s)    positive, mean 1; with classes the softmax is taken within each, so no class gains weight
 *     minimise over s       L(w)/L(1) + (1/n) Σ_i c_i w_i     by T steps of Adam
 *
 * Dividing by L(1) lets one step size serve every width and batch. c is the second-order term (reweighting.h) or
 * nothing.
 *
 * Strength: the learned logits s [n] are a direction, whose length is then chosen so that the effective sample size
 * ESS = (Σw)² / (n Σw²) meets a target ρ:  w = n · softmax(τ s), τ by bisection.
 */
#ifndef L2R_REWEIGHT_WEIGHTS_H
#define L2R_REWEIGHT_WEIGHTS_H

#include <stdbool.h>
#include <stdint.h>

/* The objective: a function of one weight per row, with its gradient (dependence.h, hsic.h). */
struct l2r_objective {
    /* L(w); gradient [n_rows] = ∂L/∂w, if not NULL. w [n_rows]. */
    double (*value)(void *state, double *gradient, const double *w);
    void *state;
    int64_t n_rows;
};

/* Classes within which weights have mean 1. */
struct l2r_strata {
    int32_t count;
    const int32_t *of; /* [n], 0 .. count−1; NULL: all rows are one class */
    double *scratch;   /* [2 × count] */
};

struct l2r_inner_options {
    int64_t steps;
    double lr;
    double ess; /* ρ in (0, 1); 0: τ stays 1 */
};

struct l2r_inner_report {
    double before, after; /* L at the start and under the weights returned */
    double ess, least, median, most;
    bool moved; /* false: the weights stayed 1 (nothing to decorrelate) */
};

/* Adam on a vector of logits. */
struct l2r_stepper {
    const struct l2r_inner_options *options;
    double *m, *v; /* [n], 0 before the first step */
    int64_t taken;
};
void l2r_stepper_step(double *s, struct l2r_stepper *o, const double *gradient, int64_t n);
/* ∂/∂s from g = ∂/∂w for w = n · softmax(s):  w_k g_k − (w_k/n) Σ_j w_j g_j, sums and n over the class of k. */
void l2r_logits_gradient(double *gradient, const double *g, const double *w, const struct l2r_strata *strata,
                         int64_t n);

/* Learns w [n] for the LAST n of the objective's rows; the rows before them, queued ones, have the weights
 * `fixed` [n_rows − n]. logits [n] is the start s, afterwards log w. extra [n] or
 * NULL: c. scratch: l2r_learn_weights_scratch doubles. */
void l2r_learn_weights(double *w, double *logits, struct l2r_inner_report *report,
                       const struct l2r_objective *objective, const double *fixed, const double *extra,
                       const struct l2r_strata *strata, int64_t n, const struct l2r_inner_options *options,
                       double *scratch);
int64_t l2r_learn_weights_scratch(int64_t n_rows, int64_t n);
/* The report of weights w [n] that were not learned; scratch as above. */
void l2r_evaluate_weights(struct l2r_inner_report *report, const double *w, const struct l2r_objective *objective,
                          const double *fixed, int64_t n, double *scratch);

/* w = n · softmax(tau · s), by class. */
void l2r_softmax_weights(double *w, const double *s, double tau, const struct l2r_strata *strata, int64_t n);
/* w [n] in random order; seed and place select the stream. */
void l2r_shuffle_weights(double *w, uint64_t seed, int64_t n, uint64_t place);
double l2r_effective_sample_size(const double *w, int64_t n);
/* The τ at which n · softmax(τ s) has the target ESS; 0 when all s are equal, the largest one tried when none has
 * it. */
double l2r_find_strength(const double *s, double ess, const struct l2r_strata *strata, double *scratch, int64_t n);

#endif
