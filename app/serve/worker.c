/* SPDX-License-Identifier: MIT
 * See worker.h. */
#include "serve/worker.h"

#include "base/memory.h"
#include "serve/reply.h"

#include <pthread.h>

struct task {
    struct task *next;
    struct l2r_exchange *exchange;
    l2r_task_fn *fn;
    char *query[L2R_TASK_QUERIES];
};

struct l2r_worker {
    void *context;
    struct l2r_counters *counters;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct task *first, *last;
    int waiting, most;
    bool stop;
};

static void task_free(struct task *task)
{
    for (int i = 0; i < L2R_TASK_QUERIES; i++) l2r_free(task->query[i]);
    l2r_free(task);
}

static void *run(void *context)
{
    struct l2r_worker *w = context;
    pthread_mutex_lock(&w->lock);
    while (true) {
        while (!w->first && !w->stop) pthread_cond_wait(&w->changed, &w->lock);
        struct task *task = w->first;
        bool stop = w->stop;
        if (!task) break;
        w->first = task->next;
        if (!w->first) w->last = NULL;
        pthread_mutex_unlock(&w->lock);
        if (stop)
            l2r_reply_error(task->exchange, w->counters, 503, "the server is stopping");
        else
            task->fn(w->context, task->exchange, (const char *const *)task->query);
        task_free(task);
        pthread_mutex_lock(&w->lock);
        w->waiting--;
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

enum l2r_status l2r_worker_new(struct l2r_worker **worker, void *context, struct l2r_counters *counters, int most,
                               struct l2r_error *error)
{
    struct l2r_worker *w = *worker = l2r_alloc(1, sizeof *w);
    if (!w) return l2r_fail_memory(error, sizeof *w, "a queue");
    w->context = context;
    w->counters = counters;
    w->most = most;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    if (pthread_create(&w->thread, NULL, run, w) == 0) return L2R_OK;
    l2r_free(w);
    *worker = NULL;
    return l2r_fail(error, L2R_ERR_IO, "the system gives no thread");
}

static struct task *make_task(struct l2r_exchange *exchange, l2r_task_fn *fn, const char *const *names)
{
    struct task *task = l2r_alloc(1, sizeof *task);
    if (!task) return NULL;
    *task = (struct task){.exchange = exchange, .fn = fn};
    for (int i = 0; i < L2R_TASK_QUERIES && names[i]; i++) {
        const char *value = l2r_exchange_query(exchange, names[i]);
        if (value && !(task->query[i] = l2r_strdup(value))) {
            task_free(task);
            return NULL;
        }
    }
    return task;
}

void l2r_worker_add(struct l2r_worker *w, struct l2r_exchange *exchange, l2r_task_fn *fn,
                    const char *const names[L2R_TASK_QUERIES])
{
    struct task *task = make_task(exchange, fn, names);
    pthread_mutex_lock(&w->lock);
    int code = !task || w->stop ? 503 : w->waiting >= w->most ? 429 : 0;
    if (code == 0) {
        w->waiting++;
        if (w->last)
            w->last->next = task;
        else
            w->first = task;
        w->last = task;
        pthread_cond_signal(&w->changed);
    }
    pthread_mutex_unlock(&w->lock);
    if (code == 0) return;
    w->counters->refused++;
    l2r_reply_error(exchange, w->counters, code, "%s",
                    code == 429 ? "too many requests wait already" : "the server is stopping");
    if (task) task_free(task);
}

int l2r_worker_waiting(struct l2r_worker *w)
{
    pthread_mutex_lock(&w->lock);
    int n = w->waiting;
    pthread_mutex_unlock(&w->lock);
    return n;
}

void l2r_worker_stop(struct l2r_worker *w)
{
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
}

void l2r_worker_free(struct l2r_worker *w)
{
    if (!w) return;
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    l2r_free(w);
}
