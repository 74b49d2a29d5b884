/* SPDX-License-Identifier: MIT
 *
 * ROC-AUC: (pairs ranked right + pairs tied / 2) / (positives × negatives), exact in integers, and the same number as
 * from mid-ranks.
 */
#include "metrics/ranking.h"

static enum l2r_status compute(double *value, const struct l2r_scores *scores, struct l2r_error *error)
{
    return l2r_mean_of_rankings(value, scores, l2r_ranking_auc, error);
}

const struct l2r_metric l2r_metric_rocauc = {.name = "rocauc",
                                             .title = "ROC-AUC",
                                             .higher_is_better = true,
                                             .tasks = L2R_METRIC_CLASSES,
                                             .needs = "a task with both classes among its labelled graphs",
                                             .fn = compute,
                                             .brief = true};
