/* SPDX-License-Identifier: MIT
 *
 * The median rule: a run ends early when its best validation score so far is worse than the median of what earlier trials of the
 * same method and seed had reached at the same epoch.
 *
 * "Earlier" must not depend on which run happened to end first. Trials therefore come in rounds of L2R_ROUND; a run is compared
 * with all rounds before its own, and a round begins when the one before it has ended. The first round is never stopped. So the
 * same runs are stopped at the same epochs whatever the number of workers, and after any interruption.
 */
#ifndef L2R_TUNE_MEDIAN_H
#define L2R_TUNE_MEDIAN_H

#include "base/json.h"
#include "metrics/metrics.h"

enum { L2R_ROUND = 5 };

/* The first epoch (from 1) at which a run with this curve of validation scores ends by the rule, from epoch `from` to `last`; 0:
 * none. curves [n]: those of earlier runs; NULL and lists that are too short are left out, and fewer than three end nothing. It is a
 * function of the whole curve, so that a run which was killed while it ended does not get a second chance. */
int64_t l2r_median_stop(const json_t *curve, const json_t *const *curves, size_t n, int64_t from, int64_t last,
                        const struct l2r_metric *metric);

#endif
