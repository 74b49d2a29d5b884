/* SPDX-License-Identifier: MIT
 *
 * A run: one config and one seed, with a folder or without.
 *
 *     store: open ─► load data ─► split ─► recipe: build ─► store: begin ─► recipe: train ─► store: finish
 *
 * How a model is made is recipe/recipe.h; what is written is store/store.h. Several ranks make the same calls; they
 * agree on what they found before one of them writes.
 */
#ifndef L2R_STORE_RUN_H
#define L2R_STORE_RUN_H

#include "base/config.h"
#include "fit/options.h"
#include "recipe/result.h"

#include <l2r/train.h>

/* Trains a run; l2r_train (l2r/train.h) is its public form. plan->out NULL: nothing is written. predictor, if not NULL,
 * receives the model; of a run that was finished before, it is read from its folder. The size member of the struct is
 * not checked. */
enum l2r_status l2r_run_train(struct l2r_result *result, struct l2r_predictor **predictor, const struct l2r_run *plan,
                              struct l2r_error *error);
/* The data that the config names. */
enum l2r_status l2r_run_load(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_comm *comm,
                             struct l2r_error *error);

#endif
