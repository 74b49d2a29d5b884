/* SPDX-License-Identifier: MIT
 *
 * See batches.h. Two buffers alternate, each owned by one thread at a time:
 *
 *     place[current]     owned by the caller: the current batch
 *     place[!current]    owned by the thread while it prefetches (guessed), otherwise unused
 *
 * `current` changes only after waiting for the thread, so the thread never sees a change.
 */
#include "batch/batches.h"

#include "base/memory.h"
#include "base/threads.h"
#include "batch/arc_levels.h"
#include "batch/batch.h"

#include <string.h>

struct place {
    struct l2r_arena arena;
    struct l2r_batch batch;
    int32_t *graphs; /* [n], in the arena */
    int64_t n;
    enum l2r_status status;
    struct l2r_error error;
};

struct l2r_batches {
    const struct l2r_dataset *data;
    struct l2r_sharing sharing;
    struct l2r_comm *comm; /* only rank and size are used: the thread sends no messages */

    struct place place[2];
    int current; /* the place that the caller works on */
    struct l2r_prefetch *prefetch;
    size_t guesses; /* batches prefetched so far */
    bool guessed;   /* the last of them has not been used yet */
    bool failed;    /* the system gives no thread */
};

enum l2r_status l2r_batch_share(struct l2r_batch *batch, struct l2r_arena *arena, const struct l2r_dataset *data,
                                const struct l2r_sharing *sharing, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    batch->levels = NULL;
    batch->arc_levels = NULL;
    if (sharing->depth == 0 || batch->n_nodes == 0) goto done;
    if (sharing->directed) return l2r_arc_levels_make(&batch->arc_levels, arena, batch, data, sharing, error);
    struct l2r_levels *levels = l2r_arena_alloc(arena, 1, sizeof *levels);
    if (!levels) return l2r_fail_memory(error, sizeof *levels, "the equal neighbourhoods of a batch");
    L2R_TRY(l2r_levels_make(levels, arena, batch, data, sharing, error));
    if (levels->n > 0) batch->levels = levels;
done:
    return status;
}

static enum l2r_status prepare_whole(struct l2r_batch *batch, struct l2r_arena *arena, const struct l2r_dataset *data,
                                     const int32_t *graphs, int64_t n_graphs, const struct l2r_sharing *sharing,
                                     struct l2r_error *error)
{
    enum l2r_status status = l2r_batch_make(batch, arena, data, graphs, n_graphs, error);
    return status == L2R_OK ? l2r_batch_share(batch, arena, data, sharing, error) : status;
}

enum l2r_status l2r_batch_prepare(struct l2r_batch *batch, struct l2r_arena *arena, const struct l2r_dataset *data,
                                  const int32_t *graphs, int64_t n_graphs, const struct l2r_sharing *sharing,
                                  struct l2r_comm *comm, struct l2r_error *error)
{
    if (!comm) return prepare_whole(batch, arena, data, graphs, n_graphs, sharing, error);
    const struct l2r_division *d = l2r_division_make(arena, comm, data, graphs, n_graphs, error);
    if (!d) return L2R_ERR_MEMORY;
    enum l2r_status status =
        prepare_whole(batch, arena, data, d->graphs + l2r_division_first(d), l2r_division_count(d), sharing, error);
    batch->division = d;
    return status;
}

static void fill(const struct l2r_batches *b, struct place *p)
{
    p->status = l2r_batch_prepare(&p->batch, &p->arena, b->data, p->graphs, p->n, &b->sharing, b->comm, &p->error);
}

/* On the thread. */
static void fill_ahead(void *context, size_t k)
{
    struct l2r_batches *b = context;
    (void)k;
    l2r_threads_set(1); /* the others are busy with the current batch */
    fill(b, &b->place[!b->current]);
}

/* Empties a place and notes the graphs that it is for. */
static bool reset(struct place *p, const int32_t *graphs, int64_t n)
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

enum l2r_status l2r_batches_new(struct l2r_batches **batches, const struct l2r_dataset *data,
                                const struct l2r_sharing *sharing, struct l2r_error *error)
{
    struct l2r_batches *b = *batches = l2r_alloc(1, sizeof *b);
    if (!b) return l2r_fail_memory(error, sizeof *b, "batches");
    b->data = data;
    b->sharing = *sharing;
    for (int k = 0; k < 2; k++) l2r_arena_init(&b->place[k].arena);
    return L2R_OK;
}

void l2r_batches_divide(struct l2r_batches *b, struct l2r_comm *comm)
{
    b->comm = comm;
}

void l2r_batches_free(struct l2r_batches *b)
{
    if (!b) return;
    l2r_prefetch_free(b->prefetch);
    for (int k = 0; k < 2; k++) l2r_arena_clear(&b->place[k].arena);
    l2r_free(b);
}

/* Waits for the other buffer if it is being filled; true if it holds the batch that is needed now. */
static bool was_guessed(struct l2r_batches *b, const int32_t *graphs, int64_t n)
{
    if (!b->guessed) return false;
    b->guessed = false;
    l2r_prefetch_wait(b->prefetch, b->guesses - 1);
    const struct place *p = &b->place[!b->current];
    return p->n == n && memcmp(p->graphs, graphs, (size_t)n * sizeof *graphs) == 0;
}

/* Without a thread (a limit on processes) the next call does the work. */
static void guess(struct l2r_batches *b, const int32_t *graphs, int64_t n)
{
    if (n == 0 || l2r_threads_get() == 1 || b->failed) return;
    if (!reset(&b->place[!b->current], graphs, n)) return; /* the next call reports it, if it fails again */
    if (!b->prefetch) b->failed = l2r_prefetch_new(&b->prefetch, fill_ahead, b, NULL) != L2R_OK;
    if (b->failed) return;
    b->guessed = true;
    b->guesses++;
    l2r_prefetch_request(b->prefetch);
}

enum l2r_status l2r_batches_next(const struct l2r_batch **batch, struct l2r_batches *b, const int32_t *graphs,
                                 int64_t n, const int32_t *next, int64_t n_next, struct l2r_error *error)
{
    bool ready = was_guessed(b, graphs, n);
    b->current = !b->current;
    struct place *p = &b->place[b->current];
    if (!ready && reset(p, graphs, n)) fill(b, p);
    if (p->status != L2R_OK) {
        if (error) *error = p->error;
        return p->status;
    }
    *batch = &p->batch;
    guess(b, next, n_next);
    return L2R_OK;
}
