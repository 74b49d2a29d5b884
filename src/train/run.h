/* SPDX-License-Identifier: MIT
 *
 * A run: one config, one seed, one folder.
 *
 *     DIR/config.json     every option, resolved; `--config DIR/config.json` replays the run
 *     DIR/split.json      the graphs of each part
 *     DIR/metrics.jsonl   one line an epoch
 *     DIR/events.out.*    the same for TensorBoard
 *     DIR/best.safetensors, DIR/last.safetensors, DIR/previous.safetensors   checkpoints; last, or the one before,
 *                                                                            holds all that resuming needs
 *     DIR/result.json     written once, at the end
 */
#ifndef L2R_TRAIN_RUN_H
#define L2R_TRAIN_RUN_H

#include "base/config.h"

#include <stdbool.h>
#include <stdint.h>

struct l2r_comm;

/* The calls are public: l2r_run_declare and l2r_run_train in l2r.h. This is l2r_run_train on data that is loaded
 * already, for many runs on the same graphs; NULL: loaded from where the config says. With a communicator every batch
 * is divided among its ranks, which all make this call; rank 0 alone writes, and all have the result. */
enum l2r_status l2r_run_train_on(struct l2r_result *result, const struct l2r_config *config,
                                 const struct l2r_dataset *given, const char *dir, bool resume, struct l2r_comm *comm,
                                 const struct l2r_watch *watch, struct l2r_error *error);

#endif
