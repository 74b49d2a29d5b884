/* SPDX-License-Identifier: MIT
 *
 * The sections of the report page, one file each (page_*.c). They collect what the templates show
 * (templates/NAME.html) and, where something is drawn by the page's scripts, a set of charts.
 */
#ifndef L2R_REPORT_PAGE_PARTS_H
#define L2R_REPORT_PAGE_PARTS_H

#include "report/format.h"
#include "report/groups.h"
#include "report/outcomes.h"
#include "report/page_charts.h"
#include "report/run_scores.h"
#include "report/template.h"
#include "results/results.h"

struct l2r_report {
    const struct l2r_run_list *list;
    struct l2r_run_groups groups;
    struct l2r_view view;
    json_t *charts; /* in the data */
};

/* Scores at a glance, the table of groups with paired differences, and every run. */
void l2r_page_summary(struct l2r_report *report);
/* Losses, metrics, effective sample size over the epochs. */
void l2r_page_curves(struct l2r_report *report);
/* All options; those that differ between groups are marked. */
void l2r_page_options(struct l2r_report *report);

/* Parts of a group, which `shown` is for the template; number: counts groups from 0, for the names of chart sets. */

/* Every metric on every part, over the runs of the group. */
void l2r_page_scores(struct l2r_report *report, json_t *shown, const struct l2r_run_group *group);
/* In and out of distribution, and by class and environment, where the results tell. */
void l2r_page_shift(struct l2r_report *report, json_t *shown, const struct l2r_run_group *group);
/* Histogram of the weights and the graphs at its ends. */
enum l2r_status l2r_page_weights(struct l2r_report *report, json_t *shown, const struct l2r_run_scores *scores,
                                 size_t number, int64_t extremes, struct l2r_error *error);
/* Confusion matrices, ROC, precision and reliability, or a scatter of values. parts: what the runs answered; scores:
 * of the first of them. */
enum l2r_status l2r_page_predictions(struct l2r_report *report, json_t *shown, const struct l2r_run_scores *scores,
                                     const struct l2r_outcomes parts[3], size_t number, struct l2r_error *error);

#endif
