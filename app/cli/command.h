/* SPDX-License-Identifier: MIT
 *
 * A subcommand of the program `l2r`. app/cli/commands/NAME.c defines `l2r_command_NAME`; the build writes the list
 * l2r_commands from the file names, and help pages, docs/cli.md and shell completion follow from the struct.
 * An underscore in the file name is a blank in the command: data_info.c is "data info".
 *
 *     argv -> command -> declare -> parse -> run -> exit code
 *
 * `declare` comes before parsing because the options depend on what is typed: --model pna brings PNA's own options.
 *
 * Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
 */
#ifndef L2R_CLI_COMMAND_H
#define L2R_CLI_COMMAND_H

#include "base/config.h"

#include <stdbool.h>

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_MISUSED = 2, CLI_INTERRUPTED = 130 };

/* Headings of the overview, in its order. */
enum cli_section { CLI_SECTION_MODELS, CLI_SECTION_DATA, CLI_SECTION_PROGRAM, CLI_SECTIONS };

enum { CLI_MAX_TABLES = 5 };

struct l2r_command;
struct l2r_comm;

/* One call of a command. */
struct cli_call {
    const struct l2r_command *command;
    struct l2r_config *options; /* the command's own: --out, --json */
    struct l2r_config *subject; /* options of what it works on: the run, the generator; often empty */
    char **arguments;           /* what is not an option */
    int n_arguments;
    struct l2r_comm *comm; /* the ranks that work on this together; NULL: alone */
    bool help;             /* --help was typed */
    bool help_all;         /* the help page has all options: --help all, or a model or method was typed */
    bool misuse;           /* the error lies in how the command was called: exit code 2 */
};

struct l2r_command {
    const char *name;     /* "train", "data info" */
    const char *summary;  /* one line for the overview, no full stop */
    const char *usage;    /* what follows the name: "RUN [OPTIONS]" */
    const char *about;    /* a paragraph for the help page; may be NULL */
    const char *brief;    /* the options of the short help page, "data,out,"; NULL: the page has all */
    const char *examples; /* one command per line */
    enum cli_section section;
    int min_arguments, max_arguments;
    bool divides;                                     /* its work, when several ranks were started (cli/process.h) */
    const struct l2r_option *options[CLI_MAX_TABLES]; /* tables, each ending with a zero row */
    /* Declares call->subject from what is about to be parsed (and may fill it from a file); NULL: nothing. */
    enum l2r_status (*declare)(struct cli_call *call, int argc, char **argv, struct l2r_error *error);
    enum l2r_status (*run)(struct cli_call *call, struct l2r_error *error);
};

extern const struct l2r_command *const l2r_commands[]; /* NULL at the end */

/* Rows of option tables that several commands share. They continue the group of the row before. */
#define CLI_OPTION_THREADS                                                                                             \
    {                                                                                                                  \
        .name = "threads", .kind = L2R_OPTION_INT, .fallback = "0", .min = 0, .max = 1024,                             \
        .help = "number of threads; 0: one per core"                                                                   \
    }
#define CLI_OPTION_CACHE                                                                                               \
    {                                                                                                                  \
        .name = "cache", .kind = L2R_OPTION_FLAG, .fallback = "true",                                                  \
        .help = "keep a binary copy of the data, which loads faster next time"                                         \
    }
#define CLI_OPTION_JSON                                                                                                \
    {                                                                                                                  \
        .name = "json", .kind = L2R_OPTION_FLAG, .help = "print as JSON"                                               \
    }
#define CLI_OPTION_QUIET                                                                                               \
    {                                                                                                                  \
        .name = "quiet", .kind = L2R_OPTION_FLAG, .help = "print no progress"                                          \
    }

/* Like l2r_fail, and marks the call as misused (exit code 2). */
enum l2r_status cli_misuse(struct cli_call *call, struct l2r_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- finding a command ---- */

/* The command named by the first word or two; *used: how many words that took. NULL: none. */
const struct l2r_command *cli_command_find(int *used, int argc, char **argv);
/* Do several commands begin with this word ("data")? */
bool cli_command_is_prefix(const char *word);
/* The error for an unknown command. */
enum l2r_status cli_command_unknown(int argc, char **argv, struct l2r_error *error);

/* Declares the options of a command for these words (argc may be 0) without parsing them. */
enum l2r_status cli_call_begin(struct cli_call *call, const struct l2r_command *command, int argc, char **argv,
                               struct l2r_error *error);
void cli_call_clear(struct cli_call *call);

/* ---- parsing its words:  --name value, --name=value, --flag, --no-flag, -- (only arguments follow) ---- */

/* Sets options in call->options or call->subject, whichever declares the name, and collects the other words.
 * call->arguments must have room for argc pointers. */
enum l2r_status cli_arguments_parse(struct cli_call *call, int argc, char **argv, struct l2r_error *error);

/* The value typed last for an option, before anything is declared; NULL: not typed. A flag gives "true" or "false". */
const char *cli_arguments_peek(int argc, char **argv, const char *name, enum l2r_option_kind kind);

/* The candidate closest to a mistyped word: start with {.word = word}, then offer every candidate. */
struct cli_nearest {
    const char *word;
    const char *best; /* NULL: nothing is close */
    int distance;
};
void cli_nearest_try(struct cli_nearest *nearest, const char *candidate);

#endif
