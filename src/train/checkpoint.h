/* SPDX-License-Identifier: MIT
 *
 * Checkpoints to resume from: the parameters of a network (model/model_file.h) with the state of training beside them.
 *
 *     last.safetensors   the parameters as they stand
 *                        "state."      the optimiser's moments, the method's arrays and the averages of the parameters
 *                        "best."       the best model so far; "other.": by the other validation part, if there is one
 *                        metadata      "position": epoch, batch, step, schedule
 *     previous.safetensors   the checkpoint before, should the last one be damaged
 *
 * That is everything on which the rest of the run depends: resuming gives the same bits as never having stopped.
 */
#ifndef L2R_TRAIN_CHECKPOINT_H
#define L2R_TRAIN_CHECKPOINT_H

#include "model/model_file.h"
#include "train/trainer.h"

/* keep (or NULL): the name under which the checkpoint before is kept. best, other: NULL or empty, there is none yet. */
enum l2r_status l2r_checkpoint_write(const char *path, const char *keep, const struct l2r_trainer *trainer,
                                     const struct l2r_snapshot *best, const struct l2r_snapshot *other,
                                     struct l2r_error *error);
/* Everything but the best model, from a file that l2r_model_file_open has accepted. */
enum l2r_status l2r_checkpoint_read(struct l2r_trainer *trainer, const struct l2r_safetensors *file, const char *path,
                                    struct l2r_error *error);
/* The model under `prefix` ("best.", "other."), of `epoch`. */
enum l2r_status l2r_checkpoint_read_snapshot(struct l2r_snapshot *snapshot, const char *prefix,
                                             struct l2r_params *params, int64_t epoch,
                                             const struct l2r_safetensors *file, struct l2r_error *error);
#endif
