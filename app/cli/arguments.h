/* SPDX-License-Identifier: MIT
 *
 * The command line against option tables:  --name value, --name=value, --flag, --no-flag, -- (only arguments follow).
 */
#ifndef L2R_CLI_ARGUMENTS_H
#define L2R_CLI_ARGUMENTS_H

#include "cli/command.h"

/* Sets options in call->options or call->subject, whichever declares the name, and collects the other words.
 * call->arguments must have room for argc pointers. */
enum l2r_status cli_arguments_parse(struct cli_call *call, int argc, char **argv, struct l2r_error *error);

/* The value typed last for an option, before anything is declared; NULL: not typed. A flag gives "true" or "false". */
const char *cli_arguments_peek(int argc, char **argv, const char *name, enum l2r_option_kind kind);

/* Finds the word most like `word`: start with {.word = word} and show it every candidate. */
struct cli_nearest {
    const char *word;
    const char *best; /* NULL: nothing is close */
    int distance;
};
void cli_nearest_try(struct cli_nearest *nearest, const char *candidate);

#endif
