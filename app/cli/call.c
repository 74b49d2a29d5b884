/* SPDX-License-Identifier: MIT
 *
 * Finds commands by one or two words and prepares their calls.
 */
#include "cli/call.h"

#include "base/memory.h"
#include "cli/arguments.h"

#include <stdio.h>
#include <string.h>

const struct l2r_command *cli_command_find(int *used, int argc, char **argv)
{
    char both[128] = "";
    if (argc > 1) snprintf(both, sizeof both, "%s %s", argv[0], argv[1]);
    for (size_t i = 0; argc > 0 && l2r_commands[i] != NULL; i++) {
        bool one = strcmp(l2r_commands[i]->name, argv[0]) == 0;
        if (!one && strcmp(l2r_commands[i]->name, both) != 0) continue;
        *used = one ? 1 : 2;
        return l2r_commands[i];
    }
    return NULL;
}

bool cli_command_is_prefix(const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; l2r_commands[i] != NULL; i++)
        if (strncmp(l2r_commands[i]->name, word, length) == 0 && l2r_commands[i]->name[length] == ' ') return true;
    return false;
}

enum l2r_status cli_command_unknown(int argc, char **argv, struct l2r_error *error)
{
    char typed[128];
    bool two = argc > 1 && cli_command_is_prefix(argv[0]);
    snprintf(typed, sizeof typed, two ? "%s %s" : "%s", argv[0], two ? argv[1] : "");
    struct cli_nearest nearest = {.word = typed};
    for (size_t i = 0; l2r_commands[i] != NULL; i++) cli_nearest_try(&nearest, l2r_commands[i]->name);
    if (nearest.best != NULL)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "unknown command '%s'; did you mean '%s'?", typed, nearest.best);
    return l2r_fail(error, L2R_ERR_ARGUMENT, "unknown command '%s'; 'l2r help' lists them", typed);
}

enum l2r_status cli_call_begin(struct cli_call *call, const struct l2r_command *command, int argc, char **argv,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *call = (struct cli_call){.command = command};
    call->arguments = l2r_alloc((size_t)argc + 1, sizeof *call->arguments);
    if (call->arguments == NULL) return l2r_fail_memory(error, (size_t)argc * sizeof(char *), "arguments");
    L2R_TRY(l2r_config_new(&call->options, error));
    L2R_TRY(l2r_config_new(&call->subject, error));
    for (size_t i = 0; i < CLI_MAX_TABLES && command->options[i] != NULL; i++)
        L2R_TRY(l2r_config_declare(call->options, command->options[i], error));
    if (command->declare != NULL) L2R_TRY(command->declare(call, argc, argv, error));
done:
    return status;
}

void cli_call_clear(struct cli_call *call)
{
    l2r_free(call->arguments);
    l2r_config_free(call->options);
    l2r_config_free(call->subject);
    *call = (struct cli_call){0};
}
