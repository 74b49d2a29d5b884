/* SPDX-License-Identifier: MIT
 * See queue.h. One lock guards everything that workers share; training itself runs outside of it. */
#include "jobs/queue.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"
#include "io/file.h"
#include "io/json_file.h"
#include "jobs/plan.h"
#include "jobs/queue_messages.h"
#include "train/result.h"
#include "train/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096, MOST_WORKERS = 256 };

struct pit { /* where the workers meet */
    const struct l2r_queue *queue;
    pthread_mutex_t lock;
    pthread_cond_t freed; /* a run has ended */
    size_t next;          /* first job that nobody took */
    size_t n_done, n_failed;
    struct l2r_queue_active active[MOST_WORKERS];
    size_t n_active;
    double memory_used;
    int n_threads; /* in all */
    bool alone;    /* the run at work takes all threads */
    bool broken;   /* an error that ends everything */
    struct l2r_error error;
    double told_at;           /* when progress was shown last */
    int n_working;            /* workers that have not ended */
    struct l2r_outbox outbox; /* what rank 0 is to hear */
};

/* One worker's view of its run. */
struct shift {
    struct pit *pit;
    size_t job;
    bool given_up;
};

static double seconds_left(const struct pit *pit)
{
    const struct l2r_queue *q = pit->queue;
    double sum = 0, longest = 0;
    if (q->expected == NULL) return (double)NAN;
    for (size_t j = pit->next; j < q->n_jobs; j++) sum += q->expected(q->context, j);
    for (size_t a = 0; a < pit->n_active; a++) {
        double left = q->expected(q->context, pit->active[a].job) * (1 - pit->active[a].done);
        sum += left;
        if (left > longest) longest = left;
    }
    double shared = sum / (double)(pit->n_threads * l2r_comm_size(q->comm));
    if (isnan(shared)) return shared;
    return shared > longest ? shared : longest;
}

/* With the lock held. At most ten times a second unless something has happened. */
static void tell(struct pit *pit, bool at_once)
{
    const struct l2r_queue *q = pit->queue;
    double now = l2r_clock_seconds();
    if (q->progress == NULL || (!at_once && now - pit->told_at < 0.1)) return;
    pit->told_at = now;
    const struct l2r_queue_state state = {.n_jobs = q->n_jobs,
                                          .n_done = pit->n_done,
                                          .n_failed = pit->n_failed,
                                          .active = pit->active,
                                          .n_active = pit->n_active,
                                          .seconds_left = seconds_left(pit)};
    q->progress(q->context, &state);
}

static void on_progress(void *context, const struct l2r_progress *p)
{
    struct shift *shift = context;
    struct pit *pit = shift->pit;
    pthread_mutex_lock(&pit->lock);
    for (size_t a = 0; a < pit->n_active; a++) {
        struct l2r_queue_active *active = &pit->active[a];
        if (active->job != shift->job) continue;
        double batches = p->n_batches > 0 ? (double)p->batch / (double)p->n_batches : 0;
        active->epoch = p->epoch;
        active->n_epochs = p->n_epochs;
        active->done = p->n_epochs > 0 ? ((double)(p->epoch - 1) + batches) / (double)p->n_epochs : 0;
    }
    tell(pit, false);
    pthread_mutex_unlock(&pit->lock);
}

static void on_epoch(void *context, const struct l2r_progress *p)
{
    struct shift *shift = context;
    const struct l2r_queue *q = shift->pit->queue;
    on_progress(context, p);
    if (q->give_up == NULL) return;
    pthread_mutex_lock(&shift->pit->lock);
    shift->given_up = q->give_up(q->context, shift->job, p);
    pthread_mutex_unlock(&shift->pit->lock);
}

static void on_note(void *context, const char *sentence)
{
    struct shift *shift = context;
    const struct l2r_queue *q = shift->pit->queue;
    if (q->note == NULL) return;
    pthread_mutex_lock(&shift->pit->lock);
    q->note(q->context, shift->job, sentence);
    pthread_mutex_unlock(&shift->pit->lock);
}

static bool stop_asked(const struct pit *pit)
{
    return pit->queue->stop != NULL && pit->queue->stop(pit->queue->context);
}

static bool on_stop(void *context)
{
    struct shift *shift = context;
    pthread_mutex_lock(&shift->pit->lock);
    bool stop = shift->given_up || shift->pit->broken || stop_asked(shift->pit);
    pthread_mutex_unlock(&shift->pit->lock);
    return stop;
}

/* Can the run in this folder be continued? One that had other options, or has no checkpoint, is cleared away. */
static bool prepare_folder(const struct l2r_queue_job *job)
{
    static const char *const files[] = {"last.safetensors", "previous.safetensors", "best.safetensors", "result.json",
                                        NULL};
    char path[LONGEST_PATH];
    json_t *before = NULL, *now = l2r_config_to_json(job->config), *value;
    const char *name;
    snprintf(path, sizeof path, "%s/config.json", job->dir);
    bool same = l2r_json_read(&before, path, NULL) == L2R_OK;
    json_object_foreach(now, name, value)
    {
        const json_t *old = json_object_get(before, name);
        if (old != NULL && !l2r_plan_is_free(name) && !json_equal(old, value)) same = false;
    }
    json_decref(before);
    json_decref(now);
    for (size_t i = 0; same && i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", job->dir, files[i]);
        if (l2r_path_is_file(path)) return true;
    }
    for (size_t i = 0; files[i] != NULL; i++) {
        snprintf(path, sizeof path, "%s/%s", job->dir, files[i]);
        (void)unlink(path); /* not there: fine */
    }
    return false;
}

static enum l2r_status train(struct l2r_queue_done *done, struct l2r_result *result, struct shift *shift,
                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_queue *q = shift->pit->queue;
    const struct l2r_queue_job *job = &q->jobs[shift->job];
    const struct l2r_dataset *data;
    const struct l2r_watch watch = {
        .context = shift, .batch = on_progress, .epoch = on_epoch, .note = on_note, .stop = on_stop};
    double (*used)(void) = done->threads == 1 ? l2r_clock_thread_seconds : l2r_clock_process_seconds;
    l2r_threads_set(done->threads);
    L2R_TRY(l2r_pool_get(&data, q->pool, job->data, error));
    bool resumed = prepare_folder(job);
    double started = used();
    L2R_TRY(l2r_run_train_on(result, job->config, data, job->dir, resumed, NULL, &watch, error));
    done->cpu_seconds = resumed ? (double)NAN : used() - started;
    done->result = result;
done:
    return status;
}

/* Own jobs are every P-th. */
static size_t stride(const struct pit *pit)
{
    return (size_t)l2r_comm_size(pit->queue->comm);
}

/* What the other ranks' jobs alone need is not kept here. Before the workers start. */
static void release_others(const struct pit *pit)
{
    const struct l2r_queue *q = pit->queue;
    for (size_t j = 0; j < q->n_jobs; j++)
        if (j % stride(pit) != pit->next) l2r_pool_release(q->pool, q->jobs[j].data);
}

/* With the lock held: may the next job begin now? *threads: with so many. */
static bool may_begin(const struct pit *pit, int *threads)
{
    const struct l2r_queue *q = pit->queue;
    double need = q->jobs[pit->next].memory;
    *threads = 1;
    if (pit->n_active == 0) {
        bool last = pit->next + stride(pit) >= q->n_jobs;
        bool large = q->memory > 0 && pit->n_threads > 1 && 2 * need > q->memory;
        if (last || large) *threads = pit->n_threads;
        return true;
    }
    return !pit->alone && (q->memory <= 0 || pit->memory_used + need <= q->memory);
}

/* With the lock held: takes a job, waiting for memory. False: there is nothing left to do. */
static bool take(struct pit *pit, struct l2r_queue_done *done)
{
    const struct l2r_queue *q = pit->queue;
    for (;;) {
        if (pit->broken || pit->next >= q->n_jobs || stop_asked(pit)) return false;
        if (may_begin(pit, &done->threads)) break;
        pthread_cond_wait(&pit->freed, &pit->lock);
    }
    done->job = pit->next;
    pit->next += stride(pit);
    pit->active[pit->n_active++] = (struct l2r_queue_active){.job = done->job};
    pit->memory_used += q->jobs[done->job].memory;
    pit->alone = done->threads > 1;
    tell(pit, true);
    return true;
}

static void break_off(struct pit *pit, const struct l2r_error *error)
{
    if (!pit->broken) pit->error = *error;
    pit->broken = true;
}

/* With the lock held: a run has ended here. Rank 0 hears of it and does what is to be done. */
static void note_end(struct pit *pit, const struct l2r_queue_done *done, enum l2r_status status,
                     struct l2r_error *error)
{
    const struct l2r_queue *q = pit->queue;
    if (status == L2R_OK)
        pit->n_done++;
    else
        pit->n_failed++;
    if (!l2r_comm_leads(q->comm)) {
        struct l2r_queue_message message = {done->job, done->cpu_seconds, done->threads, status, {0}};
        if (status != L2R_OK) message.error = *error;
        if (!l2r_outbox_put(&pit->outbox, &message)) {
            l2r_fail_memory(error, sizeof message, "messages to rank 0");
            break_off(pit, error);
        }
    } else if (status != L2R_OK) {
        if (q->failed != NULL) q->failed(q->context, done->job, error);
    } else if (q->finished(q->context, done, error) != L2R_OK) {
        break_off(pit, error);
    }
}

/* Another rank's run has ended; its result is in its folder. */
static void hear(struct pit *pit, const struct l2r_queue_message *message)
{
    struct l2r_queue_done done = {message->job, NULL, message->cpu_seconds, message->threads};
    struct l2r_error error = message->error;
    struct l2r_result result = {0};
    char path[LONGEST_PATH];
    pthread_mutex_lock(&pit->lock);
    snprintf(path, sizeof path, "%s/result.json", pit->queue->jobs[message->job].dir);
    done.result = &result;
    if (message->status == L2R_OK && l2r_result_read(&result, path, &error) != L2R_OK)
        break_off(pit, &error);
    else
        note_end(pit, &done, message->status, &error);
    tell(pit, true);
    pthread_mutex_unlock(&pit->lock);
    l2r_result_clear(&result);
}

/* With the lock held. */
static void put_back(struct pit *pit, const struct l2r_queue_done *done, bool given_up, enum l2r_status status,
                     struct l2r_error *error)
{
    const struct l2r_queue *q = pit->queue;
    size_t a = 0;
    while (pit->active[a].job != done->job) a++;
    pit->active[a] = pit->active[--pit->n_active];
    pit->memory_used -= q->jobs[done->job].memory;
    pit->alone = false;
    if (status == L2R_OK || given_up || status != L2R_ERR_INTERRUPTED) note_end(pit, done, status, error);
    tell(pit, true);
    pthread_cond_broadcast(&pit->freed);
}

static void *work(void *argument)
{
    struct pit *pit = argument;
    struct l2r_queue_done done = {0};
    pthread_mutex_lock(&pit->lock);
    while (take(pit, &done)) {
        struct l2r_result result = {0};
        struct l2r_error error = {0};
        struct shift shift = {.pit = pit, .job = done.job};
        pthread_mutex_unlock(&pit->lock);
        enum l2r_status status = train(&done, &result, &shift, &error);
        l2r_pool_release(pit->queue->pool, pit->queue->jobs[done.job].data);
        pthread_mutex_lock(&pit->lock);
        put_back(pit, &done, shift.given_up, status, &error);
        l2r_result_clear(&result);
    }
    pit->n_working--;
    pthread_cond_broadcast(&pit->freed);
    pthread_mutex_unlock(&pit->lock);
    return NULL;
}

/* The calling thread, the only one that may talk to other ranks, while the workers work: rank 0 listens until all have ended, the others tell. */
static void talk(struct pit *pit)
{
    const struct timespec moment = {.tv_nsec = 5000000};
    struct l2r_comm *comm = pit->queue->comm;
    struct l2r_queue_message message;
    for (int left = comm->size - 1;;) {
        pthread_mutex_lock(&pit->lock);
        bool idle = pit->n_working == 0, broken = pit->broken;
        bool any = comm->rank > 0 && l2r_outbox_take(&pit->outbox, &message);
        pthread_mutex_unlock(&pit->lock);
        if (comm->rank > 0) {
            if (any || idle) l2r_queue_send(comm, any ? &message : NULL);
            if (!any && idle) return;
        } else {
            any = l2r_queue_receive(comm, &message, &left);
            if (any) hear(pit, &message);
            if (idle && (left == 0 || broken)) return;
        }
        if (!any) nanosleep(&moment, NULL);
    }
}

/* What rank 0 has counted holds for all. */
static void share_counts(struct pit *pit)
{
    uint64_t counts[2] = {pit->n_done, pit->n_failed};
    l2r_comm_broadcast(pit->queue->comm, counts, sizeof counts);
    pit->n_done = counts[0];
    pit->n_failed = counts[1];
}

enum l2r_status l2r_queue_run(const struct l2r_queue *queue, size_t *n_failed, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct pit pit = {.queue = queue, .n_threads = queue->n_workers > 0 ? queue->n_workers : l2r_threads_get()};
    pthread_t threads[MOST_WORKERS];
    int n = 0;
    if (pit.n_threads > MOST_WORKERS) pit.n_threads = MOST_WORKERS;
    pit.next = queue->comm ? (size_t)queue->comm->rank : 0;
    release_others(&pit);
    pthread_mutex_init(&pit.lock, NULL);
    pthread_cond_init(&pit.freed, NULL);
    size_t own = queue->n_jobs > pit.next ? (queue->n_jobs - pit.next + stride(&pit) - 1) / stride(&pit) : 0;
    pthread_mutex_lock(&pit.lock);
    while (n < pit.n_threads && (size_t)n < own && pthread_create(&threads[n], NULL, work, &pit) == 0) n++;
    pit.n_working = n;
    pthread_mutex_unlock(&pit.lock);
    if (n == 0 && own > 0) L2R_FAIL(L2R_ERR_MEMORY, "cannot start a thread for the runs");
    if (queue->comm) talk(&pit);
    for (int i = 0; i < n; i++) pthread_join(threads[i], NULL);
    if (queue->comm && !pit.broken) share_counts(&pit);
    if (pit.broken) L2R_FAIL(pit.error.status, "%s", pit.error.message);
    if (pit.n_done + pit.n_failed < queue->n_jobs)
        L2R_FAIL(L2R_ERR_INTERRUPTED, "interrupted; %zu of %zu runs are done", pit.n_done, queue->n_jobs);
done:
    if (n_failed != NULL) *n_failed = pit.n_failed;
    l2r_free(pit.outbox.messages);
    pthread_cond_destroy(&pit.freed);
    pthread_mutex_destroy(&pit.lock);
    return status;
}
