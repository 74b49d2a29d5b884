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
#include "serve/job.h"
#include "serve/reply.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS = L2R_ROUND_ROWS,
    AT_ONCE = 64 << 10, /* bytes of a body that are parsed on the HTTP thread */
    UNREAD = 2 << 20,   /* bytes that a reader may leave before its job rests */
    ONE_THREAD = 48,    /* molecules of a round that one thread predicts sooner than several */
};

struct l2r_scorer {
    struct l2r_scorer_settings settings;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct l2r_job *first, *last;
    int waiting; /* in the queue or in a round */
    bool stop, woken;
    double stop_at;
    struct l2r_molecule_chunk chunk; /* of lists */
};

/* ---- a round ---- */

struct part {
    struct l2r_job *job;
    int64_t first, n; /* rows of the chunk */
    bool last;        /* there are no more */
};

struct round {
    struct l2r_molecule_chunk *chunk;
    struct part parts[ROWS];
    int n_parts;
};

static bool same_models(const struct l2r_job *a, const struct l2r_job *b)
{
    return a->writer.n == b->writer.n && memcmp((const void *)a->writer.models, (const void *)b->writer.models,
                                                (size_t)a->writer.n * sizeof(void *)) == 0;
}

/* Takes a job out of the queue; with the lock held. */
static void unlink_job(struct l2r_scorer *s, struct l2r_job *before, struct l2r_job *job)
{
    if (before)
        before->next = job->next;
    else
        s->first = job->next;
    if (s->last == job) s->last = before;
    job->next = NULL;
}

/* The first job that may go on, and the lists that go with it. With the lock held. */
static int choose_jobs(struct l2r_job *jobs[ROWS], struct l2r_scorer *s)
{
    size_t rows = 0;
    int n = 0;
    for (struct l2r_job *job = s->first, *before = NULL, *next; job && n < ROWS && rows < ROWS; job = next) {
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

static enum l2r_status fill(struct round *r, struct l2r_scorer *s, struct l2r_job *const jobs[], int n,
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
    static const struct l2r_molecule_table plain = {.delimiter = ','},
                                           largest = {.delimiter = ',', .largest_fragment = true};
    r->chunk = &s->chunk;
    r->chunk->n = 0;
    r->chunk->table = jobs[0]->writer.models[0]->largest_fragment ? &largest : &plain;
    r->chunk->describe = 0;
    for (int k = 0; k < jobs[0]->writer.n; k++) r->chunk->describe |= jobs[0]->writer.models[k]->describe;
    for (int i = 0; i < n; i++) {
        int64_t first = r->chunk->n, rows = l2r_job_take(r->chunk, jobs[i]);
        r->parts[r->n_parts++] = (struct part){jobs[i], first, rows, jobs[i]->molecules.at == jobs[i]->molecules.n};
    }
    L2R_TRY(l2r_molecule_chunk_make(r->chunk, error));
done:
    return status;
}

/* Predictions of all models for the molecules of the chunk. */
static enum l2r_status predict(struct l2r_row_answers *answers, const struct round *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_row_writer *w = &r->parts[0].job->writer;
    struct l2r_dataset *data = NULL;
    int64_t n = 0;
    for (int64_t i = 0; i < r->chunk->n; i++) {
        bool good = l2r_molecule_row_is_good(&r->chunk->rows[i]);
        answers->graph[i] = good ? (int32_t)n : -1;
        n += good;
    }
    if (n == 0) return L2R_OK;
    L2R_TRY(l2r_molecule_chunk_pack(&data, r->chunk, error));
    for (int k = 0; k < w->n; k++) {
        struct l2r_served_model *m = w->models[k];
        L2R_TRY(l2r_answers_make(&answers->of[k], &m->question, n, error));
        pthread_mutex_lock(&m->scoring);
        status = l2r_ensemble_predict(&answers->of[k], m->question.ensemble, data, NULL, n, error);
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
    struct l2r_job *job = part->job;
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
    struct l2r_job *job = part->job;
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
static void play(struct l2r_scorer *s, struct l2r_job *const jobs[], bool *done, int n)
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
    if (status == L2R_OK && r.chunk->n > 0) status = predict(&answers, &r, &error);
    if (status == L2R_OK) s->settings.counters->batches++;
    for (int i = 0; i < n; i++) {
        if (status == L2R_OK && !write_part(&r.parts[i], &r, &answers))
            status = l2r_fail_memory(&error, 0, "an answer");
        if (status != L2R_OK)
            l2r_job_refuse(jobs[i], s->settings.counters, l2r_reply_code(status), error.message);
        else
            send_part(s, &r.parts[i]);
        done[i] = status != L2R_OK || r.parts[i].last;
    }
    if (r.chunk) l2r_molecule_chunk_drop(r.chunk);
    for (int k = 0; k < L2R_MOST_SERVED; k++) l2r_answers_clear(&answers.of[k]);
}

static bool prepare(struct l2r_scorer *s, struct l2r_job *job)
{
    return l2r_job_prepare(job, s->settings.shelf, s->settings.counters, s->settings.most_molecules);
}

/* Jobs that cannot be part of a round: false. */
static bool is_ready(struct l2r_scorer *s, struct l2r_job *job)
{
    char sentence[100];
    if (job->begun && !l2r_exchange_is_open(job->exchange)) {
        l2r_exchange_end(job->exchange, false);
        return false;
    }
    if (s->stop && l2r_clock_seconds() > s->stop_at) {
        l2r_job_refuse(job, s->settings.counters, 503, "the server is stopping");
        return false;
    }
    if (!job->begun && l2r_clock_since(job->arrived) > s->settings.seconds) {
        snprintf(sentence, sizeof sentence, "the request waited more than %.0f seconds", s->settings.seconds);
        l2r_job_refuse(job, s->settings.counters, 503, sentence);
        return false;
    }
    return job->prepared || prepare(s, job);
}

static void serve_round(struct l2r_scorer *s, struct l2r_job *jobs[ROWS], int n)
{
    struct l2r_job *ready[ROWS];
    bool done[ROWS];
    int n_ready = 0, n_over = 0;
    for (int i = 0; i < n; i++) {
        if (is_ready(s, jobs[i]))
            ready[n_ready++] = jobs[i];
        else
            l2r_job_free(jobs[i]), n_over++;
    }
    if (n_ready > 0) play(s, ready, done, n_ready);
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < n_ready; i++) {
        if (done[i]) {
            n_over++;
            continue;
        }
        if (s->last)
            s->last->next = ready[i];
        else
            s->first = ready[i];
        s->last = ready[i];
    }
    s->waiting -= n_over;
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < n_ready; i++)
        if (done[i]) l2r_job_free(ready[i]);
}

static void *run(void *context)
{
    struct l2r_scorer *s = context;
    struct l2r_job *jobs[ROWS];
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
    struct l2r_job *job = l2r_job_make(exchange, s->settings.counters);
    if (job && exchange->length <= AT_ONCE && !prepare(s, job)) {
        l2r_job_free(job);
        job = NULL;
    }
    pthread_mutex_lock(&s->lock);
    if (job) {
        if (s->last)
            s->last->next = job;
        else
            s->first = job;
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
