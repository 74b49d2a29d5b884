/* SPDX-License-Identifier: MIT
 *
 * l2r predict: one CSV row a graph.
 *
 *     graph, what the model says (answer_columns.h), label, distance, applicability
 *
 * A table of molecules is not loaded but passed through, answers behind its own columns (table_answers.h), unless a
 * part of it is asked for. `graph` counts from 0 in the order of the data, as in split.json. A label that is missing is
 * an empty field. Several tasks have label_0, label_1, …
 */
#include "base/memory.h"
#include "cli/answer_columns.h"
#include "cli/command.h"
#include "cli/models_given.h"
#include "cli/selection.h"
#include "cli/table_answers.h"
#include "comm/comm.h"
#include "data/options.h"
#include "io/csv.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

static const struct l2r_option options[] = {
    {.name = "out",
     .kind = L2R_OPTION_TEXT,
     .value = "FILE.csv",
     .group = "Output",
     .help = "write here instead of standard output"},
    {.name = "logits", .kind = L2R_OPTION_FLAG, .help = "plain outputs instead of probabilities"},
    {.name = "ensemble", .kind = L2R_OPTION_FLAG, .help = "mean and standard deviation over several models"},
    {.name = "applicability",
     .kind = L2R_OPTION_FLAG,
     .fallback = "true",
     .help = "say how far a graph lies from those that the model was trained on"},
    {0}};

/* The data's own names of its labels need not be those of the model's tasks: the data may be another. */
static void write_head(FILE *out, const struct cli_columns *columns, const struct l2r_dataset *data)
{
    const char *name = data->task_names;
    fprintf(out, "graph");
    cli_columns_output_names(out, columns);
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
    cli_columns_domain_names(out, columns);
    fputc('\n', out);
}

static enum l2r_status write_csv(const char *path, const struct cli_columns *columns,
                                 const struct cli_selection *selection, const struct l2r_answers *answers,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_atomic file = {0};
    if (path != NULL) L2R_TRY(l2r_atomic_open(&file, path, error));
    FILE *out = path != NULL ? file.stream : stdout;
    write_head(out, columns, selection->data);
    for (int64_t i = 0; i < selection->n; i++) {
        fprintf(out, "%d", (int)selection->graphs[i]);
        cli_columns_output(out, columns, answers, i);
        for (int32_t t = 0; t < selection->data->n_tasks; t++)
            cli_label_field(out, selection->data, selection->graphs[i], t);
        cli_columns_domain(out, columns, answers, i);
        fputc('\n', out);
    }
done:
    return path != NULL ? l2r_atomic_close(&file, status, error) : status;
}

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

/* A data set, loaded whole. */
static enum l2r_status predict_graphs(struct l2r_committee *committee, const struct cli_call *call, const char *path,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cli_selection selection = {0};
    struct l2r_answers answers = {0};
    L2R_TRY(cli_selection_load(&selection, committee->models[0], call, "all", false, error));
    L2R_TRY(l2r_answers_new(&answers, committee, selection.n, error));
    L2R_TRY(l2r_committee_ask(&answers, committee, selection.data, selection.graphs, selection.n, error));
    if (!l2r_comm_leads(call->comm)) goto done;
    L2R_TRY(write_csv(path, &(struct cli_columns){committee, ',', ""}, &selection, &answers, error));
    if (path != NULL) fprintf(stderr, "%lld predictions in %s\n", (long long)selection.n, path);
done:
    l2r_answers_clear(&answers);
    cli_selection_clear(&selection);
    return status;
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
    const char *table = cli_selection_table(committee.models[0], call);
    L2R_TRY(table != NULL ? cli_predict_table(&committee, call, table, path, error)
                          : predict_graphs(&committee, call, path, error));
done:
    l2r_committee_clear(&committee);
    cli_models_clear(&models);
    return status;
}

const struct l2r_command l2r_command_predict = {
    .name = "predict",
    .summary = "predict graphs with trained models, as CSV",
    .usage = "RUN [RUN …] [--data WHERE] [--part train|valid|test|all] [--out FILE.csv] [OPTIONS]",
    .about =
        "RUN is the folder of a run (its best checkpoint is used) or a .safetensors file; with --ensemble several of "
        "them, or a folder of l2r train --seeds. Columns: graph (from 0), then class and one probability p_CLASS per "
        "class, or p per task, or value per task; with --ensemble these are means, followed by their standard "
        "deviations _sd over the models; then the label where the data has one; then distance, from the "
        "nearest training graphs in the model's representation (1 is usual among these), and applicability, the share "
        "of validation graphs that lie at least as far out: near 0 the model is asked about something it was never "
        "checked on. A table of molecules (.csv, .tsv and so on) is passed through in constant memory: every row stays "
        "in its place with all its columns, followed by the answers and a column `problem`, which says why a row has "
        "none.",
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
