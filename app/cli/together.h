/* SPDX-License-Identifier: MIT
 *
 * Models that predict different columns of the same molecules, side by side: those of a folder of `l2r import`. Each is
 * an ensemble of one model; the columns of all follow the table's own, and then `problem`.
 */
#ifndef L2R_CLI_TOGETHER_H
#define L2R_CLI_TOGETHER_H

#include "cli/command.h"
#include "cli/selection.h"

/* The table that call->options name or, where there are some, the SMILES that were typed; input: standard input. For
 * the options of `l2r predict`. */
enum l2r_status cli_predict_together(const struct cli_models *models, const struct cli_call *call, bool input,
                                     char *const *smiles, int n_smiles, struct l2r_error *error);

#endif
