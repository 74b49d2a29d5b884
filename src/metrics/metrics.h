/* SPDX-License-Identifier: MIT
 *
 * A metric: src/metrics/metrics/NAME.c defines one `const struct l2r_metric l2r_metric_NAME`, and `--metric NAME`, `l2r
 * list metrics`, `l2r eval` and result.json follow. A metric scores a model's outputs against the labels:
 *
 *     accuracy, balanced_accuracy, f1, mcc   count right and wrong classes   binary, multi-class               below
 *     rocauc, ap                             rank the graphs                 binary, class against the rest  ranking.h
 *     brier, ece                             score probabilities             binary, multi-class         probability.h
 *     rmse, mae, nrmse                       measure distances               regression
 *     r2, spearman                           compare with a constant, rank   regression
 *
 * A metric of several tasks is the plain mean of its value on each task, over the tasks where it is defined (the rule
 * of the OGB evaluators); missing labels are left out. The definitions are those of scikit-learn, ties included.
 * Metrics in the unit of the target (rmse, mae) have no mean over several targets: kelvins and millimoles do not add
 * up. Several regressions are scored by nrmse, the RMSE of each in standard deviations of its training labels; so are
 * targets that are trained on as logarithms or ranks, whose nrmse is that of these.
 */
#ifndef L2R_METRICS_METRICS_H
#define L2R_METRICS_METRICS_H

#include "data/dataset.h"
#include "kernels/target_scale.h"

/* Outputs and labels. n_outputs = n_classes for multi-class, otherwise n_tasks. */
struct l2r_scores {
    enum l2r_task task;
    int64_t n_graphs;
    int32_t n_tasks;     /* label columns; 1 for multi-class */
    int32_t n_classes;   /* multi-class only */
    const float *output; /* [n_graphs × n_outputs]: logits, or values in their own units */
    const float *labels; /* [n_graphs × n_tasks]; NaN: missing */
    const double *scale; /* [n_tasks] standard deviations of the training labels (regression); NULL: not known */
    const struct l2r_target_map *map; /* [n_tasks]: of labels that were mapped before (kernels/target_scale.h); NULL */
    const double
        *weight; /* [n_outputs] what a graph of class k, or a positive of task k, counts in the choice of a class:
                             class k where weight_k · p_k is largest, 1 where weight · p > 1 − p; NULL: 1 */
};

/* Writes the value, or NaN if the metric is undefined for all tasks. */
typedef enum l2r_status l2r_metric_fn(double *value, const struct l2r_scores *scores, struct l2r_error *error);

struct l2r_metric {
    const char *name;  /* as typed: "rocauc" */
    const char *title; /* for people: "ROC-AUC" */
    bool higher_is_better;
    unsigned tasks;    /* bits 1u << enum l2r_task */
    const char *needs; /* when it is defined, for the error message */
    l2r_metric_fn *fn;
    bool units; /* has the unit of the target: defined for one regression task, not for several */
    bool brief; /* has a column in narrow tables of many tasks */
};

#define L2R_METRIC_CLASSES (1u << L2R_TASK_MULTICLASS | 1u << L2R_TASK_BINARY)
#define L2R_METRIC_VALUES (1u << L2R_TASK_REGRESSION)

extern const struct l2r_metric *const l2r_metrics[]; /* in the order of reports; NULL at the end */

/* NULL when there is no metric of that name. */
const struct l2r_metric *l2r_metric_find(const char *name);
/* accuracy, rocauc, rmse for multi-class, binary, regression; nrmse for several regressions. */
const struct l2r_metric *l2r_metric_default(enum l2r_task task, int32_t n_tasks);
bool l2r_metric_suits(const struct l2r_metric *metric, enum l2r_task task);
/* Fails with L2R_ERR_ARGUMENT if it does not suit this number and kind of tasks; the error names metrics that do. */
enum l2r_status l2r_metric_check(const struct l2r_metric *metric, enum l2r_task task, int32_t n_tasks,
                                 struct l2r_error *error);
/* A list of names, "rocauc,mcc"; NULL stands for all. Is the metric in it, and is each name one that suits the task? */
bool l2r_metric_is_listed(const struct l2r_metric *metric, const char *list);
enum l2r_status l2r_metric_check_list(const char *list, enum l2r_task task, struct l2r_error *error);
/* Is `value` a better result than `best`? NaN never is; anything else is better than NaN. */
bool l2r_metric_better(const struct l2r_metric *metric, double value, double best);

/* An output that is not finite is L2R_ERR_DIVERGED and names the graph (its row). A metric that is undefined on these
 * labels is L2R_ERR_ARGUMENT. After an error *value is NaN. */
enum l2r_status l2r_metric_compute(double *value, const struct l2r_metric *metric, const struct l2r_scores *scores,
                                   struct l2r_error *error);

/* One task of several by itself. room: [2 × n_graphs], the memory of *one. */
void l2r_scores_task(struct l2r_scores *one, float *room, const struct l2r_scores *scores, int32_t task);
/* Labelled graphs of a task; positives: those of class 1, may be NULL. */
int64_t l2r_scores_labelled(int64_t *positives, const struct l2r_scores *scores, int32_t task);

/* For the metrics themselves. Columns of `output`. */
int32_t l2r_scores_outputs(const struct l2r_scores *scores);
/* The distance in standard deviations of the training labels, mapped as in training. The label is known. */
double l2r_scores_scaled_distance(const struct l2r_scores *scores, int64_t graph, int32_t task);
/* sqrt(Σ (output − label)² / n) of a task; NaN without a label. */
double l2r_scores_rmse(const struct l2r_scores *scores, int32_t task);
/* Output minus label, of a regression; false: the label is missing. */
bool l2r_scores_distance(double *distance, const struct l2r_scores *scores, int64_t graph, int32_t task);
/* The plain mean over the tasks where a value is not NaN. */
double l2r_mean_of_tasks(const struct l2r_scores *scores, double (*of_task)(const struct l2r_scores *, int32_t task));

/* The class predicted by the outputs of a graph, by the same rule in metrics, predictions, explanations and the report
 * page: class k where weight_k · p_k is largest; of a binary task (column) 1 where weight · p > 1 − p. Without class
 * weights that is the most probable class. logits [n_outputs] are finite; weight [n_outputs]: NULL: 1. */
int32_t l2r_decide(const float *logits, const double *weight, enum l2r_task task, int32_t n_outputs, int32_t column);

/* For the metrics that count right and wrong classes. They need three numbers for each class k:
 *
 *     hit [k]     graphs of class k given class k
 *     truth [k]   graphs of class k
 *     guess [k]   graphs given class k
 *
 * A binary task is a column with two classes. */
struct l2r_class_counts {
    int32_t n_classes;
    bool binary;
    int64_t n;                    /* labelled graphs */
    int64_t *hit, *truth, *guess; /* [n_classes] each, one block that starts at `hit` */
};

/* The mean of a formula over the tasks that have a labelled graph; NaN: none has. */
enum l2r_status l2r_mean_of_counts(double *value, const struct l2r_scores *scores,
                                   double (*formula)(const struct l2r_class_counts *), struct l2r_error *error);

#endif
