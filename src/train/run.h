/* SPDX-License-Identifier: MIT
 *
 * A run: one config, one seed, one folder (model/run_names.h lists its files).
 *
 *     load data ─► split ─► for each epoch:  train the batches ─► score validation ─► keep the best ─► checkpoint
 *                                                             ─► score all parts with the best ─► result.json
 *
 * What happens in a batch is trainer.h; what is written is folder.h, checkpoint.h, record.h and result.h.
 */
#ifndef L2R_TRAIN_RUN_H
#define L2R_TRAIN_RUN_H

#include "base/config.h"
#include "model/run_options.h"

#include <l2r/train.h>

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct l2r_result {
    char metric[32];
    double train, valid, test; /* the metric at the epoch that was best on validation; NaN: the part is empty */
    double id_valid, id_test;  /* NaN unless the split has these parts */
    bool by_id_valid;          /* the best epoch is the one with the best id_valid (--select) */
    int64_t best_epoch, epochs;
    double seconds;           /* spent in training, over all resumptions */
    double graphs_per_second; /* training throughput, median over epochs */
    int64_t n_parameters;
    char vector[24];           /* l2r_vector_width() as the run ended; "": not known, from before it was kept */
    struct json_t *more;       /* every other metric that suits the task, per part: a jansson object */
    struct json_t *conclusion; /* what the method has to say ("sentence" and numbers); NULL: nothing */
};
void l2r_result_clear(struct l2r_result *result);
/* The score of a part below L2R_N_PARTS. */
double l2r_result_part(const struct l2r_result *result, int part);
/* The validation score that chose the epoch. */
double l2r_result_selected(const struct l2r_result *result);

/* Trains: the one way into a run, which l2r_train (l2r/train.h) makes public. plan->out NULL: nothing is written, and
 * predictor, if not NULL, receives the best model. The size of the struct is not looked at. */
enum l2r_status l2r_run_train(struct l2r_result *result, struct l2r_predictor **predictor, const struct l2r_run *plan,
                              struct l2r_error *error);
/* The data that the config names. */
enum l2r_status l2r_run_load(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_comm *comm,
                             struct l2r_error *error);

#endif
