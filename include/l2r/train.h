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

/* ---- A loop of your own ----
 *
 *     while (!l2r_training_is_over(training)) {
 *         l2r_training_epoch(&loss, training, &error);
 *         l2r_training_validate(&score, &is_best, training, &error);
 *     }
 *     l2r_training_restore(training, &error);
 *
 * trains what l2r_train trains, bit for bit, up to calibration and distances. A step is l2r_training_step, or
 * l2r_training_forward and l2r_training_backward, between which losses can be weighted and Z can receive a gradient. */

/* Network, optimiser, schedule, method and position; one thread at a time. It needs its data until it is freed. */
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
/* Would l2r_train stop here: by epochs, or by early-stop and the epochs since the best? A loop may go on. True for
 * NULL. */
L2R_API bool l2r_training_is_over(const struct l2r_training *training);
/* Trains on the next batch: forward, backward, optimiser. *loss (may be NULL) is the batch's. After the last batch the
 * epoch is complete and the next call begins another. */
L2R_API enum l2r_status l2r_training_step(double *loss, struct l2r_training *training, struct l2r_error *error);
/* The steps that are left of this epoch; *loss (may be NULL) is the mean over the epoch's graphs. A watch
 * (l2r_watch_set) sees its batches; stopped, the epoch can be continued. */
L2R_API enum l2r_status l2r_training_epoch(double *loss, struct l2r_training *training, struct l2r_error *error);
/* Every metric that suits the task for a part of the split; free it with l2r_evaluation_free. */
L2R_API enum l2r_status l2r_training_evaluate(struct l2r_evaluation **evaluation, struct l2r_training *training,
                                              int part, struct l2r_error *error);
/* The rate of the next step: the schedule's, or what was set; NaN gives it back to the schedule. */
L2R_API double l2r_training_learning_rate(const struct l2r_training *training);
L2R_API enum l2r_status l2r_training_set_learning_rate(struct l2r_training *training, double rate,
                                                       struct l2r_error *error);

/* The graphs [*n] of the next batch, lent until the next step. Of trees, which learn from all graphs at once, all
 * training graphs. */
L2R_API enum l2r_status l2r_training_next(const int64_t **graphs, int64_t *n, struct l2r_training *training,
                                          struct l2r_error *error);
/* A batch after its forward pass; arrays are lent until the next call that trains. */
struct l2r_forward {
    size_t size;           /* L2R_FORWARD_INIT sets it */
    int64_t n;             /* graphs of the batch */
    int64_t width;         /* of Z */
    int32_t n_outputs;     /* a graph */
    const int64_t *graphs; /* [n] */
    const float *z;        /* [n × width]: the representation, from which the head makes the outputs */
    const float *output;   /* [n × n_outputs]: what the loss sees: logits, or standardised values */
    const float *losses;   /* [n]: of each graph, times its own weight in the data */
    const float *weights;  /* [n]: what they will be multiplied by; NULL: 1 */
};
#define L2R_FORWARD_INIT L2R_SIZED(struct l2r_forward)
/* The first half of a step: the method's part (which may learn weights), Z, outputs and losses. A second call before
 * the other half gives the same. Models that are not trained by gradients have no halves. */
L2R_API enum l2r_status l2r_training_forward(struct l2r_forward *forward, struct l2r_training *training,
                                             struct l2r_error *error);
/* The second half: minimises (1/n) Σ w_i loss_i and what model and method add to it, and moves the parameters.
 * weights [n]: w, 0 or more; NULL: those of the first half. d_z [n × width], or NULL: a gradient of a loss of the
 * caller's own with respect to Z, added to that of the step. With NULL twice both halves are l2r_training_step. */
L2R_API enum l2r_status l2r_training_backward(double *loss, struct l2r_training *training, const float *weights,
                                              const float *d_z, struct l2r_error *error);
/* weights [graphs of the data], 0 or more, those of the training graphs are used: what losses are multiplied by in all
 * further steps, in place of the method's weights. They are taken as they are; of mean 1 they leave the size of steps
 * alone. NULL: the method's again. Not for models that are not trained by gradients. */
L2R_API enum l2r_status l2r_training_set_weights(struct l2r_training *training, const float *weights,
                                                 struct l2r_error *error);
/* weights [graphs of the data]: those that were set, or what the method gave the training graphs last, 1 for the
 * others. */
L2R_API enum l2r_status l2r_training_weights(float *weights, const struct l2r_training *training,
                                             struct l2r_error *error);

/* Scores the validation graphs by the run's metric and keeps the model as it stands if it is the best so far; without a
 * score the newest counts as the best. Once an epoch it also tells the plateau schedule. *score (NaN: not defined) and
 * *is_best may be NULL. */
L2R_API enum l2r_status l2r_training_validate(double *score, bool *is_best, struct l2r_training *training,
                                              struct l2r_error *error);
/* Keeps the model as it stands as the best, by a score of the caller's own (NaN: none), which later calls of
 * l2r_training_validate have to beat. */
L2R_API enum l2r_status l2r_training_keep(struct l2r_training *training, double score, struct l2r_error *error);
/* The epoch of the model that was kept, 0: none was, and its score. */
L2R_API int64_t l2r_training_best_epoch(const struct l2r_training *training);
L2R_API double l2r_training_best_score(const struct l2r_training *training);
/* Puts the model that was kept into place. Fails where none was. */
L2R_API enum l2r_status l2r_training_restore(struct l2r_training *training, struct l2r_error *error);
/* Fits the last linear layer anew, to convergence, on all training graphs, under the penalty that validation graphs
 * prefer. weights [graphs of the data], 0 or more, of which those of the training graphs are brought to mean 1: the new
 * head is taken. NULL: what the method does after the last epoch (headfit, dfr, afr, …), which takes the new head where
 * there is evidence for it; fails for other methods. *is_taken may be NULL; *json, or NULL: the numbers of the choice
 * as in result.json, to be freed with l2r_free. */
L2R_API enum l2r_status l2r_training_fit_head(bool *is_taken, char **json, struct l2r_training *training,
                                              const float *weights, struct l2r_error *error);

/* Parameters, as those of a model (l2r/model.h): they may be written between two steps. */
L2R_API size_t l2r_training_n_parameters(const struct l2r_training *training);
/* Parameter i = 0 … parameters-1. */
L2R_API enum l2r_status l2r_training_parameter(struct l2r_parameter *parameter, struct l2r_training *training, size_t i,
                                               struct l2r_error *error);
/* The same by its name. */
L2R_API enum l2r_status l2r_training_find(struct l2r_parameter *parameter, struct l2r_training *training,
                                          const char *name, struct l2r_error *error);
/* The model as it stands (with "ema" or "swa" the averaged one, as in l2r_training_evaluate), which shares nothing with
 * the training; l2r_predictor_save writes it. */
L2R_API enum l2r_status l2r_training_predictor(struct l2r_predictor **predictor, const struct l2r_training *training,
                                               struct l2r_error *error);
/* An object for each epoch completed, with its loss, its rate, what the method has to say and the validation scores, as
 * a JSON array; free the text with l2r_free. */
L2R_API enum l2r_status l2r_training_history_json(char **json, const struct l2r_training *training,
                                                  struct l2r_error *error);

/* Everything on which further steps depend: parameters, optimiser, method, position, weights and rate that were set,
 * the model that was kept: *bytes [*n_bytes], to be freed with l2r_free. Between two steps, also within an epoch. */
L2R_API enum l2r_status l2r_training_to_bytes(void **bytes, size_t *n_bytes, const struct l2r_training *training,
                                              struct l2r_error *error);
/* Goes on with the same bits as if it had not stopped: a training as it was, for the same data and split (NULL: the one
 * that its options ask for). Bytes of another version, data or split are L2R_ERR_FORMAT. */
L2R_API enum l2r_status l2r_training_from_bytes(struct l2r_training **training, const void *bytes, size_t n_bytes,
                                                const struct l2r_dataset *data, const struct l2r_split *split,
                                                struct l2r_error *error);
/* The same with a file, which appears whole or not at all. */
L2R_API enum l2r_status l2r_training_save(const struct l2r_training *training, const char *path,
                                          struct l2r_error *error);
L2R_API enum l2r_status l2r_training_open(struct l2r_training **training, const char *path,
                                          const struct l2r_dataset *data, const struct l2r_split *split,
                                          struct l2r_error *error);

#ifdef __cplusplus
}
#endif
#endif
