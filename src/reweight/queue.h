/* SPDX-License-Identifier: MIT
 *
 * The queue of representations: Q groups of B rows that keep averages of earlier batches, so that weights are learned
 * from more rows than the current batch. The learner uses Ẑ = [queue; batch], (Q+1)·B rows, and learns only the batch's
 * weights.
 *
 *     after batch l:  Z^(q) ← α_q Z^(q) + (1 − α_q) Z^(l),  likewise w;   α_q = momentum · q / Q,  q = 1 .. Q
 *
 * An empty group takes the first full batch as it is. A short batch neither uses nor changes the queue. Memory is
 * O(Q·B·d), whatever the number of training graphs.
 */
#ifndef L2R_REWEIGHT_QUEUE_H
#define L2R_REWEIGHT_QUEUE_H

#include "base/status.h"
#include "kernels/real.h"

#include <stdint.h>

struct l2r_queue {
    int64_t n_groups, rows, d;
    double momentum;
    l2r_real *z;    /* [n_groups × rows × d] */
    l2r_real *w;    /* [n_groups × rows] */
    int64_t filled; /* groups that are no longer empty */
};

enum l2r_status l2r_queue_init(struct l2r_queue *queue, int64_t n_groups, int64_t rows, int64_t d, double momentum,
                               struct l2r_error *error);
void l2r_queue_clear(struct l2r_queue *queue);
/* How many queued rows come before a batch of `batch_rows`: all filled groups, or none for a short batch. */
int64_t l2r_queue_rows(const struct l2r_queue *queue, int64_t batch_rows);
/* Mixes a full batch, z [rows × d] and its weights w [rows], into every group; a short one is ignored. */
void l2r_queue_push(struct l2r_queue *queue, const l2r_real *z, const double *w, int64_t batch_rows);

#endif
