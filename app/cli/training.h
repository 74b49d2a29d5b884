/* SPDX-License-Identifier: MIT
 *
 * What `l2r train` and `l2r pretrain` share: options, folders, seeds, folds, progress, results. They differ in the
 * defaults of the run alone: pretraining makes its labels itself (fit/transfer.h).
 */
#ifndef L2R_CLI_TRAINING_H
#define L2R_CLI_TRAINING_H

#include "cli/command.h"

extern const struct l2r_option cli_training_options[]; /* --out, --resume, --seeds, …; ends with a zero row */

enum l2r_status cli_training_declare(struct cli_call *call, int argc, char **argv, bool pretrains,
                                     struct l2r_error *error);
enum l2r_status cli_training_run(struct cli_call *call, bool pretrains, struct l2r_error *error);

#endif
