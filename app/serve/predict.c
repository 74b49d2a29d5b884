/* SPDX-License-Identifier: MIT
 *
 * The queue and the thread of predict.h. A job is one request:
 *
 *     add ──► prepare (parse, choose models) ──► rounds: fill, make, ask, write ──► reply or end
 *
 * Only the scoring thread touches a job once it is in the queue; the lock protects the queue alone. */
#include "serve/predict.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"
#include "serve/rows.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS = 256,           /* of a round */
    AT_ONCE = 64 << 10,   /* bytes of a body that are parsed on the HTTP thread */
    UNREAD = 2 << 20,     /* bytes that a reader may leave before its job rests */
    ONE_THREAD = 48,      /* molecules of a round that one thread predicts sooner than several */
};

struct job {
    struct job *next;
    struct l2r_exchange *exchange;
    enum l2r_body_kind kind;
    char *models, *smiles_column, *delimiter; /* of the query; NULL: not said */
    struct l2r_row_writer writer;
    struct l2r_request_molecules molecules;
    struct l2r_molecule_chunk chunk; /* of a table */
    bool prepared, begun, failed;
    double arrived;
    char *text; /* of the rows at hand */
    size_t length;
};

struct l2r_scorer {
    struct l2r_scorer_settings settings;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct job *first, *last;
    int waiting; /* in the queue or in a round */
    bool stop, woken;
    double stop_at;
    struct l2r_molecule_chunk chunk; /* of lists */
};

/* ---- refusals ---- */

void l2r_reply_json(struct l2r_exchange *exchange, struct l2r_counters *counters, int code, json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(9));
    struct l2r_http_reply reply = {.code = code, .type = "application/json", .body = text};
    reply.length = text ? strlen(text) : 0;
    if (code == 429 || code == 503) reply.headers[0] = (struct l2r_http_header){"Retry-After", code == 429 ? "1" : "5"};
    if (code == 401) reply.headers[0] = (struct l2r_http_header){"WWW-Authenticate", "Bearer"};
    l2r_counters_code(counters, code);
    l2r_exchange_reply(exchange, &reply);
    free(text);
    json_decref(value);
}

void l2r_reply_error(struct l2r_exchange *exchange, struct l2r_counters *counters, int code, const char *format, ...)
{
    char sentence[1024];
    json_t *object = json_object();
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    json_object_set_new(object, "error", l2r_json_name(sentence));
    l2r_reply_json(exchange, counters, code, object);
}

static int code_of(enum l2r_status status)
{
    return status == L2R_ERR_FORMAT || status == L2R_ERR_ARGUMENT ? 400 : status == L2R_ERR_MEMORY ? 503 : 500;
}

static void job_free(struct job *job)
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

static void refuse(struct l2r_scorer *s, struct job *job, int code, const char *sentence)
{
    job->failed = true;
    if (job->begun)
        l2r_exchange_end(job->exchange, false);
    else
        l2r_reply_error(job->exchange, s->settings.counters, code, "%s", sentence);
}

/* ---- from a body to rows ---- */

/* Names with commas between them; all models where there are none. */
static enum l2r_status choose_models(struct job *job, struct l2r_shelf *shelf, const char *names,
                                     struct l2r_error *error)
{
    struct l2r_row_writer *w = &job->writer;
    char shown[60];
    for (int k = 0; !names && k < shelf->n; k++) w->models[w->n++] = l2r_shelf_take(shelf, k);
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
static enum l2r_status check_models(const struct job *job, struct l2r_error *error)
{
    const struct l2r_row_writer *w = &job->writer;
    const struct l2r_served_model *first = w->models[0];
    for (int k = 0; k < w->n; k++) {
        const struct l2r_served_model *m = w->models[k];
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

static enum l2r_status open_table(struct job *job, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_row_writer *w = &job->writer;
    struct l2r_table_wishes wishes = {.smiles_column = job->smiles_column,
                                      .delimiter = job->delimiter,
                                      .largest_fragment = w->models[0]->largest_fragment};
    for (int k = 0; k < w->n; k++)
        if (w->models[k]->feature_columns) wishes.feature_columns = w->models[k]->feature_columns;
    L2R_TRY(l2r_request_molecules_table(&job->molecules, job->kind, job->exchange->body, job->exchange->length,
                                        &wishes, error));
    L2R_TRY(l2r_molecule_chunk_init(&job->chunk, &job->molecules.table, NULL, error));
    if (job->chunk.room > ROWS) job->chunk.room = ROWS;
done:
    return status;
}

static enum l2r_status choose_format(enum l2r_answer_format *format, const char *name, struct l2r_error *error)
{
    if (strcmp(name, "json") == 0) *format = L2R_ANSWER_JSON;
    else if (strcmp(name, "ndjson") == 0) *format = L2R_ANSWER_NDJSON;
    else if (strcmp(name, "csv") == 0) *format = L2R_ANSWER_CSV;
    else return l2r_fail(error, L2R_ERR_ARGUMENT, "the format is one of json, ndjson and csv");
    return L2R_OK;
}

/* False: the request has been refused. */
static bool prepare(struct l2r_scorer *s, struct job *job)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error error_room = {0}, *error = &error_room;
    const struct l2r_exchange *x = job->exchange;
    bool list = job->kind == L2R_BODY_JSON;
    int code = 0;
    job->prepared = true;
    if (list) L2R_TRY(l2r_request_molecules_json(&job->molecules, x->body, x->length, error));
    size_t n = list ? job->molecules.n : count_lines(x->body, x->length);
    if (n > s->settings.most_molecules + !list) {
        code = 413;
        L2R_FAIL(L2R_ERR_ARGUMENT, "more than %zu molecules in one request", s->settings.most_molecules);
    }
    if (job->molecules.format) L2R_TRY(choose_format(&job->writer.format, job->molecules.format, error));
    L2R_TRY(choose_models(job, s->settings.shelf, job->molecules.models ? job->molecules.models : job->models, error));
    L2R_TRY(check_models(job, error));
    if (!list) L2R_TRY(open_table(job, error));
    job->writer.molecules = &job->molecules;
done:
    if (status != L2R_OK) refuse(s, job, code ? code : code_of(status), error->message);
    return status == L2R_OK;
}

/* The next rows of a list into the chunk; how many that were. */
static int64_t take_list(struct l2r_molecule_chunk *chunk, struct job *job)
{
    int64_t before = chunk->n;
    struct l2r_request_molecules *m = &job->molecules;
    for (; m->at < m->n && chunk->n < ROWS; m->at++) {
        const char *smiles;
        const json_t *id;
        struct l2r_molecule_row *row = &chunk->rows[chunk->n++];
        l2r_request_molecule(&smiles, &id, m, m->at);
        *row = (struct l2r_molecule_row){.raw = smiles, .smiles = smiles + strspn(smiles, " \t\r\n")};
    }
    return chunk->n - before;
}

/* ---- a round ---- */

struct part {
    struct job *job;
    int64_t first, n; /* rows of the chunk */
    bool last;        /* there are no more */
};

struct round {
    struct l2r_molecule_chunk *chunk;
    struct part parts[ROWS];
    int n_parts;
};

static bool same_models(const struct job *a, const struct job *b)
{
    return a->writer.n == b->writer.n &&
           memcmp((const void *)a->writer.models, (const void *)b->writer.models,
                  (size_t)a->writer.n * sizeof(void *)) == 0;
}

/* Takes a job out of the queue; with the lock held. */
static void unlink_job(struct l2r_scorer *s, struct job *before, struct job *job)
{
    if (before) before->next = job->next;
    else s->first = job->next;
    if (s->last == job) s->last = before;
    job->next = NULL;
}

/* The first job that may go on, and the lists that go with it. With the lock held. */
static int choose_jobs(struct job *jobs[ROWS], struct l2r_scorer *s)
{
    size_t rows = 0;
    int n = 0;
    for (struct job *job = s->first, *before = NULL, *next; job && n < ROWS && rows < ROWS; job = next) {
        next = job->next;
        bool rests = job->begun && l2r_exchange_is_open(job->exchange) &&
                     l2r_exchange_waiting(job->exchange) > UNREAD && !s->stop;
        bool table = job->kind != L2R_BODY_JSON || !job->prepared;
        if (rests || (n > 0 && (table || !same_models(jobs[0], job)))) {
            before = job;
            continue;
        }
        unlink_job(s, before, job);
        jobs[n++] = job;
        if (table) break;
        rows += job->molecules.n - job->molecules.at;
    }
    return n;
}

static enum l2r_status fill(struct round *r, struct l2r_scorer *s, struct job *const jobs[], int n,
                            struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    r->n_parts = 0;
    if (jobs[0]->molecules.root == NULL) {
        r->chunk = &jobs[0]->chunk;
        r->chunk->describe = 0;
        for (int k = 0; k < jobs[0]->writer.n; k++) r->chunk->describe |= jobs[0]->writer.models[k]->describe;
        L2R_TRY(l2r_molecule_chunk_read(r->chunk, jobs[0]->molecules.csv, error));
        r->parts[r->n_parts++] = (struct part){jobs[0], 0, r->chunk->n, r->chunk->n == 0};
        goto done;
    }
    static const struct l2r_molecule_table plain = {.delimiter = ','}, largest = {.delimiter = ',',
                                                                                 .largest_fragment = true};
    r->chunk = &s->chunk;
    r->chunk->n = 0;
    r->chunk->table = jobs[0]->writer.models[0]->largest_fragment ? &largest : &plain;
    r->chunk->describe = 0;
    for (int k = 0; k < jobs[0]->writer.n; k++) r->chunk->describe |= jobs[0]->writer.models[k]->describe;
    for (int i = 0; i < n; i++) {
        int64_t first = r->chunk->n, rows = take_list(r->chunk, jobs[i]);
        r->parts[r->n_parts++] = (struct part){jobs[i], first, rows, jobs[i]->molecules.at == jobs[i]->molecules.n};
    }
    L2R_TRY(l2r_molecule_chunk_make(r->chunk, error));
done:
    return status;
}

/* Predictions of all models for the molecules of the chunk. */
static enum l2r_status ask(struct l2r_row_answers *answers, const struct round *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_row_writer *w = &r->parts[0].job->writer;
    struct l2r_dataset *data = NULL;
    static int32_t numbers[ROWS];
    int64_t n = 0;
    for (int64_t i = 0; i < r->chunk->n; i++) {
        bool good = l2r_molecule_row_is_good(&r->chunk->rows[i]);
        answers->graph[i] = good ? (int32_t)n : -1;
        if (good) numbers[n] = (int32_t)n, n++;
    }
    if (n == 0) return L2R_OK;
    L2R_TRY(l2r_molecule_chunk_pack(&data, r->chunk, error));
    for (int k = 0; k < w->n; k++) {
        struct l2r_served_model *m = w->models[k];
        L2R_TRY(l2r_answers_make(&answers->of[k], &m->question, n, error));
        pthread_mutex_lock(&m->scoring);
        status = l2r_ensemble_ask(&answers->of[k], m->question.ensemble, data, numbers, n, error);
        pthread_mutex_unlock(&m->scoring);
        if (status == L2R_ERR_DIVERGED) status = L2R_OK; /* of one molecule; its row says so */
        if (status != L2R_OK) goto done;
    }
done:
    l2r_dataset_free(data);
    return status;
}

static bool write_part(const struct part *part, const struct round *r, const struct l2r_row_answers *answers)
{
    struct job *job = part->job;
    struct l2r_row_writer *w = &job->writer;
    free(job->text);
    job->text = NULL;
    FILE *out = open_memstream(&job->text, &job->length);
    if (!out) return false;
    if (!job->begun) l2r_rows_begin(out, w);
    size_t number = job->molecules.at - (size_t)part->n;
    for (int64_t i = part->first; i < part->first + part->n; i++)
        l2r_rows_write(out, w, &r->chunk->rows[i], number++, answers, answers->graph[i]);
    if (part->last) l2r_rows_end(out, w);
    return fclose(out) == 0;
}

static void send_part(struct l2r_scorer *s, const struct part *part)
{
    struct job *job = part->job;
    struct l2r_http_reply reply = {.code = 200, .type = l2r_answer_type(job->writer.format)};
    reply.body = job->text;
    reply.length = job->length;
    s->settings.counters->molecules += (uint64_t)part->n;
    if (part->last) l2r_counters_latency(s->settings.counters, l2r_clock_since(job->arrived));
    if (!job->begun) l2r_counters_code(s->settings.counters, 200);
    if (!job->begun && part->last)
        l2r_exchange_reply(job->exchange, &reply);
    else if (!job->begun)
        l2r_exchange_begin(job->exchange, &reply);
    else
        l2r_exchange_write(job->exchange, job->text, job->length);
    if (job->begun && part->last) l2r_exchange_end(job->exchange, true);
    job->begun = true;
}

/* One round for these jobs; done [n]: which of them are over. */
static void play(struct l2r_scorer *s, struct job *const jobs[], bool *done, int n)
{
    static struct round r; /* one thread */
    struct l2r_error error = {0};
    struct l2r_row_answers answers = {0};
    int32_t graph[ROWS];
    answers.graph = graph;
    size_t rows = 0;
    for (int i = 0; i < n; i++) rows += jobs[i]->molecules.n - jobs[i]->molecules.at;
    l2r_threads_set(jobs[0]->molecules.root && rows <= ONE_THREAD ? 1 : s->settings.threads);
    enum l2r_status status = fill(&r, s, jobs, n, &error);
    if (status == L2R_OK && r.chunk->n > 0) status = ask(&answers, &r, &error);
    if (status == L2R_OK) s->settings.counters->batches++;
    for (int i = 0; i < n; i++) {
        if (status == L2R_OK && !write_part(&r.parts[i], &r, &answers))
            status = l2r_fail_memory(&error, 0, "an answer");
        if (status != L2R_OK)
            refuse(s, jobs[i], code_of(status), error.message);
        else
            send_part(s, &r.parts[i]);
        done[i] = status != L2R_OK || r.parts[i].last;
    }
    if (r.chunk) l2r_molecule_chunk_drop(r.chunk);
    for (int k = 0; k < L2R_MOST_SERVED; k++) l2r_answers_clear(&answers.of[k]);
}

/* Jobs that cannot be part of a round: false. */
static bool is_ready(struct l2r_scorer *s, struct job *job)
{
    char sentence[100];
    if (job->begun && !l2r_exchange_is_open(job->exchange)) {
        l2r_exchange_end(job->exchange, false);
        return false;
    }
    if (s->stop && l2r_clock_seconds() > s->stop_at) {
        refuse(s, job, 503, "the server is stopping");
        return false;
    }
    if (!job->begun && l2r_clock_since(job->arrived) > s->settings.seconds) {
        snprintf(sentence, sizeof sentence, "the request waited more than %.0f seconds", s->settings.seconds);
        refuse(s, job, 503, sentence);
        return false;
    }
    return job->prepared || prepare(s, job);
}

static void serve_round(struct l2r_scorer *s, struct job *jobs[ROWS], int n)
{
    struct job *ready[ROWS];
    bool done[ROWS];
    int n_ready = 0, n_over = 0;
    for (int i = 0; i < n; i++) {
        if (is_ready(s, jobs[i]))
            ready[n_ready++] = jobs[i];
        else
            job_free(jobs[i]), n_over++;
    }
    if (n_ready > 0) play(s, ready, done, n_ready);
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < n_ready; i++) {
        if (done[i]) {
            n_over++;
            continue;
        }
        if (s->last) s->last->next = ready[i];
        else s->first = ready[i];
        s->last = ready[i];
    }
    s->waiting -= n_over;
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < n_ready; i++)
        if (done[i]) job_free(ready[i]);
}

static void *run(void *context)
{
    struct l2r_scorer *s = context;
    struct job *jobs[ROWS];
    while (true) {
        pthread_mutex_lock(&s->lock);
        int n;
        while ((n = choose_jobs(jobs, s)) == 0 && !(s->stop && !s->first)) {
            s->woken = false;
            while (!s->woken) pthread_cond_wait(&s->changed, &s->lock);
        }
        pthread_mutex_unlock(&s->lock);
        if (n == 0) return NULL;
        serve_round(s, jobs, n);
    }
}

/* ---- the outside ---- */

enum l2r_status l2r_scorer_new(struct l2r_scorer **scorer, const struct l2r_scorer_settings *settings,
                               struct l2r_error *error)
{
    static const struct l2r_molecule_table plain = {.delimiter = ','};
    struct l2r_scorer *s = *scorer = l2r_alloc(1, sizeof *s);
    if (!s) return l2r_fail_memory(error, sizeof *s, "the queue");
    s->settings = *settings;
    enum l2r_status status = l2r_molecule_chunk_init(&s->chunk, &plain, NULL, error);
    s->chunk.room = ROWS;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    if (status == L2R_OK && pthread_create(&s->thread, NULL, run, s) != 0)
        status = l2r_fail(error, L2R_ERR_IO, "the system gives no thread");
    if (status == L2R_OK) return status;
    l2r_molecule_chunk_clear(&s->chunk);
    l2r_free(s);
    *scorer = NULL;
    return status;
}

void l2r_scorer_wake(struct l2r_scorer *s)
{
    pthread_mutex_lock(&s->lock);
    s->woken = true;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

int l2r_scorer_waiting(struct l2r_scorer *s)
{
    pthread_mutex_lock(&s->lock);
    int n = s->waiting;
    pthread_mutex_unlock(&s->lock);
    return n;
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

/* NULL: it has been refused. */
static struct job *make_job(struct l2r_scorer *s, struct l2r_exchange *x)
{
    struct l2r_error error = {0};
    struct job *job = l2r_alloc(1, sizeof *job);
    const char *format = l2r_exchange_query(x, "format");
    if (!job) {
        l2r_reply_error(x, s->settings.counters, 503, "out of memory");
        return NULL;
    }
    *job = (struct job){.exchange = x, .arrived = l2r_clock_seconds()};
    job->kind = l2r_body_kind_of(l2r_exchange_header(x, "Content-Type"));
    job->writer.format = accepted(l2r_exchange_header(x, "Accept"));
    if (job->kind == L2R_BODY_OTHER)
        refuse(s, job, 415,
               "the Content-Type of a body is application/json, text/csv, text/plain (SMILES and names) or "
               "chemical/x-mdl-sdfile");
    else if (x->length > 1 && (unsigned char)x->body[0] == 0x1f && (unsigned char)x->body[1] == 0x8b)
        refuse(s, job, 415, "the body is compressed; send it as it is");
    else if (format && choose_format(&job->writer.format, format, &error) != L2R_OK)
        refuse(s, job, 400, error.message);
    else if (!copy(&job->models, l2r_exchange_query(x, "models")) ||
             !copy(&job->smiles_column, l2r_exchange_query(x, "smiles-column")) ||
             !copy(&job->delimiter, l2r_exchange_query(x, "delimiter")))
        refuse(s, job, 503, "out of memory");
    else if (x->length > AT_ONCE || prepare(s, job))
        return job;
    job_free(job);
    return NULL;
}

void l2r_scorer_add(struct l2r_scorer *s, struct l2r_exchange *exchange)
{
    pthread_mutex_lock(&s->lock);
    int code = s->stop ? 503 : s->waiting >= s->settings.most_waiting ? 429 : 0;
    s->waiting += code == 0;
    pthread_mutex_unlock(&s->lock);
    if (code != 0) {
        s->settings.counters->refused++;
        l2r_reply_error(exchange, s->settings.counters, code, "%s",
                        code == 503 ? "the server is stopping" : "too many requests wait already");
        return;
    }
    struct job *job = make_job(s, exchange);
    pthread_mutex_lock(&s->lock);
    if (job) {
        if (s->last) s->last->next = job;
        else s->first = job;
        s->last = job;
        s->woken = true;
        pthread_cond_signal(&s->changed);
    } else {
        s->waiting--;
    }
    pthread_mutex_unlock(&s->lock);
}

void l2r_scorer_stop(struct l2r_scorer *s, double seconds)
{
    pthread_mutex_lock(&s->lock);
    s->stop = s->woken = true;
    s->stop_at = l2r_clock_seconds() + seconds;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
}

void l2r_scorer_free(struct l2r_scorer *s)
{
    if (!s) return;
    l2r_molecule_chunk_clear(&s->chunk);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    l2r_free(s);
}
