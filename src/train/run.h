/* SPDX-License-Identifier: MIT
 *
 * A run: one config, one seed, one folder.
 *
 *     DIR/config.json     every option, resolved; `--config DIR/config.json` replays the run
 *     DIR/split.json      the graphs of each part
 *     DIR/metrics.jsonl   one line an epoch
 *     DIR/events.out.*    the same for TensorBoard
 *     DIR/best.safetensors, DIR/last.safetensors   checkpoints; last holds all that resuming needs
 *     DIR/result.json     written once, at the end
 */
#ifndef L2R_TRAIN_RUN_H
#define L2R_TRAIN_RUN_H

#include "base/config.h"

#include <stdbool.h>
#include <stdint.h>

/* Where training stands, for a progress display. */
struct l2r_progress {
    int64_t epoch, n_epochs; /* epoch counts from 1 */
    int64_t batch, n_batches;
    double loss;              /* mean training loss of this epoch so far */
    const char *metric;       /* name of the selection metric: "rocauc" */
    double train, valid;      /* the metric at the end of this epoch; NaN while it runs or when not computed */
    double best_valid;
    int64_t best_epoch;
    double learning_rate;
    double graphs_per_second; /* training */
    double seconds, seconds_left;
};

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
    int64_t best_epoch, epochs;
    double seconds;            /* spent in training, over all resumptions */
    double graphs_per_second;  /* training throughput, median over epochs */
    int64_t n_parameters;
    json_t *more;              /* object: every other metric that suits the task, per part; freed by l2r_result_clear */
};
void l2r_result_clear(struct l2r_result *result);

/* Declares every option of a run: data and split, the train loop, the named model's and method's own. */
enum l2r_status l2r_run_declare(struct l2r_config *config, const char *model, const char *method,
                                struct l2r_error *error);

/* Trains from the config into `dir`. resume: continue from dir/last.safetensors if it is there (a finished run returns its
 * result at once); otherwise a folder that already holds a run is refused. */
enum l2r_status l2r_run_train(struct l2r_result *result, const struct l2r_config *config, const char *dir, bool resume,
                              const struct l2r_watch *watch, struct l2r_error *error);

/* Mean and sample standard deviation over the runs' test (or valid) scores: what --seeds prints. */
void l2r_mean_sd(double *mean, double *sd, const double *values, int64_t n);

#endif
