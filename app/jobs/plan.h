/* SPDX-License-Identifier: MIT
 *
 * A spec multiplied out: system × data set × seed, each with its resolved options and an identity.
 *
 *     id = XXH3 of  model, method, every option that the spec or the user set, and the data as the spec names it
 *
 * Options that change no number (where the data lies, checkpoints) are left out, and so are the defaults: a program that has learned a
 * new option still knows its finished runs. Instead the resolved config is kept with each result and compared on use (results.h), so
 * that a changed default is noticed.
 *
 * The order is by seed first: after the first round every cell of the table has a value.
 */
#ifndef L2R_JOBS_PLAN_H
#define L2R_JOBS_PLAN_H

#include "base/config.h"
#include "jobs/spec.h"

struct l2r_plan_settings {
    const char *data_root; /* "" or NULL: the working directory */
    const int64_t *seeds;  /* [n_seeds]; n_seeds 0: the spec's own */
    int n_seeds;
    const char *only; /* labels of rows, separated by commas, any case; NULL: all */
    const char *sets; /* the same of columns */
    const char *set;  /* "epochs=5,ess=0.5": options for every run whose system has them; NULL: none */
};

struct l2r_planned {
    int row, column;
    int64_t seed;
    struct l2r_config *config;
    char id[17];
    char *data;  /* as the spec names it, {seed} replaced */
    char *where; /* the same below the root */
};

struct l2r_plan {
    const struct l2r_spec *spec;
    const char *set; /* the settings' own, for captions; may be NULL */
    struct l2r_planned *runs;
    size_t n, capacity;
};

/* The spec and the settings' texts must outlive the plan, which is to be cleared also after an error. */
enum l2r_status l2r_plan_make(struct l2r_plan *plan, const struct l2r_spec *spec,
                              const struct l2r_plan_settings *settings, struct l2r_error *error);
void l2r_plan_clear(struct l2r_plan *plan);

/* Writes run->id from its data and config. */
enum l2r_status l2r_planned_identify(struct l2r_planned *run, struct l2r_error *error);

/* Is the data a generator ("motif:mu=0.9") and not a path? */
bool l2r_plan_is_generator(const char *data);
/* Does the list "a,b" hold this label, in any case of letters? */
bool l2r_plan_lists(const char *list, const char *label);

#endif
