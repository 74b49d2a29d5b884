/* SPDX-License-Identifier: MIT
 *
 * Trials in order of merit: the mean over the seeds of each run's best validation score. A trial counts only when every seed ended
 * properly; among equals the one with the smaller number wins, so that the choice depends on nothing but the numbers.
 */
#ifndef L2R_TUNE_RANKING_H
#define L2R_TUNE_RANKING_H

#include "metrics/metrics.h"
#include "tune/study.h"

struct l2r_trial_score {
    int64_t trial;
    double mean, sd;     /* over seeds; NaN: does not count */
    double seconds;      /* of its runs together */
    const char *outcome; /* "finished", or how the first seed that was not ended; "missing" */
};

/* scores [n_trials[method]], the best first, those that do not count at the end. */
enum l2r_status l2r_rank_trials(struct l2r_trial_score *scores, const struct l2r_study *study, int method,
                                struct l2r_error *error);
/* The metric of the study; NULL while nothing has ended. */
const struct l2r_metric *l2r_study_metric(const struct l2r_study *study);

#endif
