/* SPDX-License-Identifier: MIT
 *
 * docs/cli.md: every command with its option tables; options that belong to one model, method or generator are shown
 * once each, under its name. Then every model with paper, equation, own options and size. A model's size depends on the
 * data: it is counted with the default options for molecules with OGB's nine atom and three bond features and one task.
 */
#include "cli/help.h"

#include "cli/terminal.h"
#include "data/reader.h"
#include "methods/method.h"
#include "nn/model.h"
#include "nn/network.h"
#include "store/run.h"

#include <string.h>

/* ---- models ---- */

static const int32_t atoms[] = {119, 5, 12, 12, 10, 6, 6, 2, 2}, bonds[] = {5, 6, 2};
static const double mean[] = {0}, sd[] = {1};
static const struct l2r_signature molecules = {.task = L2R_TASK_BINARY,
                                               .n_tasks = 1,
                                               .n_node_columns = 9,
                                               .n_edge_columns = 3,
                                               .node_vocabulary = atoms,
                                               .edge_vocabulary = bonds,
                                               .target = {.mean = mean, .sd = sd},
                                               .mean_log_degree = 1};

/* -1 when it is unknown. */
static int64_t default_size(const struct l2r_model_type *model)
{
    struct l2r_config *config = NULL;
    int64_t size = -1;
    struct l2r_signature data = molecules;
    if (model->reads_features) data.features.n = 3 * L2R_FOLDED + L2R_DESCRIPTORS;
    if (l2r_config_new(&config, NULL) == L2R_OK && l2r_run_declare(config, model->name, "erm", NULL) == L2R_OK)
        size = l2r_network_size(model, config, &data);
    l2r_config_free(config);
    return size;
}

void cli_models_fill(json_t *rows)
{
    for (size_t i = 0; l2r_models[i] != NULL; i++) {
        const struct l2r_model_type *model = l2r_models[i];
        char text[1024];
        json_t *row = json_pack("{s:s, s:s, s:s, s:s}", "name", model->name, "title", model->title, "paper",
                                model->paper, "equation", cli_format_options(text, sizeof text, model->equation));
        json_t *options = json_array(), *defaults = json_object();
        for (const struct l2r_option *o = model->options; o->name != NULL; o++)
            json_array_append_new(options, json_string(o->name));
        for (const struct l2r_default *d = model->defaults; d != NULL && d->option != NULL; d++)
            json_object_set_new(defaults, d->option, json_string(d->value));
        json_object_set_new(row, "options", options);
        json_object_set_new(row, "defaults", defaults);
        json_object_set_new(row, "space", json_string(model->space != NULL ? model->space : L2R_COMMON_SPACE));
        json_object_set_new(row, "explainable", json_boolean(!model->reads_features || model->contributions != NULL));
        json_object_set_new(row, "maskable", json_boolean(model->unmaskable == NULL));
        json_object_set_new(row, "parameters", model->fit ? json_null() : json_integer(default_size(model)));
        json_array_append_new(rows, row);
    }
}

/* What `l2r explain` does with a model that cannot have masks. */
static const char *how_explained(const struct l2r_model_type *model)
{
    if (model->contributions != NULL)
        return "shows the contribution of each feature to its predictions, not of each atom";
    return model->reads_features ? "cannot explain it" : "explains it by occlusion and shapley only";
}

/* "--jk concat|max|last, --residual by default". */
static void describe_options(char *text, size_t size, const struct l2r_model_type *model)
{
    char option[256];
    text[0] = '\0';
    for (const struct l2r_option *o = model->options; o->name != NULL; o++) {
        size_t n = strlen(text);
        snprintf(text + n, size - n, "%s%s", n > 0 ? ", " : "", cli_option_synopsis(option, sizeof option, o));
    }
    for (const struct l2r_default *d = model->defaults; d != NULL && d->option != NULL; d++) {
        size_t n = strlen(text);
        bool on = strcmp(d->value, "true") == 0;
        snprintf(text + n, size - n, "%s--%s%s%s by default", n > 0 ? ", " : "", d->option, on ? "" : " ",
                 on ? "" : d->value);
    }
}

void cli_models_markdown(FILE *stream)
{
    char text[1024];
    fputs("\n## Models\n\nWhat `l2r list models` shows. Parameters are counted at the defaults, for molecules in OGB's "
          "layout "
          "with one task.\n",
          stream);
    for (size_t i = 0; l2r_models[i] != NULL; i++) {
        const struct l2r_model_type *model = l2r_models[i];
        describe_options(text, sizeof text, model);
        fprintf(stream, "\n**%s**: %s, %s; %lld parameters", model->name, model->title, model->paper,
                (long long)default_size(model));
        if (text[0] != '\0') fprintf(stream, "; `%s`", text);
        fprintf(stream, "\n\n    %s\n", cli_format_options(text, sizeof text, model->equation));
        if (model->unmaskable != NULL)
            fprintf(stream, "\n`l2r explain` %s: %s.\n", how_explained(model), model->unmaskable);
    }
}

void cli_models_print(FILE *stream, const json_t *rows)
{
    enum { INDENT = 13 };
    for (size_t i = 0; l2r_models[i] != NULL; i++) {
        const struct l2r_model_type *model = l2r_models[i];
        long long size = json_integer_value(json_object_get(json_array_get(rows, i), "parameters"));
        fprintf(stream, "  %s%-*s%s%s, %s", cli_bold(stream), INDENT - 2, model->name, cli_plain(stream), model->title,
                model->paper);
        if (!model->fit) fprintf(stream, "; %lld parameters", size);
        fprintf(stream, "\n%*s", INDENT, "");
        char text[1024];
        cli_format_options(text, sizeof text, model->equation);
        cli_print_wrapped(stream, text, INDENT, INDENT, cli_terminal_width(stream, 120));
        describe_options(text, sizeof text, model);
        if (text[0] != '\0') {
            fprintf(stream, "%*s", INDENT, "");
            cli_print_wrapped(stream, text, INDENT, INDENT, cli_terminal_width(stream, 120));
        }
        if (model->unmaskable == NULL) continue;
        snprintf(text, sizeof text, "l2r explain %s: %s", how_explained(model), model->unmaskable);
        fprintf(stream, "%*s", INDENT, "");
        cli_print_wrapped(stream, text, INDENT, INDENT, cli_terminal_width(stream, 120));
    }
    fprintf(stream, "\nParameters are counted at the defaults, for molecules in OGB's layout with one task.\n");
}

/* ---- the page ---- */

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
    print_cell(stream, cli_format_options(text, sizeof text, option->help));
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
    fprintf(stream, "\n`%s%s` has other defaults:", flag, name);
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
            "# Command line reference\n\nGenerated by `l2r help --markdown` from the option tables in the sources; a "
            "test compares this page with them.\n\nOptions are typed `--name value` or `--name=value`; `--flag` and "
            "`--no-flag` turn a flag on and off; after `--` only arguments follow.\nExit codes: 0 done, 1 failed, 2 "
            "wrong usage, 130 interrupted. Errors are one line on stderr, `l2r: what is wrong`.\n`NO_COLOR` in the "
            "environment turns colour off; pipes never get any.\n");
    for (enum cli_section section = 0; section < CLI_SECTIONS; section++) {
        fprintf(stream, "\n## %s\n", cli_section_title(section));
        for (size_t i = 0; l2r_commands[i] != NULL; i++)
            if (l2r_commands[i]->section == section) L2R_TRY(print_command(stream, l2r_commands[i], error));
    }
    cli_models_markdown(stream);
done:
    return status;
}
