/* SPDX-License-Identifier: MIT
 *
 * One trained model, or several that were trained alike and are asked together:
 *
 *     output        = mean over the models of the probability or value       (of the logit, if wanted); that of a
 *                     committee (nn/members.h) is the mean over its members, calibrated as a whole
 *     spread        = standard deviation over the models and members (n − 1)
 *     low, high     = output ∓ the mean over the models of half the width of their own intervals (nn/calibration.h):
 *                     the error of a mean is at most the mean of the errors; or output ∓ q·(spread + β)
 *                     (ensemble_intervals.c)
 *     distance      = mean over the models of the distance to their training graphs   (predict/domain.h)
 *     applicability = mean over the models, of which one that never saw something that the graph has counts as 0
 *
 * Models may differ in everything but what they answer: task, tasks, classes. The calls are those of l2r/model.h.
 * Several ranks divide the blocks of graphs, or the batches of each block where there are few, and all get all answers,
 * the same bits as alone.
 */
#ifndef L2R_PREDICT_ENSEMBLE_H
#define L2R_PREDICT_ENSEMBLE_H

#include "data/dataset.h"
#include "predict/predictor.h"

#include <l2r/model.h>

struct l2r_ensemble {
    struct l2r_predictor **models; /* [n_models] */
    int n_models;
    int n_voices; /* models, with the members of those that are committees (nn/members.h) */
    int n_heard;  /* of them, so far */
    enum l2r_task task;
    int32_t n_outputs;
    bool has_domain; /* every model knows its domain: distance and applicability can be given */
    float *z;        /* [block × widest model] */
    float *far;      /* [block] */
    int32_t *unseen; /* [block] */
    int64_t width;
    double *sums;      /* [block × (4 · outputs + 2)] */
    double *half;      /* [outputs] half the widths of intervals, and room for a model's; NULL: not asked for yet */
    double *scale;     /* [outputs] q, and then β, of intervals that follow the spread; NULL: not asked for yet */
    double scaled_for; /* their coverage */
};

/* Makes `half`, or `scale` where intervals follow the spread. coverage 0: what the models were trained with. */
enum l2r_status l2r_ensemble_find_intervals(struct l2r_ensemble *c, double coverage, bool by_spread,
                                            struct l2r_error *error);

#endif
