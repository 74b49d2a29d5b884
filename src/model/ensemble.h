/* SPDX-License-Identifier: MIT
 *
 * Several trained models that predict together; one model is an ensemble of one. Each model's prediction is that of its
 * committee (model/committee.h), with its calibration; the same rule combines these:
 *
 *     output        = l2r_combine over the models: the mean of their probabilities or values, or its logit
 *     spread        = standard deviation over all members of all models (n − 1), of probabilities or values
 *     low, high     = output ∓ the mean over the models of half the width of their own intervals (model/calibration.h):
 *                     the error of a mean is at most the mean of the errors; or output ∓ q·(spread + β)
 *                     (ensemble_intervals.c)
 *     distance      = mean over the models of the distance to their training graphs   (model/domain.h)
 *     applicability = mean over the models; 0 for a model that has not seen some category of the graph
 *
 * Models may differ in everything but what they predict: tasks and classes, matched by name. The calls are those of
 * l2r/model.h. Several ranks divide the blocks of graphs, or the batches of each block where there are few, and all get
 * all predictions, the same bits as alone.
 */
#ifndef L2R_MODEL_ENSEMBLE_H
#define L2R_MODEL_ENSEMBLE_H

#include "data/dataset.h"
#include "model/predictor.h"

#include <l2r/model.h>

struct l2r_ensemble {
    struct l2r_predictor **models; /* [n_models] */
    int n_models;
    int n_members; /* of all models */
    enum l2r_task task;
    int32_t n_outputs;
    bool has_domain; /* every model has a domain: distance and applicability can be given */
    /* Room for a block of graphs. */
    float *outputs;       /* [n_members + n_models][block × outputs] */
    const float **member; /* [n_members], and then [n_models]: parts of outputs */
    double *room;         /* [3 × outputs] */
    float *z;             /* [block × widest model] */
    float *far;           /* [block] */
    double *share;        /* [2 × block]: sums over the models */
    int32_t *unseen;      /* [block] */
    int64_t width;
    double *half;      /* [outputs] half the widths of intervals, and room for a model's; NULL: not looked for yet */
    double *scale;     /* [outputs] q, and then β, of intervals that follow the spread; NULL: not looked for yet */
    double scaled_for; /* their coverage */
};

/* What l2r_ensemble_predict does, for lists of graphs as the library has them. */
enum l2r_status l2r_ensemble_answer(const struct l2r_answers *answers, struct l2r_ensemble *ensemble,
                                    const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                    struct l2r_error *error);
/* The same, where models have different splits: uses [n × n_models] is 1 where a model may predict a graph, and one or
 * more may predict each (ensemble_parts.c); NULL: all models predict all graphs. */
enum l2r_status l2r_ensemble_answer_by(const struct l2r_answers *answers, struct l2r_ensemble *ensemble,
                                       const struct l2r_dataset *data, const int32_t *graphs, const uint8_t *uses,
                                       int64_t n, struct l2r_error *error);
/* All that an evaluation has. New reference. */
enum l2r_status l2r_ensemble_report(json_t **report, struct l2r_ensemble *ensemble, const struct l2r_dataset *data,
                                    const int32_t *graphs, int64_t n, const char *metrics, struct l2r_error *error);
/* Makes `half`, or `scale` where intervals follow the spread. coverage 0: what the models were trained with. */
enum l2r_status l2r_ensemble_find_intervals(struct l2r_ensemble *c, double coverage, bool by_spread,
                                            struct l2r_error *error);
/* Do models a and b predict the same, column by column? The error names the first difference; paths: theirs. */
enum l2r_status l2r_predictors_compare(const struct l2r_predictor *a, const struct l2r_predictor *b, const char *path_a,
                                       const char *path_b, struct l2r_error *error);

#endif
