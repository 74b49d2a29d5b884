/* SPDX-License-Identifier: MIT
 *
 * The sections of the report page, one file each (page_*.c). They add HTML to the page and, where something is to be
 * drawn by the page's scripts, a set of charts.
 */
#ifndef L2R_REPORT_PAGE_PARTS_H
#define L2R_REPORT_PAGE_PARTS_H

#include "draw/svg.h"
#include "report/evidence.h"
#include "report/groups.h"
#include "report/html.h"
#include "report/page_charts.h"

struct l2r_report {
    const struct l2r_run_list *list;
    struct l2r_run_groups groups;
    json_t *charts;
};

/* Scores at a glance, the table of groups with paired differences, and every run. */
void l2r_page_summary(struct l2r_svg *page, const struct l2r_report *report);
/* Losses, metrics, effective sample size over the epochs. */
void l2r_page_curves(struct l2r_svg *page, struct l2r_report *report);
/* Every metric on every part, over the runs of a group. */
void l2r_page_scores(struct l2r_svg *page, const struct l2r_report *report, const struct l2r_run_group *group);
/* Histogram of the weights and the graphs at its ends. number: of the group, for the names of its chart sets. */
enum l2r_status l2r_page_weights(struct l2r_svg *page, struct l2r_report *report, const struct l2r_evidence *evidence,
                                 size_t number, int64_t extremes, struct l2r_error *error);
/* Confusion matrices and ROC, or a scatter of values. */
enum l2r_status l2r_page_predictions(struct l2r_svg *page, struct l2r_report *report,
                                     const struct l2r_evidence *evidence, size_t number, struct l2r_error *error);
/* The gallery of 'l2r explain'. */
void l2r_page_explanations(struct l2r_svg *page, const struct l2r_run_files *run);
/* All options; those that differ between groups are marked. */
void l2r_page_config(struct l2r_svg *page, const struct l2r_report *report);

#endif
