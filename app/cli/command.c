/* SPDX-License-Identifier: MIT
 *
 * Finds commands by one or two words and parses what follows. Which options exist is known from the two configs of the
 * call alone, so this file never changes when an option is added. Every mistake is a misuse (exit code 2), reported in
 * one sentence that suggests the nearest existing name.
 */
#include "cli/command.h"

#include "base/config.h"
#include "base/memory.h"
#include "methods/method.h"
#include "nn/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- finding a command ---- */

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

/* ---- parsing its words ---- */

enum { MAX_NAME = 64 };

enum l2r_status cli_misuse(struct cli_call *call, struct l2r_error *error, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char sentence[sizeof error->message];
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    call->misuse = true;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "%s", sentence);
}

static const struct l2r_option *find_in(const struct l2r_config *config, const char *name)
{
    const struct l2r_option *option;
    for (size_t i = 0; (option = l2r_config_option(config, i)) != NULL; i++)
        if (strcmp(option->name, name) == 0) return option;
    return NULL;
}

/* The option and the config that declares it; NULL: none does. */
static const struct l2r_option *find(struct l2r_config **owner, const struct cli_call *call, const char *name)
{
    const struct l2r_option *option = find_in(call->options, name);
    *owner = call->options;
    if (option == NULL) {
        option = find_in(call->subject, name);
        *owner = call->subject;
    }
    return option;
}

void cli_nearest_try(struct cli_nearest *nearest, const char *candidate)
{
    int distance = l2r_name_distance(nearest->word, candidate);
    if (distance < 0 || (nearest->best != NULL && distance >= nearest->distance)) return;
    nearest->best = candidate;
    nearest->distance = distance;
}

static bool table_has(const struct l2r_option *table, const char *name)
{
    if (strncmp(name, "no-", 3) == 0) name += 3;
    for (; table != NULL && table->name != NULL; table++)
        if (strcmp(table->name, name) == 0) return true;
    return false;
}

/* The models or methods that have this option: "--method l2r, oodgnn". False: none has. */
static bool find_owners(char *owners, size_t size, const char *name)
{
    int used = 0;
    for (size_t i = 0; l2r_models[i] != NULL && used < (int)size; i++)
        if (table_has(l2r_models[i]->options, name))
            used += snprintf(owners + used, size - (size_t)used, "%s%s", used ? ", " : "--model ", l2r_models[i]->name);
    for (size_t i = 0; l2r_methods[i] != NULL && used < (int)size; i++) {
        bool has = table_has(l2r_methods[i]->options, name);
        for (int k = 0; k < L2R_MOST_SHARED; k++) has |= table_has(l2r_methods[i]->shared[k], name);
        if (has)
            used +=
                snprintf(owners + used, size - (size_t)used, "%s%s", used ? ", " : "--method ", l2r_methods[i]->name);
    }
    return used > 0;
}

static enum l2r_status unknown(struct cli_call *call, const char *name, struct l2r_error *error)
{
    struct cli_nearest nearest = {.word = name};
    const struct l2r_config *configs[] = {call->options, call->subject};
    for (size_t c = 0; c < 2; c++) {
        const struct l2r_option *option;
        for (size_t i = 0; (option = l2r_config_option(configs[c], i)) != NULL; i++)
            cli_nearest_try(&nearest, option->name);
    }
    char owners[256];
    bool trains = strcmp(call->command->name, "train") == 0 || strcmp(call->command->name, "tune") == 0;
    if (trains && find_owners(owners, sizeof owners, name))
        return cli_misuse(call, error, "--%s goes with %s", name, owners);
    if (nearest.best == NULL)
        return cli_misuse(call, error, "unknown option --%s; 'l2r %s --help%s' lists them", name, call->command->name,
                          call->command->brief != NULL ? " all" : "");
    return cli_misuse(call, error, "unknown option --%s; did you mean --%s?", name, nearest.best);
}

/* Splits "name=value"; *value is NULL without "=". */
static void split_word(char name[MAX_NAME], const char **value, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    snprintf(name, MAX_NAME, "%.*s", (int)(length < MAX_NAME ? length : MAX_NAME - 1), word);
    *value = equals != NULL ? equals + 1 : NULL;
}

/* One "--…" word and perhaps the word after it; *used counts the words taken. */
static enum l2r_status parse_option(struct cli_call *call, int *used, int argc, char **argv, struct l2r_error *error)
{
    char name[MAX_NAME];
    const char *value;
    struct l2r_config *owner;
    split_word(name, &value, argv[0] + 2);
    *used = 1;

    const struct l2r_option *option = find(&owner, call, name);
    if (option == NULL && strncmp(name, "no-", 3) == 0) {
        option = find(&owner, call, name + 3);
        if (option == NULL || option->kind != L2R_OPTION_FLAG) return unknown(call, name, error);
        if (value != NULL) return cli_misuse(call, error, "--%s takes no value, but '%s' was given", name, value);
        value = "false";
    }
    if (option == NULL) return unknown(call, name, error);
    if (option->kind == L2R_OPTION_FLAG && value == NULL) value = "true";
    if (value == NULL) {
        if (argc < 2) return cli_misuse(call, error, "--%s needs a value: %s", name, option->help);
        value = argv[1];
        *used = 2;
    }
    enum l2r_status status = l2r_config_set(owner, option->name, value, error);
    if (status == L2R_ERR_ARGUMENT) call->misuse = true;
    return status;
}

enum l2r_status cli_arguments_parse(struct cli_call *call, int argc, char **argv, struct l2r_error *error)
{
    bool only_arguments = false;
    for (int i = 0; i < argc;) {
        const char *word = argv[i];
        int used = 1;
        if (only_arguments || word[0] != '-' || word[1] == '\0') {
            call->arguments[call->n_arguments++] = argv[i];
        } else if (strcmp(word, "--") == 0) {
            only_arguments = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            call->help = true;
            bool all = i + 1 < argc && strcmp(argv[i + 1], "all") == 0;
            call->help_all = call->help_all || all;
            used += all;
        } else if (word[1] != '-') {
            return cli_misuse(call, error,
                              "unknown option %s; options begin with two dashes ('l2r %s --help%s' lists them)", word,
                              call->command->name, call->command->brief != NULL ? " all" : "");
        } else {
            enum l2r_status status = parse_option(call, &used, argc - i, argv + i, error);
            if (status != L2R_OK) return status;
        }
        i += used;
    }
    return L2R_OK;
}

const char *cli_arguments_peek(int argc, char **argv, const char *name, enum l2r_option_kind kind)
{
    const char *found = NULL;
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        char typed[MAX_NAME];
        const char *value;
        if (strncmp(argv[i], "--", 2) != 0) continue;
        split_word(typed, &value, argv[i] + 2);
        if (kind == L2R_OPTION_FLAG && strncmp(typed, "no-", 3) == 0 && strcmp(typed + 3, name) == 0) found = "false";
        if (strcmp(typed, name) != 0) continue;
        if (value == NULL && kind == L2R_OPTION_FLAG) value = "true";
        if (value == NULL && i + 1 < argc) value = argv[++i];
        if (value != NULL) found = value;
    }
    return found;
}
