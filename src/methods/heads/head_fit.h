/* SPDX-License-Identifier: MIT
 *
 * The common part of the head-fit methods, which train a network on some of the graphs and fit its last layer on the
 * others:
 *
 *     training        plain, on the graphs that are not held out
 *     at its end      the last layer alone, on frozen Z, to convergence (fit/head_choice.h):
 *                     (1/N) Σ w_n ℓ_n + (λ/2) ‖φ‖²,   w_n = 0 for all graphs that are not held out
 *
 * --head-holdout F keeps the share F of the training graphs, drawn at random; the network fits the graphs that it
 * trains on, so their losses show little about its head. F = 0: network and head use all graphs. The methods differ in
 * the weights of the graphs held out; λ is chosen on the validation graphs. --no-fit-head is ERM bit for bit.
 */
#ifndef L2R_METHODS_HEADS_HEAD_FIT_H
#define L2R_METHODS_HEADS_HEAD_FIT_H

#include "methods/method.h"

extern const struct l2r_option l2r_head_fit_option_table[]; /* --fit-head, --head-holdout */

struct l2r_head_fit {
    bool on;
    bool *held;       /* [n_graphs of the data] */
    int64_t n_held;   /* 0: none, or all graphs do both */
    l2r_real *weight; /* [n_graphs]: of the head; 1 before the head fit */
    int64_t n_graphs;
};

/* Refuses data without classes and models without a linear head; `method` names the method in the error. */
enum l2r_status l2r_head_fit_init(struct l2r_head_fit *refit, const char *method, const struct l2r_config *config,
                                  const struct l2r_network *network, const struct l2r_training_set *set,
                                  struct l2r_error *error);
void l2r_head_fit_clear(struct l2r_head_fit *refit);

/* Does the head learn from this graph? */
static inline bool l2r_head_fit_takes(const struct l2r_head_fit *refit, int64_t graph)
{
    return refit->n_held == 0 || refit->held[graph];
}

/* One more candidate, [set->n] zeros, which the caller fills; NULL when out of memory. */
double *l2r_head_fit_offer(struct l2r_head_weights *out, struct l2r_arena *arena, const struct l2r_training_set *set,
                           struct l2r_error *error);
/* When all are filled: each gets mean 1. */
void l2r_head_fit_finish(struct l2r_head_weights *out, const struct l2r_head_fit *refit,
                         const struct l2r_training_set *set);

/* The probability of a graph's label, of the mean over its labelled tasks, from outputs [outputs]; NaN: no label. */
double l2r_label_probability(const float *output, const struct l2r_dataset *data, int64_t graph);

/* Hooks of a method whose state begins with a struct l2r_head_fit. */
int64_t l2r_head_fit_order(void *state, int32_t *order, int64_t n, int64_t epoch);
void l2r_head_fit_keep(void *state, const struct l2r_training_set *set, const double *w);
bool l2r_head_fit_array(void *state, int i, struct l2r_state_array *array);
bool l2r_head_fit_loaded(const void *state);

#endif
