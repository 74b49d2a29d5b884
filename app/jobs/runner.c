/* SPDX-License-Identifier: MIT
 *
 * See runner.h.
 *
 *     main thread     starts the workers, then carries messages between ranks (outbox.h), then joins
 *     each worker     take a job  ->  train it  ->  put it back  ->  take the next
 *                     [lock]          no lock       [lock]
 *
 * One lock guards everything that workers share (struct crew), and the caller's functions are called under it, so that
 * they need none of their own. Training runs outside of the lock; its callbacks (progress, notes, stop) take it for a
 * moment. Workers that find no memory free wait for `freed`, which every ending run signals.
 */
#include "jobs/runner.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"
#include "io/file.h"
#include "io/json_file.h"
#include "jobs/outbox.h"
#include "model/run_names.h"
#include "results/results.h"
#include "store/ownership.h"
#include "store/result_file.h"
#include "store/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096, MOST_WORKERS = 256 };

/* What the workers share. */
struct crew {
    const struct l2r_runner *runner;
    pthread_mutex_t lock;
    pthread_cond_t freed; /* a run has ended */
    size_t next;          /* first job that no worker has taken */
    size_t n_done, n_failed;
    struct l2r_job_active active[MOST_WORKERS];
    size_t n_active;
    double memory_used;
    int n_threads; /* in all */
    bool alone;    /* the run at work takes all threads */
    bool broken;   /* an error that ends everything */
    struct l2r_error error;
    double shown_at;          /* when progress was shown last */
    int n_working;            /* workers that have not ended */
    struct l2r_outbox outbox; /* messages for rank 0 */
};

/* One worker's view of its run. */
struct shift {
    struct crew *crew;
    size_t job;
    bool given_up;
};

/* The work left, divided among all threads; but never less than the longest run at work, which cannot be divided. */
static double seconds_left(const struct crew *crew)
{
    const struct l2r_runner *r = crew->runner;
    double sum = 0, longest = 0;
    if (r->expected == NULL) return (double)NAN;
    for (size_t j = crew->next; j < r->n_jobs; j++) sum += r->expected(r->context, j);
    for (size_t a = 0; a < crew->n_active; a++) {
        double left = r->expected(r->context, crew->active[a].job) * (1 - crew->active[a].done);
        sum += left;
        if (left > longest) longest = left;
    }
    double shared = sum / (double)(crew->n_threads * l2r_comm_n_ranks(r->comm));
    if (isnan(shared)) return shared;
    return shared > longest ? shared : longest;
}

/* With the lock held. At most ten times a second unless something has happened. */
static void report_progress(struct crew *crew, bool at_once)
{
    const struct l2r_runner *r = crew->runner;
    double now = l2r_clock_seconds();
    if (r->progress == NULL || (!at_once && now - crew->shown_at < 0.1)) return;
    crew->shown_at = now;
    const struct l2r_runner_state state = {.n_jobs = r->n_jobs,
                                           .n_done = crew->n_done,
                                           .n_failed = crew->n_failed,
                                           .active = crew->active,
                                           .n_active = crew->n_active,
                                           .seconds_left = seconds_left(crew)};
    r->progress(r->context, &state);
}

static void on_progress(void *context, const struct l2r_progress *p)
{
    struct shift *shift = context;
    struct crew *crew = shift->crew;
    pthread_mutex_lock(&crew->lock);
    for (size_t a = 0; a < crew->n_active; a++) {
        struct l2r_job_active *active = &crew->active[a];
        if (active->job != shift->job) continue;
        double batches = p->n_batches > 0 ? (double)p->batch / (double)p->n_batches : 0;
        active->epoch = p->epoch;
        active->n_epochs = p->n_epochs;
        active->done = p->n_epochs > 0 ? ((double)(p->epoch - 1) + batches) / (double)p->n_epochs : 0;
    }
    report_progress(crew, false);
    pthread_mutex_unlock(&crew->lock);
}

static void on_epoch(void *context, const struct l2r_progress *p)
{
    struct shift *shift = context;
    const struct l2r_runner *r = shift->crew->runner;
    on_progress(context, p);
    if (r->give_up == NULL) return;
    pthread_mutex_lock(&shift->crew->lock);
    shift->given_up = r->give_up(r->context, shift->job, p);
    pthread_mutex_unlock(&shift->crew->lock);
}

static void on_note(void *context, const char *sentence)
{
    struct shift *shift = context;
    const struct l2r_runner *r = shift->crew->runner;
    if (r->note == NULL) return;
    pthread_mutex_lock(&shift->crew->lock);
    r->note(r->context, shift->job, sentence);
    pthread_mutex_unlock(&shift->crew->lock);
}

static bool stop_requested(const struct crew *crew)
{
    return crew->runner->stop != NULL && crew->runner->stop(crew->runner->context);
}

static bool on_stop(void *context)
{
    struct shift *shift = context;
    pthread_mutex_lock(&shift->crew->lock);
    bool stop = shift->given_up || shift->crew->broken || stop_requested(shift->crew);
    pthread_mutex_unlock(&shift->crew->lock);
    return stop;
}

/* Was the run in this folder ended with vectors of another width (l2r_vector_width)? */
static bool of_another_width(const struct l2r_job *job)
{
    char path[LONGEST_PATH];
    struct l2r_result result;
    snprintf(path, sizeof path, "%s/" L2R_RESULT_FILE, job->dir);
    bool other = l2r_path_is_file(path) && l2r_result_read(&result, NULL, path, NULL) == L2R_OK;
    if (!other) return false;
    other = *result.vector != '\0' && strcmp(result.vector, l2r_vector_width()) != 0;
    l2r_result_clear(&result);
    return other;
}

/* Can the run in this folder be continued? One that had other options, as its config.json tells, or another width is
 * cleared away. */
static bool prepare_folder(const struct l2r_job *job)
{
    char path[LONGEST_PATH];
    if (job->strict) return job->resume;
    json_t *before = NULL, *now = l2r_config_to_json(job->config);
    snprintf(path, sizeof path, "%s/" L2R_CONFIG_FILE, job->dir);
    bool readable = l2r_json_read(&before, path, NULL) == L2R_OK;
    bool same = readable && l2r_same_options(before, now, job->config);
    json_decref(before);
    json_decref(now);
    if (same && of_another_width(job)) same = false;
    if (readable && !same) l2r_folder_release(job->dir);
    snprintf(path, sizeof path, "%s/" L2R_STATE_FOLDER, job->dir);
    return same || (!readable && l2r_path_is_dir(path));
}

static enum l2r_status train(struct l2r_job_end *done, struct l2r_result *result, struct shift *shift,
                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_runner *r = shift->crew->runner;
    const struct l2r_job *job = &r->jobs[shift->job];
    const struct l2r_dataset *data;
    const struct l2r_callbacks callbacks = {
        .context = shift, .batch = on_progress, .epoch = on_epoch, .note = on_note, .stop = on_stop};
    double (*cpu)(void) = done->threads == 1 ? l2r_clock_thread_seconds : l2r_clock_process_seconds;
    l2r_threads_set(done->threads);
    L2R_TRY(l2r_shared_data_get(&data, r->shared, job->data, error));
    bool resumed = prepare_folder(job);
    double started = cpu();
    const struct l2r_run run = {
        .config = job->config, .data = data, .out = job->dir, .resume = resumed, .callbacks = &callbacks};
    L2R_TRY(l2r_run_train(result, NULL, &run, error));
    done->cpu_seconds = resumed ? (double)NAN : cpu() - started;
    done->result = result;
done:
    return status;
}

/* Own jobs are every P-th. */
static size_t stride(const struct crew *crew)
{
    return (size_t)l2r_comm_n_ranks(crew->runner->comm);
}

/* What the other ranks' jobs alone need is not kept here. Before the workers start. */
static void release_others(const struct crew *crew)
{
    const struct l2r_runner *r = crew->runner;
    for (size_t j = 0; j < r->n_jobs; j++)
        if (j % stride(crew) != crew->next) l2r_shared_data_release(r->shared, r->jobs[j].data);
}

/* With the lock held: may the next job begin now, and with how many threads? An idle rank always may: a job larger than
 * the bound would otherwise wait for ever. */
static bool may_begin(const struct crew *crew, int *threads)
{
    const struct l2r_runner *r = crew->runner;
    double need = r->jobs[crew->next].memory;
    *threads = 1;
    if (crew->n_active == 0) {
        bool last = crew->next + stride(crew) >= r->n_jobs;
        bool large = r->memory > 0 && crew->n_threads > 1 && 2 * need > r->memory;
        if (last || large) *threads = crew->n_threads;
        return true;
    }
    return !crew->alone && (r->memory <= 0 || crew->memory_used + need <= r->memory);
}

/* With the lock held: takes a job, waiting for memory. False: there is nothing left to do. */
static bool take(struct crew *crew, struct l2r_job_end *done)
{
    const struct l2r_runner *r = crew->runner;
    for (;;) {
        if (crew->broken || crew->next >= r->n_jobs || stop_requested(crew)) return false;
        if (may_begin(crew, &done->threads)) break;
        pthread_cond_wait(&crew->freed, &crew->lock);
    }
    done->job = crew->next;
    crew->next += stride(crew);
    crew->active[crew->n_active++] = (struct l2r_job_active){.job = done->job};
    crew->memory_used += r->jobs[done->job].memory;
    crew->alone = done->threads > 1;
    report_progress(crew, true);
    return true;
}

static void break_off(struct crew *crew, const struct l2r_error *error)
{
    if (!crew->broken) crew->error = *error;
    crew->broken = true;
}

/* With the lock held: a run has ended here. Rank 0 records it; any other rank leaves a message for rank 0. */
static void note_end(struct crew *crew, const struct l2r_job_end *done, enum l2r_status status, struct l2r_error *error)
{
    const struct l2r_runner *r = crew->runner;
    if (status == L2R_OK)
        crew->n_done++;
    else
        crew->n_failed++;
    if (!l2r_comm_leads(r->comm)) {
        struct l2r_outbox_message message = {done->job, done->cpu_seconds, done->threads, status, {0}};
        if (status != L2R_OK) message.error = *error;
        if (!l2r_outbox_put(&crew->outbox, &message)) {
            l2r_fail_memory(error, sizeof message, "messages to rank 0");
            break_off(crew, error);
        }
    } else if (status != L2R_OK) {
        if (r->failed != NULL) r->failed(r->context, done->job, error);
    } else if (r->finished(r->context, done, error) != L2R_OK) {
        break_off(crew, error);
    }
}

/* Another rank's run has ended; its result is in its folder. */
static void take_message(struct crew *crew, const struct l2r_outbox_message *message)
{
    struct l2r_job_end done = {message->job, NULL, message->cpu_seconds, message->threads};
    struct l2r_error error = message->error;
    struct l2r_result result = {0};
    char path[LONGEST_PATH];
    pthread_mutex_lock(&crew->lock);
    snprintf(path, sizeof path, "%s/" L2R_RESULT_FILE, crew->runner->jobs[message->job].dir);
    done.result = &result;
    if (message->status == L2R_OK && l2r_result_read(&result, NULL, path, &error) != L2R_OK)
        break_off(crew, &error);
    else
        note_end(crew, &done, message->status, &error);
    report_progress(crew, true);
    pthread_mutex_unlock(&crew->lock);
    l2r_result_clear(&result);
}

/* With the lock held. */
static void put_back(struct crew *crew, const struct l2r_job_end *done, bool given_up, enum l2r_status status,
                     struct l2r_error *error)
{
    const struct l2r_runner *r = crew->runner;
    size_t a = 0;
    while (crew->active[a].job != done->job) a++;
    crew->active[a] = crew->active[--crew->n_active];
    crew->memory_used -= r->jobs[done->job].memory;
    crew->alone = false;
    if (status == L2R_OK || given_up || status != L2R_ERR_INTERRUPTED) note_end(crew, done, status, error);
    report_progress(crew, true);
    pthread_cond_broadcast(&crew->freed);
}

static void *work(void *argument)
{
    struct crew *crew = argument;
    struct l2r_job_end done = {0};
    pthread_mutex_lock(&crew->lock);
    while (take(crew, &done)) {
        struct l2r_result result = {0};
        struct l2r_error error = {0};
        struct shift shift = {.crew = crew, .job = done.job};
        pthread_mutex_unlock(&crew->lock);
        enum l2r_status status = train(&done, &result, &shift, &error);
        l2r_shared_data_release(crew->runner->shared, crew->runner->jobs[done.job].data);
        pthread_mutex_lock(&crew->lock);
        put_back(crew, &done, shift.given_up, status, &error);
        l2r_result_clear(&result);
    }
    crew->n_working--;
    pthread_cond_broadcast(&crew->freed);
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* The main thread while the workers train: rank 0 receives until all ranks are done, the others send their workers'
 * messages. */
static void talk(struct crew *crew)
{
    const struct timespec moment = {.tv_nsec = 5000000};
    struct l2r_comm *comm = crew->runner->comm;
    struct l2r_outbox_message message;
    for (int left = comm->size - 1;;) {
        pthread_mutex_lock(&crew->lock);
        bool idle = crew->n_working == 0, broken = crew->broken;
        bool any = comm->rank > 0 && l2r_outbox_take(&crew->outbox, &message);
        pthread_mutex_unlock(&crew->lock);
        if (comm->rank > 0) {
            if (any || idle) l2r_outbox_send(comm, any ? &message : NULL);
            if (!any && idle) return;
        } else {
            any = l2r_outbox_receive(comm, &message, crew->runner->n_jobs, &left);
            if (any) take_message(crew, &message);
            if (idle && (left == 0 || broken)) return;
        }
        if (!any) nanosleep(&moment, NULL);
    }
}

/* All ranks take the count of rank 0. */
static void share_counts(struct crew *crew)
{
    uint64_t counts[2] = {crew->n_done, crew->n_failed};
    l2r_comm_broadcast(crew->runner->comm, counts, sizeof counts);
    crew->n_done = counts[0];
    crew->n_failed = counts[1];
}

enum l2r_status l2r_runner_run(const struct l2r_runner *runner, size_t *n_failed, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct crew crew = {.runner = runner, .n_threads = runner->n_workers > 0 ? runner->n_workers : l2r_threads_get()};
    pthread_t threads[MOST_WORKERS];
    int n = 0;
    if (crew.n_threads > MOST_WORKERS) crew.n_threads = MOST_WORKERS;
    crew.next = runner->comm ? (size_t)runner->comm->rank : 0;
    release_others(&crew);
    pthread_mutex_init(&crew.lock, NULL);
    pthread_cond_init(&crew.freed, NULL);
    size_t own = runner->n_jobs > crew.next ? (runner->n_jobs - crew.next + stride(&crew) - 1) / stride(&crew) : 0;
    pthread_mutex_lock(&crew.lock);
    while (n < crew.n_threads && (size_t)n < own && pthread_create(&threads[n], NULL, work, &crew) == 0) n++;
    crew.n_working = n;
    pthread_mutex_unlock(&crew.lock);
    if (n == 0 && own > 0) L2R_FAIL(L2R_ERR_MEMORY, "cannot start a thread for the runs");
    if (runner->comm) talk(&crew);
    for (int i = 0; i < n; i++) pthread_join(threads[i], NULL);
    if (runner->comm && !crew.broken) share_counts(&crew);
    if (crew.broken) L2R_FAIL(crew.error.status, "%s", crew.error.message);
    if (crew.n_done + crew.n_failed < runner->n_jobs)
        L2R_FAIL(L2R_ERR_INTERRUPTED, "interrupted; %zu of %zu runs are done", crew.n_done, runner->n_jobs);
done:
    if (n_failed != NULL) *n_failed = crew.n_failed;
    l2r_free(crew.outbox.messages);
    pthread_cond_destroy(&crew.freed);
    pthread_mutex_destroy(&crew.lock);
    return status;
}
