/* SPDX-License-Identifier: MIT
 *
 * Training: a config, a data set and a folder in, a result out, with callbacks on the way.
 *
 *     struct l2r_run run = L2R_RUN_INIT;
 *     run.config = config;
 *     run.out = "runs/first";
 *     l2r_train(&result, &predictor, &run, &error);
 */
#ifndef L2R_TRAIN_H
#define L2R_TRAIN_H

#include <l2r/model.h>

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

/* What the caller wants to hear; every function may be NULL. They are called on the thread that called l2r_train, and
 * may use any handle but those that the call was given, of which only the getters. Members of a committee train side by
 * side: their epochs and notes arrive member after member, in an order that does not depend on timing, and `batch` only
 * for the member whose epochs are arriving. `stop` is called between batches; members that are ahead of what has
 * arrived stop where they are. */
struct l2r_callbacks {
    size_t size; /* L2R_CALLBACKS_INIT sets it */
    void *context;
    void (*start)(void *context, const char *summary); /* once: data, split, model, parameters in a few lines */
    void (*batch)(void *context, const struct l2r_progress *progress);
    void (*epoch)(void *context, const struct l2r_progress *progress);
    void (*note)(void *context, const char *sentence); /* warnings and notices */
    bool (*stop)(void *context);                       /* true: stop with L2R_ERR_INTERRUPTED */
};
#define L2R_CALLBACKS_INIT L2R_SIZED(struct l2r_callbacks)

/* ---- Whole runs ---- */

struct l2r_result;
struct l2r_comm; /* processes that work together, below */

/* One run. Zero what is not needed. */
struct l2r_run {
    size_t size;                           /* L2R_RUN_INIT sets it */
    const struct l2r_config *config;       /* of l2r_config_for_run */
    const struct l2r_dataset *data;        /* NULL: loads what the option data names */
    const struct l2r_split *split;         /* of this data; NULL: the one that the options ask for */
    const char *out;                       /* the folder that the run is written to; NULL: nothing is written */
    bool resume;                           /* go on from the last checkpoint in `out`, if there is one; a finished run
                                              returns at once. Otherwise a folder that holds a run is refused */
    const struct l2r_callbacks *callbacks; /* NULL: nobody listens */
    struct l2r_comm *comm;                 /* every batch is divided among these processes, which all make the same
                                              call and get the same result; the first one writes. NULL: alone */
};
#define L2R_RUN_INIT L2R_SIZED(struct l2r_run)

/* Trains. predictor, if not NULL, receives the model. With a folder or without, model, scores, history, options, split
 * and weights are the same, bit for bit; seconds are not. Stopped by a callback (L2R_ERR_INTERRUPTED), a run in a
 * folder has saved where it stands. */
L2R_API enum l2r_status l2r_train(struct l2r_result **result, struct l2r_predictor **predictor,
                                  const struct l2r_run *run, struct l2r_error *error);

/* Everything that is known about the scores of the run, as in result.json; free the text with l2r_free. */
L2R_API enum l2r_status l2r_result_json(char **json, const struct l2r_result *result, struct l2r_error *error);
/* The metric that chose the best epoch: "rocauc"; NULL for NULL. */
L2R_API const char *l2r_result_metric(const struct l2r_result *result);
/* A part at the best epoch by a metric that suits the task; NULL: the one that chose. NaN: the part is empty or was not
 * scored, or there is no such metric. */
L2R_API double l2r_result_score(const struct l2r_result *result, int part, const char *metric);
/* Parts that the result tells of: the first 3, or all 5. */
L2R_API int l2r_result_n_parts(const struct l2r_result *result);
/* The epoch that was best on validation, and the epochs that were trained. */
L2R_API int64_t l2r_result_best_epoch(const struct l2r_result *result);
L2R_API int64_t l2r_result_n_epochs(const struct l2r_result *result);
/* Trainable numbers of the model. */
L2R_API int64_t l2r_result_n_parameters(const struct l2r_result *result);
/* Spent in training, over all resumptions; and the median speed of an epoch, NaN: unknown. */
L2R_API double l2r_result_seconds(const struct l2r_result *result);
L2R_API double l2r_result_graphs_per_second(const struct l2r_result *result);
/* What the method has to say at the end, a sentence ("the learned weights made …"); NULL: nothing. Its numbers are in
 * l2r_result_json. */
L2R_API const char *l2r_result_conclusion(const struct l2r_result *result);
/* All scores of a part; free them with l2r_evaluation_free. Fails where the part was not scored. */
L2R_API enum l2r_status l2r_result_evaluation(struct l2r_evaluation **evaluation, const struct l2r_result *result,
                                              int part, struct l2r_error *error);
/* The epochs, as curves that are lent: "loss", "train/rocauc", "valid/rocauc", "seconds", …, one number for each epoch,
 * NaN where the epoch has none. Curves of other members and of refits begin with the name of their fit:
 * "2-forest/valid/rocauc", "1-gin-refit/loss". How many there are, and the name of curve k; NULL: there is no such. */
L2R_API int32_t l2r_result_n_curves(const struct l2r_result *result);
L2R_API const char *l2r_result_curve_name(const struct l2r_result *result, int32_t k);
/* The curve of that name, [*n]; NULL and 0: there is none. */
L2R_API const double *l2r_result_curve(int64_t *n, const struct l2r_result *result, const char *name);
/* The same as a JSON array with an object for each epoch, as metrics.jsonl and fits.jsonl have them; free the text with
 * l2r_free. */
L2R_API enum l2r_status l2r_result_history_json(char **json, const struct l2r_result *result, struct l2r_error *error);
/* The options of the run with all that it chose by itself; lent. */
L2R_API const struct l2r_config *l2r_result_config(const struct l2r_result *result);
/* The split that it was trained with; lent. NULL: a run that had finished before was asked for without its data. */
L2R_API const struct l2r_split *l2r_result_split(const struct l2r_result *result);
/* [*n graphs of the data]: the weights that the method gave to the training graphs last, 1 for the others; lent. NULL:
 * it weighs all graphs equally. */
L2R_API const float *l2r_result_weights(int64_t *n, const struct l2r_result *result);
/* With the option refit: the model that validation chose, before it was trained again; free it with l2r_predictor_free.
 * Fails for other runs, and for one that had finished before, whose folder has it as chosen.safetensors. */
L2R_API enum l2r_status l2r_result_chosen(struct l2r_predictor **chosen, const struct l2r_result *result,
                                          struct l2r_error *error);
/* NULL is fine. */
L2R_API void l2r_result_free(struct l2r_result *result);

/* ---- Several processes that were started together by mpirun ---- */

/* Joins them: *comm is NULL where this one is alone. Only the thread that made this call may use it. This call alone
 * looks at environment variables, in which a launcher says what it has started. */
L2R_API enum l2r_status l2r_comm_open(struct l2r_comm **comm, struct l2r_error *error);
/* After success: waits for the others. NULL is fine. */
L2R_API void l2r_comm_close(struct l2r_comm *comm);
/* After a failure of this process alone, for which the others would wait for ever: ends them all with this exit code.
 * Does not return unless comm is NULL. */
L2R_API void l2r_comm_abort(struct l2r_comm *comm, int code);
/* How many there are, and which one this is, from 0; 1 and 0 for NULL. */
L2R_API int l2r_comm_n_ranks(const struct l2r_comm *comm);
L2R_API int l2r_comm_rank(const struct l2r_comm *comm);

/* ---- A loop of your own ---- */

/* Network, optimiser, schedule, method and position; one thread at a time. It needs its data until it is freed. What
 * follows the last epoch of a run belongs to l2r_train alone: calibration, and the head fit of method headfit. */
struct l2r_training;

/* split: NULL makes the one that the options ask for. */
L2R_API enum l2r_status l2r_training_new(struct l2r_training **training, const struct l2r_config *config,
                                         const struct l2r_dataset *data, const struct l2r_split *split,
                                         struct l2r_error *error);
/* NULL is fine. */
L2R_API void l2r_training_free(struct l2r_training *training);
/* Batches of the epoch under way, and epochs completed; 0 for NULL. */
L2R_API int64_t l2r_training_n_batches(const struct l2r_training *training);
L2R_API int64_t l2r_training_n_epochs(const struct l2r_training *training);
/* Trains on the next batch: forward, backward, optimiser. *loss (may be NULL) is the batch's. After the last batch the
 * epoch is complete and the next call begins another. */
L2R_API enum l2r_status l2r_training_step(double *loss, struct l2r_training *training, struct l2r_error *error);
/* The steps that are left of this epoch; *loss (may be NULL) is the mean over the epoch's graphs. */
L2R_API enum l2r_status l2r_training_epoch(double *loss, struct l2r_training *training, struct l2r_error *error);
/* Every metric that suits the task for a part of the split; free it with l2r_evaluation_free. The plateau schedule and
 * the choice of an epoch are the caller's in a loop of their own. */
L2R_API enum l2r_status l2r_training_evaluate(struct l2r_evaluation **evaluation, struct l2r_training *training,
                                              int part, struct l2r_error *error);
/* The rate of the next step: the schedule's, or what was set; NaN gives it back to the schedule. */
L2R_API double l2r_training_learning_rate(const struct l2r_training *training);
L2R_API enum l2r_status l2r_training_set_learning_rate(struct l2r_training *training, double rate,
                                                       struct l2r_error *error);

/* Parameters, as those of a model (l2r/model.h): they may be written between two steps. */
L2R_API size_t l2r_training_n_parameters(const struct l2r_training *training);
/* Parameter i = 0 … parameters-1. */
L2R_API enum l2r_status l2r_training_parameter(struct l2r_parameter *parameter, struct l2r_training *training, size_t i,
                                               struct l2r_error *error);
/* The same by its name. */
L2R_API enum l2r_status l2r_training_find(struct l2r_parameter *parameter, struct l2r_training *training,
                                          const char *name, struct l2r_error *error);
/* weights [graphs of the data]: what the method gave the training graphs last, 1 for the others. */
L2R_API enum l2r_status l2r_training_weights(float *weights, const struct l2r_training *training,
                                             struct l2r_error *error);
/* The model as it stands (with "ema" or "swa" the averaged one, as in l2r_training_evaluate), which shares nothing with
 * the training; l2r_predictor_save writes it. */
L2R_API enum l2r_status l2r_training_predictor(struct l2r_predictor **predictor, const struct l2r_training *training,
                                               struct l2r_error *error);

#ifdef __cplusplus
}
#endif
#endif
