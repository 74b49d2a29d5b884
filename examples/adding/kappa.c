/* SPDX-License-Identifier: MIT
 *
 * A metric to copy: Cohen's kappa, how much better than chance labels and guesses agree. With n labelled graphs, and of
 * class k t_k graphs, g_k guesses and h_k hits:
 *
 *     observed = Σ h_k / n     chance = Σ g_k t_k / n²     κ = (observed − chance) / (1 − chance)
 *
 * As src/metrics/metrics/kappa.c it is `--metric kappa`, and a line of `l2r eval` and of every report. Several tasks,
 * missing labels and outputs that are not finite are dealt with before the formula is asked. docs/adding.md says what
 * else can be added.
 */
#include "metrics/metrics.h"

static double kappa(const struct l2r_class_counts *c)
{
    double n = (double)c->n, observed = 0, chance = 0;
    for (int32_t k = 0; k < c->n_classes; k++) {
        observed += (double)c->hit[k] / n;
        chance += (double)c->guess[k] / n * ((double)c->truth[k] / n);
    }
    return chance < 1 ? (observed - chance) / (1 - chance) : 0;
}

static enum l2r_status compute(double *value, const struct l2r_scores *scores, struct l2r_error *error)
{
    return l2r_mean_of_counts(value, scores, kappa, error);
}

const struct l2r_metric l2r_metric_kappa = {.name = "kappa",
                                            .title = "Cohen's kappa",
                                            .higher_is_better = true,
                                            .tasks = L2R_METRIC_CLASSES,
                                            .needs = "a labelled graph",
                                            .fn = compute};
