/* SPDX-License-Identifier: MIT
 *
 * From words to a call: which command is meant, its options declared.
 */
#ifndef L2R_CLI_CALL_H
#define L2R_CLI_CALL_H

#include "cli/command.h"

/* The command whose name are the first words (one or two); *used: how many. NULL: none. */
const struct l2r_command *cli_command_find(int *used, int argc, char **argv);
/* Do several commands begin with this word ("data")? */
bool cli_command_is_prefix(const char *word);
/* Why there is no such command, in one sentence. */
enum l2r_status cli_command_unknown(int argc, char **argv, struct l2r_error *error);

/* Declares the options of a command for these words (argc may be 0), not yet parsing them. */
enum l2r_status cli_call_begin(struct cli_call *call, const struct l2r_command *command, int argc, char **argv,
                               struct l2r_error *error);
void cli_call_clear(struct cli_call *call);

#endif
