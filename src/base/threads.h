/* SPDX-License-Identifier: MIT
 *
 * Threads: one construct, a loop over numbered chunks of work.
 *
 * The partition into chunks is chosen from the sizes of the data alone, never from the number of threads, and
 * each chunk is computed by one thread in one order. Results are therefore the same bits whether one thread
 * or sixteen take the chunks.
 *
 * Every thread that calls l2r_parallel has its own team of workers, started when first needed and ended with it.
 * A call inside a chunk runs on the spot.
 */
#ifndef L2R_BASE_THREADS_H
#define L2R_BASE_THREADS_H

#include <l2r/l2r.h>
#include <stdbool.h>
#include <stdint.h>

typedef void l2r_chunk_fn(void *context, int64_t chunk);

/* Calls fn(context, 0 .. n_chunks-1), in any order, possibly at the same time; returns when all are done. */
void l2r_parallel(int64_t n_chunks, l2r_chunk_fn *fn, void *context);

/* Threads used by l2r_parallel when called from the calling thread, itself included; l2r_threads_set is in l2r.h. */
int l2r_threads_get(void);

/* Which of those threads is running: 0 .. l2r_threads_get()-1. For memory that a chunk uses and leaves behind; nothing
 * else may depend on it. */
int l2r_worker(void);

/* For work that cannot return an error, such as kernels: a chunk, or the calling thread outside of one, says that
 * memory was out. */
void l2r_work_fail(void);
/* Did it, in any chunk of this thread's loops, since the last question? */
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

#endif
