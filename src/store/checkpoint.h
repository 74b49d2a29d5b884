/* SPDX-License-Identifier: MIT
 *
 * Checkpoints to resume from: the parameters of a network (model/model_file.h) with the state of its fit beside them.
 *
 *     tensors    the parameters as they stand
 *                "state."      the optimiser's moments, the method's arrays and the averages of the parameters
 *                "best."       the best model so far; "other.": by the other validation part, if there is one
 *     metadata   "position": epoch, batch, step, schedule; "history": the lines of the epochs so far
 *
 * That is everything on which the rest of the fit depends: resuming gives the same bits as never having stopped.
 */
#ifndef L2R_STORE_CHECKPOINT_H
#define L2R_STORE_CHECKPOINT_H

#include "fit/fit.h"

/* keep (or NULL): the name under which the checkpoint before is kept. options: of the run, kept as "run". */
enum l2r_status l2r_checkpoint_write(const char *path, const char *keep, const struct l2r_fit *fit, const char *options,
                                     struct l2r_error *error);
/* The same as a draft, to which more may be added. */
void l2r_checkpoint_draft(struct l2r_draft *draft, const struct l2r_fit *fit, const char *options);
/* Is it of the fit's data and split? */
bool l2r_checkpoint_is_of(const struct l2r_safetensors *file, const struct l2r_fit *fit);
/* From a file that l2r_model_file_open has accepted, of a fit of the same options, data and split. */
enum l2r_status l2r_checkpoint_read(struct l2r_fit *fit, const struct l2r_safetensors *file, const char *path,
                                    struct l2r_error *error);
#endif
