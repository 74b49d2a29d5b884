/* SPDX-License-Identifier: MIT
 *
 * A run: one config, one seed, one folder (predict/run_names.h lists its files).
 *
 *     load data ─► split ─► for each epoch:  train the batches ─► score validation ─► keep the best ─► checkpoint
 *                                                             ─► score all parts with the best ─► result.json
 *
 * What happens in a batch is trainer.h; what is written is folder.h, checkpoint.h, record.h and result.h.
 */
#ifndef L2R_TRAIN_RUN_H
#define L2R_TRAIN_RUN_H

#include "base/config.h"
#include "predict/run_options.h"

#include <l2r/train.h>

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* What the caller wants to hear; every member may be NULL. */
struct l2r_watch {
    void *context;
    void (*start)(void *context, const char *summary); /* once: data, split, model, parameters in a few lines */
    void (*batch)(void *context, const struct l2r_progress *progress);
    void (*epoch)(void *context, const struct l2r_progress *progress);
    void (*note)(void *context, const char *sentence); /* warnings and notices */
    bool (*stop)(void *context);                       /* true: save and return L2R_ERR_INTERRUPTED */
};

struct l2r_result {
    char metric[32];
    double train, valid, test; /* the metric at the epoch that was best on validation; NaN: the part is empty */
    double id_valid, id_test;  /* NaN unless the split has these parts */
    bool by_id_valid;          /* the best epoch is the one with the best id_valid (--select) */
    int64_t best_epoch, epochs;
    double seconds;           /* spent in training, over all resumptions */
    double graphs_per_second; /* training throughput, median over epochs */
    int64_t n_parameters;
    struct json_t *more; /* every other metric that suits the task, per part: a jansson object */
};
void l2r_result_clear(struct l2r_result *result);
/* The score of a part below L2R_N_PARTS. */
double l2r_result_part(const struct l2r_result *result, int part);
/* Parts that the result tells of: 3 or 5. */
int l2r_result_parts(const struct l2r_result *result);
/* The validation score that chose the epoch. */
double l2r_result_selected(const struct l2r_result *result);

/* Trains from the config into the folder `dir`. resume: continue from its last checkpoint if there is one (a finished
 * run returns its result at once); otherwise a folder that already holds a run is refused. watch may be NULL. */
enum l2r_status l2r_run_train(struct l2r_result *result, const struct l2r_config *config, const char *dir, bool resume,
                              const struct l2r_watch *watch, struct l2r_error *error);

struct l2r_comm;
struct l2r_dataset;
struct l2r_split;
struct l2r_predictor;

/* One run. */
struct l2r_run_plan {
    const struct l2r_config *config;
    const struct l2r_dataset *data; /* loaded already, for many runs on the same graphs; NULL: the config says where */
    const struct l2r_split *split;  /* NULL: the config says how */
    const char *dir;                /* NULL: nothing is written */
    struct l2r_predictor **predictor; /* without a folder: receives the best model; NULL: not wanted */
    bool resume;
    struct l2r_comm *comm; /* every batch is divided among its ranks, who all make this call; rank 0 alone writes */
    const struct l2r_watch *watch;
};
enum l2r_status l2r_run_train_plan(struct l2r_result *result, const struct l2r_run_plan *plan, struct l2r_error *error);

/* l2r_run_train on data that is loaded already, for many runs on the same graphs; NULL: loaded from where the
 * config says. With a communicator every batch is divided among its ranks, which all make this call; rank 0 alone
 * writes, and all have the result. */
enum l2r_status l2r_run_train_on(struct l2r_result *result, const struct l2r_config *config,
                                 const struct l2r_dataset *given, const char *dir, bool resume, struct l2r_comm *comm,
                                 const struct l2r_watch *watch, struct l2r_error *error);

#endif
