/* SPDX-License-Identifier: MIT
 *
 * l2r completion bash: a script that completes commands, options and choices, written from the tables.
 *
 *     commands  |  options of each command  |  choices of each option      three case statements in one function
 *
 * Options of every model and method are offered after `l2r train`.
 */
#include "cli/command.h"
#include "data/reader.h"
#include "methods/method.h"
#include "nn/model.h"

#include <stdio.h>
#include <string.h>

static void print_option(const struct l2r_option *option)
{
    printf(" --%s", option->name);
    if (option->kind == L2R_OPTION_FLAG && option->fallback != NULL && strcmp(option->fallback, "true") == 0)
        printf(" --no-%s", option->name);
}

static void print_table(const struct l2r_option *table, const struct l2r_config *known)
{
    for (; table != NULL && table->name != NULL; table++)
        if (!l2r_config_has(known, table->name)) print_option(table);
}

/* Tables that several methods share are printed with the first of them. */
static void print_shared(size_t method, const struct l2r_config *known)
{
    for (int k = 0; k < L2R_MOST_SHARED; k++) {
        const struct l2r_option *table = l2r_methods[method]->shared[k];
        size_t first = 0;
        while (table != NULL && first < method && !l2r_method_shares(l2r_methods[first], table)) first++;
        if (first == method) print_table(table, known);
    }
}

static bool has_option(const struct l2r_option *table, const char *name)
{
    for (; table->name != NULL; table++)
        if (strcmp(table->name, name) == 0) return true;
    return false;
}

/* Options that several generators have are printed with the first of them. */
static void print_generator(size_t generator, const struct l2r_config *known)
{
    for (const struct l2r_option *o = l2r_generators[generator]->options; o->name != NULL; o++) {
        size_t first = 0;
        while (first < generator && !has_option(l2r_generators[first]->options, o->name)) first++;
        if (first == generator && !l2r_config_has(known, o->name)) print_option(o);
    }
}

static void print_config(const struct l2r_config *config)
{
    const struct l2r_option *option;
    for (size_t i = 0; (option = l2r_config_option(config, i)) != NULL; i++) print_option(option);
}

/* "train") words=" --data …" ;; */
static enum l2r_status print_command(const struct l2r_command *command, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cli_call call = {0};
    L2R_TRY(cli_call_begin(&call, command, 0, NULL, error));
    printf("    '%s') words='--help", command->name);
    print_config(call.subject);
    print_config(call.options);
    if (strcmp(command->name, "train") == 0) {
        for (size_t i = 0; l2r_models[i] != NULL; i++) print_table(l2r_models[i]->options, call.subject);
        for (size_t i = 0; l2r_methods[i] != NULL; i++) print_table(l2r_methods[i]->options, call.subject);
        for (size_t i = 0; l2r_methods[i] != NULL; i++) print_shared(i, call.subject);
    }
    for (size_t i = 0; strcmp(command->name, "data make") == 0 && l2r_generators[i] != NULL; i++) {
        printf(" %s", l2r_generators[i]->name);
        print_generator(i, call.subject);
    }
    printf("' ;;\n");
done:
    cli_call_clear(&call);
    return status;
}

static void print_values(const struct l2r_config *config, const char *command)
{
    const struct l2r_option *option;
    for (size_t i = 0; (option = l2r_config_option(config, i)) != NULL; i++) {
        if (option->kind != L2R_OPTION_CHOICE) continue;
        printf("    '%s --%s') words='", command, option->name);
        for (const char *c = option->choices; *c != '\0'; c++) putchar(*c == '|' ? ' ' : *c);
        printf("' ;;\n");
    }
}

static enum l2r_status print_choices(const struct l2r_command *command, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cli_call call = {0};
    L2R_TRY(cli_call_begin(&call, command, 0, NULL, error));
    print_values(call.subject, command->name);
    print_values(call.options, command->name);
done:
    cli_call_clear(&call);
    return status;
}

static void print_names(void)
{
    printf("    'train --model') words='");
    for (size_t i = 0; l2r_models[i] != NULL; i++) printf("%s ", l2r_models[i]->name);
    printf("' ;;\n    'train --method') words='");
    for (size_t i = 0; l2r_methods[i] != NULL; i++) printf("%s ", l2r_methods[i]->name);
    printf("' ;;\n");
}

/* The first word of a command of two, unless an earlier command has it too; 0: nothing new. */
static int new_family(size_t command)
{
    const char *name = l2r_commands[command]->name, *blank = strchr(name, ' ');
    int length = blank != NULL ? (int)(blank - name) : 0;
    for (size_t i = 0; length > 0 && i < command; i++)
        if (strncmp(l2r_commands[i]->name, name, (size_t)length + 1) == 0) return 0;
    return length;
}

/* "data": after it, the second words of the commands that begin with it. */
static void print_families(void)
{
    for (size_t i = 0; l2r_commands[i] != NULL; i++) {
        const char *name = l2r_commands[i]->name;
        int length = new_family(i);
        if (length == 0) continue;
        printf("  elif [[ $name == %.*s && COMP_CWORD -eq 2 ]]; then words='", length, name);
        for (size_t k = i; l2r_commands[k] != NULL; k++)
            if (strncmp(l2r_commands[k]->name, name, (size_t)length + 1) == 0)
                printf("%s ", l2r_commands[k]->name + length + 1);
        printf("'\n");
    }
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (strcmp(call->arguments[0], "bash") != 0)
        return cli_misuse(call, error, "no completion for '%s'; bash is supported", call->arguments[0]);
    printf("# bash completion for l2r:  source <(l2r completion bash)\n"
           "_l2r() {\n"
           "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} name=${COMP_WORDS[1]} words=\n"
           "  COMPREPLY=()\n"
           "  [[ COMP_CWORD -gt 2 && ' ");
    for (size_t i = 0; l2r_commands[i] != NULL; i++)
        if (new_family(i) > 0) printf("%.*s ", new_family(i), l2r_commands[i]->name);
    printf("' == *\" $name \"* ]] && name=\"$name ${COMP_WORDS[2]}\"\n"
           "  if [[ COMP_CWORD -eq 1 ]]; then words='");
    for (size_t i = 0; l2r_commands[i] != NULL; i++)
        if (strchr(l2r_commands[i]->name, ' ') == NULL) printf("%s ", l2r_commands[i]->name);
    for (size_t i = 0; l2r_commands[i] != NULL; i++)
        if (new_family(i) > 0) printf("%.*s ", new_family(i), l2r_commands[i]->name);
    printf("'\n");
    print_families();
    printf("  else\n    case \"$name $before\" in\n");
    print_names();
    for (size_t i = 0; l2r_commands[i] != NULL; i++) L2R_TRY(print_choices(l2r_commands[i], error));
    printf("    esac\n    [[ -z $words && $current == -* ]] && case \"$name\" in\n");
    for (size_t i = 0; l2r_commands[i] != NULL; i++) L2R_TRY(print_command(l2r_commands[i], error));
    printf("    esac\n  fi\n"
           "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "}\n"
           "complete -o default -F _l2r l2r\n");
done:
    return status;
}

const struct l2r_command l2r_command_completion = {
    .name = "completion",
    .summary = "print a script that completes commands and options in bash",
    .usage = "bash",
    .examples = "source <(l2r completion bash)",
    .section = CLI_SECTION_PROGRAM,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
