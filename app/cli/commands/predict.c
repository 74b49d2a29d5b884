/* SPDX-License-Identifier: MIT
 *
 * l2r predict: one CSV row, or with --json one line of JSON, per graph.
 *
 *     graph, the model's outputs, label, distance, applicability, unseen, problem
 *
 * The columns of answers are those of answers/answers.h.
 *
 * A graph with an output that is not finite has no outputs, class or distance, and a `problem` that says so. With
 * --logits, `logit` takes the place of p. `graph` counts from 0 in the order of the data, as in split.json. A missing
 * label is an empty field; several tasks have label_0, label_1, … A table of molecules is never loaded whole: its rows
 * are passed through with the predictions after their own columns, unless only a part of it is asked for. SMILES on the
 * command line are such a table, with the one column smiles.
 */
#include "answers/answers.h"
#include "answers/csv_rows.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/predict_table.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "cli/together.h"
#include "comm/comm.h"
#include "data/reader.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/source.h"
#include "model/ensemble.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct l2r_option options[] = {
    {.name = "out",
     .kind = L2R_OPTION_TEXT,
     .value = "FILE.csv",
     .group = "Output",
     .help = "write here instead of standard output"},
    {.name = "json", .kind = L2R_OPTION_FLAG, .help = "write JSON instead of CSV: one object a line"},
    {.name = "quiet", .kind = L2R_OPTION_FLAG, .help = "print nothing about rows and progress"},
    {.name = "logits", .kind = L2R_OPTION_FLAG, .help = "write logits instead of probabilities"},
    {.name = "ensemble", .kind = L2R_OPTION_FLAG, .help = "mean and standard deviation over several models"},
    {.name = "coverage",
     .kind = L2R_OPTION_REAL,
     .fallback = "0",
     .min = 0,
     .max = 0.999,
     .help = "of the intervals value_low … value_high of a regression; 0: as in training"},
    {.name = "intervals",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "conformal",
     .choices = "conformal|spread",
     .help = "of one width for all graphs, or wide where the models of an ensemble or committee disagree"},
    {.name = "applicability",
     .kind = L2R_OPTION_FLAG,
     .fallback = "true",
     .help = "report how far each graph lies from the training graphs"},
    {0}};

static bool is_quiet(const struct cli_call *call)
{
    return l2r_config_flag(call->options, "quiet");
}

/* ---- a data set, loaded whole ---- */

/* Other data may name its labels differently from the model's tasks. */
static void write_head(FILE *out, const struct l2r_columns *columns, const struct l2r_dataset *data)
{
    fprintf(out, "graph");
    l2r_csv_place_names(out, data);
    l2r_columns_output_names(out, columns);
    l2r_csv_label_names(out, data);
    l2r_columns_domain_names(out, columns);
    fprintf(out, ",problem\n");
}

/* answers: NULL when the graph has no prediction. */
static void write_row(FILE *out, const struct l2r_columns *columns, const struct cli_selection *selection,
                      const struct l2r_answers *answers, int64_t i)
{
    fprintf(out, "%lld", (long long)selection->graphs[i]);
    l2r_csv_place(out, selection->data, selection->graphs[i]);
    l2r_columns_output(out, columns, answers, i);
    for (int32_t t = 0; t < l2r_dataset_n_tasks(selection->data); t++)
        l2r_csv_label(out, selection->data, selection->graphs[i], t);
    l2r_columns_domain(out, columns, answers, i);
    l2r_csv_write_text(out, ',', answers != NULL ? "" : l2r_not_finite);
    fputc('\n', out);
}

static void write_json(FILE *out, const struct l2r_columns *columns, const struct cli_selection *selection,
                       const struct l2r_answers *answers, int64_t i)
{
    json_t *row = json_pack("{s:I}", "graph", (json_int_t)selection->graphs[i]);
    l2r_json_place(row, selection->data, selection->graphs[i]);
    l2r_json_labels(row, selection->data, selection->graphs[i]);
    l2r_columns_json(row, columns, answers, i, answers != NULL ? NULL : l2r_not_finite);
    l2r_json_line(out, row);
}

static enum l2r_status write_graphs(int64_t *problems, const char *path, const struct l2r_columns *columns,
                                    const struct cli_selection *selection, const struct l2r_answers *answers,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_atomic file = {0};
    bool json = columns->question->json;
    if (path != NULL) L2R_TRY(l2r_atomic_open(&file, path, error));
    FILE *out = path != NULL ? file.stream : stdout;
    if (!json) write_head(out, columns, selection->data);
    for (int64_t i = 0; i < selection->n; i++) {
        bool good = l2r_answers_are_finite(answers, columns->question, i);
        *problems += !good;
        (json ? write_json : write_row)(out, columns, selection, good ? answers : NULL, i);
    }
done:
    return path != NULL ? l2r_atomic_close(&file, status, error) : status;
}

static enum l2r_status predict_graphs(const struct l2r_question *question, const struct cli_call *call,
                                      const struct cli_selection *selection, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_answers answers = {0};
    int64_t problems = 0;
    int32_t *graphs = l2r_alloc((size_t)selection->n, sizeof *graphs);
    if (graphs == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a list of graphs");
    for (int64_t i = 0; i < selection->n; i++) graphs[i] = (int32_t)selection->graphs[i];
    L2R_TRY(l2r_answers_make(&answers, question, selection->n, error));
    L2R_TRY(l2r_ensemble_answer_by(&answers, question->ensemble, selection->data, graphs, selection->uses, selection->n,
                                   error));
    if (!l2r_comm_leads(call->comm)) goto done;
    L2R_TRY(write_graphs(&problems, path, &(struct l2r_columns){question, ',', ""}, selection, &answers, error));
    if (path != NULL && !is_quiet(call))
        fprintf(stderr, "%lld predictions in %s\n", (long long)(selection->n - problems), path);
    if (problems > 0)
        fprintf(stderr, "l2r: %lld of %lld graphs have no prediction: %s\n", (long long)problems,
                (long long)selection->n, l2r_not_finite);
done:
    l2r_free(graphs);
    l2r_answers_clear(&answers);
    return status;
}

/* ---- SMILES that were typed ---- */

/* The arguments after the models, as the table
 *
 *     smiles
 *     CCO
 *     c1ccccc1 */
static enum l2r_status predict_typed(const struct l2r_question *question, const struct cli_call *call,
                                     char *const *smiles, int n, struct l2r_error *error)
{
    static const char where[] = "the command line";
    enum l2r_status status = L2R_OK;
    struct l2r_source *source = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) return l2r_fail_memory(error, 0, "the SMILES that were typed");
    fputs("smiles\n", out);
    for (int i = 0; i < n; i++) {
        l2r_csv_write_first(out, ',', smiles[i]);
        fputc('\n', out);
    }
    if (fclose(out) != 0) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the SMILES that were typed");
    const struct l2r_memory_file file = {"smiles.csv", text, size};
    L2R_TRY(l2r_source_from_memory(&source, where, &file, 1, error));
    L2R_TRY(cli_predict_table(question, call, where, source, NULL, error));
done:
    l2r_source_free(source);
    free(text);
    return status;
}

/* Which arguments are models: the first, and every other that is an existing file or folder. They come first
 * afterwards, in their order; the rest are SMILES, or "-" for standard input. */
static enum l2r_status find_models(int *n_models, bool *input, struct cli_call *call, struct l2r_error *error)
{
    int n = 1;
    struct l2r_error reason = {0};
    *input = l2r_config_is(call->options, "data", "-");
    for (int i = 1; i < call->n_arguments; i++) {
        char *word = call->arguments[i];
        bool there = l2r_path_is_there(word);
        if (there && l2r_source_is_table(word) && !l2r_path_is_dir(word))
            return cli_misuse(call, error, "%s is a table, not a model; use --data %s", word, word);
        if (!there) continue;
        memmove((void *)(call->arguments + n + 1), (void *)(call->arguments + n), (size_t)(i - n) * sizeof word);
        call->arguments[n++] = word;
    }
    *n_models = n;
    if (n == call->n_arguments) return L2R_OK;
    if (l2r_config_text(call->options, "data") != NULL || l2r_config_text(call->options, "part") != NULL)
        return cli_misuse(call, error, "%s is no model, and as a molecule it does not go with --data or --part",
                          call->arguments[n]);
    if (call->n_arguments == n + 1 && strcmp(call->arguments[n], "-") == 0) {
        *input = true;
        return L2R_OK;
    }
    for (int i = n; i < call->n_arguments; i++)
        if (strcmp(call->arguments[i], "-") == 0)
            return cli_misuse(call, error, "- means standard input and does not go with SMILES that are typed");
    for (int i = n; i < call->n_arguments; i++) {
        struct l2r_molecule_graph molecule = {0};
        enum l2r_status status = l2r_molecule_features(&molecule, call->arguments[i], false, &reason);
        l2r_molecule_graph_clear(&molecule);
        if (status != L2R_ERR_FORMAT) return L2R_OK; /* other errors are reported when they are read */
    }
    return cli_misuse(call, error, "%s is neither the folder or file of a model nor a molecule: %s", call->arguments[n],
                      reason.message);
}

/* ---- the command ---- */

/* Distances and applicability. It is an error only if they were requested and are not available. */
static enum l2r_status find_applicability(struct l2r_question *q, const struct l2r_config *options_given,
                                          struct l2r_error *error)
{
    struct l2r_error reason = {0};
    char text[2048];
    if (!l2r_config_flag(options_given, "applicability")) return L2R_OK;
    bool leads = l2r_comm_leads(q->comm);
    if (!leads) l2r_comm_barrier(q->comm); /* the first rank may have to compute and cache them */
    enum l2r_status status = l2r_ensemble_find_applicability(q->ensemble, &reason);
    if (leads) l2r_comm_barrier(q->comm);
    q->measured = status == L2R_OK;
    if (status == L2R_OK || status == L2R_ERR_MEMORY) return status;
    if (l2r_config_was_set(options_given, "applicability"))
        return l2r_fail(error, status, "--applicability: %s", reason.message);
    fprintf(stderr, "l2r: no distance and applicability columns: %s\n",
            cli_format_options(text, sizeof text, reason.message));
    return L2R_OK;
}

/* Intervals of a regression. It is an error only if they were requested and are not available. */
static enum l2r_status find_intervals(struct l2r_question *q, const struct l2r_config *options_given,
                                      struct l2r_error *error)
{
    struct l2r_error reason = {0};
    const char *option = l2r_config_was_set(options_given, "coverage")    ? "coverage"
                         : l2r_config_was_set(options_given, "intervals") ? "intervals"
                                                                          : NULL;
    if (q->task != L2R_TASK_REGRESSION && option == NULL) return L2R_OK;
    q->coverage = l2r_config_real(options_given, "coverage");
    q->by_spread = l2r_config_is(options_given, "intervals", "spread");
    enum l2r_status status = l2r_ensemble_find_intervals(q->ensemble, q->coverage, q->by_spread, &reason);
    q->bounded = status == L2R_OK;
    if (!q->bounded && option != NULL) return l2r_fail(error, status, "--%s: %s", option, reason.message);
    const double *width = q->by_spread ? q->ensemble->scale : q->ensemble->half;
    bool endless = false;
    for (int32_t k = 0; q->bounded && k < q->n_outputs; k++) endless = endless || !isfinite(width[k]);
    if (endless && l2r_comm_leads(q->comm))
        fputs("l2r: too few validation graphs for intervals of this coverage: their fields stay empty\n", stderr);
    return L2R_OK;
}

/* All of a table is streamed; of a part the molecules are loaded first, because the split has their numbers. */
static enum l2r_status predict_data(const struct l2r_question *q, const struct cli_call *call, bool input,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cli_selection selection = {0};
    const char *table = input ? "-" : cli_selection_where(q->model, call), *part = cli_selection_part(call, "test");
    bool streams = cli_selection_is_table(table), all = input || strcmp(part, "all") == 0;
    if (all && l2r_config_text(call->options, "data") == NULL && !input && !l2r_ensemble_shares_split(q->ensemble))
        fputs("note: graphs of all parts were training graphs of some of these models; --part test predicts each by "
              "the models that have not seen it\n",
              stderr);
    if (streams && all) return cli_predict_table(q, call, table, NULL, NULL, error);
    L2R_TRY(cli_selection_load(&selection, q->model, call, "test", false, error));
    L2R_TRY(cli_selection_of_each(&selection, q->ensemble, call, error));
    struct l2r_question here = *q;
    if (selection.most == 1) here.many = l2r_predictor_n_members(q->model) > 1; /* one model a graph has no spread */
    L2R_TRY(streams ? cli_predict_table(&here, call, table, NULL, &selection, error)
                    : predict_graphs(&here, call, &selection, l2r_config_text(call->options, "out"), error));
done:
    cli_selection_clear(&selection);
    return status;
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cli_models models = {0};
    struct l2r_question q = {.comm = call->comm,
                             .logits = l2r_config_flag(call->options, "logits"),
                             .json = l2r_config_flag(call->options, "json")};
    int n_models = 0, n_typed;
    bool input;
    L2R_TRY(find_models(&n_models, &input, call, error));
    n_typed = call->n_arguments - n_models;
    call->n_arguments = n_models;
    if (n_models == 1) L2R_TRY(cli_models_beside(&models, call->arguments[0], error));
    if (models.n > 0) {
        status = cli_predict_together(&models, call, input, call->arguments + 1, input ? 0 : n_typed, error);
        goto done;
    }
    L2R_TRY(cli_models_given(&models, call, l2r_config_flag(call->options, "ensemble"), error));
    L2R_TRY(cli_models_unseen(&models, call, error));
    L2R_TRY(l2r_ensemble_open(&q.ensemble, (const char *const *)models.paths, models.n, error));
    q.model = l2r_ensemble_model(q.ensemble, 0);
    q.task = l2r_predictor_task(q.model);
    q.n_outputs = l2r_predictor_n_outputs(q.model);
    q.many = q.ensemble->n_members > 1;
    L2R_TRY(find_applicability(&q, call->options, error));
    L2R_TRY(find_intervals(&q, call->options, error));
    if (n_typed > 0 && !input)
        L2R_TRY(predict_typed(&q, call, call->arguments + n_models, n_typed, error));
    else
        L2R_TRY(predict_data(&q, call, input, error));
done:
    l2r_ensemble_free(q.ensemble);
    cli_models_clear(&models);
    return status;
}

const struct l2r_command l2r_command_predict = {
    .name = "predict",
    .summary = "predict with trained models and write CSV",
    .usage = "RUN [RUN …] [SMILES … | -] [--data WHERE] [--part PART] [--out FILE.csv] [OPTIONS]",
    .about =
        "RUN is the folder of a run (its best checkpoint is used) or a .safetensors file; with --ensemble several "
        "of them, or a folder of l2r train --seeds, --folds or --replicates; or a folder of l2r import with several "
        "models, whose columns stand side by side. Without --data the run's own test graphs "
        "are predicted, with --data all graphs of that data; --part chooses others. Where models have different "
        "splits (--folds, --replicates), --part test predicts each graph by the models that have it in their test part "
        "(out-of-fold predictions). Columns: graph (from 0; rows of a table keep their own columns instead), then "
        "class "
        "and one probability "
        "p_CLASS per class, or p per task, or value per task; with --ensemble these are means, followed by their "
        "standard deviations _sd over the models; of a regression value_low and value_high follow, which a new graph "
        "like those of the validation part lies between with the probability --coverage, with --intervals spread wide "
        "where the models disagree; then the label where the data "
        "has one; then distance, from the "
        "nearest training graphs in the model's representation (about 1 among the training graphs themselves), "
        "and applicability, the share of validation graphs that lie at least as far out: near 0 the model was "
        "never validated on anything like it; unseen, a category (element, charge, bond type …) that no "
        "training graph had, which makes the applicability 0; last `problem`, which says why a graph has no prediction "
        "(an output "
        "that is not a finite number is none). A table of molecules (.csv, .tsv and so on) is passed through in "
        "constant memory: every row stays in its place with all its columns, followed by the predictions and by "
        "`problem`; so is one on standard input, with `-` or --data -, and SMILES may be typed after RUN (an argument "
        "that is the name of a file or folder is a RUN). Lines of .smi files, a SMILES and a name, get a column for "
        "each. Rows with a problem do not make the command fail (exit code 0) unless --on-bad-smiles fail is given. "
        "With --json every row is an object on a line of its own, with the names of the columns as keys and null for "
        "what is missing.",
    .examples = "l2r predict runs/my --data new.csv --out predictions.csv\n"
                "l2r predict runs/my 'CCO' 'c1ccccc1'\n"
                "zcat library.smi.gz | l2r predict runs/my - --out predictions.csv\n"
                "l2r predict runs/proteins --data new-proteins.zip --out predictions.csv\n"
                "l2r predict runs/bace-seeds --ensemble --part test\n"
                "l2r predict runs/proteins --part test --logits --no-applicability",
    .section = CLI_SECTION_MODELS,
    .min_arguments = 1,
    .max_arguments = 1000,
    .divides = true,
    .options = {options, cli_selection_options, l2r_data_options},
    .declare = cli_declare_split,
    .run = run,
};
