/* SPDX-License-Identifier: MIT
 *
 * A table or figure that is made again from nothing: data, training, drawing. src/reproduce/entries/NAME.c defines
 * `l2r_reproduction_NAME`; the build writes the list from the file names, and `l2r reproduce` shows and runs it.
 *
 * An entry trains its runs with l2r_trial_run (trial.h) into folders below `dir`: finished runs are not repeated and a stopped one is
 * continued, so the command can be stopped and started again at any time.
 */
#ifndef L2R_REPRODUCE_REPRODUCTION_H
#define L2R_REPRODUCE_REPRODUCTION_H

#include "base/status.h"

/* One use of an entry. */
struct l2r_reproduce {
    const char *dir; /* exists */
    bool quick;      /* a small version that shows that all works, in seconds; its numbers mean nothing */
    void *context;
    void (*step)(void *context, const char *label); /* before each run: its name; or NULL */
    void (*say)(void *context, const char *line);   /* a line of the outcome; or NULL */
    const struct l2r_watch *watch;                  /* of the runs; or NULL */
};

struct l2r_reproduction {
    const char *name;  /* as typed: "fig-cases" */
    const char *title; /* one line */
    enum l2r_status (*make)(const struct l2r_reproduce *job, struct l2r_error *error);
};

extern const struct l2r_reproduction *const l2r_reproductions[]; /* NULL at the end */

#endif
