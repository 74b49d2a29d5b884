/* SPDX-License-Identifier: MIT
 *
 * `ess=choose` for weights of the whole network: their strength by evidence (for the head alone: train/head_choice.h).
 * Weights cost a share of the sample, and pay only where the labels hang on something that does not hold elsewhere;
 * whether they do, validation graphs of another kind than the training graphs can tell (other scaffolds, sizes,
 * environments), and nothing else can.
 *
 *     OUT/candidates/ess-1, ess-0.9, ess-0.8, ess-0.6     a run each; ess 1 is plain training
 *     score of each on the validation graphs, less that of plain training, with the standard error of the difference
 *         over 200 bootstrap samples of the validation graphs
 *     OUT                                                 the run with the strength that was chosen
 *
 * The best candidate is chosen if it is better than plain training by more than two standard errors. Otherwise there is
 * no evidence, and the weights stand back: ess 1. OUT/choice.json has the numbers. All candidates are ordinary runs, so
 * a stopped choice is resumed like a run.
 */
#ifndef L2R_TRAIN_CHOICE_H
#define L2R_TRAIN_CHOICE_H

#include "train/run.h"

bool l2r_choice_asked(const struct l2r_config *config);
/* l2r_run_train for a config that asks for it. */
enum l2r_status l2r_choice_train(struct l2r_result *result, struct l2r_predictor **predictor, const struct l2r_run *run,
                                 struct l2r_error *error);

#endif
