/* SPDX-License-Identifier: MIT
 * Accuracy: Σ_k hit_k / n. */
#include "metrics/metrics.h"

static double accuracy(const struct l2r_class_counts *t)
{
    int64_t hits = 0;
    for (int32_t k = 0; k < t->n_classes; k++) hits += t->hit[k];
    return (double)hits / (double)t->n;
}

static enum l2r_status compute(double *value, const struct l2r_scores *scores, struct l2r_error *error)
{
    return l2r_mean_of_counts(value, scores, accuracy, error);
}

const struct l2r_metric l2r_metric_accuracy = {.name = "accuracy",
                                               .title = "Accuracy",
                                               .higher_is_better = true,
                                               .tasks = L2R_METRIC_CLASSES,
                                               .needs = "a labelled graph",
                                               .fn = compute,
                                               .brief = true};
