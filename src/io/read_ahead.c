/* SPDX-License-Identifier: MIT
 * See ahead.h. Block k of the stream lies in ring place k mod BLOCKS; `filled` and `taken` count blocks. */
#include "io/read_ahead.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

enum { BLOCKS = 4, BLOCK_SIZE = 1 << 18 };

struct l2r_ahead {
    l2r_read_fn *read;
    void *context;
    pthread_t thread;
    bool started;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t filled, taken; /* blocks */
    bool stop;            /* the caller wants no more */

    char *ring;             /* [BLOCKS × BLOCK_SIZE] */
    size_t length[BLOCKS];  /* bytes in each block; 0: the end */
    size_t position;        /* bytes of the current block already handed out */
    enum l2r_status status; /* of the read that gave the last block */
    struct l2r_error error;
};

static void *fill(void *argument)
{
    struct l2r_ahead *a = argument;
    for (size_t k = 0;; k++) {
        pthread_mutex_lock(&a->lock);
        while (k - a->taken == BLOCKS && !a->stop) pthread_cond_wait(&a->changed, &a->lock);
        bool stop = a->stop;
        pthread_mutex_unlock(&a->lock);
        if (stop) return NULL;

        size_t got = 0;
        enum l2r_status status = a->read(a->context, a->ring + k % BLOCKS * BLOCK_SIZE, BLOCK_SIZE, &got, &a->error);
        if (status != L2R_OK) got = 0;
        pthread_mutex_lock(&a->lock);
        a->length[k % BLOCKS] = got;
        a->status = status;
        a->filled = k + 1;
        pthread_cond_signal(&a->changed);
        pthread_mutex_unlock(&a->lock);
        if (got == 0) return NULL;
    }
}

enum l2r_status l2r_ahead_new(struct l2r_ahead **ahead, l2r_read_fn *read, void *context, struct l2r_error *error)
{
    struct l2r_ahead *a = l2r_alloc(1, sizeof *a);
    char *ring = l2r_alloc_raw(BLOCKS, BLOCK_SIZE);
    *ahead = NULL;
    if (!a || !ring) {
        l2r_free(ring);
        l2r_free(a);
        return l2r_fail_memory(error, (size_t)BLOCKS * BLOCK_SIZE, "reading ahead");
    }
    a->read = read;
    a->context = context;
    a->ring = ring;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    /* Without a thread (a limit on processes) l2r_ahead_read reads directly. */
    a->started = pthread_create(&a->thread, NULL, fill, a) == 0;
    *ahead = a;
    return L2R_OK;
}

enum l2r_status l2r_ahead_read(struct l2r_ahead *a, void *bytes, size_t size, size_t *got, struct l2r_error *error)
{
    if (!a->started) return a->read(a->context, bytes, size, got, error);
    pthread_mutex_lock(&a->lock);
    while (a->filled == a->taken) pthread_cond_wait(&a->changed, &a->lock);
    pthread_mutex_unlock(&a->lock);

    size_t place = a->taken % BLOCKS, left = a->length[place] - a->position;
    *got = size < left ? size : left;
    if (a->length[place] == 0) { /* the end; stays current for further calls */
        if (a->status != L2R_OK && error) *error = a->error;
        return a->status;
    }
    memcpy(bytes, a->ring + place * BLOCK_SIZE + a->position, *got);
    a->position += *got;
    if (a->position == a->length[place]) {
        a->position = 0;
        pthread_mutex_lock(&a->lock);
        a->taken++;
        pthread_cond_signal(&a->changed);
        pthread_mutex_unlock(&a->lock);
    }
    return L2R_OK;
}

void l2r_ahead_free(struct l2r_ahead *a)
{
    if (!a) return;
    if (a->started) {
        pthread_mutex_lock(&a->lock);
        a->stop = true;
        pthread_cond_signal(&a->changed);
        pthread_mutex_unlock(&a->lock);
        pthread_join(a->thread, NULL);
    }
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    l2r_free(a->ring);
    l2r_free(a);
}
