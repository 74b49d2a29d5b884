/* SPDX-License-Identifier: MIT
 *
 * Held-out graphs: in every epoch a new random share F of the training graphs plays the validation role.
 *
 *     order of the epoch   [ train with the weights they have ............ | held out: get new weights ]
 *                            T batches, θ takes its steps                    H batches, spread evenly among the T
 *
 * A held-out batch k has its turn before training batch ⌊k·T/H⌋. Its graphs take no step in this epoch, so that θ has not been fitted to
 * them when their weights are learned; they train with these in later epochs. Every graph has a weight all the time, 1 until it is
 * first held out, and both roles by turns. The weights of an epoch's training graphs do not change within it; one factor makes
 * their mean 1.
 */
#ifndef L2R_REWEIGHT_HOLDOUT_H
#define L2R_REWEIGHT_HOLDOUT_H

#include "base/status.h"
#include "kernels/real.h"

struct l2r_holdout {
    int64_t n_train, n_held;   /* graphs; n_held 0: no graph is held out */
    int64_t rows;              /* of a full held-out batch */
    int64_t batches, held;     /* T and H */
    const int32_t *held_order; /* [n_held]: this epoch's */
    double factor;             /* mean weight of the training graphs becomes 1 */
};

/* share in (0, 1) of n graphs, in batches of batch_size. */
enum l2r_status l2r_holdout_init(struct l2r_holdout *h, double share, int64_t n, int64_t batch_size,
                                 struct l2r_error *error);
/* A new epoch: order [n] is random and stays until the next one; weight [of any graph]. Returns how many graphs train. */
int64_t l2r_holdout_epoch(struct l2r_holdout *h, const int32_t *order, const l2r_real *weight);
/* The held-out batches [*begin, *end) that have their turn before training batch `batch`. */
void l2r_holdout_due(int64_t *begin, int64_t *end, const struct l2r_holdout *h, int64_t batch);
/* Held-out batch k: its graphs, *n of them. */
const int32_t *l2r_holdout_batch(int64_t *n, const struct l2r_holdout *h, int64_t k);

#endif
