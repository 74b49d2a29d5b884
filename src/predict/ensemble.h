/* SPDX-License-Identifier: MIT
 *
 * One trained model, or several that were trained alike and are asked together:
 *
 *     output        = mean over the models of the probability or value       (of the logit, if wanted)
 *     spread        = standard deviation over the models (n − 1)
 *     low, high     = output ∓ the mean over the models of half the width of their own intervals (nn/calibration.h):
 *                     the error of a mean is at most the mean of the errors
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
    double *sums; /* [block × (2 · outputs + 2)] */
    double *half; /* [outputs] half the widths of intervals, and room for a model's; NULL: not asked for yet */
};

#endif
