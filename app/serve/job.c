/* SPDX-License-Identifier: MIT
 * See job.h. */
#include "serve/job.h"

#include "base/clock.h"
#include "base/memory.h"
#include "serve/reply.h"

#include <stdlib.h>
#include <string.h>

void l2r_job_free(struct l2r_job *job)
{
    l2r_row_writer_clear(&job->writer);
    if (job->chunk.rows) l2r_molecule_chunk_clear(&job->chunk);
    l2r_request_molecules_clear(&job->molecules);
    l2r_free(job->models);
    l2r_free(job->smiles_column);
    l2r_free(job->delimiter);
    free(job->text);
    l2r_free(job);
}

void l2r_job_refuse(struct l2r_job *job, struct l2r_counters *counters, int code, const char *sentence)
{
    if (job->begun)
        l2r_exchange_end(job->exchange, false);
    else
        l2r_reply_error(job->exchange, counters, code, "%s", sentence);
}

/* ---- from a body to rows ---- */

/* Names with commas between them; all models that read molecules where there are none. */
static enum l2r_status choose_models(struct l2r_job *job, struct l2r_shelf *shelf, const char *names,
                                     struct l2r_error *error)
{
    struct l2r_row_writer *w = &job->writer;
    char shown[60];
    for (int k = 0; !names && k < shelf->n; k++) {
        w->models[w->n] = l2r_shelf_take(shelf, k);
        if (w->models[w->n]->molecules)
            w->n++;
        else
            l2r_shelf_put(w->models[w->n]);
    }
    for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t length = strcspn(at, ",");
        int k = l2r_shelf_find(shelf, at, length);
        snprintf(shown, sizeof shown, "%.*s", (int)(length < 50 ? length : 50), at);
        if (k < 0)
            return l2r_fail(error, L2R_ERR_ARGUMENT, "there is no model \"%s\"; /api/models lists those that are there",
                            shown);
        for (int i = 0; i < w->n; i++)
            if (w->models[i]->name == shelf->names[k])
                return l2r_fail(error, L2R_ERR_ARGUMENT, "model \"%s\" is named twice", shown);
        w->models[w->n++] = l2r_shelf_take(shelf, k);
    }
    return L2R_OK;
}

/* Molecules are made once for all models of a request, so these must want them alike. */
static enum l2r_status check_models(const struct l2r_job *job, struct l2r_error *error)
{
    const struct l2r_row_writer *w = &job->writer;
    const struct l2r_served_model *first = w->models[0];
    if (w->n == 0) return l2r_fail(error, L2R_ERR_ARGUMENT, "this server has no model for molecules");
    for (int k = 0; k < w->n; k++) {
        const struct l2r_served_model *m = w->models[k];
        if (!m->molecules)
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "%s reads graphs that are no molecules; /api/graph looks at those of its data", m->name);
        if (m->feature_columns && job->kind == L2R_BODY_JSON)
            return l2r_fail(error, L2R_ERR_ARGUMENT, "%s reads the columns %s of a table; send it one as text/csv",
                            m->name, m->feature_columns);
        const char *a = first->feature_columns ? first->feature_columns : "",
                   *b = m->feature_columns ? m->feature_columns : "";
        if (m->largest_fragment != first->largest_fragment || (*a && *b && strcmp(a, b) != 0))
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "%s and %s were trained on molecules that were read differently (largest-fragment, "
                            "feature-columns); use one at a time",
                            first->name, m->name);
    }
    return L2R_OK;
}

static size_t count_lines(const char *text, size_t length)
{
    size_t n = 1;
    for (const char *end = text + length; (text = memchr(text, '\n', (size_t)(end - text))) != NULL; text++) n++;
    return n;
}

static enum l2r_status open_table(struct l2r_job *job, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_row_writer *w = &job->writer;
    struct l2r_table_wishes wishes = {.smiles_column = job->smiles_column,
                                      .delimiter = job->delimiter,
                                      .largest_fragment = w->models[0]->largest_fragment};
    for (int k = 0; k < w->n; k++)
        if (w->models[k]->feature_columns) wishes.feature_columns = w->models[k]->feature_columns;
    L2R_TRY(l2r_request_molecules_table(&job->molecules, job->kind, job->exchange->body, job->exchange->length, &wishes,
                                        error));
    L2R_TRY(l2r_molecule_chunk_init(&job->chunk, &job->molecules.table, NULL, error));
    if (job->chunk.room > L2R_ROUND_ROWS) job->chunk.room = L2R_ROUND_ROWS;
done:
    return status;
}

static enum l2r_status choose_format(enum l2r_answer_format *format, const char *name, struct l2r_error *error)
{
    if (strcmp(name, "json") == 0)
        *format = L2R_ANSWER_JSON;
    else if (strcmp(name, "ndjson") == 0)
        *format = L2R_ANSWER_NDJSON;
    else if (strcmp(name, "csv") == 0)
        *format = L2R_ANSWER_CSV;
    else
        return l2r_fail(error, L2R_ERR_ARGUMENT, "the format is one of json, ndjson and csv");
    return L2R_OK;
}

bool l2r_job_prepare(struct l2r_job *job, struct l2r_shelf *shelf, struct l2r_counters *counters, size_t most)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error error_room = {0}, *error = &error_room;
    const struct l2r_exchange *x = job->exchange;
    bool list = job->kind == L2R_BODY_JSON;
    int code = 0;
    job->prepared = true;
    if (list && (job->smiles_column || job->delimiter))
        L2R_FAIL(L2R_ERR_ARGUMENT, "smiles-column and delimiter are for tables; the body is JSON");
    if (list) L2R_TRY(l2r_request_molecules_json(&job->molecules, x->body, x->length, error));
    size_t n = list ? job->molecules.n : count_lines(x->body, x->length);
    if (n > most + !list) {
        code = 413;
        L2R_FAIL(L2R_ERR_ARGUMENT, "more than %zu molecules in one request", most);
    }
    if (job->molecules.format) L2R_TRY(choose_format(&job->writer.format, job->molecules.format, error));
    L2R_TRY(choose_models(job, shelf, job->molecules.models ? job->molecules.models : job->models, error));
    L2R_TRY(check_models(job, error));
    if (!list) L2R_TRY(open_table(job, error));
    job->writer.molecules = &job->molecules;
done:
    if (status != L2R_OK) l2r_job_refuse(job, counters, code ? code : l2r_reply_code(status), error->message);
    return status == L2R_OK;
}

int64_t l2r_job_take(struct l2r_molecule_chunk *chunk, struct l2r_job *job)
{
    int64_t before = chunk->n;
    struct l2r_request_molecules *m = &job->molecules;
    for (; m->at < m->n && chunk->n < L2R_ROUND_ROWS; m->at++) {
        const char *smiles;
        const json_t *id;
        struct l2r_molecule_row *row = &chunk->rows[chunk->n++];
        l2r_request_molecule(&smiles, &id, m, m->at);
        *row = (struct l2r_molecule_row){.raw = smiles, .smiles = smiles + strspn(smiles, " \t\r\n")};
    }
    return chunk->n - before;
}

static enum l2r_answer_format accepted(const char *accept)
{
    if (accept && strstr(accept, "application/x-ndjson")) return L2R_ANSWER_NDJSON;
    return accept && strstr(accept, "text/csv") ? L2R_ANSWER_CSV : L2R_ANSWER_JSON;
}

static bool copy(char **to, const char *text)
{
    if (text) *to = l2r_strdup(text);
    return !text || *to;
}

struct l2r_job *l2r_job_make(struct l2r_exchange *x, struct l2r_counters *counters)
{
    struct l2r_error error = {0};
    struct l2r_job *job = l2r_alloc(1, sizeof *job);
    const char *format = l2r_exchange_query(x, "format");
    if (!job) {
        l2r_reply_error(x, counters, 503, "out of memory");
        return NULL;
    }
    *job = (struct l2r_job){.exchange = x, .arrived = l2r_clock_seconds()};
    job->kind = l2r_body_kind_of(l2r_exchange_header(x, "Content-Type"));
    job->writer.format = accepted(l2r_exchange_header(x, "Accept"));
    if (job->kind == L2R_BODY_OTHER)
        l2r_job_refuse(job, counters, 415,
                       "the Content-Type of a body is application/json, text/csv, text/plain (SMILES and names) or "
                       "chemical/x-mdl-sdfile");
    else if (x->length > 1 && (unsigned char)x->body[0] == 0x1f && (unsigned char)x->body[1] == 0x8b)
        l2r_job_refuse(job, counters, 415, "the body is compressed; send it as it is");
    else if (format && choose_format(&job->writer.format, format, &error) != L2R_OK)
        l2r_job_refuse(job, counters, 400, error.message);
    else if (!copy(&job->models, l2r_exchange_query(x, "models")) ||
             !copy(&job->smiles_column, l2r_exchange_query(x, "smiles-column")) ||
             !copy(&job->delimiter, l2r_exchange_query(x, "delimiter")))
        l2r_job_refuse(job, counters, 503, "out of memory");
    else
        return job;
    l2r_job_free(job);
    return NULL;
}
