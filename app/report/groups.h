/* SPDX-License-Identifier: MIT
 *
 * Runs that differ in nothing but their seeds form a group: its scores are a mean and a standard deviation, and two
 * groups on the same data and split are compared seed by seed.
 *
 *     difference = mean over common seeds of (test of this group − test of its baseline)
 *     interval   = difference ± t(0.975, pairs − 1) · sd / √pairs                 (95 %)
 *
 * The baseline of a group has the same data and method erm: for other methods the one whose model and options are
 * nearest, for erm the first. Where there is no erm it is the first group on the data.
 */
#ifndef L2R_REPORT_GROUPS_H
#define L2R_REPORT_GROUPS_H

#include "metrics/statistics.h"
#include "model/run_names.h"
#include "report/run_files.h"

#include <stdint.h>

#define L2R_NO_GROUP SIZE_MAX

struct l2r_run_group {
    char name[160]; /* what distinguishes it from the others: "gin · l2r", "ess 0.8"; one by itself: "gin · l2r" */
    json_t *config; /* of its first run, without what a seed changes */
    size_t *runs;   /* [n]: places in the list */
    size_t n, n_finished, capacity;
    enum l2r_sibling kind;    /* what its runs differ in */
    const char *metric;       /* "accuracy"; NULL: no run has finished */
    double mean[3], sd[3];    /* of train, valid, test; NaN: none */
    double ess, seconds;      /* means; NaN: none */
    size_t baseline;          /* L2R_NO_GROUP: none */
    struct l2r_interval gain; /* over the baseline, on the seeds that both have */
};

struct l2r_run_groups {
    struct l2r_run_group *items;
    size_t n, capacity;
};

/* In the order of the runs. Clear it also after a failure; it points into the list. */
enum l2r_status l2r_run_groups_make(struct l2r_run_groups *groups, const struct l2r_run_list *list,
                                    struct l2r_error *error);
void l2r_run_groups_clear(struct l2r_run_groups *groups);

/* ESS of the weights at the epoch that was kept (the last one if the run has not finished); NaN: the method has none.
 * */
double l2r_run_ess(const struct l2r_run_files *run);
/* "gin"; of a committee "3 × gin", "gin+mlp+boost". Returns out. */
const char *l2r_run_model(char out[64], const json_t *config);
/* "1 run", "3 seeds", "5 folds": those that have finished. Returns out. */
const char *l2r_run_group_count(char out[64], const struct l2r_run_group *group);
/* Were both scored by the same metric on graphs that were divided alike? Otherwise a difference is meaningless. */
bool l2r_run_groups_compare(const struct l2r_run_group *a, const struct l2r_run_group *b);
/* Is a higher score a better one? */
bool l2r_run_group_rises(const struct l2r_run_group *group);

#endif
