/* SPDX-License-Identifier: MIT
 *
 * l2r weights: the weights that a run learned for its training graphs. They are saved in the model; their mean is about
 * 1.
 */
#include "answers/csv_rows.h"
#include "base/array.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/runs.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "data/reader.h"
#include "io/csv.h"
#include "io/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct l2r_option options[] = {
    {.name = "out",
     .kind = L2R_OPTION_TEXT,
     .value = "FILE.csv",
     .group = "Output",
     .help = "write every training graph's weight and label here"},
    {.name = "json", .kind = L2R_OPTION_FLAG, .help = "print the summary as JSON"},
    {0}};

/* Weights of one group of graphs: all, or those of a class. */
struct group {
    char name[64];
    int64_t n;
    float *weight; /* [n], sorted */
};

/* The training graphs whose first label is `label`; NaN: all of them. */
static bool collect(struct group *g, const struct cli_selection *s, const float *weight, float label)
{
    g->weight = l2r_alloc((size_t)s->n, sizeof *g->weight);
    for (int64_t i = 0; g->weight && i < s->n; i++)
        if (isnan(label) || s->data->labels[(int64_t)s->graphs[i] * s->data->n_tasks] == label)
            g->weight[g->n++] = weight[s->graphs[i]];
    if (g->weight) qsort(g->weight, (size_t)g->n, sizeof *g->weight, l2r_compare_float);
    return g->weight != NULL;
}

static json_t *describe(const struct group *g)
{
    double sum = 0, square = 0;
    for (int64_t i = 0; i < g->n; i++)
        sum += (double)g->weight[i], square += (double)g->weight[i] * (double)g->weight[i];
    double n = (double)g->n,
           median = g->n ? 0.5 * ((double)g->weight[(g->n - 1) / 2] + (double)g->weight[g->n / 2]) : 0;
    return json_pack("{s:s, s:I, s:f, s:f, s:f, s:f, s:f}", "graphs", g->name, "n", (json_int_t)g->n, "mean",
                     g->n ? sum / n : 0, "min", g->n ? (double)g->weight[0] : 0, "median", median, "max",
                     g->n ? (double)g->weight[g->n - 1] : 0, "ess", square > 0 ? sum * sum / (n * square) : 0);
}

/* "label 1", or the name of the class in the source. */
static void name_group(char *out, size_t size, const struct l2r_dataset *data, int32_t k)
{
    const char *word = l2r_dataset_class_name(data, 0, k);
    if (word != NULL)
        snprintf(out, size, "label %.50s", word);
    else
        snprintf(out, size, "label %lld", (long long)(data->n_classes ? data->class_value[k] : k));
}

/* One object for all training graphs, then one for each class where the task has classes. */
static enum l2r_status summarise(json_t *summary, const struct cli_selection *s, const float *weight,
                                 struct l2r_error *error)
{
    const struct l2r_dataset *data = s->data;
    int32_t classes = data->task == L2R_TASK_MULTICLASS                     ? data->n_classes
                      : data->task == L2R_TASK_BINARY && data->n_tasks == 1 ? 2
                                                                            : 0;
    for (int32_t k = -1; k < classes; k++) {
        struct group g = {.name = "all"};
        if (k >= 0) name_group(g.name, sizeof g.name, data, k);
        if (!collect(&g, s, weight, k < 0 ? NAN : (float)k))
            return l2r_fail_memory(error, (size_t)s->n * sizeof(float), "the weights");
        json_array_append_new(summary, describe(&g));
        l2r_free(g.weight);
    }
    return L2R_OK;
}

static void print_table(const json_t *summary)
{
    static const char *const columns[] = {"mean", "min", "median", "max", "ess"};
    struct cli_table table;
    cli_table_init(&table, "lrrrrrr");
    cli_table_add(&table, "graphs");
    cli_table_add(&table, "n");
    for (size_t c = 0; c < 5; c++) cli_table_add(&table, "%s", columns[c]);
    for (size_t i = 0; i < json_array_size(summary); i++) {
        const json_t *row = json_array_get(summary, i);
        cli_table_add(&table, "%s", json_string_value(json_object_get(row, "graphs")));
        cli_table_add(&table, "%lld", (long long)json_integer_value(json_object_get(row, "n")));
        for (size_t c = 0; c < 5; c++) cli_table_add_score(&table, json_number_value(json_object_get(row, columns[c])));
    }
    cli_table_print(&table, stdout, "");
    cli_table_clear(&table);
}

static enum l2r_status write_csv(const char *path, const struct cli_selection *s, const float *weight,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_atomic file = {0};
    L2R_TRY(l2r_atomic_open(&file, path, error));
    fprintf(file.stream, "graph,weight");
    l2r_csv_label_names(file.stream, s->data);
    fputc('\n', file.stream);
    for (int64_t i = 0; i < s->n; i++) {
        fprintf(file.stream, "%d", (int)s->graphs[i]);
        l2r_csv_write_float(file.stream, ',', weight[s->graphs[i]]);
        for (int32_t t = 0; t < s->data->n_tasks; t++) l2r_csv_label(file.stream, s->data, s->graphs[i], t);
        fputc('\n', file.stream);
    }
done:
    return l2r_atomic_close(&file, status, error);
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_predictor *predictor = NULL;
    struct cli_selection selection = {0};
    float *weight = NULL;
    json_t *summary = json_array();
    const char *out = l2r_config_text(call->options, "out");
    const char *part = l2r_config_text(call->options, "part");
    if (part != NULL && strcmp(part, "train") != 0) {
        status = cli_misuse(call, error, "--part %s: only training graphs have weights", part);
        goto done;
    }
    L2R_TRY(l2r_config_set(call->options, "part", "train", error)); /* also with --data */
    L2R_TRY(l2r_predictor_open(&predictor, call->arguments[0], error));
    L2R_TRY(cli_selection_load(&selection, predictor, call, "train", true, error));
    if (!selection.own)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s is not the data that %s was trained on, so its graphs have no weights",
                 selection.where, call->arguments[0]);
    weight = l2r_alloc((size_t)l2r_dataset_n_graphs(selection.data), sizeof *weight);
    if (weight == NULL)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the weights of %lld graphs",
                 (long long)l2r_dataset_n_graphs(selection.data));
    L2R_TRY(l2r_predictor_weights(weight, predictor, selection.data, error));
    L2R_TRY(summarise(summary, &selection, weight, error));
    if (out != NULL) L2R_TRY(write_csv(out, &selection, weight, error));
    if (l2r_config_flag(call->options, "json"))
        L2R_TRY(cli_json_print(stdout, json_incref(summary), error));
    else
        print_table(summary);
    if (out != NULL) fprintf(stderr, "%lld weights in %s\n", (long long)selection.n, out);
done:
    json_decref(summary);
    l2r_free(weight);
    cli_selection_clear(&selection);
    l2r_predictor_free(predictor);
    return status;
}

const struct l2r_command l2r_command_weights = {
    .name = "weights",
    .summary = "show the weights that a run gave its training graphs",
    .usage = "RUN [--out FILE.csv] [OPTIONS]",
    .about = "RUN is the folder of a run with a reweighting method. The weights are those of its last saved epoch; ess "
             "is the "
             "effective sample size as a share of the graphs: 1 when all weights are equal.",
    .examples = "l2r weights runs/motif-gin-l2r-0\n"
                "l2r weights runs/motif-gin-l2r-0 --out weights.csv",
    .section = CLI_SECTION_MODELS,
    .min_arguments = 1,
    .max_arguments = 1,
    .options = {options, cli_selection_options, l2r_data_options},
    .declare = cli_declare_split,
    .run = run,
};
