/* SPDX-License-Identifier: MIT
 *
 * A fit: options + data + split → a trained network, its history and what its method learned. It lives in memory,
 * prints nothing and writes nothing; an observer receives its events and may restore a saved state.
 *
 *     for each epoch    batches, one trainer step each; the observer may stop it between two of them
 *                       the averages of the parameters take their place (fit/averaging.h)
 *                           score validation, keep a snapshot if it is the best so far; where there are two
 *                           validation parts, also of the best by the one that does not select
 *                       the parameters come back; schedule, history
 *     in the end        the best parameters return to the network; the method may fit its head (fit/head_choice.h)
 *
 * A recipe (recipe/recipe.h) runs fits; a store (store/store.h) saves and restores them.
 */
#ifndef L2R_FIT_FIT_H
#define L2R_FIT_FIT_H

#include "fit/head_choice.h"
#include "fit/trainer.h"
#include "model/model_file.h"

#include <l2r/train.h>

#include <jansson.h>

struct l2r_fit_observer;

struct l2r_fit {
    char name[96]; /* "1-gin": for the record */
    bool saved;    /* set by the store: the newest checkpoint is sound */
    bool refit;    /* trains on validation graphs, too, so that none are left to choose an epoch */
    bool is_open;  /* a loop of the caller's own: it may go past the epochs of the options, and choose within one */
    struct l2r_trainer trainer;
    struct l2r_snapshot best, other; /* by the validation part that selects, and by the other one */
    struct l2r_head_choice head;     /* the result of the head fit */
    json_t *history;                 /* array: a line for each epoch */
    struct l2r_comm *comm;           /* ranks that share every batch; NULL: alone */
    const struct l2r_fit_observer *observer;

    double started, saved_at, epoch_started, seconds_before;
    int64_t epochs_before;            /* epochs done before this process */
    struct l2r_traffic epoch_traffic; /* of the epoch's steps */
};

/* Calls are made on the thread that runs the fit; every function may be NULL. */
struct l2r_fit_observer {
    void *context;
    void *store; /* the context of restore and save */
    void (*batch)(void *context, const struct l2r_progress *progress);
    void (*epoch)(void *context, const struct l2r_progress *progress, const json_t *line);
    void (*note)(void *context, const char *sentence);
    bool (*stop)(void *context);
    /* After restore, called for each epoch that was trained before. */
    void (*replay)(void *context, const json_t *line);
    /* Before the first epoch: restores a saved fit. */
    enum l2r_status (*restore)(void *store, struct l2r_fit *fit, struct l2r_error *error);
    /* At the end of an epoch if the last call was `checkpoint-seconds` ago, at a stop and at the end. */
    enum l2r_status (*save)(void *store, struct l2r_fit *fit, struct l2r_error *error);
};

/* Checks the options and builds network, optimiser and method. Config, data and split must outlive the fit. */
enum l2r_status l2r_fit_init(struct l2r_fit *fit, const struct l2r_config *config, const struct l2r_dataset *data,
                             const struct l2r_split *split, struct l2r_comm *comm, struct l2r_error *error);
void l2r_fit_clear(struct l2r_fit *fit);

/* Trains to the end, or from where the fit stands. The network then holds the best parameters; after
 * L2R_ERR_DIVERGED, too, if best.epoch > 0. */
enum l2r_status l2r_fit_run(struct l2r_fit *fit, const struct l2r_fit_observer *observer, struct l2r_error *error);

/* What l2r_fit_run does after an epoch, for a loop that is not its own: with the averages in place of the parameters,
 * scores validation graphs (and training graphs with `eval-train`) into the line, and keeps a snapshot if it is the
 * best so far. Scores that were not made are NaN. */
enum l2r_status l2r_fit_validate(double *valid, double *train, struct l2r_fit *fit, json_t *line,
                                 struct l2r_error *error);
/* And where a phase ends: the next one begins with the best model of the last, and chooses a best of its own. */
enum l2r_status l2r_fit_advance(struct l2r_fit *fit, struct l2r_error *error);
/* Passes a sentence to the observer, which may be NULL; "" is ignored. */
void l2r_fit_note(const struct l2r_fit_observer *observer, const char *sentence);
/* Training graphs per second, the median over the epochs; NaN: no epoch was trained. */
double l2r_fit_speed(const struct l2r_fit *fit);

#endif
