/* SPDX-License-Identifier: MIT
 *
 * Continuing a run from its folder.
 */
#ifndef L2R_TRAIN_RESUME_H
#define L2R_TRAIN_RESUME_H

#include "train/checkpoint.h"

/* Fails where the options at hand are not those of the run, but for a few that change no number. */
enum l2r_status l2r_resume_options(const struct l2r_config *config, const char *last_path, struct l2r_error *error);

/* Brings back position, parameters and the best so far. Refuses when an option that shapes the numbers differs from the run's, and when
 * the two checkpoints do not belong together. */
enum l2r_status l2r_resume(struct l2r_trainer *trainer, struct l2r_snapshot *best, const char *best_path,
                           const char *last_path, struct l2r_error *error);

#endif
