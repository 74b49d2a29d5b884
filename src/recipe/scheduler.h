/* SPDX-License-Identifier: MIT
 *
 * Runs jobs in parallel and delivers their events. Each job runs its fits on a thread of its own, with its share of the
 * caller's threads. Every event is delivered on the caller's thread, in an order that does not depend on timing:
 *
 *     job 1      epoch, epoch, note ──► queue of job 1 ┐
 *     job 2      epoch, epoch       ──► queue of job 2 ┴─► caller's thread: job 1 to its end, then job 2, …
 *
 * Batches, which are progress only, are delivered for the job whose events are being delivered and dropped for the
 * others. The caller's `stop` is called on the caller's thread, too, whenever a job is between two batches; jobs use
 * its last result. When a job fails, the others stop.
 */
#ifndef L2R_RECIPE_SCHEDULER_H
#define L2R_RECIPE_SCHEDULER_H

#include "fit/fit.h"

/* Collects the events of one job. */
struct l2r_reporter;

struct l2r_scheduler {
    int n;           /* jobs */
    bool sequential; /* run jobs one after the other, on the caller's thread; always so on a thread without a team */
    void *context;
    enum l2r_status (*work)(void *context, int k, struct l2r_reporter *reporter, struct l2r_error *error);
    /* On the caller's thread: records an epoch of the fit of that name. NULL: none. */
    enum l2r_status (*record)(void *context, const char *fit, const json_t *line, struct l2r_error *error);
    void *record_context;
    const struct l2r_callbacks *callbacks; /* NULL: none */
};

/* Returns when all jobs have ended: with the first failure, in the order of the jobs, that did not follow from
 * another. */
enum l2r_status l2r_scheduler_run(const struct l2r_scheduler *schedule, struct l2r_error *error);

/* In a job: the observer of a fit, which passes its events to the reporter. `fit` names it for the record. */
struct l2r_fit_observer l2r_reporter_observer(struct l2r_reporter *reporter, const char *fit);
void l2r_reporter_note(struct l2r_reporter *reporter, const char *sentence);

#endif
