/* SPDX-License-Identifier: MIT
 * See prefetch.h. Two counters under one lock are the whole protocol: made <= wanted, and both only grow. */
#include "base/prefetch.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdbool.h>

struct l2r_prefetch {
    void (*make)(void *context, size_t k);
    void *context;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t wanted, made;
    bool quit;
};

static void *work(void *argument)
{
    struct l2r_prefetch *p = argument;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->made == p->wanted && !p->quit) pthread_cond_wait(&p->changed, &p->lock);
        if (p->quit) break;
        size_t k = p->made;
        pthread_mutex_unlock(&p->lock);
        p->make(p->context, k);
        pthread_mutex_lock(&p->lock);
        p->made = k + 1;
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

enum l2r_status l2r_prefetch_new(struct l2r_prefetch **prefetch, void (*make)(void *context, size_t k), void *context,
                                 struct l2r_error *error)
{
    struct l2r_prefetch *p = l2r_alloc(1, sizeof *p);
    *prefetch = NULL;
    if (!p) return l2r_fail_memory(error, sizeof *p, "a prefetching thread");
    p->make = make;
    p->context = context;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    if (pthread_create(&p->thread, NULL, work, p) != 0) {
        pthread_mutex_destroy(&p->lock);
        pthread_cond_destroy(&p->changed);
        l2r_free(p);
        return l2r_fail(error, L2R_ERR_MEMORY,
                        "cannot start a thread for prefetching; is the number of threads limited?");
    }
    *prefetch = p;
    return L2R_OK;
}

void l2r_prefetch_want(struct l2r_prefetch *p)
{
    pthread_mutex_lock(&p->lock);
    p->wanted++;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void l2r_prefetch_wait(struct l2r_prefetch *p, size_t k)
{
    pthread_mutex_lock(&p->lock);
    while (p->made <= k) pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void l2r_prefetch_free(struct l2r_prefetch *p)
{
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->changed);
    l2r_free(p);
}
