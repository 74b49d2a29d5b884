/* SPDX-License-Identifier: MIT
 *
 * Charts as data: the page carries one JSON object of chart sets, and its scripts (charts.js) draw them.
 *
 *     {"curves": {"series": ["gcn · erm", "gcn · l2r"],
 *                 "charts": [{"kind": "lines", "title": "training loss", "x": "epoch", "y": "loss",
 *                             "lines": [{"s": 0, "x": […], "y": […]}]}]}}
 *
 * A set has one legend for all its charts. jansson passes NULL on, so out of memory shows where the page is written.
 */
#ifndef L2R_REPORT_PAGE_CHARTS_H
#define L2R_REPORT_PAGE_CHARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { L2R_CHART_POINTS = 400 }; /* a curve has no more, a cloud five times as many: files stay small */

/* A set under this name; borrowed. */
json_t *l2r_page_chart_set(json_t *charts, const char *name);
/* Its number, for the lines. */
int l2r_page_chart_series(json_t *set, const char *name);
/* kind: "lines", "points", "bars"; borrowed. */
json_t *l2r_page_chart_add(json_t *set, const char *kind, const char *title, const char *x, const char *y);
/* Takes x and y, arrays of equal length; borrowed. */
json_t *l2r_page_chart_line(json_t *chart, int series, json_t *x, json_t *y);

/* The curve of one number of every epoch, "valid" "loss" or "" "loss", over a run's epochs: at most L2R_CHART_POINTS
 * of them, the last one always. False: no epoch has it. */
bool l2r_page_chart_curve(json_t **x, json_t **y, const json_t *epochs, const char *part, const char *key);

/* What ranking by score finds of the labels (1, 0; NaN: left out), each curve with at most `points` corners. */
struct l2r_page_ranking {
    json_t *fpr, *tpr;          /* the ROC curve */
    json_t *recall, *precision; /* the same order, as precision against recall */
    double auc;                 /* the area under all corners of the ROC */
    int64_t n, positives;       /* labelled graphs */
};
/* Where not both labels occur, the area is NaN and there are no curves. False: no memory. */
bool l2r_page_chart_ranking(struct l2r_page_ranking *ranking, const float *score, const float *label, int64_t n,
                            int points);
void l2r_page_ranking_clear(struct l2r_page_ranking *ranking);

/* Share of positives against mean p, a point for each tenth of p that holds a graph (metrics/probability.h), and how
 * many do. p becomes its logit. NULL: no graph is labelled. */
json_t *l2r_page_chart_reliability(json_t *chart, int series, float *p, const float *label, int64_t n);

#endif
