/* SPDX-License-Identifier: MIT
 * See predict_table.h. */
#include "cli/predict_table.h"

#include "answers/csv_rows.h"
#include "base/memory.h"
#include "cli/screening.h"
#include "comm/comm.h"
#include "io/csv.h"
#include "model/ensemble.h"

#include <stdlib.h>
#include <string.h>

static int by_line(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Molecules that a model sees at a time: half the memory of its usual batches for the same speed. */
enum { BATCH = 192 };

struct predict {
    const struct l2r_question *question;
    const struct cli_selection *part; /* of the table that is wanted; NULL: all of it */
    int64_t *lines;                   /* [part->n]: where its molecules begin */
    struct l2r_answers answers;       /* room for a chunk */
    struct l2r_csv_fields fields;     /* room for a row */
    char prefix[L2R_CSV_PREFIX];      /* of the keys of JSON */
};

static void answer_names(FILE *out, const void *context, char delimiter, const char *prefix)
{
    const struct predict *p = context;
    struct l2r_columns columns = {p->question, delimiter, prefix};
    l2r_columns_output_names(out, &columns);
    l2r_columns_domain_names(out, &columns);
    fprintf(out, "%c%sproblem", delimiter, prefix);
}

/* A table without a header gets none, so that its rows stay unchanged: the new columns are printed to stderr. */
static void report_columns(const struct l2r_molecule_table *table, const struct predict *p)
{
    fputs("no header; columns: ", stderr);
    for (int32_t k = 0; k < table->n_columns; k++)
        fprintf(stderr, "%s%s", k > 0 ? "," : "", k == table->smiles ? "smiles" : table->names[k]);
    if (table->named) fputs(",name", stderr);
    answer_names(stderr, p, ',', "");
    fputc('\n', stderr);
}

static enum l2r_status predict_begin(void *context, FILE *out, const struct l2r_molecule_table *table,
                                     const char *header, size_t length, struct l2r_error *error)
{
    struct predict *p = context;
    if (p->question->json)
        l2r_csv_prefix(p->prefix, table, answer_names, p);
    else
        l2r_csv_header(out, table, header, length, answer_names, p);
    if (!p->question->json && header == NULL && l2r_comm_leads(p->question->comm)) report_columns(table, p);
    enum l2r_status status = l2r_answers_make(&p->answers, p->question, L2R_CHUNK_ROWS, error);
    p->answers.batch_size = BATCH;
    p->answers.comm = NULL; /* ranks divide the chunks */
    return status;
}

/* Which models may predict the molecules of a chunk: [chunk->n_graphs × models]; NULL: all. The caller frees it. */
static enum l2r_status uses_of(uint8_t **uses, const struct predict *p, const struct l2r_table_chunk *chunk,
                               struct l2r_error *error)
{
    size_t models = (size_t)l2r_ensemble_n_models(p->question->ensemble);
    *uses = NULL;
    if (p->part == NULL || p->part->uses == NULL) return L2R_OK;
    *uses = l2r_alloc((size_t)chunk->n_graphs * models, 1);
    if (*uses == NULL) return l2r_fail_memory(error, (size_t)chunk->n_graphs * models, "the models of each row");
    for (int64_t i = 0; i < chunk->n; i++) {
        const int64_t *line = bsearch(&chunk->rows[i].line, p->lines, (size_t)p->part->n, sizeof *line, by_line);
        if (line != NULL)
            memcpy(*uses + (size_t)i * models, p->part->uses + (size_t)(line - p->lines) * models, models);
    }
    return L2R_OK;
}

static enum l2r_status predict_chunk(void *context, const struct l2r_table_chunk *chunk, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct predict *p = context;
    uint8_t *uses = NULL;
    L2R_TRY(uses_of(&uses, p, chunk, error));
    if (chunk->n_graphs > 0)
        L2R_TRY(l2r_ensemble_answer_by(&p->answers, p->question->ensemble, chunk->data, chunk->graphs, uses,
                                       chunk->n_graphs, error));
    for (int64_t i = 0; i < chunk->n; i++) {
        struct l2r_table_row *row = &chunk->rows[i];
        if (row->graph < 0 || l2r_answers_are_finite(&p->answers, p->question, row->graph)) continue;
        row->graph = -1;
        row->problem = l2r_not_finite;
    }
done:
    l2r_free(uses);
    return status;
}

static void predict_write(void *context, FILE *out, const struct l2r_molecule_table *table,
                          const struct l2r_table_chunk *chunk)
{
    struct predict *p = context;
    struct l2r_columns columns = {p->question, table->delimiter, ""};
    for (int64_t i = 0; i < chunk->n; i++) {
        const struct l2r_table_row *row = &chunk->rows[i];
        const struct l2r_answers *answers = row->graph >= 0 ? &p->answers : NULL;
        if (p->question->json) {
            json_t *object = l2r_json_row(&p->fields, table, row->raw, row->raw_length);
            columns.prefix = p->prefix;
            l2r_columns_json(object, &columns, answers, row->graph, row->problem);
            l2r_json_line(out, object);
            continue;
        }
        l2r_csv_row(out, table, row->raw, row->raw_length);
        l2r_columns_output(out, &columns, answers, row->graph);
        l2r_columns_domain(out, &columns, answers, row->graph);
        l2r_csv_write_text(out, table->delimiter, row->problem != NULL ? row->problem : "");
        fputc('\n', out);
    }
}

enum l2r_status cli_predict_table(const struct l2r_question *question, const struct cli_call *call, const char *where,
                                  const struct l2r_source *source, const struct cli_selection *part,
                                  struct l2r_error *error)
{
    struct predict p = {.question = question, .part = part};
    if (part != NULL) p.lines = l2r_alloc((size_t)part->n, sizeof *p.lines);
    if (part != NULL && p.lines == NULL)
        return l2r_fail_memory(error, (size_t)part->n * sizeof *p.lines, "the rows of a part");
    for (int64_t i = 0; part != NULL && i < part->n; i++)
        p.lines[i] = l2r_dataset_source_row(part->data, part->graphs[i]);
    struct cli_screening screening = {.where = where,
                                      .source = source,
                                      .out = l2r_config_text(call->options, "out"),
                                      .what = "predicted",
                                      .own = part != NULL && part->own,
                                      .quiet = l2r_config_flag(call->options, "quiet"),
                                      .lines = p.lines,
                                      .n_lines = part != NULL ? part->n : 0,
                                      .context = &p,
                                      .begin = predict_begin,
                                      .handle = predict_chunk,
                                      .write = predict_write};
    enum l2r_status status = cli_screen(&screening, call, question->model, error);
    l2r_free(p.lines);
    l2r_answers_clear(&p.answers);
    l2r_csv_fields_clear(&p.fields);
    return status;
}
