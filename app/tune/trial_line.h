/* SPDX-License-Identifier: MIT
 *
 * What is kept of a trial's run: one line (study.h has its form), made from the run's folder before that is removed.
 */
#ifndef L2R_TUNE_TRIAL_LINE_H
#define L2R_TUNE_TRIAL_LINE_H

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

/* Does the line serve a study under this rule? A run that ended by itself serves all; a stopped one only the rule that stopped it. NULL
 * does not count. */
bool l2r_trial_line_counts(const json_t *line, const char *rule);

#endif
