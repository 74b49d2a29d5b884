/* SPDX-License-Identifier: MIT
 *
 * Brier score: the mean of (p − y)² over the labelled graphs of a task; of several classes Σ_k (p_k − y_k)², which for
 * two classes is twice as much. 0 is perfect; for a binary task p = ½ gives 0.25.
 */
#include "metrics/probability.h"

#include <math.h>

static double of_task(const struct l2r_scores *s, int32_t task)
{
    double sum = 0;
    int64_t n = 0;
    for (int64_t g = 0; g < s->n_graphs; g++) {
        float label = s->labels[g * s->n_tasks + task];
        if (isnan(label)) continue;
        n++;
        if (s->task == L2R_TASK_BINARY) {
            double off = l2r_sigmoid((double)s->output[g * s->n_tasks + task]) - (double)label;
            sum += off * off;
            continue;
        }
        const float *row = s->output + g * s->n_classes;
        double log_sum = l2r_log_sum(row, s->n_classes);
        for (int32_t k = 0; k < s->n_classes; k++) {
            double off = exp((double)row[k] - log_sum) - (label == (float)k ? 1 : 0);
            sum += off * off;
        }
    }
    return n > 0 ? sum / (double)n : (double)NAN;
}

static enum l2r_status compute(double *value, const struct l2r_scores *scores, struct l2r_error *error)
{
    (void)error;
    *value = l2r_mean_of_tasks(scores, of_task);
    return L2R_OK;
}

const struct l2r_metric l2r_metric_brier = {.name = "brier",
                                            .title = "Brier score",
                                            .higher_is_better = false,
                                            .tasks = L2R_METRIC_CLASSES,
                                            .needs = "a labelled graph",
                                            .fn = compute};
