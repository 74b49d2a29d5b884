/* SPDX-License-Identifier: MIT
 *
 * F1: 2 hit / (truth + guess), of class 1 in a binary task; otherwise the mean over the classes that occur in labels or
 * guesses.
 */
#include "metrics/metrics.h"

static double f1(const struct l2r_class_counts *t)
{
    double sum = 0;
    int32_t present = 0;
    for (int32_t k = t->binary ? 1 : 0; k < t->n_classes; k++) {
        int64_t either = t->truth[k] + t->guess[k];
        if (either == 0) continue;
        sum += 2 * (double)t->hit[k] / (double)either;
        present++;
    }
    return present ? sum / present : 0; /* no positive graph and no positive guess: 0, as scikit-learn */
}

static enum l2r_status compute(double *value, const struct l2r_scores *scores, struct l2r_error *error)
{
    return l2r_mean_of_counts(value, scores, f1, error);
}

const struct l2r_metric l2r_metric_f1 = {.name = "f1",
                                         .title = "F1",
                                         .higher_is_better = true,
                                         .tasks = L2R_METRIC_CLASSES,
                                         .needs = "a labelled graph",
                                         .fn = compute};
