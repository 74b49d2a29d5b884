/* SPDX-License-Identifier: MIT
 *
 * The scores of one group, from the "more" of its results: every metric on every part, and, of several tasks, each task
 * by itself. Mean ± standard deviation over the runs.
 */
#include "report/page_parts.h"

#include "base/memory.h"
#include "metrics/metrics.h"
#include "metrics/statistics.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const parts[] = {"train", "valid", "test"};

static const json_t *part_of(const struct l2r_report *report, const struct l2r_run_group *group, size_t run, int part)
{
    const json_t *more = json_object_get(report->list->runs[group->runs[run]].result, "more");
    return json_object_get(more, parts[part]);
}

/* "Balanced accuracy" adds nothing to "balanced_accuracy". */
static bool adds_information(const char *title, const char *name)
{
    for (; *title != '\0' && *name != '\0'; title++, name++)
        if (tolower((unsigned char)*title) != *name && !(*title == ' ' && *name == '_')) return true;
    return *title != *name;
}

/* The title of a metric, if it adds something to its name. */
static void add_name(struct l2r_view *view, json_t *row, const char *metric)
{
    const struct l2r_metric *known = l2r_metric_find(metric);
    bool counts = strcmp(metric, "n") == 0;
    l2r_view_text(view, row, "metric", counts ? "graphs" : metric);
    if (known != NULL && adds_information(known->title, metric)) l2r_view_text(view, row, "words", known->title);
}

/* A metric that no part has (several targets have no common RMSE) gets no row. */
static void add_metric(struct l2r_report *report, json_t *rows, const struct l2r_run_group *group, const char *metric,
                       double *values /* [group->n] */)
{
    struct l2r_view *view = &report->view;
    double mean[3], sd[3];
    bool any = false;
    for (int p = 0; p < 3; p++) {
        int64_t n = 0;
        for (size_t i = 0; i < group->n; i++) {
            double score = l2r_line_number(part_of(report, group, i, p), metric);
            if (!isnan(score)) values[n++] = score;
        }
        l2r_mean_sd(&mean[p], &sd[p], values, n);
        any = any || n > 0;
    }
    if (!any) return;
    json_t *row = l2r_view_item(view, rows);
    add_name(view, row, metric);
    json_t *list = l2r_view_list(view, row, "parts");
    for (int p = 2; p >= 0; p--) {
        json_t *part = l2r_view_item(view, list);
        if (strcmp(metric, "n") == 0)
            l2r_view_fixed(view, part, "mean", mean[p], 0);
        else
            l2r_view_mean_sd(view, part, mean[p], sd[p]);
    }
}

/* ---- Tasks ---- */

static const json_t *task_of(const struct l2r_report *report, const struct l2r_run_group *group, size_t run, int part,
                             size_t task)
{
    return json_array_get(json_object_get(part_of(report, group, run, part), "tasks"), task);
}

/* One cell: `key` of a task on a part, over the runs. */
static void add_cell(struct l2r_report *report, json_t *cells, const struct l2r_run_group *group, int part, size_t task,
                     const char *key, const char *heading, double *values)
{
    int64_t n = 0;
    double mean, sd;
    for (size_t i = 0; i < group->n; i++) {
        double score = l2r_line_number(task_of(report, group, i, part, task), key);
        if (!isnan(score)) values[n++] = score;
    }
    l2r_mean_sd(&mean, &sd, values, n);
    json_t *cell = l2r_view_item(&report->view, cells);
    l2r_view_text(&report->view, cell, "heading", heading);
    if (strcmp(key, "n") == 0 || strcmp(key, "positives") == 0)
        l2r_view_fixed(&report->view, cell, "mean", mean, 0);
    else
        l2r_view_mean_sd(&report->view, cell, mean, sd);
}

/* The cells of a row, or (task: SIZE_MAX) their headings: labels, what each metric with a column is on test, and the
 * metric that chose the epoch on validation. */
static void add_cells(struct l2r_report *report, json_t *cells, const struct l2r_run_group *group, const json_t *first,
                      size_t task, double *values)
{
    static const char *const counts[][2] = {{"n", "labels"}, {"positives", "positive"}};
    const char *chosen = group->metric != NULL ? group->metric : "";
    char heading[80];
    for (int i = 0; i < 2; i++) {
        if (json_object_get(first, counts[i][0]) == NULL) continue;
        if (task == SIZE_MAX)
            l2r_view_append(&report->view, cells, counts[i][1]);
        else
            add_cell(report, cells, group, 2, task, counts[i][0], counts[i][1], values);
    }
    for (size_t i = 0; l2r_metrics[i] != NULL; i++) {
        const char *name = l2r_metrics[i]->name;
        if (!l2r_metrics[i]->brief || json_object_get(first, name) == NULL) continue;
        if (task == SIZE_MAX)
            l2r_view_append(&report->view, cells, name);
        else
            add_cell(report, cells, group, 2, task, name, name, values);
    }
    if (json_object_get(first, chosen) == NULL) return;
    snprintf(heading, sizeof heading, "valid %.60s", chosen);
    if (task == SIZE_MAX)
        l2r_view_append(&report->view, cells, heading);
    else
        add_cell(report, cells, group, 1, task, chosen, heading, values);
}

/* Each task by itself, where there are several. */
static void add_tasks(struct l2r_report *report, json_t *shown, const struct l2r_run_group *group, double *values)
{
    const json_t *first = NULL;
    size_t run = 0;
    for (; run < group->n && first == NULL; run++) first = task_of(report, group, run, 2, 0);
    if (first == NULL) return;
    size_t n = json_array_size(json_object_get(part_of(report, group, run - 1, 2), "tasks"));
    json_t *table = l2r_view_object(&report->view, shown, "tasks");
    l2r_view_print(&report->view, table, "count", "%zu", n);
    add_cells(report, l2r_view_list(&report->view, table, "heads"), group, first, SIZE_MAX, values);
    json_t *rows = l2r_view_list(&report->view, table, "rows");
    for (size_t t = 0; t < n; t++) {
        json_t *row = l2r_view_item(&report->view, rows);
        const char *name = json_string_value(json_object_get(task_of(report, group, run - 1, 2, t), "name"));
        l2r_view_print(&report->view, row, "index", "%zu", t);
        if (name != NULL)
            l2r_view_text(&report->view, row, "task", name);
        else
            l2r_view_print(&report->view, row, "task", "task %zu", t);
        add_cells(report, l2r_view_list(&report->view, row, "cells"), group, first, t, values);
    }
}

/* After a refit: which model the scores in each column belong to. */
static void add_refit(struct l2r_report *report, json_t *scores, const struct l2r_run_group *group, double *values)
{
    int64_t n = 0;
    double mean, sd;
    bool any = false;
    for (size_t i = 0; i < group->n; i++) {
        const json_t *more = json_object_get(report->list->runs[group->runs[i]].result, "more");
        const json_t *refit = json_object_get(more, "refit");
        double test = l2r_line_number(json_object_get(refit, "before"), "test");
        any = any || refit != NULL;
        if (!isnan(test)) values[n++] = test;
    }
    if (!any) return;
    json_t *shown = l2r_view_object(&report->view, scores, "refit");
    l2r_mean_sd(&mean, &sd, values, n);
    if (n > 0) l2r_view_mean_sd(&report->view, l2r_view_object(&report->view, shown, "before"), mean, sd);
}

/* Rows: the metrics of the first finished run, of its test part or of the first part that has some. */
void l2r_page_scores(struct l2r_report *report, json_t *shown, const struct l2r_run_group *group)
{
    json_t *metrics = NULL, *value;
    const char *metric;
    for (size_t i = 0; i < group->n && metrics == NULL; i++)
        for (int p = 2; p >= 0 && json_object_size(metrics) < 2; p--)
            metrics = (json_t *)(uintptr_t)part_of(report, group, i, p); /* jansson takes no const */
    if (metrics == NULL) return;
    double *values = l2r_alloc(group->n, sizeof *values);
    if (values == NULL) {
        report->view.failed = true;
        return;
    }
    json_t *scores = l2r_view_object(&report->view, shown, "scores");
    add_refit(report, scores, group, values);
    json_t *rows = l2r_view_list(&report->view, scores, "rows");
    json_object_foreach(metrics, metric, value) if (!json_is_array(value) && !json_is_object(value))
        add_metric(report, rows, group, metric, values);
    add_tasks(report, shown, group, values);
    l2r_free(values);
}
