/* SPDX-License-Identifier: MIT
 * Average precision: Σ over the steps of the ranking of (recall gained in the step) × (precision after the step). */
#include "metrics/ranking.h"

static double average_precision(const struct l2r_ranking *r)
{
    double sum = 0;
    int64_t found = 0;
    for (int64_t i = 0, end, here; i < r->n; i = end) {
        end = l2r_ranking_step(&here, r, i);
        found += here;
        sum += (double)here * ((double)found / (double)end);
    }
    return sum / (double)r->positives;
}

static enum l2r_status compute(double *value, const struct l2r_scores *scores, struct l2r_error *error)
{
    return l2r_mean_of_rankings(value, scores, average_precision, error);
}

const struct l2r_metric l2r_metric_ap = {.name = "ap",
                                         .title = "Average precision",
                                         .higher_is_better = true,
                                         .tasks = L2R_METRIC_CLASSES,
                                         .needs = "a task with both classes among its labelled graphs",
                                         .fn = compute,
                                         .brief = true};
