/* SPDX-License-Identifier: MIT
 * Mean absolute error: Σ |output − label| / n of one target. */
#include "metrics/metrics.h"

#include <math.h>

static double of_task(const struct l2r_scores *s, int32_t task)
{
    double sum = 0, distance;
    int64_t n = 0;
    for (int64_t g = 0; g < s->n_graphs; g++) {
        if (!l2r_scores_distance(&distance, s, g, task)) continue;
        sum += fabs(distance);
        n++;
    }
    return n > 0 ? sum / (double)n : (double)NAN;
}

static enum l2r_status compute(double *value, const struct l2r_scores *scores, struct l2r_error *error)
{
    (void)error;
    *value = l2r_mean_of_tasks(scores, of_task);
    return L2R_OK;
}

const struct l2r_metric l2r_metric_mae = {.name = "mae",
                                          .title = "MAE",
                                          .higher_is_better = false,
                                          .tasks = L2R_METRIC_VALUES,
                                          .needs = "a labelled graph",
                                          .fn = compute,
                                          .units = true,
                                          .brief = true};
