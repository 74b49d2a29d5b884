/* SPDX-License-Identifier: MIT
 *
 * A study: trials of one or several methods, each trained for every seed and ranked on the validation graphs alone. The
 * test graphs are not scored (--no-eval-test), so no choice can depend on them.
 *
 *     trial 0: erm seed 0, erm seed 1, l2r seed 0, l2r seed 1     trial 1: …
 *
 * All methods get the same number of trials, epochs and seeds. Runs go through jobs/runner.h side by side; each one
 * that has ended is a line of DIR/trials.jsonl, recognised by its options and its data, so that a study can be killed
 * and started again at any moment, and made longer. A run's folder DIR/work/ID is removed when its line is on the disk.
 *
 *     {"kind": "trial", "id": …, "data": …, "method": "l2r", "trial": 3, "seed": 0, "outcome": "finished",
 *      "metric": "accuracy",
 *      "valid": 0.81, "best_epoch": 12, "epochs": 50, "ess": …, "curve": [valid after each epoch], "seconds": …,
 *      "cpu_seconds": …, "threads": 1, "vector": …, "parameters": …, "version": …, "commit": …,
 *      "processor": …, "date": …, "config": {…}}
 *
 * outcome: finished; stopped by the median rule (trial.h); diverged; refused (options that do not fit together),
 * with "why".
 */
#ifndef L2R_TUNE_STUDY_H
#define L2R_TUNE_STUDY_H

#include "jobs/runner.h"
#include "metrics/metrics.h"
#include "results/results.h"
#include "tune/search.h"

struct l2r_study_settings {
    const char *dir;
    struct l2r_search search;
    struct l2r_config *const *bases; /* [n_methods]: each method's options but those searched; must outlive the study */
    int n_methods;
    const int64_t *seeds; /* [n_seeds] */
    int n_seeds;
    int64_t median_from; /* the median rule from this epoch on; 0: every run goes to its end */
    int n_workers;       /* runs at a time; 0: one per core */
};

/* Callbacks; all may be NULL and are called by one thread at a time. */
struct l2r_study_callbacks {
    void *context;
    void (*progress)(void *context, const struct l2r_runner_state *state, const struct l2r_job *jobs);
    void (*ended)(void *context, const char *label, const json_t *line);
    void (*note)(void *context, const char *label, const char *sentence);
    bool (*stop)(void *context);
};

struct l2r_study_run {
    int method;
    int64_t trial, seed;
    struct l2r_config *config;
    char id[17], label[64], *dir;
    const json_t *line; /* NULL: not ended yet */
};

struct l2r_study {
    struct l2r_study_settings settings;
    struct l2r_study_run *runs; /* by trial, method, seed */
    size_t n, capacity;
    int64_t *n_trials; /* [n_methods] */
    int64_t **draws;   /* [n_methods][n_trials]: the number of each trial's draw (search.h) */
    int64_t longest;   /* the most of these */
    size_t *first;     /* [longest × n_methods]: where a trial's runs begin; SIZE_MAX: the method has no such trial */
    struct l2r_results results;
    struct l2r_shared_data shared;
    char fingerprint[17]; /* of the data */
    char *rule;           /* the median rule with all that its decisions depend on */
};

/* Makes the plan, reads finished runs and loads the data. Close it after an error too. */
enum l2r_status l2r_study_open(struct l2r_study *study, const struct l2r_study_settings *settings,
                               struct l2r_error *error);
void l2r_study_close(struct l2r_study *study);

/* Runs that have not ended yet. */
size_t l2r_study_left(const struct l2r_study *study);
/* A method's options with the values of one trial. The caller frees it. */
enum l2r_status l2r_study_config(struct l2r_config **config, const struct l2r_study *study, int method, int64_t trial,
                                 int64_t seed, struct l2r_error *error);
/* Trains these. watch may be NULL. */
enum l2r_status l2r_study_train(struct l2r_study *study, const struct l2r_study_callbacks *callbacks,
                                struct l2r_error *error);

/* The run of (method, trial, seed number); NULL: a smaller grid has no such trial. */
const struct l2r_study_run *l2r_study_find(const struct l2r_study *study, int method, int64_t trial, int seed);

/* A trial's score: the mean over the seeds of each run's best validation score. */
struct l2r_trial_score {
    int64_t trial;
    double mean, sd;     /* over seeds; NaN: does not count */
    double seconds;      /* of its runs together */
    const char *outcome; /* "finished", or how the first seed that did not finish ended; "missing" */
};

/* scores [n_trials[method]], the best first. A trial counts only when every seed finished; the others come last.
 * Among equals the smaller number wins, so that the choice depends on nothing but the numbers. */
enum l2r_status l2r_rank_trials(struct l2r_trial_score *scores, const struct l2r_study *study, int method,
                                struct l2r_error *error);
/* The metric of the study; NULL while nothing has ended. */
const struct l2r_metric *l2r_study_metric(const struct l2r_study *study);

/* Trains a method with the values of one trial and every seed into DIR/METHOD/seed-N, now with test scores; finished
 * runs are kept. results [n_seeds]: the caller clears each. */
enum l2r_status l2r_study_finish(struct l2r_result *results, struct l2r_study *study, int method, int64_t trial,
                                 const struct l2r_study_callbacks *callbacks, struct l2r_error *error);

#endif
