/* SPDX-License-Identifier: MIT
 * See table_answers.h. */
#include "cli/table_answers.h"

#include "base/memory.h"
#include "cli/answer_columns.h"
#include "cli/screening.h"
#include "cli/table_rows.h"
#include "io/csv.h"
#include "io/npy.h"

#include <math.h>

/* Molecules that a model sees at a time: half the memory of its usual batches for the same speed. */
enum { BATCH = 192 };

/* ---- predict ---- */

struct predict {
    struct l2r_committee *committee;
    struct l2r_answers answers; /* room for a chunk */
};

static void answer_names(FILE *out, const void *context, char delimiter, const char *prefix)
{
    const struct predict *p = context;
    struct cli_columns columns = {p->committee, delimiter, prefix};
    cli_columns_output_names(out, &columns);
    cli_columns_domain_names(out, &columns);
    fprintf(out, "%c%sproblem", delimiter, prefix);
}

/* The header with our names behind it; a table without one gets none. */
static void write_header(FILE *out, const struct l2r_molecule_table *table, const char *header, size_t length,
                         cli_names_fn *names, const void *context)
{
    char prefix[CLI_PREFIX];
    if (header == NULL) return;
    cli_table_prefix(prefix, table, names, context);
    cli_table_row(out, table, header, length);
    names(out, context, table->delimiter, prefix);
    fputc('\n', out);
}

static enum l2r_status predict_begin(void *context, FILE *out, const struct l2r_molecule_table *table,
                                     const char *header, size_t length, struct l2r_error *error)
{
    struct predict *p = context;
    write_header(out, table, header, length, answer_names, p);
    return l2r_answers_new(&p->answers, p->committee, L2R_CHUNK_ROWS, error);
}

static enum l2r_status predict_chunk(void *context, FILE *out, const struct l2r_molecule_table *table,
                                     const struct l2r_table_chunk *chunk, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct predict *p = context;
    struct cli_columns columns = {p->committee, table->delimiter, ""};
    if (chunk->n_graphs > 0)
        L2R_TRY(l2r_committee_ask(&p->answers, p->committee, chunk->data, chunk->graphs, chunk->n_graphs, error));
    for (int64_t i = 0; i < chunk->n; i++) {
        const struct l2r_table_row *row = &chunk->rows[i];
        const struct l2r_answers *answers = row->graph >= 0 ? &p->answers : NULL;
        cli_table_row(out, table, row->raw, row->raw_length);
        cli_columns_output(out, &columns, answers, row->graph);
        cli_columns_domain(out, &columns, answers, row->graph);
        l2r_csv_write_text(out, table->delimiter, row->problem != NULL ? row->problem : "");
        fputc('\n', out);
    }
done:
    return status;
}

enum l2r_status cli_predict_table(struct l2r_committee *committee, const struct cli_call *call, const char *where,
                                  const char *out, struct l2r_error *error)
{
    struct predict p = {.committee = committee};
    committee->comm = NULL; /* ranks divide the chunks */
    for (int k = 0; k < committee->n_models; k++) l2r_predictor_limit_batch(committee->models[k], BATCH);
    struct cli_screening screening = {
        .where = where, .out = out, .what = "predicted", .context = &p, .begin = predict_begin, .chunk = predict_chunk};
    enum l2r_status status = cli_screen(&screening, call, l2r_predictor_config(committee->models[0]), error);
    l2r_answers_clear(&p.answers);
    return status;
}

/* ---- fingerprint ---- */

struct fingerprint {
    struct l2r_predictor *predictor;
    int32_t d;
    bool npy;
    float *z;    /* [L2R_CHUNK_ROWS × d] */
    float *none; /* [d]: NaN */
};

static void z_names(FILE *out, const void *context, char delimiter, const char *prefix)
{
    const struct fingerprint *f = context;
    for (int32_t k = 0; k < f->d; k++) fprintf(out, "%c%sz_%d", delimiter, prefix, k);
    fprintf(out, "%c%sproblem", delimiter, prefix);
}

static enum l2r_status fingerprint_begin(void *context, FILE *out, const struct l2r_molecule_table *table,
                                         const char *header, size_t length, struct l2r_error *error)
{
    struct fingerprint *f = context;
    (void)error;
    if (f->npy)
        (void)l2r_npy_header(out, 0, f->d); /* a failed write shows in the stream */
    else
        write_header(out, table, header, length, z_names, f);
    return L2R_OK;
}

static enum l2r_status fingerprint_chunk(void *context, FILE *out, const struct l2r_molecule_table *table,
                                         const struct l2r_table_chunk *chunk, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct fingerprint *f = context;
    if (chunk->n_graphs > 0)
        L2R_TRY(l2r_predictor_represent(NULL, f->z, f->predictor, chunk->data, chunk->graphs, chunk->n_graphs, error));
    for (int64_t i = 0; i < chunk->n; i++) {
        const struct l2r_table_row *row = &chunk->rows[i];
        const float *z = row->graph >= 0 ? f->z + (int64_t)row->graph * f->d : f->none;
        if (f->npy) {
            fwrite(z, sizeof *z, (size_t)f->d, out);
            continue;
        }
        cli_table_row(out, table, row->raw, row->raw_length);
        for (int32_t k = 0; k < f->d; k++) {
            if (row->graph >= 0)
                l2r_csv_write_float(out, table->delimiter, z[k]);
            else
                fputc(table->delimiter, out);
        }
        l2r_csv_write_text(out, table->delimiter, row->problem != NULL ? row->problem : "");
        fputc('\n', out);
    }
done:
    return status;
}

static bool fingerprint_end(void *context, FILE *out, int64_t rows)
{
    const struct fingerprint *f = context;
    return !f->npy || l2r_npy_finish(out, rows, f->d);
}

enum l2r_status cli_fingerprint_table(struct l2r_predictor *predictor, const struct cli_call *call, const char *where,
                                      const char *out, bool npy, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t d = l2r_predictor_width(predictor);
    l2r_predictor_limit_batch(predictor, BATCH);
    struct fingerprint f = {.predictor = predictor,
                            .d = d,
                            .npy = npy,
                            .z = l2r_alloc_raw((size_t)L2R_CHUNK_ROWS * (size_t)d, sizeof(float)),
                            .none = l2r_alloc_raw((size_t)d, sizeof(float))};
    if (f.z == NULL || f.none == NULL) {
        status = l2r_fail_memory(error, (size_t)L2R_CHUNK_ROWS * (size_t)d * sizeof(float), "representations");
        goto done;
    }
    for (int32_t k = 0; k < d; k++) f.none[k] = NAN;
    struct cli_screening screening = {.where = where,
                                      .out = out,
                                      .what = "with a representation",
                                      .context = &f,
                                      .begin = fingerprint_begin,
                                      .chunk = fingerprint_chunk,
                                      .end = fingerprint_end};
    status = cli_screen(&screening, call, l2r_predictor_config(predictor), error);
done:
    l2r_free(f.z);
    l2r_free(f.none);
    return status;
}
