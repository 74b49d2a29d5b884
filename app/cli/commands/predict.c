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
#include "comm/comm.h"
#include "data/reader.h"
#include "io/csv.h"
#include "io/file.h"
#include "predict/committee.h"

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

/* ---- columns, each preceded by the delimiter ---- */

struct columns {
    const struct l2r_committee *committee;
    char delimiter;
    const char *prefix; /* of every name; "" unless the table has such columns already */
};

/* "p", "p_3", "p_NR-AR": by class, by the task's name or by its number. */
static void name_column(char *out, size_t size, const struct columns *columns, int32_t k, const char *suffix)
{
    const struct l2r_committee *c = columns->committee;
    const char *name = c->task == L2R_TASK_REGRESSION ? "value" : c->logits ? "logit" : "p";
    const char *task = c->task != L2R_TASK_MULTICLASS ? l2r_predictor_task_name(c->models[0], k) : NULL;
    if (c->n_outputs == 1)
        snprintf(out, size, "%s%s%s", columns->prefix, name, suffix);
    else if (task != NULL)
        snprintf(out, size, "%s%s_%s%s", columns->prefix, name, task, suffix);
    else
        snprintf(out, size, "%s%s_%lld%s", columns->prefix, name,
                 (long long)(c->task == L2R_TASK_MULTICLASS ? l2r_predictor_class(c->models[0], k) : k), suffix);
}

static void names(FILE *out, const struct columns *columns, const char *suffix)
{
    char name[512];
    for (int32_t k = 0; k < columns->committee->n_outputs; k++) {
        name_column(name, sizeof name, columns, k, suffix);
        l2r_csv_write_text(out, columns->delimiter, name);
    }
}

static void write_output_names(FILE *out, const struct columns *columns)
{
    if (columns->committee->task == L2R_TASK_MULTICLASS) fprintf(out, "%c%sclass", columns->delimiter, columns->prefix);
    names(out, columns, "");
    if (columns->committee->n_models > 1) names(out, columns, "_sd");
    if (columns->committee->half != NULL) names(out, columns, "_low");
    if (columns->committee->half != NULL) names(out, columns, "_high");
}

static void write_domain_names(FILE *out, const struct columns *columns)
{
    if (columns->committee->has_domain)
        fprintf(out, "%c%sdistance%c%sapplicability", columns->delimiter, columns->prefix, columns->delimiter,
                columns->prefix);
}

static void empty(FILE *out, const struct columns *columns, int32_t n)
{
    for (int32_t k = 0; k < n; k++) fputc(columns->delimiter, out);
}

/* Empty fields where validation graphs were too few for an interval of this coverage. */
static void write_interval(FILE *out, const struct columns *columns, const float *row)
{
    const struct l2r_committee *c = columns->committee;
    for (int side = -1; side <= 1; side += 2)
        for (int32_t k = 0; k < c->n_outputs; k++) {
            if (isfinite(c->half[k]))
                l2r_csv_write_float(out, columns->delimiter, (float)((double)row[k] + side * c->half[k]));
            else
                fputc(columns->delimiter, out);
        }
}

static void write_output(FILE *out, const struct columns *columns, const struct l2r_answers *answers, int64_t i)
{
    const struct l2r_committee *c = columns->committee;
    bool classes = c->task == L2R_TASK_MULTICLASS, many = c->n_models > 1;
    int32_t n = c->n_outputs;
    if (answers == NULL) {
        empty(out, columns, n * (1 + (many ? 1 : 0) + (c->half != NULL ? 2 : 0)) + (classes ? 1 : 0));
        return;
    }
    const float *row = answers->output + i * n;
    if (classes)
        fprintf(out, "%c%lld", columns->delimiter,
                (long long)l2r_predictor_class(c->models[0], l2r_committee_class(c, row)));
    for (int32_t k = 0; k < n; k++) l2r_csv_write_float(out, columns->delimiter, row[k]);
    for (int32_t k = 0; many && k < n; k++) l2r_csv_write_float(out, columns->delimiter, answers->spread[i * n + k]);
    if (c->half != NULL) write_interval(out, columns, row);
}

static void write_domain(FILE *out, const struct columns *columns, const struct l2r_answers *answers, int64_t i)
{
    if (!columns->committee->has_domain) return;
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
    const char *name = data->task_names;
    fprintf(out, "graph");
    write_output_names(out, columns);
    for (int32_t t = 0; t < data->n_tasks; t++) {
        char label[512];
        if (data->n_tasks == 1)
            snprintf(label, sizeof label, "label");
        else if (name != NULL)
            snprintf(label, sizeof label, "label_%s", name);
        else
            snprintf(label, sizeof label, "label_%d", t);
        l2r_csv_write_text(out, ',', label);
        if (name != NULL) name += strlen(name) + 1;
    }
    write_domain_names(out, columns);
    fprintf(out, ",problem\n");
}

/* Is everything that the committee says of graph i a finite number? */
static bool has_answer(const struct l2r_answers *answers, const struct l2r_committee *c, int64_t i)
{
    int64_t n = c->n_outputs;
    return l2r_all_finite(answers->output + i * n, n) &&
           (c->n_models < 2 || l2r_all_finite(answers->spread + i * n, n)) &&
           (!c->has_domain || l2r_all_finite(answers->distance + i, 1));
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
        bool good = has_answer(answers, columns->committee, i);
        *problems += !good;
        fprintf(out, "%d", (int)selection->graphs[i]);
        write_output(out, columns, good ? answers : NULL, i);
        for (int32_t t = 0; t < selection->data->n_tasks; t++)
            cli_csv_label(out, selection->data, selection->graphs[i], t);
        write_domain(out, columns, good ? answers : NULL, i);
        l2r_csv_write_text(out, ',', good ? "" : l2r_not_finite);
        fputc('\n', out);
    }
done:
    return path != NULL ? l2r_atomic_close(&file, status, error) : status;
}

static enum l2r_status predict_graphs(struct l2r_committee *committee, const struct cli_call *call, const char *path,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cli_selection selection = {0};
    struct l2r_answers answers = {0};
    int64_t problems = 0;
    L2R_TRY(cli_selection_load(&selection, committee->models[0], call, "all", false, error));
    L2R_TRY(l2r_answers_new(&answers, committee, selection.n, error));
    L2R_TRY(l2r_committee_ask(&answers, committee, selection.data, selection.graphs, selection.n, error));
    if (!l2r_comm_leads(call->comm)) goto done;
    L2R_TRY(write_csv(&problems, path, &(struct columns){committee, ',', ""}, &selection, &answers, error));
    if (path != NULL) fprintf(stderr, "%lld predictions in %s\n", (long long)(selection.n - problems), path);
    if (problems > 0)
        fprintf(stderr, "l2r: %lld of %lld graphs have no prediction: %s\n", (long long)problems,
                (long long)selection.n, l2r_not_finite);
done:
    l2r_answers_clear(&answers);
    cli_selection_clear(&selection);
    return status;
}

/* ---- a table of molecules, passed through ---- */

struct predict {
    struct l2r_committee *committee;
    struct l2r_answers answers; /* room for a chunk */
};

static void answer_names(FILE *out, const void *context, char delimiter, const char *prefix)
{
    const struct predict *p = context;
    struct columns columns = {p->committee, delimiter, prefix};
    write_output_names(out, &columns);
    write_domain_names(out, &columns);
    fprintf(out, "%c%sproblem", delimiter, prefix);
}

static enum l2r_status predict_begin(void *context, FILE *out, const struct l2r_molecule_table *table,
                                     const char *header, size_t length, struct l2r_error *error)
{
    struct predict *p = context;
    cli_csv_header(out, table, header, length, answer_names, p);
    return l2r_answers_new(&p->answers, p->committee, L2R_CHUNK_ROWS, error);
}

static enum l2r_status predict_ask(void *context, const struct l2r_table_chunk *chunk, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct predict *p = context;
    if (chunk->n_graphs > 0)
        L2R_TRY(l2r_committee_ask(&p->answers, p->committee, chunk->data, chunk->graphs, chunk->n_graphs, error));
    for (int64_t i = 0; i < chunk->n; i++) {
        struct l2r_table_row *row = &chunk->rows[i];
        if (row->graph < 0 || has_answer(&p->answers, p->committee, row->graph)) continue;
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
    struct columns columns = {p->committee, table->delimiter, ""};
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

static enum l2r_status predict_table(struct l2r_committee *committee, const struct cli_call *call, const char *where,
                                     const char *out, struct l2r_error *error)
{
    struct predict p = {.committee = committee};
    committee->comm = NULL; /* ranks divide the chunks */
    for (int k = 0; k < committee->n_models; k++) l2r_predictor_limit_batch(committee->models[k], BATCH);
    struct cli_screening screening = {.where = where,
                                      .out = out,
                                      .what = "predicted",
                                      .context = &p,
                                      .begin = predict_begin,
                                      .ask = predict_ask,
                                      .write = predict_write};
    enum l2r_status status = cli_screen(&screening, call, l2r_predictor_config(committee->models[0]), error);
    l2r_answers_clear(&p.answers);
    return status;
}

/* ---- the command ---- */

/* The domains of the models. That one cannot be had is an error only if the user asked. */
static enum l2r_status find_domains(struct l2r_committee *committee, const struct l2r_config *options_given,
                                    struct l2r_error *error)
{
    struct l2r_error reason = {0};
    if (!l2r_config_flag(options_given, "applicability")) return L2R_OK;
    bool leads = l2r_comm_leads(committee->comm);
    if (!leads) l2r_comm_barrier(committee->comm); /* the first rank may have to make and keep them */
    enum l2r_status status = l2r_committee_find_domains(committee, &reason);
    if (leads) l2r_comm_barrier(committee->comm);
    if (status == L2R_OK || status == L2R_ERR_MEMORY) return status;
    if (l2r_config_was_set(options_given, "applicability"))
        return l2r_fail(error, status, "--applicability: %s", reason.message);
    fprintf(stderr, "l2r: no distance and applicability columns: %s\n", reason.message);
    return L2R_OK;
}

/* Intervals of a regression. That there are none is an error only if the user asked. */
static enum l2r_status find_intervals(struct l2r_committee *committee, const struct l2r_config *options_given,
                                      struct l2r_error *error)
{
    struct l2r_error reason = {0};
    bool asked = l2r_config_was_set(options_given, "coverage");
    if (committee->task != L2R_TASK_REGRESSION && !asked) return L2R_OK;
    double coverage = l2r_config_real(options_given, "coverage");
    if (coverage == 0) coverage = NAN;
    enum l2r_status status = l2r_committee_find_intervals(committee, coverage, &reason);
    if (status != L2R_OK && (asked || status == L2R_ERR_MEMORY))
        return l2r_fail(error, status, "--coverage: %s", reason.message);
    for (int32_t k = 0; committee->half != NULL && k < committee->n_outputs; k++)
        if (!isfinite(committee->half[k]) && l2r_comm_leads(committee->comm)) {
            fputs("l2r: too few validation graphs for intervals of this coverage: their fields stay empty\n", stderr);
            break;
        }
    return L2R_OK;
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cli_models models = {0};
    struct l2r_committee committee = {0};
    const char *path = l2r_config_text(call->options, "out");
    L2R_TRY(cli_models_given(&models, call, l2r_config_flag(call->options, "ensemble"), error));
    L2R_TRY(l2r_committee_new(&committee, (const char *const *)models.paths, models.n, error));
    committee.comm = call->comm;
    committee.logits = l2r_config_flag(call->options, "logits");
    L2R_TRY(find_domains(&committee, call->options, error));
    L2R_TRY(find_intervals(&committee, call->options, error));
    const char *table = cli_selection_table(committee.models[0], call);
    L2R_TRY(table != NULL ? predict_table(&committee, call, table, path, error)
                          : predict_graphs(&committee, call, path, error));
done:
    l2r_committee_clear(&committee);
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
