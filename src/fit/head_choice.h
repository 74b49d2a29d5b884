/* SPDX-License-Identifier: MIT
 *
 * The head fit. When all epochs are done and the best model is in place, a method may supply weights of the training
 * graphs (methods/method.h); under each of them, and under each of a few penalties, the head's last layer alone is
 * fitted to convergence (fit/linear_fit.h):
 *
 *     weights ρ = 1, 0.8, …  ×  penalty λ = 1e-2, 1e-4, 1e-6      ─►  candidate heads  ─►  score on validation graphs
 *     the best one is taken if there is evidence that it beats the trained head (fit/evidence.h); else that head stays
 *
 * Without evidence nothing changes: the model is that of plain training, bit for bit. Validation graphs from the same
 * distribution as the training graphs cannot show what holds under a shift; validation graphs from another distribution
 * can.
 *
 * The choice is a function of the best model and the data alone, so a run that is stopped here and resumed makes it
 * again, with the same bits.
 */
#ifndef L2R_FIT_HEAD_CHOICE_H
#define L2R_FIT_HEAD_CHOICE_H

#include "fit/trainer.h"

#include <jansson.h>

struct l2r_head_choice {
    bool done;          /* the method has a head fit */
    l2r_real *head;     /* new weight and bias, one after the other; NULL: they stay */
    double valid;       /* its score */
    json_t *about;      /* numbers of the choice, for result.json; NULL: no head fit */
    char sentence[480]; /* the same in words */
};

/* Does the method of this run have a head fit? */
bool l2r_head_fit_is_enabled(const struct l2r_trainer *trainer);
/* The network must hold the best model and is left as it is; the method keeps the weights of the head that is to be
 * taken. With --compare-controls the choice is also made, for the record alone, under equal, shuffled and known
 * weights, and every candidate is scored on the test graphs. */
enum l2r_status l2r_head_choose(struct l2r_head_choice *choice, struct l2r_trainer *trainer, struct l2r_error *error);
/* The same under the caller's weights w [set.n] of the training graphs, of mean 1: the best head by validation is
 * taken, whatever the evidence. Any method. */
enum l2r_status l2r_head_choose_under(struct l2r_head_choice *choice, struct l2r_trainer *trainer, const double *w,
                                      struct l2r_error *error);
/* Puts the chosen head into the network, and its score into trainer->at. */
void l2r_head_take(const struct l2r_head_choice *choice, struct l2r_trainer *trainer);
void l2r_head_choice_clear(struct l2r_head_choice *choice);

#endif
