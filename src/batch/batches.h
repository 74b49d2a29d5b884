/* SPDX-License-Identifier: MIT
 *
 * A sequence of mini-batches, with the next one prefetched (base/threads.h) while the caller works on the current one:
 *
 *     caller    [ batch 0 ][ train on 0      ][ train on 1      ] …
 *     thread               [ batch 1 ]        [ batch 2 ]
 *
 * Two arenas alternate. A batch is a function of its graphs alone, so the thread affects only the time; its errors are
 * reported with the batch that they concern. With one thread to use (l2r_threads_set) nothing is prefetched: the thread
 * would only compete.
 */
#ifndef L2R_BATCH_BATCHES_H
#define L2R_BATCH_BATCHES_H

#include "batch/levels.h"
#include "comm/comm.h"

/* One batch with the equal neighbourhoods that `sharing` allows (levels.h), in the arena. comm: only this rank's part
 * of it (batch.h); NULL: the whole. */
enum l2r_status l2r_batch_prepare(struct l2r_batch *batch, struct l2r_arena *arena, const struct l2r_dataset *data,
                                  const int32_t *graphs, int64_t n_graphs, const struct l2r_sharing *sharing,
                                  struct l2r_comm *comm, struct l2r_error *error);

/* Looks for the equal neighbourhoods of a batch that was made for a network with another `sharing`. */
enum l2r_status l2r_batch_share(struct l2r_batch *batch, struct l2r_arena *arena, const struct l2r_dataset *data,
                                const struct l2r_sharing *sharing, struct l2r_error *error);

struct l2r_batches;

/* data must outlive the result; sharing is copied. */
enum l2r_status l2r_batches_new(struct l2r_batches **batches, const struct l2r_dataset *data,
                                const struct l2r_sharing *sharing, struct l2r_error *error);
/* From now on only this rank's part of each batch is made; NULL: the whole. */
void l2r_batches_divide(struct l2r_batches *batches, struct l2r_comm *comm);
void l2r_batches_free(struct l2r_batches *batches);

/* The batch of `graphs`, valid until the call after the next. `next` [n_next] are the graphs of the next call (n_next
 * 0: not known); their batch is started at once. Other graphs in the next call are no error, only wasted work. */
enum l2r_status l2r_batches_next(const struct l2r_batch **batch, struct l2r_batches *batches, const int32_t *graphs,
                                 int64_t n, const int32_t *next, int64_t n_next, struct l2r_error *error);

#endif
