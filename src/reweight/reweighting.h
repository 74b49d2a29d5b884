/* SPDX-License-Identifier: MIT
 *
 * Reweighted training, the paper's bi-level problem: where the representation Z comes from, and when weights are
 * learned.
 *
 *     w* = argmin_w L(w; Z_θ)     upper level, on graphs in the held-out role
 *     θ* = argmin_θ (1/B) Σ_n w_n ℓ_n(θ)
 *
 *     bilevel   first   the batch first has the held-out role: a look-ahead pass (no dropout, batch statistics that
 *                       leave the running ones alone, no gradient) gives Z and with it w; then θ takes its step with w
 *                       fixed
 *               second  as first, plus the effect of each graph's own step on L (second_order.c)
 *               none    w comes from the same forward pass that trains θ
 *     scope     batch   weights for each mini-batch, with queues
 *               epoch   weights for all training graphs at once, at the start of each epoch: one matrix of N × N
 *     holdout   F       with bilevel first and scope batch: in every epoch a new random share F of the training graphs
 *                       has the held-out role
 *
 *     order of an epoch   [ train with the weights they have ............ | held out: get new weights ]
 *      with holdout         T batches, θ takes its steps                    H batches, spread evenly among the T
 *
 * Held-out batch k comes before training batch ⌊k·T/H⌋. Its graphs take no step in this epoch, so that θ has not been
 * fitted to them when their weights are learned; they train with these weights in later epochs. Every graph has a
 * weight at all times, 1 until it is first held out. The weights of an epoch's training graphs do not change within it;
 * one factor brings their mean to 1.
 */
#ifndef L2R_REWEIGHT_REWEIGHTING_H
#define L2R_REWEIGHT_REWEIGHTING_H

#include "nn/network.h"
#include "reweight/importance.h"
#include "reweight/learner.h"

enum { L2R_MOST_EPOCH_SCOPE = 30000 }; /* training graphs: 3.6 GB for their matrix */

/* ---- the second-order term (second_order.c) ----
 *
 * How the weight of graph n changes the dependence through the step that θ
 * is about to take. With L the dependence at equal weights and v = ∇_θ L,
 *
 *     ∂/∂w_n L(θ − η ∇_θ (1/B) Σ_m w_m ℓ_m)  =  −(η/B) ∇ℓ_n · v  ≈  −(η/B) (ℓ_n(θ + εv) − ℓ_n(θ)) / ε,   ε = 0.01 / ‖v‖
 *
 * The cost is one backward and two forward passes. Both forward passes use the dropout masks of the coming training
 * step and the batch's statistics.
 */

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

/* ---- reweighted training ---- */

enum l2r_bilevel { L2R_BILEVEL_NONE, L2R_BILEVEL_FIRST, L2R_BILEVEL_SECOND };

struct l2r_holdout {
    int64_t n_train, n_held;   /* graphs; n_held 0: no graph is held out */
    int64_t rows;              /* of a full held-out batch */
    int64_t batches, held;     /* T and H */
    const int32_t *held_order; /* [n_held]: this epoch's */
    double factor;             /* brings the mean weight of the training graphs to 1 */
};

struct l2r_reweighting {
    struct l2r_learner learner;
    enum l2r_bilevel bilevel;
    bool epoch_scope;
    bool frozen;          /* the backbone is not trained: Z by running statistics, as for the head */
    struct l2r_tape tape; /* of the look-ahead pass */
    l2r_real *w;          /* [batch rows], of all ranks */
    l2r_real *z;          /* [batch rows × d]: representation of the whole batch, look-ahead or gathered */
    struct l2r_second_order second;
    struct l2r_importance importance;
    const int32_t *train; /* [n_train] */
    int64_t n_train, batch_rows;
    l2r_real *graph_weight; /* [n_graphs]: the last weight of each; starts at 1 */
    int64_t weighed_epoch;  /* scope epoch: the epoch of graph_weight; -1: none */
    struct l2r_holdout holdout;
};

enum l2r_status l2r_reweighting_init(struct l2r_reweighting *r, const struct l2r_learner_options *options,
                                     enum l2r_bilevel bilevel, bool epoch_scope, const struct l2r_config *config,
                                     const struct l2r_network *network, const struct l2r_dataset *data,
                                     const int32_t *train, int64_t n_train, struct l2r_error *error);
void l2r_reweighting_clear(struct l2r_reweighting *r);

/* Starts an epoch with the training graphs in the order [n]; returns how many of the first ones train in it. */
int64_t l2r_reweighting_order(struct l2r_reweighting *r, const int32_t *order, int64_t n);
/* Before the training pass of a batch: learns weights, unless the mode is bilevel none. */
enum l2r_status l2r_reweighting_prepare(struct l2r_reweighting *r, const struct l2r_network *network,
                                        const struct l2r_dataset *data, const struct l2r_batch *batch, int64_t epoch,
                                        int64_t step, double learning_rate, struct l2r_error *error);
/* The batch's weights, valid until the next batch. z is that of the training pass on `tape`; the tape fails when
 * weights cannot be learned. */
const l2r_real *l2r_reweighting_weights(struct l2r_reweighting *r, const struct l2r_network *network,
                                        struct l2r_tape *tape, l2r_node z, const struct l2r_batch *batch, int64_t epoch,
                                        int64_t step);
void l2r_reweighting_epoch(struct l2r_reweighting *r, int64_t epoch, json_t *log, char note[256]);
bool l2r_reweighting_state(struct l2r_reweighting *r, int i, struct l2r_state_array *array);

/* The order of an epoch under `holdout`: share F in (0, 1) of n graphs, in batches of batch_size. */
enum l2r_status l2r_holdout_init(struct l2r_holdout *h, double share, int64_t n, int64_t batch_size,
                                 struct l2r_error *error);
/* A new epoch. order [n] is random and stays as it is until the next epoch; weight is indexed by graph. Returns how
 * many graphs train. */
int64_t l2r_holdout_epoch(struct l2r_holdout *h, const int32_t *order, const l2r_real *weight);
/* The held-out batches [*begin, *end) that are due before training batch `batch`. */
void l2r_holdout_due(int64_t *begin, int64_t *end, const struct l2r_holdout *h, int64_t batch);
/* Held-out batch k: its graphs, *n of them. */
const int32_t *l2r_holdout_batch(int64_t *n, const struct l2r_holdout *h, int64_t k);

#endif
