/* SPDX-License-Identifier: MIT
 *
 * l2r help: the overview, the page of one command, or the whole reference as Markdown (docs/cli.md) or manual page.
 */
#include "cli/help.h"

#include "cli/command.h"

#include <string.h>

static const struct l2r_option options[] = {
    {.name = "markdown",
     .kind = L2R_OPTION_FLAG,
     .group = "Output",
     .help = "print the reference of all commands as Markdown"},
    {.name = "manual", .kind = L2R_OPTION_FLAG, .help = "print the manual page l2r(1), as man reads it"},
    {0}};

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cli_call other = {0};
    int used = 0;
    if (l2r_config_flag(call->options, "markdown")) return cli_help_markdown(stdout, error);
    if (l2r_config_flag(call->options, "manual")) return cli_help_manual(stdout, error);
    if (call->n_arguments == 0) {
        cli_help_overview(stdout, NULL);
        return L2R_OK;
    }
    const struct l2r_command *command = cli_command_find(&used, call->n_arguments, call->arguments);
    if (command == NULL && call->n_arguments == 1 && cli_command_is_prefix(call->arguments[0])) {
        cli_help_overview(stdout, call->arguments[0]);
        return L2R_OK;
    }
    if (command == NULL) {
        call->misuse = true;
        return cli_command_unknown(call->n_arguments, call->arguments, error);
    }
    /* The words after the command's name go to it: 'l2r help data make motif' shows the generator's options. */
    L2R_TRY(cli_call_begin(&other, command, call->n_arguments - used, call->arguments + used, error));
    other.help_all |= call->n_arguments > used && command->brief != NULL &&
                      strcmp(call->arguments[call->n_arguments - 1], "all") == 0;
    cli_help_command(stdout, &other);
done:
    cli_call_clear(&other);
    return status;
}

const struct l2r_command l2r_command_help = {
    .name = "help",
    .summary = "explain a command",
    .usage = "[COMMAND]",
    .examples = "l2r help train\n"
                "l2r train --help all\n"
                "l2r train --model gcn --help\n"
                "l2r help data make motif",
    .section = CLI_SECTION_PROGRAM,
    .max_arguments = 3,
    .options = {options},
    .run = run,
};
