/* SPDX-License-Identifier: MIT
 *
 * The report page: runs side by side, then each group of equal runs with its scores, weights, predictions and
 * explanations.
 *
 *     folders of runs + their data, where it can be read  ->  one HTML file
 */
#ifndef L2R_REPORT_PAGE_H
#define L2R_REPORT_PAGE_H

#include "report/run_files.h"

#include <stdbool.h>
#include <stdint.h>

struct l2r_report_settings {
    const char *title; /* NULL: the name of the run, or "l2r report" */
    const char *data;  /* where the data of all runs is; NULL: where they were trained */
    bool predictions;  /* load models and data: predictions and weights */
    int64_t extremes;  /* graphs drawn with the lowest weights, and with the highest */
    bool cache;        /* of the data */
};

/* Text from l2r_alloc. Equal files, equal page: it holds no date. The page reports what cannot be shown. */
enum l2r_status l2r_report_page(char **html, const struct l2r_run_list *list,
                                const struct l2r_report_settings *settings, struct l2r_error *error);

/* What the page says of runs side by side, as data: "summary", "curves", the options and "charts" (page_charts.h). New
 * reference. Neither models nor data are read. */
enum l2r_status l2r_report_data(json_t **data, const struct l2r_run_list *list, struct l2r_error *error);

/* What the page says of the weights of a run that has ended, as data: "facts" with the name of the set, "charts",
 * "galleries" with drawings as SVG text; or "equal". JSON null: its method learns none. New reference. */
enum l2r_status l2r_report_weights(json_t **data, const char *run, const struct l2r_report_settings *settings,
                                   struct l2r_error *error);

#endif
