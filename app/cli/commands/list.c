/* SPDX-License-Identifier: MIT
 *
 * l2r list: the contents of the registries of this build. Each kind fills rows of JSON once; the text shows the name,
 * the title and the paper or the tasks of the same rows. `l2r list models` adds equation, options and size.
 */
#include "cli/command.h"
#include "cli/help.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "data/reader.h"
#include "data/splits/rule.h"
#include "io/fetch.h"
#include "methods/method.h"
#include "metrics/metrics.h"
#include "nn/optimiser.h"
#include "nn/readout.h"
#include "nn/schedule.h"

#include <stdio.h>
#include <string.h>

static const struct l2r_option options[] = {
    {.name = "json", .kind = L2R_OPTION_FLAG, .group = "Output", .help = "print the list as JSON"}, {0}};

/* Appends {"name": …, "title": …, KEY: more}; the row stays owned by the list. */
static json_t *add(json_t *rows, const char *name, const char *title, const char *key, const char *more)
{
    char text[1024];
    json_t *row = json_pack("{s:s}", "name", name);
    if (title != NULL) json_object_set_new(row, "title", json_string(cli_format_options(text, sizeof text, title)));
    if (more != NULL) json_object_set_new(row, key, json_string(more));
    json_array_append_new(rows, row);
    return row;
}

static void list_methods(json_t *rows)
{
    for (size_t i = 0; l2r_methods[i] != NULL; i++) {
        const struct l2r_method *method = l2r_methods[i];
        json_t *row = add(rows, method->name, method->title, "paper", method->paper);
        if (method->objective != NULL) json_object_set_new(row, "objective", json_string(method->objective));
        json_t *defaults = json_object();
        for (const struct l2r_default *d = method->defaults; d != NULL && d->option != NULL; d++)
            json_object_set_new(defaults, d->option, json_string(d->value));
        json_object_set_new(row, "defaults", defaults);
        json_object_set_new(row, "environments", json_boolean(method->environments));
        if (method->off != NULL) json_object_set_new(row, "off", json_string(method->off));
        if (method->space != NULL) json_object_set_new(row, "space", json_string(method->space));
    }
}

static void list_readers(json_t *rows)
{
    for (size_t i = 0; l2r_readers[i] != NULL; i++)
        add(rows, l2r_readers[i]->name, l2r_readers[i]->description, NULL, NULL);
}

static void list_generators(json_t *rows)
{
    for (size_t i = 0; l2r_generators[i] != NULL; i++)
        add(rows, l2r_generators[i]->name, l2r_generators[i]->description, NULL, NULL);
}

static void list_splits(json_t *rows)
{
    for (size_t i = 0; l2r_split_rules[i] != NULL; i++)
        add(rows, l2r_split_rules[i]->name, l2r_split_rules[i]->help, NULL, NULL);
}

static void list_readouts(json_t *rows)
{
    for (size_t i = 0; l2r_readouts[i] != NULL; i++)
        add(rows, l2r_readouts[i]->name, l2r_readouts[i]->equation, NULL, NULL);
}

static void list_activations(json_t *rows)
{
    for (size_t i = 0; l2r_activations[i] != NULL; i++)
        add(rows, l2r_activations[i]->name, l2r_activations[i]->equation, NULL, NULL);
}

static void list_metrics(json_t *rows)
{
    for (size_t i = 0; l2r_metrics[i] != NULL; i++) {
        const struct l2r_metric *metric = l2r_metrics[i];
        char tasks[128] = "";
        for (int task = L2R_TASK_MULTICLASS; task <= L2R_TASK_REGRESSION; task++) {
            size_t n = strlen(tasks);
            if (l2r_metric_suits(metric, (enum l2r_task)task))
                snprintf(tasks + n, sizeof tasks - n, "%s%s", n > 0 ? ", " : "", l2r_task_name((enum l2r_task)task));
        }
        add(rows, metric->name, metric->title, "tasks", tasks);
    }
}

static void list_schedules(json_t *rows)
{
    for (size_t i = 0; l2r_schedules[i] != NULL; i++)
        add(rows, l2r_schedules[i]->name, l2r_schedules[i]->title, NULL, NULL);
}

static void list_optimisers(json_t *rows)
{
    for (size_t i = 0; l2r_optimisers[i] != NULL; i++)
        add(rows, l2r_optimisers[i]->name, l2r_optimisers[i]->title, NULL, NULL);
}

static void list_datasets(json_t *rows)
{
    for (const struct l2r_known_set *set = l2r_known_sets; set->name != NULL; set++)
        add(rows, set->name, set->note, NULL, NULL);
}

/* "--readout diffpool --inner-steps 50", "--residual": the defaults that a model or method changes. */
static void describe_defaults(char *text, size_t size, const json_t *row)
{
    const char *option;
    json_t *value;
    text[0] = '\0';
    json_object_foreach(json_object_get(row, "defaults"), option, value)
    {
        size_t n = strlen(text);
        const char *to = json_string_value(value);
        bool on = strcmp(to, "true") == 0;
        snprintf(text + n, size - n, "%s--%s%s%s", n > 0 ? " " : "", option, on ? "" : " ", on ? "" : to);
    }
}

/* A line of text below the name of what is listed. */
static void print_below(FILE *stream, const char *text)
{
    enum { INDENT = 13 };
    fprintf(stream, "%*s", INDENT, "");
    cli_print_wrapped(stream, text, INDENT, INDENT, cli_terminal_width(stream, 120));
}

static void print_methods(FILE *stream, const json_t *rows)
{
    for (size_t i = 0; l2r_methods[i] != NULL; i++) {
        const struct l2r_method *method = l2r_methods[i];
        char text[1024];
        describe_defaults(text, sizeof text, json_array_get(rows, i));
        fprintf(stream, "  %s%-11s%s%s, %s%s%s%s\n", cli_bold(stream), method->name, cli_plain(stream), method->title,
                method->paper, method->environments ? "; compares environments" : "", text[0] != '\0' ? "; " : "",
                text);
        print_below(stream, method->objective);
        if (method->off != NULL) {
            int name = (int)strcspn(method->off, "=");
            snprintf(text, sizeof text, "plain training with --%.*s %s; l2r tune searches %s", name, method->off,
                     method->off + name + 1, method->space != NULL ? method->space : "nothing of it");
            print_below(stream, text);
        }
    }
}

static const struct kind {
    const char *name;
    const char *title;
    void (*fill)(json_t *rows);
    void (*print)(FILE *stream, const json_t *rows); /* when only this kind is listed; NULL: the table */
} kinds[] = {
    {"models", "Models (--model)", cli_models_fill, cli_models_print},
    {"readouts", "Readouts (--readout)", list_readouts, NULL},
    {"activations", "Activations (--activation)", list_activations, NULL},
    {"methods", "Methods (--method)", list_methods, print_methods},
    {"readers", "Data formats (--data PATH)", list_readers, NULL},
    {"generators", "Generators (--data NAME:key=value,…)", list_generators, NULL},
    {"datasets", "Public data sets (l2r data fetch NAME)", list_datasets, NULL},
    {"splits", "Split rules (--split)", list_splits, NULL},
    {"metrics", "Metrics (--metric)", list_metrics, NULL},
    {"optimisers", "Optimisers (--optimiser)", list_optimisers, NULL},
    {"schedules", "Learning rate schedules (--lr-schedule)", list_schedules, NULL},
    {0},
};

static void print_kind(const struct kind *kind, json_t *rows, bool first, bool alone)
{
    struct cli_table table;
    size_t i;
    json_t *row;
    printf("%s%s%s%s\n", first ? "" : "\n", cli_bold(stdout), kind->title, cli_plain(stdout));
    if (alone && kind->print != NULL) {
        kind->print(stdout, rows);
        return;
    }
    bool with_defaults = json_object_get(json_array_get(rows, 0), "defaults") != NULL;
    cli_table_init(&table, with_defaults ? "llll" : "lll");
    table.no_heading = true;
    json_array_foreach(rows, i, row)
    {
        const char *title = json_string_value(json_object_get(row, "title"));
        const char *more = json_string_value(json_object_get(row, "paper"));
        if (more == NULL) more = json_string_value(json_object_get(row, "tasks"));
        cli_table_add(&table, "%s", json_string_value(json_object_get(row, "name")));
        cli_table_add(&table, "%s", title != NULL ? title : "");
        cli_table_add(&table, "%s", more != NULL ? more : "");
        char text[512];
        describe_defaults(text, sizeof text, row);
        if (with_defaults) cli_table_add(&table, "%s", text);
    }
    cli_table_print(&table, stdout, "  ");
    cli_table_clear(&table);
}

static enum l2r_status check_kind(struct cli_call *call, const char *name, struct l2r_error *error)
{
    struct cli_nearest nearest = {.word = name};
    for (const struct kind *kind = kinds; kind->name != NULL; kind++) {
        if (strcmp(kind->name, name) == 0) return L2R_OK;
        cli_nearest_try(&nearest, kind->name);
    }
    if (nearest.best != NULL)
        return cli_misuse(call, error, "cannot list '%s'; did you mean '%s'?", name, nearest.best);
    return cli_misuse(call, error, "cannot list '%s'; 'l2r help list' shows what can be listed", name);
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *only = call->n_arguments > 0 ? call->arguments[0] : NULL;
    bool first = true, as_json = l2r_config_flag(call->options, "json");
    json_t *all = json_object();
    if (only != NULL) L2R_TRY(check_kind(call, only, error));
    for (const struct kind *kind = kinds; kind->name != NULL; kind++) {
        if (only != NULL && strcmp(kind->name, only) != 0) continue;
        json_t *rows = json_array();
        kind->fill(rows);
        if (!as_json) print_kind(kind, rows, first, only != NULL);
        first = false;
        json_object_set_new(all, kind->name, rows);
    }
    if (as_json) L2R_TRY(cli_json_print(stdout, json_incref(all), error));
done:
    json_decref(all);
    return status;
}

const struct l2r_command l2r_command_list = {
    .name = "list",
    .summary = "show the models, methods, data formats and metrics of this program",
    .usage = "[KIND] [--json]",
    .about = "KIND is one of models, readouts, activations, methods, readers, generators, datasets, splits, metrics, "
             "optimisers and schedules; without it everything is listed.",
    .examples = "l2r list\n"
                "l2r list models --json",
    .section = CLI_SECTION_PROGRAM,
    .max_arguments = 1,
    .options = {options},
    .run = run,
};
