/* SPDX-License-Identifier: MIT
 *
 * Checkpoints in the safetensors format.
 *
 *     best.safetensors   parameters and running statistics, with the config and the data's signature in the metadata:
 *                        all that prediction needs
 *     last.safetensors   the parameters as they stand and, under "state.", the optimiser's moments, the method's arrays and the
 *                        position, under "best." the best model: all that the rest of the run depends on
 *     previous.safetensors   the one before, should the last be damaged
 */
#ifndef L2R_TRAIN_CHECKPOINT_H
#define L2R_TRAIN_CHECKPOINT_H

#include "train/trainer.h"

/* A copy of a network's numbers, to go back to. */
struct l2r_snapshot {
    l2r_real *value, *buffer;
    int64_t epoch; /* after which it was taken; 0: empty */
};
enum l2r_status l2r_snapshot_take(struct l2r_snapshot *snapshot, const struct l2r_params *params, int64_t epoch,
                                  struct l2r_error *error);
void l2r_snapshot_restore(const struct l2r_snapshot *snapshot, struct l2r_params *params);
void l2r_snapshot_clear(struct l2r_snapshot *snapshot);

/* Writes what prediction needs; epoch and valid are noted in the metadata. */
enum l2r_status l2r_checkpoint_write(const char *path, const struct l2r_trainer *trainer,
                                     const struct l2r_snapshot *snapshot, double valid, struct l2r_error *error);
/* Writes what resuming needs. keep (or NULL): the name under which the checkpoint before is kept. best: NULL or empty, there is none yet. */
enum l2r_status l2r_checkpoint_write_state(const char *path, const char *keep, const struct l2r_trainer *trainer,
                                           const struct l2r_snapshot *best, struct l2r_error *error);

/* Reads a checkpoint and checks all of it. L2R_ERR_FORMAT: it is damaged, or none of ours. */
struct l2r_safetensors;
enum l2r_status l2r_checkpoint_open(struct l2r_safetensors **file, const char *path, struct l2r_error *error);
/* Everything but the best model. */
enum l2r_status l2r_checkpoint_read_state(struct l2r_trainer *trainer, const struct l2r_safetensors *file,
                                          const char *path, struct l2r_error *error);
/* The best model so far, of `epoch`. */
enum l2r_status l2r_checkpoint_read_best(struct l2r_snapshot *best, struct l2r_params *params, int64_t epoch,
                                         const struct l2r_safetensors *file, struct l2r_error *error);
/* Fills a network's parameters and buffers from a file; shapes must match. *epoch (may be NULL): when it was taken. */
enum l2r_status l2r_checkpoint_read_params(struct l2r_params *params, int64_t *epoch,
                                           const struct l2r_safetensors *file, struct l2r_error *error);

#endif
