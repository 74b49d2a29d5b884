/* SPDX-License-Identifier: MIT
 *
 * Queues: Q groups of B rows that remember earlier batches, so that weights are judged against more than the batch at hand.
 *
 *     after batch l:  Z^(q) ← α_q Z^(q) + (1 − α_q) Z^(l),  the same for w;   α_q = momentum · q / Q,  q = 1 .. Q
 *
 * An empty group takes the first full batch as it is. A batch that is not full neither uses nor changes the queues.
 * Memory is O(Q·B·d), whatever the number of training graphs.
 */
#ifndef L2R_REWEIGHT_QUEUE_H
#define L2R_REWEIGHT_QUEUE_H

#include "base/status.h"
#include "kernels/real.h"

struct l2r_queue {
    int64_t n_groups, rows, d;
    double momentum;
    l2r_real *z;    /* [n_groups × rows × d] */
    l2r_real *w;    /* [n_groups × rows] */
    int64_t filled; /* groups that hold something */
};

enum l2r_status l2r_queue_init(struct l2r_queue *queue, int64_t n_groups, int64_t rows, int64_t d, double momentum,
                               struct l2r_error *error);
void l2r_queue_clear(struct l2r_queue *queue);
/* Rows to put before a batch of `batch_rows`: all filled groups, or none for a short batch. */
int64_t l2r_queue_rows(const struct l2r_queue *queue, int64_t batch_rows);
void l2r_queue_push(struct l2r_queue *queue, const l2r_real *z, const double *w, int64_t batch_rows);

#endif
