/* SPDX-License-Identifier: MIT
 *
 * The second-order term of bi-level training: how the weight of graph n changes the dependence through the step that θ
 * is about to take. With L the dependence at equal weights and v = ∇_θ L,
 *
 *     ∂/∂w_n L(θ − η ∇_θ (1/B) Σ_m w_m ℓ_m)  =  −(η/B) ∇ℓ_n · v  ≈  −(η/B) (ℓ_n(θ + εv) − ℓ_n(θ)) / ε,   ε = 0.01 / ‖v‖
 *
 * The cost is one backward and two forward passes. Both forward passes use the dropout masks of the coming training
 * step and the batch's statistics.
 */
#ifndef L2R_REWEIGHT_SECOND_ORDER_H
#define L2R_REWEIGHT_SECOND_ORDER_H

#include "nn/network.h"
#include "reweight/learner.h"

struct l2r_second_order {
    double reach;               /* ε ‖v‖: 0.01 */
    l2r_real *direction, *kept; /* [n_trainable]: v, and θ while it is moved */
    l2r_real *d_z;              /* [batch rows × d] */
    double *losses, *extra;     /* [batch rows] */
};

enum l2r_status l2r_second_order_init(struct l2r_second_order *s, const struct l2r_network *network, int64_t batch_rows,
                                      struct l2r_error *error);
void l2r_second_order_clear(struct l2r_second_order *s);

/* *extra: [n of the whole batch] the term times B / L, as l2r_learner_weigh takes it, or NULL when no weights will be
 * learned. z [n × d] is the look-ahead representation. Uses the tape (reset) and the network's gradients; θ has the
 * same bits afterwards. */
enum l2r_status l2r_second_order_term(const double **extra, struct l2r_second_order *s, struct l2r_learner *learner,
                                      struct l2r_tape *tape, const struct l2r_network *network,
                                      const struct l2r_batch *batch, const l2r_real *z, double learning_rate,
                                      uint64_t seed, int64_t epoch, int64_t step, struct l2r_error *error);

#endif
