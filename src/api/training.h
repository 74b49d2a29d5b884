/* SPDX-License-Identifier: MIT
 *
 * A loop of the caller's own: a fit (fit/fit.h) whose steps and choices the caller makes.
 *
 *     between steps ──► forward ──► half a step is done: only backward, or what drops nothing, may follow
 *           ▲                           │
 *           └────────── backward ◄──────┘
 *
 * An epoch begins with its first step, not at the end of the one before: what the caller does in between (validation,
 * another rate) counts for it.
 */
#ifndef L2R_API_TRAINING_H
#define L2R_API_TRAINING_H

#include "fit/fit.h"

struct l2r_training {
    struct l2r_config *config;
    struct l2r_split split;
    struct l2r_fit fit;
    bool is_begun;           /* the order of the epoch under way is known */
    int64_t observed;        /* epochs after which the schedule got a validation score */
    float *weights;          /* [graphs of the data]: set by the caller; NULL: the method's */
    bool is_halfway;         /* a forward pass waits for its other half */
    struct l2r_half half;    /* of that step */
    struct l2r_arena lent;   /* arrays of the forward pass, and the graphs of the next batch */
    struct l2r_forward pass; /* what was lent */
};

/* The training of this config, which it owns afterwards, without a checkpoint. */
enum l2r_status l2r_training_make(struct l2r_training **training, struct l2r_config *config,
                                  const struct l2r_dataset *data, const struct l2r_split *split,
                                  struct l2r_error *error);
/* Before the first step of an epoch: the next phase of the method, if it is due, and the order of the graphs. */
enum l2r_status l2r_training_begin(struct l2r_training *training, struct l2r_error *error);
/* One step, or its second half; after the last of an epoch, the end of the epoch. loss may be NULL. */
enum l2r_status l2r_training_move(double *loss, struct l2r_training *training, struct l2r_error *error);
/* Before the second half: the weights that the caller has set for all graphs, if any, in place of the method's. */
enum l2r_status l2r_training_weigh(struct l2r_training *training, struct l2r_error *error);
/* Fails where half a step is done. */
enum l2r_status l2r_training_is_between(const struct l2r_training *training, struct l2r_error *error);
/* Weights that a caller gives [graphs of the data]: fails unless those of all training graphs are finite, 0 or more. */
enum l2r_status l2r_training_check_weights(const struct l2r_training *training, const float *weights,
                                           struct l2r_error *error);

#endif
