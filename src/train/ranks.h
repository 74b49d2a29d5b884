/* SPDX-License-Identifier: MIT
 *
 * A run on several ranks: how it begins, and what it tells.
 */
#ifndef L2R_TRAIN_RANKS_H
#define L2R_TRAIN_RANKS_H

#include "train/trainer.h"

#include <jansson.h>

/* The data of a run. Rank 0 reads it first and leaves the cache behind that the others map. */
enum l2r_status l2r_ranks_load(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_comm *comm,
                               struct l2r_error *error);

/* Before the first step: fails on all ranks when one has other graphs, another split or stands at another place; then
 * divides the trainer's work. */
enum l2r_status l2r_ranks_join(struct l2r_trainer *trainer, struct l2r_comm *comm, struct l2r_error *error);

/* What the steps of an epoch have sent: bytes and calls a step, and the share of the epoch's time in these calls,
 * waiting included. New reference. */
json_t *l2r_ranks_traffic(const struct l2r_comm *comm, const struct l2r_traffic *traffic, int64_t steps,
                          double seconds);

#endif
