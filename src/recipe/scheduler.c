/* SPDX-License-Identifier: MIT
 * See scheduler.h. One lock guards everything; it is not held while a function of the caller runs. */
#include "recipe/scheduler.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/threads.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { FIT_NAME = 96 };

struct event {
    char *sentence; /* of a note; NULL: an epoch */
    struct l2r_progress progress;
    json_t *line;
    bool replay; /* the epoch was reported by an earlier process: for the record alone */
    char fit[FIT_NAME];
};

struct l2r_reporter {
    struct scheduler *scheduler;
    char fit[FIT_NAME];      /* that is under way */
    struct l2r_array events; /* struct event, in the order in which they happened */
    size_t delivered;
    struct l2r_progress batch;
    bool has_batch; /* not delivered yet */
    bool ended;
    enum l2r_status status;
    struct l2r_error error;
};

struct scheduler {
    const struct l2r_scheduler *plan;
    struct l2r_callbacks to;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool sequential;
    int threads;     /* of the caller */
    int next;        /* job to be taken */
    int running;     /* jobs at work */
    int displayed;   /* job whose events are delivered now */
    bool check_stop; /* a job needs to know whether to stop */
    bool stopped;    /* the answer was yes, or a job failed */
    bool no_memory;  /* for an event */
    enum l2r_status recorded;
    struct l2r_error record_error;
    struct l2r_reporter reporters[]; /* [n] */
};

/* ---- on the caller's thread ---- */

static void drop(struct event *event)
{
    l2r_free(event->sentence);
    json_decref(event->line);
}

/* Called with the lock held, which is released meanwhile. */
static void deliver_event(struct scheduler *s, struct event *event)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error error = {0};
    bool recorded = s->recorded == L2R_OK;
    pthread_mutex_unlock(&s->lock);
    if (event->sentence && s->to.note) s->to.note(s->to.context, event->sentence);
    if (event->line && s->plan->record && recorded)
        status = s->plan->record(s->plan->record_context, event->fit, event->line, &error);
    if (event->line && !event->replay && s->to.epoch) s->to.epoch(s->to.context, &event->progress);
    pthread_mutex_lock(&s->lock);
    drop(event);
    if (status == L2R_OK) return;
    s->recorded = status;
    s->record_error = error;
    s->stopped = true;
}

/* Delivers one event, with the lock held; false: there is none now. */
static bool deliver_one(struct scheduler *s)
{
    struct l2r_reporter *reporter = &s->reporters[s->displayed];
    if (s->check_stop) {
        s->check_stop = false;
        pthread_mutex_unlock(&s->lock);
        bool stop = s->to.stop(s->to.context);
        pthread_mutex_lock(&s->lock);
        s->stopped = s->stopped || stop;
    } else if (reporter->delivered < reporter->events.n) {
        struct event event = ((struct event *)reporter->events.items)[reporter->delivered++];
        deliver_event(s, &event);
    } else if (reporter->has_batch) {
        struct l2r_progress batch = reporter->batch;
        reporter->has_batch = false;
        pthread_mutex_unlock(&s->lock);
        s->to.batch(s->to.context, &batch);
        pthread_mutex_lock(&s->lock);
    } else if (reporter->ended && s->displayed + 1 < s->plan->n) {
        s->displayed++;
    } else {
        return false;
    }
    return true;
}

/* Until all jobs have ended. */
static void deliver(struct scheduler *s)
{
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (deliver_one(s)) continue;
        if (s->reporters[s->displayed].ended) break; /* the last one: nothing is left */
        pthread_cond_wait(&s->changed, &s->lock);
    }
    pthread_mutex_unlock(&s->lock);
}

/* ---- in the jobs ---- */

/* After a change, with the lock held: a job on the caller's thread has it delivered at once. */
static void changed(struct scheduler *s)
{
    while (s->sequential && deliver_one(s)) continue;
    pthread_cond_signal(&s->changed);
}

static void add(struct l2r_reporter *reporter, struct event event, bool whole)
{
    struct scheduler *s = reporter->scheduler;
    pthread_mutex_lock(&s->lock);
    reporter->has_batch = false; /* older than the event */
    if (!whole || !l2r_array_add(&reporter->events, &event, 1, sizeof event)) {
        drop(&event);
        s->no_memory = s->stopped = true;
    }
    changed(s);
    pthread_mutex_unlock(&s->lock);
}

/* progress: NULL for an epoch of an earlier process. */
static void on_epoch(void *context, const struct l2r_progress *progress, const json_t *line)
{
    struct l2r_reporter *reporter = context;
    struct event event = {.line = json_deep_copy(line), .replay = !progress};
    if (progress) event.progress = *progress;
    memcpy(event.fit, reporter->fit, sizeof event.fit);
    add(reporter, event, event.line != NULL);
}

static void on_replay(void *context, const json_t *line)
{
    on_epoch(context, NULL, line);
}

void l2r_reporter_note(struct l2r_reporter *reporter, const char *sentence)
{
    struct event event = {.sentence = l2r_strdup(sentence)};
    add(reporter, event, event.sentence != NULL);
}

static void on_note(void *context, const char *sentence)
{
    l2r_reporter_note(context, sentence);
}

static void on_batch(void *context, const struct l2r_progress *progress)
{
    struct l2r_reporter *reporter = context;
    struct scheduler *s = reporter->scheduler;
    if (!s->to.batch) return;
    pthread_mutex_lock(&s->lock);
    if (reporter == &s->reporters[s->displayed]) {
        reporter->batch = *progress;
        reporter->has_batch = true;
        changed(s);
    }
    pthread_mutex_unlock(&s->lock);
}

/* The share of the caller's threads of a job that runs beside others. */
static int share(const struct scheduler *s)
{
    return s->running > 0 && s->threads > s->running ? s->threads / s->running : 1;
}

static bool on_stop(void *context)
{
    struct scheduler *s = ((struct l2r_reporter *)context)->scheduler;
    pthread_mutex_lock(&s->lock);
    s->check_stop = s->to.stop != NULL;
    changed(s);
    bool stop = s->stopped;
    int threads = share(s);
    pthread_mutex_unlock(&s->lock);
    if (!s->sequential) l2r_threads_set(threads); /* more, when another job has ended */
    return stop;
}

struct l2r_fit_observer l2r_reporter_observer(struct l2r_reporter *reporter, const char *fit)
{
    snprintf(reporter->fit, sizeof reporter->fit, "%s", fit);
    return (struct l2r_fit_observer){.context = reporter,
                                     .batch = on_batch,
                                     .epoch = on_epoch,
                                     .replay = on_replay,
                                     .note = on_note,
                                     .stop = on_stop};
}

/* ---- workers ---- */

static void work_on(struct scheduler *s, int k)
{
    struct l2r_reporter *reporter = &s->reporters[k];
    reporter->status = s->plan->work(s->plan->context, k, reporter, &reporter->error);
    pthread_mutex_lock(&s->lock);
    reporter->ended = true;
    s->running--;
    s->stopped = s->stopped || reporter->status != L2R_OK;
    changed(s);
    pthread_mutex_unlock(&s->lock);
}

/* The next job; -1: there is none. After a failure those that have not begun are not begun any more. */
static int take(struct scheduler *s)
{
    pthread_mutex_lock(&s->lock);
    while (s->stopped && s->next < s->plan->n) {
        s->reporters[s->next].status = L2R_ERR_INTERRUPTED;
        l2r_fail(&s->reporters[s->next].error, L2R_ERR_INTERRUPTED, "stopped before its first epoch");
        s->reporters[s->next++].ended = true;
    }
    int k = s->next < s->plan->n ? s->next++ : -1;
    if (k >= 0) s->running++;
    int threads = share(s);
    changed(s);
    pthread_mutex_unlock(&s->lock);
    if (k >= 0 && !s->sequential) l2r_threads_set(threads);
    return k;
}

static void work(void *context, size_t made)
{
    struct scheduler *s = context;
    (void)made;
    for (int k; (k = take(s)) >= 0;) work_on(s, k);
}

/* As many workers as there are threads, or jobs; the caller delivers meanwhile. */
static enum l2r_status work_side_by_side(struct scheduler *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int n = s->threads < s->plan->n ? s->threads : s->plan->n, made = 0;
    struct l2r_prefetch **workers = l2r_alloc((size_t)n, sizeof *workers);
    if (!workers) return l2r_fail_memory(error, (size_t)n * sizeof *workers, "workers");
    while (made < n && (status = l2r_prefetch_new(&workers[made], work, s, error)) == L2R_OK) made++;
    if (made > 0) status = L2R_OK; /* fewer do */
    for (int i = 0; i < made; i++) l2r_prefetch_request(workers[i]);
    if (made > 0) deliver(s);
    for (int i = 0; i < made; i++) {
        l2r_prefetch_wait(workers[i], 0);
        l2r_prefetch_free(workers[i]);
    }
    l2r_free((void *)workers);
    return status;
}

/* The status of all jobs together. */
static enum l2r_status outcome(const struct scheduler *s, struct l2r_error *error)
{
    const struct l2r_reporter *first = NULL;
    if (s->no_memory) return l2r_fail(error, L2R_ERR_MEMORY, "out of memory: what fits report");
    if (s->recorded != L2R_OK) return l2r_fail(error, s->recorded, "%s", s->record_error.message);
    for (int k = 0; k < s->plan->n; k++) {
        const struct l2r_reporter *reporter = &s->reporters[k];
        if (reporter->status == L2R_OK) continue;
        if (!first || (first->status == L2R_ERR_INTERRUPTED && reporter->status != L2R_ERR_INTERRUPTED))
            first = reporter;
    }
    return first ? l2r_fail(error, first->status, "%s", first->error.message) : L2R_OK;
}

static void end(struct scheduler *s)
{
    for (int k = 0; k < s->plan->n; k++) {
        struct l2r_reporter *reporter = &s->reporters[k];
        for (size_t i = reporter->delivered; i < reporter->events.n; i++)
            drop(&((struct event *)reporter->events.items)[i]);
        l2r_array_clear(&reporter->events);
    }
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    l2r_free(s);
}

enum l2r_status l2r_scheduler_run(const struct l2r_scheduler *schedule, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct scheduler *s = l2r_alloc(1, sizeof *s + (size_t)schedule->n * sizeof *s->reporters);
    if (!s) return l2r_fail_memory(error, sizeof *s, "fits side by side");
    s->plan = schedule;
    if (schedule->callbacks) s->to = *schedule->callbacks;
    s->threads = l2r_threads_get();
    s->sequential = schedule->sequential || schedule->n == 1 || l2r_threads_alone();
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    for (int k = 0; k < schedule->n; k++) s->reporters[k].scheduler = s;
    if (s->sequential)
        work(s, 0);
    else
        status = work_side_by_side(s, error);
    if (status == L2R_OK) status = outcome(s, error);
    end(s);
    return status;
}
