/* SPDX-License-Identifier: MIT
 *
 * Threads: two constructs, and no others in the library. A loop over numbered chunks of work (l2r_parallel), and one
 * thread that works ahead of its caller (l2r_prefetch). Neither lets a result depend on timing.
 *
 * The partition into chunks is chosen from the sizes of the data alone, never from the number of threads, and each
 * chunk is computed by one thread in one order. Results are therefore the same bits whether one thread or sixteen take
 * the chunks:
 *
 *     n = 10, size = 4     [0 1 2 3] [4 5 6 7] [8 9]     chunks 0, 1, 2 go to any free thread
 *
 * Every thread that calls l2r_parallel has its own team of workers, started when first needed and ended with the
 * thread. A call inside a chunk runs serially. l2r_threads_get (l2r/status.h) returns their number.
 */
#ifndef L2R_BASE_THREADS_H
#define L2R_BASE_THREADS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void l2r_chunk_fn(void *context, int64_t chunk);

/* Calls fn(context, 0 .. n_chunks-1), in any order, possibly at the same time; returns when all are done. */
void l2r_parallel(int64_t n_chunks, l2r_chunk_fn *fn, void *context);

/* Would l2r_parallel run serially? It does with one thread, and inside a chunk. */
bool l2r_threads_alone(void);

/* The number of the calling thread in its team: 0 .. l2r_threads_get()-1. For scratch memory of chunks only; nothing
 * else may depend on it. */
int l2r_worker(void);

/* For work that cannot return an error, such as kernels: a chunk, or the calling thread outside of one, records that
 * memory ran out. */
void l2r_work_fail(void);
/* Was that recorded, in any chunk of this thread's loops, since the last call? */
bool l2r_work_failed(void);

static inline int64_t l2r_chunk_count(int64_t n, int64_t size)
{
    return (n + size - 1) / size;
}

/* Chunk c of n items in chunks of `size`: [*begin, *end). */
static inline void l2r_chunk_range(int64_t *begin, int64_t *end, int64_t n, int64_t size, int64_t chunk)
{
    *begin = chunk * size;
    *end = *begin + size < n ? *begin + size : n;
}

/* ---- Working ahead ----
 * The thread calls make(context, k) for k = 0, 1, 2, … in order, but only for as many k as the caller has requested;
 * the caller waits for the k-th result when it needs it. The caller decides where results lie, usually in a ring
 * buffer:
 *
 *     caller    request request       wait(0) [work on 0] request wait(1) [work on 1] request …
 *     thread         [make 0][make 1]                  [make 2]                   …
 *
 * make runs on the thread, one call at a time, and must touch only what belongs to k. */

struct l2r_prefetch;

/* context must outlive the result. The thread starts with nothing to do. */
enum l2r_status l2r_prefetch_new(struct l2r_prefetch **prefetch, void (*make)(void *context, size_t k), void *context,
                                 struct l2r_error *error);
/* Requests one more: the next k may be made now. */
void l2r_prefetch_request(struct l2r_prefetch *prefetch);
/* Returns when make(context, k) has returned; k must have been requested. */
void l2r_prefetch_wait(struct l2r_prefetch *prefetch, size_t k);
/* Lets the running call finish, starts no other, and ends the thread. NULL is fine. */
void l2r_prefetch_free(struct l2r_prefetch *prefetch);

#endif
