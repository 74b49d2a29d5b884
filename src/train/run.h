/* SPDX-License-Identifier: MIT
 *
 * A run: one config, one seed, one folder (predict/run_names.h lists its files).
 *
 *     load data ─► split ─► for each epoch:  train the batches ─► score validation ─► keep the best ─► checkpoint
 *                                                             ─► score all parts with the best ─► result.json
 *
 * What happens in a batch is trainer.h; what is written is folder.h, checkpoint.h, record.h and result.h.
 */
#ifndef L2R_TRAIN_RUN_H
#define L2R_TRAIN_RUN_H

#include "base/config.h"
#include "predict/run_options.h"

#include <l2r/train.h>

#include <stdbool.h>
#include <stdint.h>

struct l2r_comm;

/* l2r_run_train (l2r.h) on data that is loaded already, for many runs on the same graphs; NULL: loaded from where the
 * config says. With a communicator every batch is divided among its ranks, which all make this call; rank 0 alone
 * writes, and all have the result. */
enum l2r_status l2r_run_train_on(struct l2r_result *result, const struct l2r_config *config,
                                 const struct l2r_dataset *given, const char *dir, bool resume, struct l2r_comm *comm,
                                 const struct l2r_watch *watch, struct l2r_error *error);

#endif
