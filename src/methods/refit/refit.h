/* SPDX-License-Identifier: MIT
 *
 * What methods share that train a network first and refit its head afterwards:
 *
 *     phase 0   --epochs less --refit-epochs: plain training
 *     phase 1   --refit-epochs: the backbone stays, the head learns on
 *               (1/B) Σ w_n ℓ_n + λ_2 ‖φ − φ̂‖² + λ_1 ‖φ‖_1          φ: the head's numbers, φ̂: those of phase 0
 *
 * Which graphs count how much in phase 1 is the method's idea.
 */
#ifndef L2R_METHODS_REFIT_REFIT_H
#define L2R_METHODS_REFIT_REFIT_H

#include "methods/method.h"

extern const struct l2r_option l2r_refit_option_table[]; /* --refit-epochs */

struct l2r_refit {
    int64_t epochs, refit;   /* of the run; of phase 1, 0: there is none */
    int32_t phase;           /* under way */
    l2r_real *anchor;        /* [n_anchor]: φ̂, from phase 1 on */
    int64_t n_anchor, first; /* numbers of the head, and the place of its first among the network's */
};

/* Refuses data without classes; `method` names the method in that sentence. */
enum l2r_status l2r_refit_init(struct l2r_refit *refit, const char *method, const struct l2r_config *config,
                               const struct l2r_network *network, struct l2r_error *error);
void l2r_refit_clear(struct l2r_refit *refit);
bool l2r_refit_phase(const struct l2r_refit *refit, int k, struct l2r_phase *phase);
/* Keeps φ̂. */
void l2r_refit_begin(struct l2r_refit *refit, int k, const struct l2r_network *network);
/* λ_2 ‖φ − φ̂‖² + λ_1 ‖φ‖_1, [1 × 1]; L2R_NO_NODE: both are 0, or phase 0. */
l2r_node l2r_refit_penalty(const struct l2r_refit *refit, const struct l2r_step *step, double lambda2, double lambda1);

/* The probability of a graph's label, of the mean over its labelled tasks, from outputs [outputs]; NaN: no label. */
double l2r_label_probability(const float *output, const struct l2r_dataset *data, int64_t graph);

enum { L2R_REFIT_ARRAYS = 2 };
/* Arrays 0 and 1 of the method's state. */
bool l2r_refit_array(struct l2r_refit *refit, int i, struct l2r_state_array *array);
bool l2r_refit_loaded(const struct l2r_refit *refit);

#endif
