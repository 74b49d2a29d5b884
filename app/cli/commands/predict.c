/* SPDX-License-Identifier: MIT
 *
 * l2r predict: one CSV row per graph.
 *
 *     graph, the model's outputs, label, distance, applicability, problem
 *
 *     multi-class   class, p_A, p_B …          one probability per class, named by the source's integer
 *     binary        p                          several tasks: p_0, p_1, …, or by name p_NR-AR, …
 *     regression    value                      several tasks: value_0, value_1, …, or by name
 *     ensemble      the same names once more, with the suffix _sd
 *     intervals     value_low, value_high      of a regression whose model knows them
 *
 * A graph with an output that is not finite has no outputs, class or distance, and a `problem` that says so.
 * With --logits, `logit` takes the place of p. `graph` counts from 0 in the order of the data, as in split.json. A
 * missing label is an empty field; several tasks have label_0, label_1, … A table of molecules is never loaded whole:
 * its rows are passed through with the predictions after their own columns, unless only a part of it is asked for.
 */
#include "base/memory.h"
#include "cli/command.h"
#include "cli/csv_rows.h"
#include "cli/screening.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "comm/comm.h"
#include "data/reader.h"
#include "io/csv.h"
#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct l2r_option options[] = {
    {.name = "out",
     .kind = L2R_OPTION_TEXT,
     .value = "FILE.csv",
     .group = "Output",
     .help = "write here instead of standard output"},
    {.name = "logits", .kind = L2R_OPTION_FLAG, .help = "write logits instead of probabilities"},
    {.name = "ensemble", .kind = L2R_OPTION_FLAG, .help = "mean and standard deviation over several models"},
    {.name = "coverage",
     .kind = L2R_OPTION_REAL,
     .fallback = "0",
     .min = 0,
     .max = 0.999,
     .help = "of the intervals value_low … value_high of a regression; 0: as in training"},
    {.name = "applicability",
     .kind = L2R_OPTION_FLAG,
     .fallback = "true",
     .help = "report how far each graph lies from the training graphs"},
    {0}};

/* Molecules that a model sees at a time: half the memory of its usual batches for the same speed. */
enum { BATCH = 192 };

/* The models that are asked, and what of their answers is wanted. */
struct question {
    struct l2r_ensemble *ensemble;
    const struct l2r_predictor *model; /* the first: what it answers is what all answer */
    enum l2r_task task;
    int32_t n_outputs;
    bool many;     /* models: there is a spread */
    bool logits;   /* instead of probabilities */
    bool measured; /* distance and applicability */
    bool bounded;  /* intervals */
    double coverage;
    struct l2r_comm *comm;
};

/* Room for the answers about n graphs. */
static enum l2r_status make_room(struct l2r_answers *a, const struct question *q, int64_t n, struct l2r_error *error)
{
    size_t rows = (size_t)n, cells = rows * (size_t)q->n_outputs;
    *a = (struct l2r_answers)L2R_ANSWERS_INIT;
    a->logits = q->logits;
    a->comm = q->comm;
    a->output = l2r_alloc(cells, sizeof(float));
    if (q->many) a->spread = l2r_alloc(cells, sizeof(float));
    if (q->measured) a->distance = l2r_alloc(rows, sizeof(float));
    if (q->measured) a->applicability = l2r_alloc(rows, sizeof(float));
    if (q->bounded) a->low = l2r_alloc(cells, sizeof(float));
    if (q->bounded) a->high = l2r_alloc(cells, sizeof(float));
    if (q->task == L2R_TASK_MULTICLASS) a->choice = l2r_alloc(rows, sizeof(int32_t));
    a->coverage = q->coverage;
    if (a->output && (a->spread || !q->many) && (!q->measured || (a->distance && a->applicability)) &&
        (!q->bounded || (a->low && a->high)) && (a->choice || q->task != L2R_TASK_MULTICLASS))
        return L2R_OK;
    return l2r_fail_memory(error, cells * sizeof(float), "predictions");
}

static void free_room(struct l2r_answers *a)
{
    l2r_free(a->output);
    l2r_free(a->spread);
    l2r_free(a->distance);
    l2r_free(a->applicability);
    l2r_free(a->low);
    l2r_free(a->high);
    l2r_free(a->choice);
}

/* ---- columns, each preceded by the delimiter ---- */

struct columns {
    const struct question *question;
    char delimiter;
    const char *prefix; /* of every name; "" unless the table has such columns already */
};

/* "p", "p_3", "p_NR-AR": by class, by the task's name or by its number. */
static void name_column(char *out, size_t size, const struct columns *columns, int32_t k, const char *suffix)
{
    const struct question *q = columns->question;
    const char *name = q->task == L2R_TASK_REGRESSION ? "value" : q->logits ? "logit" : "p";
    const char *task = q->task != L2R_TASK_MULTICLASS ? l2r_predictor_task_name(q->model, k) : NULL;
    if (q->n_outputs == 1)
        snprintf(out, size, "%s%s%s", columns->prefix, name, suffix);
    else if (task != NULL)
        snprintf(out, size, "%s%s_%s%s", columns->prefix, name, task, suffix);
    else
        snprintf(out, size, "%s%s_%lld%s", columns->prefix, name,
                 (long long)(q->task == L2R_TASK_MULTICLASS ? l2r_predictor_class(q->model, k) : k), suffix);
}

static void names(FILE *out, const struct columns *columns, const char *suffix)
{
    char name[512];
    for (int32_t k = 0; k < columns->question->n_outputs; k++) {
        name_column(name, sizeof name, columns, k, suffix);
        l2r_csv_write_text(out, columns->delimiter, name);
    }
}

static void write_output_names(FILE *out, const struct columns *columns)
{
    if (columns->question->task == L2R_TASK_MULTICLASS) fprintf(out, "%c%sclass", columns->delimiter, columns->prefix);
    names(out, columns, "");
    if (columns->question->many) names(out, columns, "_sd");
    if (columns->question->bounded) names(out, columns, "_low");
    if (columns->question->bounded) names(out, columns, "_high");
}

static void write_domain_names(FILE *out, const struct columns *columns)
{
    if (columns->question->measured)
        fprintf(out, "%c%sdistance%c%sapplicability", columns->delimiter, columns->prefix, columns->delimiter,
                columns->prefix);
}

static void empty(FILE *out, const struct columns *columns, int32_t n)
{
    for (int32_t k = 0; k < n; k++) fputc(columns->delimiter, out);
}

/* Empty where validation graphs were too few for an interval of this coverage. */
static void write_bounds(FILE *out, const struct columns *columns, const float *row)
{
    for (int32_t k = 0; k < columns->question->n_outputs; k++) {
        if (isfinite(row[k]))
            l2r_csv_write_float(out, columns->delimiter, row[k]);
        else
            fputc(columns->delimiter, out);
    }
}

static void write_output(FILE *out, const struct columns *columns, const struct l2r_answers *answers, int64_t i)
{
    const struct question *q = columns->question;
    bool classes = q->task == L2R_TASK_MULTICLASS, many = q->many;
    int32_t n = q->n_outputs;
    if (answers == NULL) {
        empty(out, columns, n * (1 + (many ? 1 : 0) + (q->bounded ? 2 : 0)) + (classes ? 1 : 0));
        return;
    }
    const float *row = answers->output + i * n;
    if (classes)
        fprintf(out, "%c%lld", columns->delimiter, (long long)l2r_predictor_class(q->model, answers->choice[i]));
    for (int32_t k = 0; k < n; k++) l2r_csv_write_float(out, columns->delimiter, row[k]);
    for (int32_t k = 0; many && k < n; k++) l2r_csv_write_float(out, columns->delimiter, answers->spread[i * n + k]);
    if (q->bounded) write_bounds(out, columns, answers->low + i * n);
    if (q->bounded) write_bounds(out, columns, answers->high + i * n);
}

static void write_domain(FILE *out, const struct columns *columns, const struct l2r_answers *answers, int64_t i)
{
    if (!columns->question->measured) return;
    if (answers == NULL) {
        empty(out, columns, 2);
        return;
    }
    l2r_csv_write_float(out, columns->delimiter, answers->distance[i]);
    l2r_csv_write_float(out, columns->delimiter, answers->applicability[i]);
}

/* ---- a data set, loaded whole ---- */

/* The data's own names of its labels need not be those of the model's tasks: the data may be another. */
static void write_head(FILE *out, const struct columns *columns, const struct l2r_dataset *data)
{
    int32_t tasks = l2r_dataset_tasks(data);
    fprintf(out, "graph");
    write_output_names(out, columns);
    for (int32_t t = 0; t < tasks; t++) {
        const char *name = l2r_dataset_task_name(data, t);
        char label[512];
        if (tasks == 1)
            snprintf(label, sizeof label, "label");
        else if (name != NULL)
            snprintf(label, sizeof label, "label_%s", name);
        else
            snprintf(label, sizeof label, "label_%d", t);
        l2r_csv_write_text(out, ',', label);
    }
    write_domain_names(out, columns);
    fprintf(out, ",problem\n");
}

/* Is everything that the models say of graph i a finite number? */
static bool has_answer(const struct l2r_answers *answers, const struct question *q, int64_t i)
{
    int64_t n = q->n_outputs;
    return l2r_all_finite(answers->output + i * n, n) && (!q->many || l2r_all_finite(answers->spread + i * n, n)) &&
           (!q->measured || l2r_all_finite(answers->distance + i, 1));
}

static enum l2r_status write_csv(int64_t *problems, const char *path, const struct columns *columns,
                                 const struct cli_selection *selection, const struct l2r_answers *answers,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_atomic file = {0};
    if (path != NULL) L2R_TRY(l2r_atomic_open(&file, path, error));
    FILE *out = path != NULL ? file.stream : stdout;
    write_head(out, columns, selection->data);
    for (int64_t i = 0; i < selection->n; i++) {
        bool good = has_answer(answers, columns->question, i);
        *problems += !good;
        fprintf(out, "%d", (int)selection->graphs[i]);
        write_output(out, columns, good ? answers : NULL, i);
        for (int32_t t = 0; t < l2r_dataset_tasks(selection->data); t++)
            cli_csv_label(out, selection->data, selection->graphs[i], t);
        write_domain(out, columns, good ? answers : NULL, i);
        l2r_csv_write_text(out, ',', good ? "" : l2r_not_finite);
        fputc('\n', out);
    }
done:
    return path != NULL ? l2r_atomic_close(&file, status, error) : status;
}

static enum l2r_status predict_graphs(const struct question *question, const struct cli_call *call, const char *path,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cli_selection selection = {0};
    struct l2r_answers answers = {0};
    int64_t problems = 0;
    L2R_TRY(cli_selection_load(&selection, question->model, call, "all", false, error));
    L2R_TRY(make_room(&answers, question, selection.n, error));
    L2R_TRY(l2r_ensemble_ask(&answers, question->ensemble, selection.data, selection.graphs, selection.n, error));
    if (!l2r_comm_leads(call->comm)) goto done;
    L2R_TRY(write_csv(&problems, path, &(struct columns){question, ',', ""}, &selection, &answers, error));
    if (path != NULL) fprintf(stderr, "%lld predictions in %s\n", (long long)(selection.n - problems), path);
    if (problems > 0)
        fprintf(stderr, "l2r: %lld of %lld graphs have no prediction: %s\n", (long long)problems,
                (long long)selection.n, l2r_not_finite);
done:
    free_room(&answers);
    cli_selection_clear(&selection);
    return status;
}

/* ---- a table of molecules, passed through ---- */

struct predict {
    const struct question *question;
    struct l2r_answers answers; /* room for a chunk */
};

static void answer_names(FILE *out, const void *context, char delimiter, const char *prefix)
{
    const struct predict *p = context;
    struct columns columns = {p->question, delimiter, prefix};
    write_output_names(out, &columns);
    write_domain_names(out, &columns);
    fprintf(out, "%c%sproblem", delimiter, prefix);
}

static enum l2r_status predict_begin(void *context, FILE *out, const struct l2r_molecule_table *table,
                                     const char *header, size_t length, struct l2r_error *error)
{
    struct predict *p = context;
    cli_csv_header(out, table, header, length, answer_names, p);
    enum l2r_status status = make_room(&p->answers, p->question, L2R_CHUNK_ROWS, error);
    p->answers.batch_size = BATCH;
    p->answers.comm = NULL; /* ranks divide the chunks */
    return status;
}

static enum l2r_status predict_ask(void *context, const struct l2r_table_chunk *chunk, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct predict *p = context;
    if (chunk->n_graphs > 0)
        L2R_TRY(
            l2r_ensemble_ask(&p->answers, p->question->ensemble, chunk->data, chunk->graphs, chunk->n_graphs, error));
    for (int64_t i = 0; i < chunk->n; i++) {
        struct l2r_table_row *row = &chunk->rows[i];
        if (row->graph < 0 || has_answer(&p->answers, p->question, row->graph)) continue;
        row->graph = -1;
        row->problem = l2r_not_finite;
    }
done:
    return status;
}

static void predict_write(void *context, FILE *out, const struct l2r_molecule_table *table,
                          const struct l2r_table_chunk *chunk)
{
    struct predict *p = context;
    struct columns columns = {p->question, table->delimiter, ""};
    for (int64_t i = 0; i < chunk->n; i++) {
        const struct l2r_table_row *row = &chunk->rows[i];
        const struct l2r_answers *answers = row->graph >= 0 ? &p->answers : NULL;
        cli_csv_row(out, table, row->raw, row->raw_length);
        write_output(out, &columns, answers, row->graph);
        write_domain(out, &columns, answers, row->graph);
        l2r_csv_write_text(out, table->delimiter, row->problem != NULL ? row->problem : "");
        fputc('\n', out);
    }
}

static enum l2r_status predict_table(const struct question *question, const struct cli_call *call, const char *where,
                                     const char *out, struct l2r_error *error)
{
    struct predict p = {.question = question};
    struct cli_screening screening = {.where = where,
                                      .out = out,
                                      .what = "predicted",
                                      .context = &p,
                                      .begin = predict_begin,
                                      .ask = predict_ask,
                                      .write = predict_write};
    enum l2r_status status = cli_screen(&screening, call, l2r_predictor_config(question->model), error);
    free_room(&p.answers);
    return status;
}

/* ---- the command ---- */

/* Distances and applicability. That these cannot be had is an error only if the user asked. */
static enum l2r_status find_applicability(struct question *q, const struct l2r_config *options_given,
                                          struct l2r_error *error)
{
    struct l2r_error reason = {0};
    char text[2048];
    if (!l2r_config_flag(options_given, "applicability")) return L2R_OK;
    bool leads = l2r_comm_leads(q->comm);
    if (!leads) l2r_comm_barrier(q->comm); /* the first rank may have to make and keep them */
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

/* Intervals of a regression. That there are none is an error only if the user asked. */
static enum l2r_status find_intervals(struct question *q, const struct l2r_config *options_given,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error reason = {0};
    bool asked = l2r_config_was_set(options_given, "coverage");
    if (q->task != L2R_TASK_REGRESSION && !asked) return L2R_OK;
    float *room = l2r_alloc(3 * (size_t)q->n_outputs, sizeof *room);
    if (!room) return l2r_fail_memory(error, 3 * (size_t)q->n_outputs * sizeof *room, "intervals");
    q->coverage = l2r_config_real(options_given, "coverage");
    for (int32_t k = 0; k < l2r_ensemble_models(q->ensemble) && status == L2R_OK; k++)
        status = l2r_predictor_intervals(room, room + q->n_outputs, room + 2 * q->n_outputs,
                                         l2r_ensemble_model(q->ensemble, k), 1, q->coverage, &reason);
    q->bounded = status == L2R_OK;
    bool endless = false;
    for (int32_t k = 0; q->bounded && k < q->n_outputs; k++) endless = endless || !isfinite(room[k]);
    if (endless && l2r_comm_leads(q->comm))
        fputs("l2r: too few validation graphs for intervals of this coverage: their fields stay empty\n", stderr);
    l2r_free(room);
    if (status == L2R_OK || !asked) return L2R_OK;
    return l2r_fail(error, status, "--coverage: %s", reason.message);
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cli_models models = {0};
    struct question q = {.comm = call->comm, .logits = l2r_config_flag(call->options, "logits")};
    const char *path = l2r_config_text(call->options, "out");
    L2R_TRY(cli_models_given(&models, call, l2r_config_flag(call->options, "ensemble"), error));
    L2R_TRY(l2r_ensemble_open(&q.ensemble, (const char *const *)models.paths, models.n, error));
    q.model = l2r_ensemble_model(q.ensemble, 0);
    q.task = l2r_predictor_task(q.model);
    q.n_outputs = l2r_predictor_outputs(q.model);
    q.many = l2r_ensemble_models(q.ensemble) > 1;
    L2R_TRY(find_applicability(&q, call->options, error));
    L2R_TRY(find_intervals(&q, call->options, error));
    const char *table = cli_selection_table(q.model, call);
    L2R_TRY(table != NULL ? predict_table(&q, call, table, path, error) : predict_graphs(&q, call, path, error));
done:
    l2r_ensemble_free(q.ensemble);
    cli_models_clear(&models);
    return status;
}

const struct l2r_command l2r_command_predict = {
    .name = "predict",
    .summary = "predict with trained models and write CSV",
    .usage = "RUN [RUN …] [--data WHERE] [--part train|valid|test|all] [--out FILE.csv] [OPTIONS]",
    .about =
        "RUN is the folder of a run (its best checkpoint is used) or a .safetensors file; with --ensemble several "
        "of them, or a folder of l2r train --seeds. Columns: graph (from 0), then class and one probability "
        "p_CLASS per class, or p per task, or value per task; with --ensemble these are means, followed by their "
        "standard deviations _sd over the models; of a regression value_low and value_high follow, which a new graph "
        "like those of the validation part lies between with the probability --coverage; then the label where the data "
        "has one; then distance, from the "
        "nearest training graphs in the model's representation (about 1 among the training graphs themselves), "
        "and applicability, the share of validation graphs that lie at least as far out: near 0 the model was "
        "never validated on anything like it; last `problem`, which says why a graph has no prediction (an output "
        "that is not a finite number is none). A table of molecules (.csv, .tsv and so on) is passed through in "
        "constant memory: every row stays in its place with all its columns, followed by the predictions and by "
        "`problem`.",
    .examples = "l2r predict runs/my --data new.csv --out predictions.csv\n"
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
