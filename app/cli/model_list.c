/* SPDX-License-Identifier: MIT
 * See model_list.h. A model's size depends on the data: it is that of a model with its default options for molecules
 * with OGB's nine atom and three bond features and one task. */
#include "cli/model_list.h"

#include "cli/help.h"
#include "cli/terminal.h"
#include "nn/network.h"
#include "train/run.h"

#include <string.h>

static const int32_t atoms[] = {119, 5, 12, 12, 10, 6, 6, 2, 2}, bonds[] = {5, 6, 2};
static const double mean[] = {0}, sd[] = {1};
static const struct l2r_signature molecules = {.task = L2R_TASK_BINARY,
                                               .n_tasks = 1,
                                               .n_node_columns = 9,
                                               .n_edge_columns = 3,
                                               .node_vocabulary = atoms,
                                               .edge_vocabulary = bonds,
                                               .target_mean = mean,
                                               .target_sd = sd,
                                               .mean_log_degree = 1};

/* -1 when it cannot be told. */
static int64_t default_size(const struct l2r_model_type *model)
{
    struct l2r_config *config = NULL;
    int64_t size = -1;
    if (l2r_config_new(&config, NULL) == L2R_OK && l2r_run_declare(config, model->name, "erm", NULL) == L2R_OK)
        size = l2r_network_size(model, config, &molecules);
    l2r_config_free(config);
    return size;
}

void cli_models_fill(json_t *rows)
{
    for (size_t i = 0; l2r_models[i] != NULL; i++) {
        const struct l2r_model_type *model = l2r_models[i];
        json_t *row = json_pack("{s:s, s:s, s:s, s:s}", "name", model->name, "title", model->title, "paper",
                                model->paper, "equation", model->equation);
        json_t *options = json_array(), *defaults = json_object();
        for (const struct l2r_option *o = model->options; o->name != NULL; o++)
            json_array_append_new(options, json_string(o->name));
        for (const struct l2r_default *d = model->defaults; d != NULL && d->option != NULL; d++)
            json_object_set_new(defaults, d->option, json_string(d->value));
        json_object_set_new(row, "options", options);
        json_object_set_new(row, "defaults", defaults);
        json_object_set_new(row, "explainable", json_boolean(model->unmaskable == NULL));
        json_object_set_new(row, "parameters", json_integer(default_size(model)));
        json_array_append_new(rows, row);
    }
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
        fprintf(stream, "\n\n    %s\n", model->equation);
        if (model->unmaskable != NULL) fprintf(stream, "\n`l2r explain` cannot explain it: %s.\n", model->unmaskable);
    }
}

void cli_models_print(FILE *stream, const json_t *rows)
{
    enum { INDENT = 13 };
    for (size_t i = 0; l2r_models[i] != NULL; i++) {
        const struct l2r_model_type *model = l2r_models[i];
        long long size = json_integer_value(json_object_get(json_array_get(rows, i), "parameters"));
        fprintf(stream, "  %s%-*s%s%s, %s; %lld parameters\n%*s", cli_bold(stream), INDENT - 2, model->name,
                cli_plain(stream), model->title, model->paper, size, INDENT, "");
        cli_print_wrapped(stream, model->equation, INDENT, INDENT, cli_terminal_width(stream, 120));
        char text[1024];
        describe_options(text, sizeof text, model);
        if (text[0] != '\0') {
            fprintf(stream, "%*s", INDENT, "");
            cli_print_wrapped(stream, text, INDENT, INDENT, cli_terminal_width(stream, 120));
        }
        if (model->unmaskable == NULL) continue;
        snprintf(text, sizeof text, "not for l2r explain: %s", model->unmaskable);
        fprintf(stream, "%*s", INDENT, "");
        cli_print_wrapped(stream, text, INDENT, INDENT, cli_terminal_width(stream, 120));
    }
    fprintf(stream, "\nParameters are counted at the defaults, for molecules in OGB's layout with one task.\n");
}
