/* SPDX-License-Identifier: MIT
 *
 * Coefficient of determination: R² = 1 − Σ (output − label)² / Σ (label − mean label)². 1 is perfect, 0 the score of
 * predicting the mean of these labels, and below 0 is worse than that. Undefined for equal labels.
 */
#include "metrics/metrics.h"

#include <math.h>

static double of_task(const struct l2r_scores *s, int32_t task)
{
    double sum = 0, left = 0, all = 0, distance;
    int64_t n = 0;
    for (int64_t g = 0; g < s->n_graphs; g++) {
        if (!l2r_scores_distance(&distance, s, g, task)) continue;
        left += distance * distance;
        sum += (double)s->labels[g * s->n_tasks + task];
        n++;
    }
    double mean = n > 0 ? sum / (double)n : 0;
    for (int64_t g = 0; g < s->n_graphs; g++) {
        double label = (double)s->labels[g * s->n_tasks + task];
        if (!isnan(label)) all += (label - mean) * (label - mean);
    }
    return all > 0 ? 1 - left / all : (double)NAN;
}

static enum l2r_status compute(double *value, const struct l2r_scores *scores, struct l2r_error *error)
{
    (void)error;
    *value = l2r_mean_of_tasks(scores, of_task);
    return L2R_OK;
}

const struct l2r_metric l2r_metric_r2 = {.name = "r2",
                                         .title = "R²",
                                         .higher_is_better = true,
                                         .tasks = L2R_METRIC_VALUES,
                                         .needs = "two labels that differ",
                                         .fn = compute,
                                         .brief = true};
