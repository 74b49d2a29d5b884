/* SPDX-License-Identifier: MIT
 *
 * l2r predict: one CSV row a graph.
 *
 *     multi-class   graph,class,p_1,p_2,label         one probability a class, named by the source's integer
 *     binary        graph,p,label                     several tasks: p_0,p_1,…,label_0,label_1,…
 *     regression    graph,value,label                 several tasks: value_0,…,label_0,…
 *
 * `graph` counts from 0 in the order of the data, as in split.json. A label that is missing is an empty field. With
 * --logits the columns are called logit instead of p and hold the model's plain outputs.
 */
#include "base/file.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/csv.h"
#include "cli/selection.h"

#include <stdio.h>

static const struct l2r_option options[] = {
    {.name = "out",
     .kind = L2R_OPTION_TEXT,
     .value = "FILE.csv",
     .group = "Output",
     .help = "write here instead of standard output"},
    {.name = "logits", .kind = L2R_OPTION_FLAG, .help = "plain outputs instead of probabilities"},
    {0}};

/* What the columns are. */
struct layout {
    const struct l2r_predictor *predictor;
    enum l2r_task task;
    int32_t n_outputs, n_labels;
    const char *output; /* "p", "logit", "value" */
};

static void write_names(FILE *out, const char *name, int32_t n, const struct l2r_predictor *classes)
{
    for (int32_t k = 0; k < n; k++) {
        if (n == 1)
            fprintf(out, ",%s", name);
        else
            fprintf(out, ",%s_%lld", name, (long long)(classes != NULL ? l2r_predictor_class(classes, k) : k));
    }
}

static void write_head(FILE *out, const struct layout *layout)
{
    bool multi = layout->task == L2R_TASK_MULTICLASS;
    fprintf(out, "graph%s", multi ? ",class" : "");
    write_names(out, layout->output, layout->n_outputs, multi ? layout->predictor : NULL);
    write_names(out, "label", layout->n_labels, NULL);
    fputc('\n', out);
}

static int32_t largest(const float *values, int32_t n)
{
    int32_t best = 0;
    for (int32_t k = 1; k < n; k++)
        if (values[k] > values[best]) best = k;
    return best;
}

static void write_rows(FILE *out, const struct layout *layout, const struct cli_selection *selection,
                       const float *output)
{
    for (int64_t i = 0; i < selection->n; i++) {
        const float *row = output + i * layout->n_outputs;
        fprintf(out, "%d", (int)selection->graphs[i]);
        if (layout->task == L2R_TASK_MULTICLASS)
            fprintf(out, ",%lld", (long long)l2r_predictor_class(layout->predictor, largest(row, layout->n_outputs)));
        for (int32_t k = 0; k < layout->n_outputs; k++) cli_csv_number(out, row[k]);
        for (int32_t t = 0; t < layout->n_labels; t++) cli_csv_label(out, selection->data, selection->graphs[i], t);
        fputc('\n', out);
    }
}

static enum l2r_status write_csv(const char *path, const struct layout *layout, const struct cli_selection *selection,
                                 const float *output, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_atomic file = {0};
    if (path != NULL) L2R_TRY(l2r_atomic_open(&file, path, error));
    FILE *out = path != NULL ? file.stream : stdout;
    write_head(out, layout);
    write_rows(out, layout, selection, output);
done:
    return path != NULL ? l2r_atomic_close(&file, status, error) : status;
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_predictor *predictor = NULL;
    struct cli_selection selection = {0};
    float *output = NULL;
    bool logits = l2r_config_flag(call->options, "logits");
    const char *path = l2r_config_text(call->options, "out");
    L2R_TRY(l2r_predictor_new(&predictor, call->arguments[0], error));
    L2R_TRY(cli_selection_load(&selection, predictor, call, "all", error));
    struct layout layout = {.predictor = predictor,
                            .task = l2r_predictor_task(predictor),
                            .n_outputs = l2r_predictor_outputs(predictor),
                            .n_labels = selection.data->n_tasks};
    layout.output = layout.task == L2R_TASK_REGRESSION ? "value" : logits ? "logit" : "p";
    output = l2r_alloc((size_t)selection.n * (size_t)layout.n_outputs, sizeof *output);
    if (output == NULL)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the predictions of %lld graphs", (long long)selection.n);
    L2R_TRY(l2r_predictor_score(output, predictor, selection.data, selection.graphs, selection.n, error));
    if (!logits) l2r_predictor_probabilities(output, predictor, selection.n);
    L2R_TRY(write_csv(path, &layout, &selection, output, error));
    if (path != NULL) fprintf(stderr, "%lld predictions in %s\n", (long long)selection.n, path);
done:
    l2r_free(output);
    cli_selection_clear(&selection);
    l2r_predictor_free(predictor);
    return status;
}

const struct l2r_command l2r_command_predict = {
    .name = "predict",
    .summary = "predict graphs with a trained model, as CSV",
    .usage = "RUN [--data WHERE] [--part train|valid|test|all] [--out FILE.csv] [OPTIONS]",
    .about =
        "RUN is the folder of a run (its best checkpoint is used) or a .safetensors file. Columns: graph (from 0), "
        "then class and one probability p_CLASS per class, or p per task, or value per task, then the label where "
        "the data has one.",
    .examples = "l2r predict runs/proteins --data new-proteins.zip --out predictions.csv\n"
                "l2r predict runs/proteins --part test --logits",
    .section = CLI_SECTION_MODELS,
    .min_arguments = 1,
    .max_arguments = 1,
    .options = {options, cli_selection_options, l2r_split_options},
    .run = run,
};
