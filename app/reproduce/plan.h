/* SPDX-License-Identifier: MIT
 *
 * A spec multiplied out: system × data set × seed, each with its resolved options and its identity (results/results.h).
 *
 *     rows [GIN, L2R-GNN] × columns [BACE, HIV] × seeds [0, 1]   ->   8 planned runs
 *
 * The order is by seed first: after the first round every cell of the table has a value.
 */
#ifndef L2R_REPRODUCE_PLAN_H
#define L2R_REPRODUCE_PLAN_H

#include "base/config.h"
#include "reproduce/spec.h"

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

/* The spec and the settings' texts must outlive the plan. Clear it after an error too. */
enum l2r_status l2r_plan_make(struct l2r_plan *plan, const struct l2r_spec *spec,
                              const struct l2r_plan_settings *settings, struct l2r_error *error);
void l2r_plan_clear(struct l2r_plan *plan);

/* Does the list "a,b" hold this label, in any case of letters? */
bool l2r_plan_lists(const char *list, const char *label);

#endif
