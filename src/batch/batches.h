/* SPDX-License-Identifier: MIT
 *
 * Batches one after the other, the next one prepared by a thread while the caller works on the one at hand:
 *
 *     caller    [ batch 0 ][ train on 0      ][ train on 1      ] …
 *     thread               [ batch 1 ]        [ batch 2 ]
 *
 * Two arenas take turns. A batch is a function of its graphs alone, so nothing but time depends on the thread; an error
 * that it met arrives with the batch that it concerns. With one thread to use (l2r_threads_set) there is none: it would
 * only compete.
 */
#ifndef L2R_BATCH_BATCHES_H
#define L2R_BATCH_BATCHES_H

#include "nn/network.h"

struct l2r_batches;

/* network and data must outlive the result. most: layers that share, as in l2r_network_batch. */
enum l2r_status l2r_batches_new(struct l2r_batches **batches, const struct l2r_network *network,
                                const struct l2r_dataset *data, int64_t most, struct l2r_error *error);
/* From now on only this rank's part of each batch is made; NULL: the whole. */
void l2r_batches_divide(struct l2r_batches *batches, struct l2r_comm *comm);
void l2r_batches_free(struct l2r_batches *batches);

/* The batch of `graphs`, good until the call after the next; `next` [n_next] are the graphs that will be asked for then
 * (n_next 0: not known), on which the work begins at once. Asking for others is no error: the guess was in vain. */
enum l2r_status l2r_batches_next(const struct l2r_batch **batch, struct l2r_batches *batches, const int32_t *graphs,
                                 int64_t n, const int32_t *next, int64_t n_next, struct l2r_error *error);

#endif
