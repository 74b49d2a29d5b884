/* SPDX-License-Identifier: MIT
 *
 * The work left: of all planned runs, those that the results file does not hold yet, with the data that they need and
 * estimates of their time and memory.
 */
#ifndef L2R_REPRODUCE_AGENDA_H
#define L2R_REPRODUCE_AGENDA_H

#include "reproduce/reproduction.h"

/* How long runs will take, learned from those that are finished. A first estimate (its base, in seconds) comes from the
 * system's cost and the number of nodes it trains on; finished runs correct it:
 *
 *     expected = base × mean of (seconds / base) over finished runs of the same system and set;
 *                       if there are none, of the same set; of all; or 1
 */
struct l2r_estimate {
    size_t n_cells, n_columns;
    double *cell, *column, all[2]; /* pairs: sum and count */
};

enum l2r_status l2r_estimate_init(struct l2r_estimate *estimate, size_t n_cells, size_t n_columns,
                                  struct l2r_error *error);
void l2r_estimate_clear(struct l2r_estimate *estimate);
void l2r_estimate_learn(struct l2r_estimate *estimate, size_t cell, size_t column, double base, double seconds);
double l2r_estimate_expected(const struct l2r_estimate *estimate, size_t cell, size_t column, double base);

/* The base: GIN of width 64 takes some 5 µs for a node and epoch on one core. */
double l2r_estimate_base(double cost, double nodes, double epochs);

/* A run that is not in the results yet. */
struct l2r_todo {
    const struct l2r_plan *plan;
    const struct l2r_planned *run;
    size_t cell, column; /* over all specs, for the estimate */
    double base;
    char label[128], folder[160], dir[4096];
};

struct l2r_agenda {
    const struct l2r_reproduce_order *order;
    struct l2r_spec *specs; /* [n_names] */
    struct l2r_plan *plans; /* [n_names] */
    struct l2r_results results;
    struct l2r_shared_data shared;
    struct l2r_estimate estimate;
    struct l2r_todo *todo;             /* [n_todo] */
    struct l2r_job *jobs;              /* the same for the runner */
    size_t *data;                      /* [n_planned]: of each planned run, in the order of specs and plans */
    size_t n_todo, n_planned, n_equal; /* n_equal: left to do, but equal to another one */
};

/* Reads specs, plans and results. Clear it after an error too. */
enum l2r_status l2r_agenda_init(struct l2r_agenda *w, const struct l2r_reproduce_order *order, struct l2r_error *error);
void l2r_agenda_clear(struct l2r_agenda *w);
/* Fills todo and jobs, and adds to the results the baselines that are missing there. */
enum l2r_status l2r_agenda_find(struct l2r_agenda *w, struct l2r_error *error);
/* Estimated seconds of a run. */
double l2r_agenda_expected(const struct l2r_agenda *w, size_t job);

#endif
