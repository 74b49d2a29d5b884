/* SPDX-License-Identifier: MIT
 * Root mean squared error: sqrt(Σ (output − label)² / n) of one target. */
#include "metrics/metrics.h"

static enum l2r_status compute(double *value, const struct l2r_scores *scores, struct l2r_error *error)
{
    (void)error;
    *value = l2r_mean_of_tasks(scores, l2r_scores_rmse);
    return L2R_OK;
}

const struct l2r_metric l2r_metric_rmse = {.name = "rmse",
                                           .title = "RMSE",
                                           .higher_is_better = false,
                                           .tasks = L2R_METRIC_VALUES,
                                           .needs = "a labelled graph",
                                           .fn = compute,
                                           .units = true,
                                           .brief = true};
