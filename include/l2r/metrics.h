/* SPDX-License-Identifier: MIT
 *
 * Metrics on plain arrays, by the definitions of scikit-learn: what evaluate reports of a model can be had for any
 * outputs.
 *
 *     struct l2r_scored scored = L2R_SCORED_INIT;
 *     scored.task = L2R_TASK_BINARY;
 *     scored.n_rows = n, scored.n_tasks = 1;
 *     scored.outputs = p, scored.labels = y;
 *     scored.are_probabilities = true;
 *     l2r_metric_value(&value, "rocauc", &scored, &error);
 *
 * Their names are those of the registry L2R_METRICS.
 */
#ifndef L2R_METRICS_H
#define L2R_METRICS_H

#include <l2r/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is known about a metric. */
struct l2r_metric_info {
    size_t size;       /* L2R_METRIC_INFO_INIT sets it */
    const char *name;  /* "rocauc" */
    const char *title; /* "ROC-AUC" */
    bool higher_is_better;
    bool for_multiclass, for_binary, for_regression; /* the tasks that it suits */
    bool for_several;  /* label columns, of which it is the mean; false: it has the unit of its one target */
    const char *needs; /* when it is defined: "both classes" */
};
#define L2R_METRIC_INFO_INIT L2R_SIZED(struct l2r_metric_info)
/* Any thread. */
L2R_API enum l2r_status l2r_metric_describe(struct l2r_metric_info *info, const char *metric, struct l2r_error *error);
/* The metric that chooses an epoch unless another is asked for: accuracy, rocauc, rmse; nrmse for several regressions;
 * NULL for a number that is no task. Any thread. */
L2R_API const char *l2r_metric_for(enum l2r_task task, int32_t n_tasks);

/* Outputs and labels, a row for each graph. Zero what is not needed. */
struct l2r_scored {
    size_t size; /* L2R_SCORED_INIT sets it */
    enum l2r_task task;
    int64_t n_rows;
    int32_t n_tasks;             /* label columns; 1 for multi-class */
    int32_t n_classes;           /* multi-class only */
    const float *outputs;        /* [n_rows × n_classes, otherwise × n_tasks]: logits, or values in their own units */
    bool are_probabilities;      /* the outputs of a classification, not its logits */
    const float *labels;         /* [n_rows × n_tasks]: class numbers, 0 and 1, or values; NaN: missing */
    const double *scales;        /* [n_tasks]: what nrmse divides the errors of a regression by; NULL: not known */
    const double *class_weights; /* [outputs]: class k is chosen where weight_k · p_k is largest, 1 where weight · p > 1
                                    - p; NULL: 1 */
};
#define L2R_SCORED_INIT L2R_SIZED(struct l2r_scored)
/* The metric over all rows, the mean over label columns. L2R_ERR_ARGUMENT, and NaN, where it does not suit the task or
 * is not defined on these labels. Any thread. */
L2R_API enum l2r_status l2r_metric_value(double *value, const char *metric, const struct l2r_scored *scored,
                                         struct l2r_error *error);

#ifdef __cplusplus
}
#endif
#endif
