/* SPDX-License-Identifier: MIT
 *
 * Training: a config, a data set and a folder in, a result out, with callbacks on the way.
 */
#ifndef L2R_TRAIN_H
#define L2R_TRAIN_H

#include <l2r/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where training stands. */
struct l2r_progress {
    int64_t epoch, n_epochs; /* epoch counts from 1 */
    int64_t batch, n_batches;
    double loss;         /* mean training loss of this epoch so far */
    const char *metric;  /* name of the selection metric: "rocauc" */
    double train, valid; /* the metric at the end of this epoch; NaN while it runs or when not computed */
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
    double seconds;           /* spent in training, over all resumptions */
    double graphs_per_second; /* training throughput, median over epochs */
    int64_t n_parameters;
    struct json_t *more; /* every other metric that suits the task, per part: a jansson object */
};
L2R_API void l2r_result_clear(struct l2r_result *result);

/* Trains from the config into the folder `dir`. resume: continue from its last checkpoint if there is one (a finished
 * run returns its result at once); otherwise a folder that already holds a run is refused. watch may be NULL. */
L2R_API enum l2r_status l2r_run_train(struct l2r_result *result, const struct l2r_config *config, const char *dir,
                                      bool resume, const struct l2r_watch *watch, struct l2r_error *error);

#ifdef __cplusplus
}
#endif
#endif
