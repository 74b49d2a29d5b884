/* SPDX-License-Identifier: MIT
 *
 * The trained models that a command is given: runs, .safetensors files, and folders of `l2r train --seeds`, which stand
 * for all their runs seed-0, seed-1, …
 */
#ifndef L2R_CLI_MODELS_GIVEN_H
#define L2R_CLI_MODELS_GIVEN_H

#include "cli/command.h"

struct cli_models {
    char **paths; /* [n] */
    int n;
    size_t capacity;
};

/* All arguments of the call, in order; seeds ascend. Several models without `several` are misuse, and one model with
 * it, too. */
enum l2r_status cli_models_given(struct cli_models *models, struct cli_call *call, bool several,
                                 struct l2r_error *error);
void cli_models_clear(struct cli_models *models);

#endif
