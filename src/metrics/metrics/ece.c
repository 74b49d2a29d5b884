/* SPDX-License-Identifier: MIT
 *
 * Expected calibration error: graphs are put into bins by their probability (probability.h), and
 *
 *     ECE = Σ over the bins of  n_bin / n · | mean probability − share of hits |
 *
 * where a hit is a positive of a binary task, and of several classes a graph whose most probable class is right
 * (Guo et al. 2017). 0: a graph given 30 % is positive in 30 of 100 cases.
 */
#include "metrics/probability.h"

#include <math.h>

static double of_task(const struct l2r_scores *s, int32_t task)
{
    struct l2r_reliability bins;
    double sum = 0;
    l2r_reliability_make(&bins, s, task);
    for (int b = 0; b < L2R_RELIABILITY_BINS; b++)
        if (bins.count[b] > 0) sum += (double)bins.count[b] * fabs(bins.mean[b] - bins.share[b]);
    return bins.n > 0 ? sum / (double)bins.n : (double)NAN;
}

static enum l2r_status compute(double *value, const struct l2r_scores *scores, struct l2r_error *error)
{
    (void)error;
    *value = l2r_mean_of_tasks(scores, of_task);
    return L2R_OK;
}

const struct l2r_metric l2r_metric_ece = {.name = "ece",
                                          .title = "Calibration error",
                                          .higher_is_better = false,
                                          .tasks = L2R_METRIC_CLASSES,
                                          .needs = "a labelled graph",
                                          .fn = compute,
                                          .brief = true};
