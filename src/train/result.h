/* SPDX-License-Identifier: MIT
 *
 * The outcome of a run (struct l2r_result in l2r.h): made once, at the end, with the parameters of the best epoch, and
 * kept in result.json.
 */
#ifndef L2R_TRAIN_RESULT_H
#define L2R_TRAIN_RESULT_H

#include "train/run.h"
#include "train/trainer.h"

/* Scores every part with the network as it stands. speeds [n]: graphs per second of each epoch. */
enum l2r_status l2r_result_make(struct l2r_result *result, struct l2r_trainer *trainer, double *speeds, int64_t n,
                                struct l2r_error *error);
enum l2r_status l2r_result_write(const struct l2r_result *result, const char *path, struct l2r_error *error);
enum l2r_status l2r_result_read(struct l2r_result *result, const char *path, struct l2r_error *error);

#endif
