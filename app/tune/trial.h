/* SPDX-License-Identifier: MIT
 *
 * One run of a study after its end: the line that is kept of it (study.h has its form), made from the run's folder
 * before that is removed, and the rule that may have ended it early.
 *
 * The median rule: a run ends early when its best validation score so far is worse than the median of what earlier
 * trials of the same method and seed had reached at the same epoch.
 *
 *     trials   0 1 2 3 4 | 5 6 7 8 9 | 10 …       a round is compared with all rounds before it
 *              never     | against   | against
 *              stopped   | 0 … 4     | 0 … 9
 *
 * "Earlier" must not depend on which run happened to end first. Trials therefore come in rounds of L2R_ROUND, and a
 * round begins when the one before it has ended. So the same runs are stopped at the same epochs whatever the number
 * of workers, and after any interruption.
 */
#ifndef L2R_TUNE_TRIAL_H
#define L2R_TUNE_TRIAL_H

#include "tune/study.h"

/* How a run ended. */
struct l2r_trial_end {
    const char *outcome;             /* "finished", "stopped", "diverged", "refused" */
    const char *why;                 /* a sentence; NULL where it finished */
    const struct l2r_result *result; /* where it finished */
    double cpu_seconds;
    int threads;
    const char *rule;   /* that stopped it */
    int64_t stopped_at; /* the epoch; later ones are forgotten */
};

/* NULL: out of memory. */
json_t *l2r_trial_line(const struct l2r_study_run *run, const char *fingerprint, const struct l2r_trial_end *end);

/* The validation score after each epoch so far, from a run's folder; NULL: out of memory. */
json_t *l2r_trial_curve(const char *dir);

/* Can a study under this rule use the line? A run that ended by itself counts for all rules; a stopped one only for the
 * rule that stopped it. NULL does not count. */
bool l2r_trial_line_counts(const json_t *line, const char *rule);

enum { L2R_ROUND = 5 };

/* The first epoch (from 1) in `from` … `last` at which the rule ends a run with this curve of validation scores; 0:
 * none. curves [n]: those of earlier runs; NULL and lists that are too short are skipped, and fewer than three end
 * nothing. It is a function of the whole curve, so that a run which was killed while it ended does not get a second
 * chance. */
int64_t l2r_median_stop(const json_t *curve, const json_t *const *curves, size_t n, int64_t from, int64_t last,
                        const struct l2r_metric *metric);

#endif
