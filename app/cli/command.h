/* SPDX-License-Identifier: MIT
 *
 * A subcommand of the program `l2r`. src/cli/commands/NAME.c defines `l2r_command_NAME`; the build writes the list
 * l2r_commands from the file names, and help pages, docs/cli.md and shell completion follow from the struct.
 * A file data_info.c stands for the command of two words "data info".
 *
 *     argv -> command -> declare -> parse -> run -> exit code
 *
 * Exit codes: 0 done, 1 failed, 2 wrongly called, 130 interrupted.
 */
#ifndef L2R_CLI_COMMAND_H
#define L2R_CLI_COMMAND_H

#include "base/config.h"

#include <stdbool.h>

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_MISUSED = 2, CLI_INTERRUPTED = 130 };

/* Headings of the overview, in its order. */
enum cli_section { CLI_SECTION_MODELS, CLI_SECTION_DATA, CLI_SECTION_BENCH, CLI_SECTION_PROGRAM, CLI_SECTIONS };

enum { CLI_MAX_TABLES = 5 };

struct l2r_command;
struct l2r_comm;

/* One use of a command. */
struct cli_call {
    const struct l2r_command *command;
    struct l2r_config *options; /* the command's own: --out, --json */
    struct l2r_config *subject; /* options of what it works on: the run, the generator; often empty */
    char **arguments;           /* what is not an option */
    int n_arguments;
    struct l2r_comm *comm; /* the ranks that work on this together; NULL: alone */
    bool help;             /* --help was typed */
    bool misuse;           /* the error is in how the command was called */
};

struct l2r_command {
    const char *name;     /* "train", "data info" */
    const char *summary;  /* one line for the overview, no full stop */
    const char *usage;    /* what follows the name: "RUN [OPTIONS]" */
    const char *about;    /* a paragraph for the help page; may be NULL */
    const char *examples; /* one command a line */
    enum cli_section section;
    int min_arguments, max_arguments;
    bool divides;                                     /* its work, when several ranks were started (cli/ranks.h) */
    const struct l2r_option *options[CLI_MAX_TABLES]; /* tables, each ending with a zero row */
    /* Declares call->subject from what is about to be parsed (and may fill it from a file); NULL: nothing. */
    enum l2r_status (*declare)(struct cli_call *call, int argc, char **argv, struct l2r_error *error);
    enum l2r_status (*run)(struct cli_call *call, struct l2r_error *error);
};

extern const struct l2r_command *const l2r_commands[]; /* NULL at the end */

/* Like l2r_fail, and marks the call as misused (exit code 2). */
enum l2r_status cli_misuse(struct cli_call *call, struct l2r_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
