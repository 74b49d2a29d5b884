/* SPDX-License-Identifier: MIT
 *
 * Matthews correlation coefficient, which is 0 for a constant prediction. With n labelled graphs, and of class k t_k
 * graphs, g_k guesses and h_k hits:
 *
 *     MCC = ( n Σ h_k − Σ g_k t_k ) / √( (n² − Σ g_k²) (n² − Σ t_k²) )          −1 … 1; 0 where the root is 0
 */
#include "metrics/metrics.h"

#include <math.h>

static double mcc(const struct l2r_class_counts *c)
{
    double n = (double)c->n, hits = 0, both = 0, guesses = 0, truths = 0;
    for (int32_t k = 0; k < c->n_classes; k++) {
        double guess = (double)c->guess[k], truth = (double)c->truth[k];
        hits += (double)c->hit[k];
        both += guess * truth;
        guesses += guess * guess;
        truths += truth * truth;
    }
    double root = sqrt((n * n - guesses) * (n * n - truths));
    return root > 0 ? (n * hits - both) / root : 0;
}

static enum l2r_status compute(double *value, const struct l2r_scores *scores, struct l2r_error *error)
{
    return l2r_mean_of_counts(value, scores, mcc, error);
}

const struct l2r_metric l2r_metric_mcc = {.name = "mcc",
                                          .title = "Matthews correlation",
                                          .higher_is_better = true,
                                          .tasks = L2R_METRIC_CLASSES,
                                          .needs = "a labelled graph",
                                          .fn = compute,
                                          .brief = true};
