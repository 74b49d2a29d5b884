/* SPDX-License-Identifier: MIT
 * See together.h. */
#include "cli/together.h"

#include "answers/answers.h"
#include "answers/csv_rows.h"
#include "base/memory.h"
#include "cli/screening.h"
#include "comm/comm.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/source.h"
#include "model/ensemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32, BATCH = 192 /* molecules that a model sees at a time */ };

struct together {
    int n;
    struct l2r_question question[MOST]; /* [n] */
    struct l2r_answers answers[MOST];   /* [n]: room for a chunk */
    char name[MOST][128];               /* what the columns of a model begin with, where its tasks have no names */
    struct l2r_csv_fields fields;       /* room for a row */
    char prefix[L2R_CSV_PREFIX];        /* of the keys of JSON */
};

static void column_names(FILE *out, const void *context, char delimiter, const char *prefix)
{
    const struct together *t = context;
    for (int k = 0; k < t->n; k++) {
        const struct l2r_columns columns = {&t->question[k], delimiter, prefix};
        l2r_columns_output_names(out, &columns);
    }
    fprintf(out, "%c%sproblem", delimiter, prefix);
}

static enum l2r_status begin(void *context, FILE *out, const struct l2r_molecule_table *table, const char *header,
                             size_t length, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct together *t = context;
    if (t->question->json)
        l2r_csv_prefix(t->prefix, table, column_names, t);
    else
        l2r_csv_header(out, table, header, length, column_names, t);
    for (int k = 0; k < t->n; k++) {
        L2R_TRY(l2r_answers_make(&t->answers[k], &t->question[k], L2R_CHUNK_ROWS, error));
        t->answers[k].batch_size = BATCH;
        t->answers[k].comm = NULL; /* ranks divide the chunks */
    }
done:
    return status;
}

static bool are_finite(const struct together *t, int64_t graph)
{
    for (int k = 0; k < t->n; k++)
        if (!l2r_answers_are_finite(&t->answers[k], &t->question[k], graph)) return false;
    return true;
}

static enum l2r_status handle(void *context, const struct l2r_table_chunk *chunk, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct together *t = context;
    for (int k = 0; k < t->n && chunk->n_graphs > 0; k++)
        L2R_TRY(
            l2r_ensemble_predict(&t->answers[k], t->question[k].ensemble, chunk->data, NULL, chunk->n_graphs, error));
    for (int64_t i = 0; i < chunk->n; i++) {
        struct l2r_table_row *row = &chunk->rows[i];
        if (row->graph < 0 || are_finite(t, row->graph)) continue;
        row->graph = -1;
        row->problem = l2r_not_finite;
    }
done:
    return status;
}

static void write_json(struct together *t, FILE *out, const struct l2r_molecule_table *table,
                       const struct l2r_table_row *row)
{
    json_t *object = l2r_json_row(&t->fields, table, row->raw, row->raw_length);
    for (int k = 0; k < t->n; k++) {
        const struct l2r_columns columns = {&t->question[k], table->delimiter, t->prefix};
        l2r_columns_json(object, &columns, row->graph >= 0 ? &t->answers[k] : NULL, row->graph, row->problem);
    }
    l2r_json_line(out, object);
}

static void write_rows(void *context, FILE *out, const struct l2r_molecule_table *table,
                       const struct l2r_table_chunk *chunk)
{
    struct together *t = context;
    for (int64_t i = 0; i < chunk->n; i++) {
        const struct l2r_table_row *row = &chunk->rows[i];
        if (t->question->json) {
            write_json(t, out, table, row);
            continue;
        }
        l2r_csv_row(out, table, row->raw, row->raw_length);
        for (int k = 0; k < t->n; k++) {
            const struct l2r_columns columns = {&t->question[k], table->delimiter, ""};
            l2r_columns_output(out, &columns, row->graph >= 0 ? &t->answers[k] : NULL, row->graph);
        }
        l2r_csv_write_text(out, table->delimiter, row->problem != NULL ? row->problem : "");
        fputc('\n', out);
    }
}

/* SMILES that were typed, as a table with the one column smiles. The caller frees *text, which the source reads. */
static enum l2r_status typed_source(struct l2r_source **source, char **text, char *const *smiles, int n,
                                    struct l2r_error *error)
{
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    if (out == NULL) return l2r_fail_memory(error, 0, "the SMILES that were typed");
    fputs("smiles\n", out);
    for (int i = 0; i < n; i++) {
        l2r_csv_write_first(out, ',', smiles[i]);
        fputc('\n', out);
    }
    if (fclose(out) != 0) return l2r_fail_memory(error, 0, "the SMILES that were typed");
    const struct l2r_memory_file file = {"smiles.csv", *text, size};
    return l2r_source_from_memory(source, "the command line", &file, 1, error);
}

/* Do the tasks of all models have names? Classes always have numbers. */
static bool have_names(const struct together *t)
{
    for (int i = 0; i < t->n; i++)
        for (int32_t k = 0; k < t->question[i].n_outputs; k++)
            if (t->question[i].task == L2R_TASK_MULTICLASS || l2r_predictor_task_name(t->question[i].model, k) == NULL)
                return false;
    return true;
}

static enum l2r_status open_models(struct together *t, const struct cli_models *models, const struct cli_call *call,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (; t->n < models->n; t->n++) {
        struct l2r_question *q = &t->question[t->n];
        *q = (struct l2r_question){.comm = call->comm,
                                   .logits = l2r_config_flag(call->options, "logits"),
                                   .json = l2r_config_flag(call->options, "json")};
        L2R_TRY(l2r_ensemble_open(&q->ensemble, (const char *const *)&models->paths[t->n], 1, error));
        q->model = l2r_ensemble_model(q->ensemble, 0);
        q->task = l2r_predictor_task(q->model);
        q->n_outputs = l2r_predictor_n_outputs(q->model);
        q->many = q->ensemble->n_members > 1;
        l2r_path_base(t->name[t->n], sizeof t->name[t->n], models->paths[t->n]);
        strcpy(t->name[t->n] + strnlen(t->name[t->n], sizeof t->name[t->n] - 2), "_");
    }
    bool named = have_names(t);
    for (int k = 0; k < t->n; k++) t->question[k].together = named ? "" : t->name[k];
done:
    return status;
}

enum l2r_status cli_predict_together(const struct cli_models *models, const struct cli_call *call, bool input,
                                     char *const *smiles, int n_smiles, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct together *t = l2r_alloc(1, sizeof *t);
    struct l2r_source *source = NULL;
    char *text = NULL;
    const char *folder = call->arguments[0], *data = l2r_config_text(call->options, "data");
    bool table = data != NULL && l2r_source_is_table(data) && !l2r_path_is_dir(data);
    if (t == NULL) return l2r_fail_memory(error, sizeof *t, "models");
    if (models->n > MOST)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s holds %d models; at most %d predict together", folder, models->n, (int)MOST);
    if ((!table && !input && n_smiles == 0) || l2r_config_text(call->options, "part") != NULL)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "%s holds %d models, which together predict whole tables of molecules (--data, SMILES or -); name one "
                 "of them for anything else",
                 folder, models->n);
    L2R_TRY(open_models(t, models, call, error));
    if (n_smiles > 0) L2R_TRY(typed_source(&source, &text, smiles, n_smiles, error));
    struct cli_screening screening = {.where = n_smiles > 0 ? "the command line"
                                               : input      ? "-"
                                                            : data,
                                      .source = source,
                                      .out = l2r_config_text(call->options, "out"),
                                      .what = "predicted",
                                      .context = t,
                                      .begin = begin,
                                      .handle = handle,
                                      .write = write_rows};
    L2R_TRY(cli_screen(&screening, call, t->question->model, error));
done:
    for (int k = 0; k < MOST; k++) l2r_answers_clear(&t->answers[k]);
    for (int k = 0; k < MOST; k++) l2r_ensemble_free(t->question[k].ensemble);
    l2r_csv_fields_clear(&t->fields);
    l2r_free(t);
    l2r_source_free(source);
    free(text);
    return status;
}
