/* SPDX-License-Identifier: MIT
 *
 * The outcome of a run: made once, at the end, with the parameters of the best epoch; result.json keeps it
 * (store/result_file.h). Whoever asked for the run also gets its history, options, split and learned weights.
 */
#ifndef L2R_RECIPE_RESULT_H
#define L2R_RECIPE_RESULT_H

#include "fit/fit.h"
#include "model/trained.h"
#include "recipe/history.h"

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
    struct json_t *conclusion; /* the method's own results ("sentence" and numbers); NULL: none */

    struct l2r_history history;
    struct l2r_config *config; /* as they were resolved; NULL: a result from a file */
    struct l2r_split split;    /* graphs NULL: not known */
    float *weights;            /* [n_weights]: of the graphs of the data; NULL: all count 1 */
    int64_t n_weights;
    struct l2r_trained *chosen; /* with --refit: the model that validation chose; NULL: there is none */
};
void l2r_result_clear(struct l2r_result *result);
/* The scores alone: without history, options, split, weights and model. To be cleared. */
void l2r_result_copy_scores(struct l2r_result *to, const struct l2r_result *from);
/* The score of a part below L2R_N_PARTS. */
double l2r_result_part(const struct l2r_result *result, int part);
/* The validation score that chose the epoch. */
double l2r_result_selected(const struct l2r_result *result);

/* Scores the model on parts: those whose bit 1 << L2R_PART_* is set. fit: of the first member. */
enum l2r_status l2r_result_make(struct l2r_result *result, struct l2r_fit *fit, const struct l2r_committee *model,
                                unsigned parts, struct l2r_error *error);
/* Where the split has validation parts in and out of distribution: the scores of the choice by either part, as
 * more.selections = {"id-valid": {"best_epoch", "valid", "test", "id-valid", "id-test"}, "ood-valid": {…}}. */
enum l2r_status l2r_result_select(struct l2r_result *result, struct l2r_fit *fit, struct l2r_error *error);
/* Adds the method's own results of the fit, and those of its head fit. */
enum l2r_status l2r_result_conclude(struct l2r_result *result, const struct l2r_fit *fit, struct l2r_error *error);

/* As in result.json, without what ties it to its folder. New reference; NULL: out of memory. */
json_t *l2r_result_to_json(const struct l2r_result *result);

#endif
