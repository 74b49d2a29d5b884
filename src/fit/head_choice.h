/* SPDX-License-Identifier: MIT
 *
 * The head once more. When all epochs are done and the best model is in place, a method may hand out weights of the
 * training graphs (methods/method.h); under each of them, and under each of a few penalties, the head's last layer is
 * fitted again on what it reads, to the end (fit/linear_fit.h):
 *
 *     weights ρ = 1, 0.8, …  ×  penalty λ = 1e-2, 1e-4, 1e-6      ─►  candidate heads  ─►  score on validation graphs
 *     the best one is taken if it is evidently better than the trained head (fit/evidence.h); else that one stays
 *
 * So a method that brings no evidence changes nothing: the model is plain training's, bit for bit. Validation graphs
 * drawn like the training graphs cannot tell what holds elsewhere; validation graphs of another kind can.
 *
 * The choice is a function of the best model and the data alone, so a run that is stopped here and resumed makes it
 * again, with the same bits.
 */
#ifndef L2R_FIT_HEAD_CHOICE_H
#define L2R_FIT_HEAD_CHOICE_H

#include "fit/trainer.h"

#include <jansson.h>

struct l2r_head_choice {
    bool done;          /* the method weighs heads */
    l2r_real *head;     /* what is to take the place of weight and bias, one after the other; NULL: they stay */
    double valid;       /* its score */
    json_t *about;      /* numbers of the choice, for result.json; NULL: not asked */
    char sentence[480]; /* the same in words */
};

/* Does the method of this run weigh heads? */
bool l2r_head_fit_is_enabled(const struct l2r_trainer *trainer);
/* The network must hold the best model and is left as it is; the method keeps the weights of the head that is to be
 * taken. With --compare-controls the choice is also made, for the record alone, under equal, shuffled and known
 * weights, and every candidate is scored on the test graphs. */
enum l2r_status l2r_head_choose(struct l2r_head_choice *choice, struct l2r_trainer *trainer, struct l2r_error *error);
/* Puts the chosen head into the network, and its score into trainer->at. */
void l2r_head_take(const struct l2r_head_choice *choice, struct l2r_trainer *trainer);
void l2r_head_choice_clear(struct l2r_head_choice *choice);

#endif
