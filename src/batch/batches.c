/* SPDX-License-Identifier: MIT
 * See batches.h. The thread sleeps until a place is WANTED and leaves it MADE; only the caller sets it to anything
 * else. */
#include "batch/batches.h"

#include "base/memory.h"
#include "base/threads.h"

#include <pthread.h>
#include <string.h>

enum state { EMPTY, WANTED, MADE };

struct place {
    struct l2r_arena arena;
    struct l2r_batch batch;
    int32_t *graphs; /* [n], in the arena */
    int64_t n;
    enum l2r_status status;
    struct l2r_error error;
};

struct l2r_batches {
    const struct l2r_network *network;
    const struct l2r_dataset *data;
    int64_t most;
    struct l2r_comm *comm; /* asked for its numbers only: the thread talks to nobody */

    struct place place[2];
    int current; /* the place that the caller works on */
    bool started, failed;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum state other; /* of the place that is not current */
    bool quit;
};

static void make(const struct l2r_batches *b, struct place *p)
{
    p->status =
        l2r_network_batch_part(&p->batch, &p->arena, b->network, b->data, p->graphs, p->n, b->most, b->comm, &p->error);
}

/* Empties a place and puts the graphs down that it is for. */
static bool prepare(struct place *p, const int32_t *graphs, int64_t n)
{
    l2r_arena_reset(&p->arena);
    p->n = n;
    p->graphs = l2r_arena_alloc(&p->arena, (size_t)n, sizeof *graphs);
    if (p->graphs)
        memcpy(p->graphs, graphs, (size_t)n * sizeof *graphs);
    else
        p->status = l2r_fail_memory(&p->error, (size_t)n * sizeof *graphs, "a batch");
    return p->graphs != NULL;
}

static void *work(void *argument)
{
    struct l2r_batches *b = argument;
    l2r_threads_set(1); /* the others are busy with the batch at hand */
    pthread_mutex_lock(&b->lock);
    while (!b->quit) {
        if (b->other == WANTED) {
            struct place *p = &b->place[!b->current];
            pthread_mutex_unlock(&b->lock);
            make(b, p);
            pthread_mutex_lock(&b->lock);
            b->other = MADE;
            pthread_cond_signal(&b->changed);
        } else {
            pthread_cond_wait(&b->changed, &b->lock);
        }
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

enum l2r_status l2r_batches_new(struct l2r_batches **batches, const struct l2r_network *network,
                                const struct l2r_dataset *data, int64_t most, struct l2r_error *error)
{
    struct l2r_batches *b = *batches = l2r_alloc(1, sizeof *b);
    if (!b) return l2r_fail_memory(error, sizeof *b, "batches");
    b->network = network;
    b->data = data;
    b->most = most;
    for (int k = 0; k < 2; k++) l2r_arena_init(&b->place[k].arena);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    return L2R_OK;
}

void l2r_batches_divide(struct l2r_batches *b, struct l2r_comm *comm)
{
    b->comm = comm;
}

void l2r_batches_free(struct l2r_batches *b)
{
    if (!b) return;
    if (b->started) {
        pthread_mutex_lock(&b->lock);
        b->quit = true;
        pthread_cond_signal(&b->changed);
        pthread_mutex_unlock(&b->lock);
        pthread_join(b->thread, NULL);
    }
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    for (int k = 0; k < 2; k++) l2r_arena_clear(&b->place[k].arena);
    l2r_free(b);
}

/* Waits for the other place; true if it holds what is asked for now. */
static bool was_expected(struct l2r_batches *b, const int32_t *graphs, int64_t n)
{
    if (!b->started) return false;
    pthread_mutex_lock(&b->lock);
    while (b->other == WANTED) pthread_cond_wait(&b->changed, &b->lock);
    bool made = b->other == MADE;
    b->other = EMPTY;
    pthread_mutex_unlock(&b->lock);
    const struct place *p = &b->place[!b->current];
    return made && p->n == n && memcmp(p->graphs, graphs, (size_t)n * sizeof *graphs) == 0;
}

/* Without a thread (a limit on processes) the next call does the work. */
static void begin(struct l2r_batches *b, const int32_t *graphs, int64_t n)
{
    if (n == 0 || l2r_threads_get() == 1 || b->failed) return;
    if (!prepare(&b->place[!b->current], graphs, n)) return; /* the next call will say so if it has to */
    if (!b->started) b->started = pthread_create(&b->thread, NULL, work, b) == 0;
    b->failed = !b->started;
    if (b->failed) return;
    pthread_mutex_lock(&b->lock);
    b->other = WANTED;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

enum l2r_status l2r_batches_next(const struct l2r_batch **batch, struct l2r_batches *b, const int32_t *graphs,
                                 int64_t n, const int32_t *next, int64_t n_next, struct l2r_error *error)
{
    bool ready = was_expected(b, graphs, n);
    b->current = !b->current;
    struct place *p = &b->place[b->current];
    if (!ready && prepare(p, graphs, n)) make(b, p);
    if (p->status != L2R_OK) {
        if (error) *error = p->error;
        return p->status;
    }
    *batch = &p->batch;
    begin(b, next, n_next);
    return L2R_OK;
}
