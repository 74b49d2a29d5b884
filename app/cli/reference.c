/* SPDX-License-Identifier: MIT
 *
 * docs/cli.md: every command with its option tables. Options that belong to one model, method or generator are shown
 * once each, under its name.
 */
#include "cli/call.h"
#include "cli/help.h"
#include "cli/model_list.h"
#include "data/reader.h"
#include "methods/method.h"
#include "nn/model.h"

#include <string.h>

/* Text inside a table cell: a bar would end it. */
static void print_cell(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|') fputc('\\', stream);
        fputc(*text, stream);
    }
}

static void print_row(FILE *stream, const struct l2r_option *option)
{
    char text[512];
    fputs("| `", stream);
    print_cell(stream, cli_option_synopsis(text, sizeof text, option));
    fputs("` | ", stream);
    print_cell(stream, option->help);
    fputs(" | ", stream);
    print_cell(stream, cli_option_values(text, sizeof text, option, option->fallback));
    fputs(" |\n", stream);
}

static void begin_table(FILE *stream, const char *title)
{
    fprintf(stream, "\n**%s**\n\n| option | meaning | values |\n|---|---|---|\n", title);
}

static bool in_table(const struct l2r_option *table, const struct l2r_option *option)
{
    for (; table != NULL && table->name != NULL; table++)
        if (table == option) return true;
    return false;
}

/* Is it an option of one model, method or generator alone? Those have their own tables. */
static bool is_special(const struct l2r_option *option)
{
    for (size_t i = 0; l2r_models[i] != NULL; i++)
        if (in_table(l2r_models[i]->options, option)) return true;
    for (size_t i = 0; l2r_methods[i] != NULL; i++)
        if (in_table(l2r_methods[i]->options, option)) return true;
    for (size_t i = 0; l2r_methods[i] != NULL; i++)
        for (int k = 0; k < L2R_MOST_SHARED; k++)
            if (in_table(l2r_methods[i]->shared[k], option)) return true;
    return false;
}

static void print_options(FILE *stream, const struct l2r_config *config)
{
    const struct l2r_option *option;
    const char *group = "Options", *heading = NULL;
    for (size_t i = 0; (option = l2r_config_option(config, i)) != NULL; i++) {
        if (is_special(option)) continue;
        if (option->group != NULL) group = option->group;
        if (heading == NULL || strcmp(heading, group) != 0) begin_table(stream, group);
        heading = group;
        print_row(stream, option);
    }
}

static void print_special(FILE *stream, const char *flag, const char *name, const char *title,
                          const struct l2r_option *table)
{
    char heading[256];
    if (table == NULL || table->name == NULL) return;
    snprintf(heading, sizeof heading, "%s%s: %s", flag, name, title);
    begin_table(stream, heading);
    for (; table->name != NULL; table++) print_row(stream, table);
}

/* A table that several methods share is printed once, under all their names. */
static void print_shared(FILE *stream, size_t method, const struct l2r_option *table)
{
    char names[128] = "";
    for (size_t i = 0; table != NULL && l2r_methods[i] != NULL; i++) {
        if (!l2r_method_shares(l2r_methods[i], table)) continue;
        if (i < method) return;
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", l2r_methods[i]->name);
    }
    if (table != NULL) print_special(stream, "--method ", names, table->group, table);
}

/* "Under --method stablegnn other defaults hold: `--readout diffpool`, …" */
static void print_defaults(FILE *stream, const char *flag, const char *name, const struct l2r_default *defaults)
{
    if (defaults == NULL) return;
    fprintf(stream, "\nUnder `%s%s` other defaults hold:", flag, name);
    for (const struct l2r_default *d = defaults; d->option != NULL; d++) {
        bool flag_on = strcmp(d->value, "true") == 0;
        fprintf(stream, "%s `--%s%s%s`", d == defaults ? "" : ",", d->option, flag_on ? "" : " ",
                flag_on ? "" : d->value);
    }
    fputs(".\n", stream);
}

static void print_all_special(FILE *stream, const struct l2r_command *command)
{
    if (strcmp(command->name, "train") == 0) {
        for (size_t i = 0; l2r_models[i] != NULL; i++) {
            print_special(stream, "--model ", l2r_models[i]->name, l2r_models[i]->title, l2r_models[i]->options);
            print_defaults(stream, "--model ", l2r_models[i]->name, l2r_models[i]->defaults);
        }
        for (size_t i = 0; l2r_methods[i] != NULL; i++) {
            print_special(stream, "--method ", l2r_methods[i]->name, l2r_methods[i]->title, l2r_methods[i]->options);
            print_defaults(stream, "--method ", l2r_methods[i]->name, l2r_methods[i]->defaults);
        }
        for (size_t i = 0; l2r_methods[i] != NULL; i++)
            for (int k = 0; k < L2R_MOST_SHARED; k++) print_shared(stream, i, l2r_methods[i]->shared[k]);
    }
    if (strcmp(command->name, "data make") == 0)
        for (size_t i = 0; l2r_generators[i] != NULL; i++)
            print_special(stream, "", l2r_generators[i]->name, l2r_generators[i]->description,
                          l2r_generators[i]->options);
}

static enum l2r_status print_command(FILE *stream, const struct l2r_command *command, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cli_call call = {0};
    L2R_TRY(cli_call_begin(&call, command, 0, NULL, error));
    fprintf(stream, "\n### l2r %s\n\n%c%s.\n\n    l2r %s %s\n", command->name, command->summary[0] & ~0x20,
            command->summary + 1, command->name, command->usage);
    if (command->about != NULL) fprintf(stream, "\n%s\n", command->about);
    if (command->examples != NULL) fprintf(stream, "\n```sh\n%s\n```\n", command->examples);
    print_options(stream, call.subject);
    print_all_special(stream, command);
    print_options(stream, call.options);
done:
    cli_call_clear(&call);
    return status;
}

enum l2r_status cli_help_markdown(FILE *stream, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    fprintf(stream,
            "# Command line reference\n\n"
            "Printed by `l2r help --markdown` from the option tables in the sources; a test compares this page with "
            "them.\n\n"
            "Options are typed `--name value` or `--name=value`; `--flag` and `--no-flag` switch; after `--` only "
            "arguments follow.\n"
            "Exit codes: 0 done, 1 failed, 2 wrongly called, 130 interrupted. Errors are one line on stderr, "
            "`l2r: what is wrong`.\n"
            "`NO_COLOR` in the environment switches colour off; pipes never see any.\n");
    for (enum cli_section section = 0; section < CLI_SECTIONS; section++) {
        fprintf(stream, "\n## %s\n", cli_section_title(section));
        for (size_t i = 0; l2r_commands[i] != NULL; i++)
            if (l2r_commands[i]->section == section) L2R_TRY(print_command(stream, l2r_commands[i], error));
    }
    cli_models_markdown(stream);
done:
    return status;
}
