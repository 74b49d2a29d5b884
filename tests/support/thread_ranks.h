/* SPDX-License-Identifier: MIT
 *
 * Ranks that are threads of the test: a communicator on barriers and shared memory, so that what several ranks compute
 * can be tested without MPI. Sums are taken in the order of the ranks.
 */
#ifndef L2R_TESTS_THREAD_RANKS_H
#define L2R_TESTS_THREAD_RANKS_H

#include "base/threads.h"
#include "comm/comm.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 8, MOST_SUMS = 32 };

struct meeting {
    int size;
    pthread_barrier_t barrier;
    void *brought[MOST_RANKS];
};

struct thread_rank {
    struct meeting *meeting;
    struct l2r_comm comm;
    struct {
        void *values;
        int64_t n;
        size_t size;
    } sums[MOST_SUMS];
    int n_sums;
    void (*work)(struct l2r_comm *comm, void *context);
    void *context;
};

static void meet(struct thread_rank *r, void *brought)
{
    r->meeting->brought[r->comm.rank] = brought;
    pthread_barrier_wait(&r->meeting->barrier);
}

static void rank_sum(void *state, void *values, int64_t n, size_t size)
{
    struct thread_rank *r = state;
    char *sum = calloc((size_t)n + 1, size);
    meet(r, values);
    for (int k = 0; k < r->meeting->size; k++)
        for (int64_t i = 0; i < n; i++)
            if (size == sizeof(float))
                ((float *)(void *)sum)[i] += ((const float *)r->meeting->brought[k])[i];
            else
                ((double *)(void *)sum)[i] += ((const double *)r->meeting->brought[k])[i];
    meet(r, values);
    memcpy(values, sum, (size_t)n * size);
    free(sum);
}

static void rank_start_sum(void *state, void *values, int64_t n, size_t size)
{
    struct thread_rank *r = state;
    if (r->n_sums == MOST_SUMS) abort();
    r->sums[r->n_sums].values = values;
    r->sums[r->n_sums].n = n;
    r->sums[r->n_sums++].size = size;
}

static void rank_progress(void *state)
{
    (void)state;
}

static void rank_finish_sums(void *state)
{
    struct thread_rank *r = state;
    for (int i = 0; i < r->n_sums; i++) rank_sum(r, r->sums[i].values, r->sums[i].n, r->sums[i].size);
    r->n_sums = 0;
}

static void rank_gather(void *state, void *all, const int64_t *start)
{
    struct thread_rank *r = state;
    meet(r, all);
    for (int k = 0; k < r->meeting->size; k++)
        if (k != r->comm.rank)
            memcpy((char *)all + start[k], (const char *)r->meeting->brought[k] + start[k],
                   (size_t)(start[k + 1] - start[k]));
    meet(r, all);
}

static void rank_broadcast(void *state, void *data, size_t bytes)
{
    struct thread_rank *r = state;
    meet(r, data);
    if (r->comm.rank > 0) memcpy(data, r->meeting->brought[0], bytes);
    meet(r, data);
}

static const struct l2r_comm_calls rank_calls = {.sum = rank_sum,
                                                 .start_sum = rank_start_sum,
                                                 .progress = rank_progress,
                                                 .finish_sums = rank_finish_sums,
                                                 .gather = rank_gather,
                                                 .broadcast = rank_broadcast};

static void *rank_work(void *argument)
{
    struct thread_rank *r = argument;
    l2r_threads_set(1);
    r->work(&r->comm, r->context);
    return NULL;
}

/* Runs work(comm, contexts[rank]) on `size` ranks at once. */
static inline void on_ranks(int size, void (*work)(struct l2r_comm *comm, void *context), void *const *contexts)
{
    struct meeting meeting = {.size = size};
    struct thread_rank ranks[MOST_RANKS];
    pthread_t threads[MOST_RANKS];
    pthread_barrier_init(&meeting.barrier, NULL, (unsigned)size);
    for (int k = 0; k < size; k++) {
        ranks[k] = (struct thread_rank){.meeting = &meeting, .work = work, .context = contexts[k]};
        ranks[k].comm =
            (struct l2r_comm){.size = size, .rank = k, .threads = 1, .calls = &rank_calls, .state = &ranks[k]};
        if (pthread_create(&threads[k], NULL, rank_work, &ranks[k]) != 0) abort();
    }
    for (int k = 0; k < size; k++) pthread_join(threads[k], NULL);
    pthread_barrier_destroy(&meeting.barrier);
}

#endif
