/* SPDX-License-Identifier: MIT
 *
 * Jobs side by side, and what they report. Each job runs its fits on a thread of its own, with its share of the
 * caller's threads: as many as there are, divided by the jobs that run. Everything that is reported reaches the caller
 * on the caller's thread, in an order that does not depend on timing:
 *
 *     job 1      epoch, epoch, note ──► queue of job 1 ┐
 *     job 2      epoch, epoch       ──► queue of job 2 ┴─► caller's thread: job 1 to its end, then job 2, …
 *
 * Batches, which are progress and no record, are delivered for the job whose turn it is and dropped for the others. The
 * caller's `stop` is called on the caller's thread, too, whenever a job is between two batches; jobs read the last
 * answer. When a job fails, the others stop.
 */
#ifndef L2R_RECIPE_SCHEDULER_H
#define L2R_RECIPE_SCHEDULER_H

#include "fit/fit.h"

/* Where a job reports. */
struct l2r_reporter;

struct l2r_scheduler {
    int n;           /* jobs */
    bool sequential; /* one after the other, on the caller's thread; so are jobs of a thread that has no team */
    void *context;
    enum l2r_status (*work)(void *context, int k, struct l2r_reporter *reporter, struct l2r_error *error);
    /* On the caller's thread: an epoch of the fit of that name. NULL: nobody records. */
    enum l2r_status (*record)(void *context, const char *fit, const json_t *line, struct l2r_error *error);
    void *record_context;
    const struct l2r_callbacks *callbacks; /* NULL: nobody listens */
};

/* Returns when all have ended: the first failure, in the order of the jobs, that was no consequence of another. */
enum l2r_status l2r_scheduler_run(const struct l2r_scheduler *schedule, struct l2r_error *error);

/* In a job: what a fit is given to report to its seat. `fit` names it for the record. */
struct l2r_fit_observer l2r_reporter_observer(struct l2r_reporter *reporter, const char *fit);
void l2r_reporter_note(struct l2r_reporter *reporter, const char *sentence);

#endif
