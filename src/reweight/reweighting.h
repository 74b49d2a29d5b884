/* SPDX-License-Identifier: MIT
 *
 * Reweighted training: where the representation Z comes from, and when weights are learned from it.
 *
 *     bilevel   first   the batch first plays the held-out role: a look-ahead pass (no dropout, batch statistics that leave the
 *                       running ones alone, no gradient) gives Z and with it w, then θ takes its step with w fixed
 *               second  first, and each weight also feels what its graph's step does to the dependence: with v = ∇_θ L at equal weights
 *                       the term −η (ℓ_n(θ + εv) − ℓ_n(θ)) / ε, ε = 0.01/‖v‖, both losses with the same dropout masks
 *               none    w comes from the same forward pass that trains θ
 *     scope     batch   weights for each mini-batch, with queues
 *               epoch   weights for all training graphs at once, at the start of each epoch: one matrix of N × N
 *     holdout   F       in scope batch, mode first: the held-out role is played by graphs that do not train in this epoch (holdout.h)
 */
#ifndef L2R_REWEIGHT_REWEIGHTING_H
#define L2R_REWEIGHT_REWEIGHTING_H

#include "reweight/holdout.h"
#include "reweight/second_order.h"

enum { L2R_MOST_EPOCH_SCOPE = 30000 }; /* training graphs: 3.6 GB for their matrix */

enum l2r_bilevel { L2R_BILEVEL_NONE, L2R_BILEVEL_FIRST, L2R_BILEVEL_SECOND };

struct l2r_reweighting {
    struct l2r_learner learner;
    enum l2r_bilevel bilevel;
    bool epoch_scope;
    struct l2r_tape tape; /* of the look-ahead pass */
    l2r_real *w;          /* [batch rows], of all ranks */
    l2r_real *z;          /* [batch rows × d]: representation of the whole batch, look-ahead or gathered */
    struct l2r_second_order second;
    const int32_t *train; /* [n_train] */
    int64_t n_train, batch_rows;
    l2r_real *graph_weight; /* [n_graphs]: what was last given */
    int64_t weighed_epoch;  /* scope epoch: the epoch of graph_weight; -1: none */
    struct l2r_holdout holdout;
};

enum l2r_status l2r_reweighting_init(struct l2r_reweighting *r, const struct l2r_learner_options *options,
                                     enum l2r_bilevel bilevel, bool epoch_scope, const struct l2r_config *config,
                                     const struct l2r_network *network, const struct l2r_dataset *data,
                                     const int32_t *train, int64_t n_train, struct l2r_error *error);
void l2r_reweighting_clear(struct l2r_reweighting *r);

/* A new epoch with training graphs order [n]: how many of the first of them train in it. */
int64_t l2r_reweighting_order(struct l2r_reweighting *r, const int32_t *order, int64_t n);
/* Before the training pass: in mode first, or in scope epoch, the weights are known afterwards. */
enum l2r_status l2r_reweighting_prepare(struct l2r_reweighting *r, const struct l2r_network *network,
                                        const struct l2r_dataset *data, const struct l2r_batch *batch, int64_t epoch,
                                        int64_t step, double learning_rate, struct l2r_error *error);
/* The batch's weights; z is that of the training pass on `tape`, which fails if the weights cannot be learned. */
const l2r_real *l2r_reweighting_weights(struct l2r_reweighting *r, struct l2r_tape *tape, l2r_node z,
                                        const struct l2r_batch *batch, int64_t epoch, int64_t step);
void l2r_reweighting_epoch(struct l2r_reweighting *r, int64_t epoch, json_t *log, char note[256]);
bool l2r_reweighting_state(struct l2r_reweighting *r, int i, struct l2r_state_array *array);

#endif
