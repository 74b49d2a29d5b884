/* SPDX-License-Identifier: MIT
 * Balanced accuracy: the mean of hit_k / truth_k over the classes that occur in the labels. */
#include "metrics/metrics.h"

static double balanced(const struct l2r_class_counts *t)
{
    double sum = 0;
    int32_t present = 0;
    for (int32_t k = 0; k < t->n_classes; k++) {
        if (t->truth[k] == 0) continue;
        sum += (double)t->hit[k] / (double)t->truth[k];
        present++;
    }
    return sum / present;
}

static enum l2r_status compute(double *value, const struct l2r_scores *scores, struct l2r_error *error)
{
    return l2r_mean_of_counts(value, scores, balanced, error);
}

const struct l2r_metric l2r_metric_balanced_accuracy = {.name = "balanced_accuracy",
                                                        .title = "Balanced accuracy",
                                                        .higher_is_better = true,
                                                        .tasks = L2R_METRIC_CLASSES,
                                                        .needs = "a labelled graph",
                                                        .fn = compute};
