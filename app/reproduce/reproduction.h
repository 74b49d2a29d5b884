/* SPDX-License-Identifier: MIT
 *
 * From a name to tables and figures:
 *
 *     share/reproduce/NAME.json (spec.h)  ->  plan  ->  runs that are not in the results file yet (agenda.h)
 *                                                   ->  trained side by side (jobs/runner.h)  ->  results file
 *     results file  ->  table (table.h) and figure (placement.h), or entries/NAME.c
 *
 * A spec alone makes a table. What is drawn is an entry: app/reproduce/entries/NAME.c defines `l2r_reproduction_NAME`
 * and makes its figure from the results (and from the folders of the runs, where the spec says needs_folders). The
 * build writes the list from the file names.
 *
 * All output goes to one folder, which several tables can share: a run that two of them need is trained once.
 *
 *     DIR/results.jsonl      results.h
 *     DIR/runs/SET-SYSTEM-SEED-ID/    the folder of each run (store/run.h), without the state that only resuming needs
 *     DIR/NAME.md .csv .tex           tables
 */
#ifndef L2R_REPRODUCE_REPRODUCTION_H
#define L2R_REPRODUCE_REPRODUCTION_H

#include "jobs/runner.h"
#include "reproduce/plan.h"
#include "results/results.h"

/* What an entry works with. */
struct l2r_reproduce {
    const char *dir; /* exists */
    bool quick;      /* a small version that checks in seconds that everything works; ignore its numbers */
    const struct l2r_spec *spec;
    const struct l2r_plan *plan;
    const struct l2r_results *results;
    void *context;
    void (*report)(void *context, const char *line); /* a line of the outcome; or NULL */
};

struct l2r_reproduction {
    const char *name; /* as typed: "fig-cases", also that of its spec */
    enum l2r_status (*make)(const struct l2r_reproduce *job, struct l2r_error *error);
};

extern const struct l2r_reproduction *const l2r_reproductions[]; /* NULL at the end */

/* The result of a run, for entries; an error when it is missing. path [4096]: its folder; may be NULL. */
enum l2r_status l2r_reproduce_line(const json_t **line, char *path, const struct l2r_reproduce *job, int row,
                                   int column, int64_t seed, struct l2r_error *error);

/* The work left. */
struct l2r_reproduce_start {
    size_t n_planned, n_todo, n_equal; /* n_equal: cells that share a run left to do */
    int n_workers;
    double seconds; /* estimate for all of it */
};

/* One use of the whole. */
struct l2r_reproduce_order {
    const char *const *names; /* [n_names]: specs by name, or files */
    int n_names;
    const char *dir;
    const char *results; /* file; NULL: DIR/results.jsonl */
    bool quick, show;    /* show: make tables of what is there, run nothing */
    struct l2r_plan_settings plan;
    int n_workers;         /* 0: one per core */
    struct l2r_comm *comm; /* ranks that divide the runs; rank 0 writes results and outcome; NULL: alone */
    void *context;
    /* Called by one thread at a time; each may be NULL. */
    void (*start)(void *context, const struct l2r_reproduce_start *start);
    void (*progress)(void *context, const struct l2r_runner_state *state, const struct l2r_job *jobs);
    void (*finished)(void *context, const char *label, const struct l2r_result *result);
    void (*failed)(void *context, const char *label, const char *why);
    void (*report)(void *context, const char *line); /* the outcome */
    bool (*stop)(void *context);
};

/* *n_failed: runs that failed; their cells have fewer seeds. */
enum l2r_status l2r_reproduce_all(const struct l2r_reproduce_order *order, size_t *n_failed, struct l2r_error *error);

#endif
