/* SPDX-License-Identifier: MIT
 *
 * Normalised RMSE: the RMSE of each target in standard deviations of its training labels, averaged over the targets.
 * Predicting the mean of the training labels gives about 1, whatever the unit; so targets of different units can be
 * averaged, and none dominates because its numbers are large. Of a target that is trained on as its logarithm or rank,
 * the RMSE of these.
 */
#include "metrics/metrics.h"

#include <math.h>

static double of_task(const struct l2r_scores *s, int32_t task)
{
    double sum = 0;
    int64_t n = 0;
    if (!l2r_target_is_mapped(s->map, task)) return s->scale ? l2r_scores_rmse(s, task) / s->scale[task] : (double)NAN;
    for (int64_t g = 0; g < s->n_graphs; g++) {
        if (isnan(s->labels[g * s->n_tasks + task])) continue;
        double distance = l2r_scores_scaled_distance(s, g, task);
        sum += distance * distance;
        n++;
    }
    return n > 0 ? sqrt(sum / (double)n) : (double)NAN;
}

static enum l2r_status compute(double *value, const struct l2r_scores *scores, struct l2r_error *error)
{
    (void)error;
    *value = l2r_mean_of_tasks(scores, of_task);
    return L2R_OK;
}

const struct l2r_metric l2r_metric_nrmse = {.name = "nrmse",
                                            .title = "RMSE / sd",
                                            .higher_is_better = false,
                                            .tasks = L2R_METRIC_VALUES,
                                            .needs = "a labelled graph and the spread of the training labels",
                                            .fn = compute};
