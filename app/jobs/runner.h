/* SPDX-License-Identifier: MIT
 *
 * Runs side by side: the runner behind reproduce and tune. Each worker thread trains one run at a time with one compute
 * thread; independent runs never wait for each other, so this is faster than one run with all threads.
 *
 *     jobs      [done][done][running][running][waiting][waiting] …
 *
 * A run starts when the memory it may need is free. One that fits beside no other, or is the last one, runs alone
 * with all threads. Results do not depend on any of this, bit for bit.
 *
 * A stop saves the runs that are training and returns L2R_ERR_INTERRUPTED; after a kill each run resumes from its last
 * checkpoint, or starts again. A run that fails is reported and skipped; the others go on.
 */
#ifndef L2R_JOBS_RUNNER_H
#define L2R_JOBS_RUNNER_H

#include "base/config.h"
#include "jobs/shared_data.h"
#include "store/run.h"

struct l2r_job {
    const char *label; /* "L2R-GNN BACE 3" */
    const char *dir;   /* folder of the run: resumed if its options are the same, otherwise started again */
    bool strict;       /* the folder is the user's: one that does not match is refused */
    bool resume;       /* strict: a run in it is to be continued */
    const struct l2r_config *config;
    size_t data;   /* number among the shared data sets */
    double memory; /* bytes that it may need */
};

/* A run that finished. */
struct l2r_job_end {
    size_t job;
    const struct l2r_result *result;
    double cpu_seconds; /* NaN: it was resumed, so this process saw only part of it */
    int threads;
};

struct l2r_job_active {
    size_t job;
    int64_t epoch, n_epochs;
    double done; /* 0 .. 1 */
};

struct l2r_runner_state {
    size_t n_jobs, n_done, n_failed;
    const struct l2r_job_active *active; /* [n_active] */
    size_t n_active;
    double seconds_left; /* NaN: nothing known */
};

struct l2r_runner {
    const struct l2r_job *jobs;
    size_t n_jobs;
    struct l2r_shared_data *shared;
    int n_workers; /* runs at a time, and compute threads in all; 0: one per core */
    double memory; /* bytes for all runs together; 0: no bound */
    /* Ranks that divide the jobs, rank r taking jobs r, r + P, …; NULL: alone. Rank 0 receives the results of all and
     * calls the functions below for them; it reads the results in the folders of the runs, which it must be able to
     * see. */
    struct l2r_comm *comm;
    void *context;
    /* All are called by one thread at a time; every one but `finished` may be NULL. */
    enum l2r_status (*finished)(void *context, const struct l2r_job_end *done, struct l2r_error *error);
    void (*failed)(void *context, size_t job, const struct l2r_error *why);
    double (*expected)(void *context, size_t job);                         /* estimated seconds of a run */
    void (*progress)(void *context, const struct l2r_runner_state *state); /* often */
    void (*note)(void *context, size_t job, const char *sentence);
    bool (*stop)(void *context);
    /* After an epoch: true ends this run alone, which then counts as failed with L2R_ERR_INTERRUPTED. */
    bool (*give_up)(void *context, size_t job, const struct l2r_progress *progress);
};

/* An error of `finished` or of the system stops everything. *n_failed: runs that failed; may be NULL. */
enum l2r_status l2r_runner_run(const struct l2r_runner *runner, size_t *n_failed, struct l2r_error *error);

#endif
