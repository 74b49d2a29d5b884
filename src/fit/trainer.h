/* SPDX-License-Identifier: MIT
 *
 * The train loop's state and its one step. A trainer is a pure function of (config, data, split): equal inputs, equal
 * bits. `at` is all that changes besides the arrays of network, optimiser, averages, schedule and method; a checkpoint
 * holds exactly these.
 */
#ifndef L2R_FIT_TRAINER_H
#define L2R_FIT_TRAINER_H

#include "batch/batches.h"
#include "data/splits/split.h"
#include "fit/averaging.h"
#include "fit/options.h"
#include "fit/ranks.h"
#include "methods/method.h"
#include "metrics/metrics.h"
#include "nn/optimiser.h"
#include "nn/schedule.h"

/* Where a fit stands. */
struct l2r_position {
    int64_t epoch;        /* epochs completed */
    int64_t batch;        /* batches completed of the epoch that is under way; 0: between epochs */
    int64_t step;         /* optimiser steps taken */
    double loss_sum;      /* Σ of the losses of the epoch's graphs so far, each weighing 1 */
    double objective_sum; /* the same of what is minimised: with weights and the extra terms of model and method */
    double best_valid;    /* NaN: none yet */
    int64_t best_epoch;
    double other_valid; /* the same by the other validation part (l2r_trainer_other); NaN: none yet */
    int64_t other_epoch;
    int64_t phase, phase_epoch, phase_step; /* of the method; the epoch and the step with which it began */
    double seconds;                         /* spent training, over all resumptions */
};

struct l2r_trainer {
    const struct l2r_config *config;
    struct l2r_fit_options options; /* filled from the config */
    struct l2r_dataset view;        /* the data with the features that the network reads */
    const struct l2r_dataset *data; /* the view */
    char features[512];             /* a sentence about them; "": there are none */
    const struct l2r_split *split;
    const struct l2r_metric *metric;
    int selector; /* the validation part that picks the best epoch: L2R_PART_VALID or L2R_PART_ID_VALID */
    uint64_t seed;
    int64_t epochs; /* at most, of all phases */
    double rate;    /* set by the caller, in place of the schedule's; NaN: none is */
    double
        rarest; /* share of the rarest class among the training labels, where class weights were looked at; else NaN */

    struct l2r_network network;
    struct l2r_tape tape;
    struct l2r_batches *batches;
    struct l2r_optimiser optimiser;
    struct l2r_schedule schedule;
    struct l2r_averaging averaging; /* of the parameters; what is scored and kept */
    struct l2r_environments environments;
    struct l2r_training_set set;
    const struct l2r_method *method;
    void *method_state;
    struct l2r_phase phase; /* at.phase, as the method says */
    int32_t *order;         /* the training graphs in this epoch's order */
    int64_t n_active;       /* the first n_active of them train in this epoch; the others serve the method only */
    struct l2r_position at;

    bool (*stop_between)(void *context); /* ends an epoch of trees early; NULL: nothing does */
    void *stop_context;
    struct l2r_comm *comm; /* ranks that every batch is divided among; NULL: alone */
    struct l2r_gradients gradients;
    bool stop_requested; /* by this rank; the next step passes it to the others */
    bool stop;           /* some rank had requested it before the last step */
};

enum l2r_status l2r_trainer_init(struct l2r_trainer *trainer, const struct l2r_config *config,
                                 const struct l2r_dataset *data, const struct l2r_split *split,
                                 struct l2r_error *error);
void l2r_trainer_clear(struct l2r_trainer *trainer);

/* Divides all further work among the ranks, each of which has a trainer of the same config, data and split in the same
 * state. */
void l2r_trainer_divide(struct l2r_trainer *trainer, struct l2r_comm *comm);
/* All ranks fail if the parameters are not the same bits on each. */
enum l2r_status l2r_trainer_compare(const struct l2r_trainer *trainer, struct l2r_error *error);

/* The validation part that does not select; its choice is reported, too. -1: there is none. */
static inline int l2r_trainer_other(const struct l2r_trainer *t)
{
    int other = L2R_PART_VALID + L2R_PART_ID_VALID - t->selector;
    bool both = l2r_split_size(t->split, L2R_PART_VALID) > 0 && l2r_split_size(t->split, L2R_PART_ID_VALID) > 0;
    return both && !t->network.type->fit ? other : -1;
}

/* Of the next step. */
double l2r_trainer_rate(const struct l2r_trainer *trainer);
int64_t l2r_trainer_batches(const struct l2r_trainer *trainer);
/* Puts the training graphs in the order of the epoch under way. */
void l2r_trainer_shuffle(struct l2r_trainer *trainer);
/* Trains on the next batch and moves `at`. A loss that is not finite is L2R_ERR_DIVERGED. */
enum l2r_status l2r_trainer_step(struct l2r_trainer *trainer, struct l2r_error *error);

/* The same in two halves, for models that are trained by gradients: what is minimised may change in between. */
struct l2r_half {
    struct l2r_step step;    /* its values stand on the trainer's tape until the second half is done */
    double rate;             /* of learning */
    l2r_node z, losses;      /* [B × d], [B × 1]: the method's losses, those of the task in most cases */
    const l2r_real *weights; /* [B] of the losses; NULL: 1 */
    const l2r_real *d_z;     /* [B × d]: added to the gradient of z; NULL: nothing is */
};
enum l2r_status l2r_trainer_forward(struct l2r_half *half, struct l2r_trainer *trainer, struct l2r_error *error);
enum l2r_status l2r_trainer_backward(struct l2r_trainer *trainer, struct l2r_half *half, struct l2r_error *error);
/* At the end of an epoch, before it is scored: passes the validation loss to the averages, if they need it. */
enum l2r_status l2r_trainer_average(struct l2r_trainer *trainer, struct l2r_error *error);
/* L2R_ERR_DIVERGED when a parameter or running statistic is no longer finite. */
enum l2r_status l2r_trainer_check(const struct l2r_trainer *trainer, struct l2r_error *error);

#endif
