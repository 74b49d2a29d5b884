/* SPDX-License-Identifier: MIT
 *
 * The results of a group of runs under distribution shift: scores in and out of distribution, where the split has five
 * parts, and scores by group (class × environment) on the test part with the worst one and their mean, each as mean ±
 * standard deviation over the runs. Everything comes from the results of the runs. */
#include "base/memory.h"
#include "metrics/statistics.h"
#include "report/page_parts.h"

#include <math.h>

enum { MOST_ROWS = 60 };

static const json_t *result_of(const struct l2r_report *report, const struct l2r_run_group *group, size_t i)
{
    return report->list->runs[group->runs[i]].result;
}

/* "groups" of the test part of run i; NULL: it has none. */
static const json_t *groups_of(const struct l2r_report *report, const struct l2r_run_group *group, size_t i)
{
    const json_t *more = json_object_get(result_of(report, group, i), "more");
    return json_object_get(json_object_get(more, "groups"), "test");
}

static void add_mean(struct l2r_report *report, json_t *row, const double *values, int64_t n)
{
    double mean, sd;
    l2r_mean_sd(&mean, &sd, values, n);
    l2r_view_mean_sd(&report->view, row, mean, sd);
}

static void add_parts(struct l2r_report *report, json_t *rows, const struct l2r_run_group *group, double *values)
{
    static const char *const names[][2] = {{"id-valid", "validation, in distribution"},
                                           {"id-test", "test, in distribution"},
                                           {"valid", "validation, out of distribution"},
                                           {"test", "test, out of distribution"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        int64_t n = 0;
        for (size_t i = 0; i < group->n; i++) {
            double score = l2r_line_number(result_of(report, group, i), names[k][0]);
            if (!isnan(score)) values[n++] = score;
        }
        json_t *row = l2r_view_item(&report->view, rows);
        l2r_view_text(&report->view, row, "name", names[k][1]);
        add_mean(report, row, values, n);
    }
}

static void add_line(struct l2r_report *report, json_t *rows, const struct l2r_run_group *group, const char *name,
                     const char *key, double *values)
{
    int64_t n = 0;
    for (size_t i = 0; i < group->n; i++) {
        double score = l2r_line_number(groups_of(report, group, i), key);
        if (!isnan(score)) values[n++] = score;
    }
    json_t *row = l2r_view_item(&report->view, rows);
    l2r_view_text(&report->view, row, "name", name);
    l2r_view_text(&report->view, row, "graphs", "");
    add_mean(report, row, values, n);
}

/* Row k of the list, which is the same in all runs: their test graphs are. */
static void add_group(struct l2r_report *report, json_t *rows, const struct l2r_run_group *group, const json_t *first,
                      size_t k, double *values)
{
    const json_t *own = json_array_get(json_object_get(first, "groups"), k), *class = json_object_get(own, "class");
    const char *score = json_string_value(json_object_get(first, "score"));
    const char *environment = json_string_value(json_object_get(own, "environment"));
    int64_t n = 0;
    for (size_t i = 0; i < group->n; i++) {
        const json_t *list = json_object_get(groups_of(report, group, i), "groups");
        double value = l2r_line_number(json_array_get(list, k), score ? score : "");
        if (!isnan(value)) values[n++] = value;
    }
    json_t *row = l2r_view_item(&report->view, rows);
    if (json_is_string(class))
        l2r_view_print(&report->view, row, "name", "%s, %s", json_string_value(class), environment ? environment : "");
    else if (class)
        l2r_view_print(&report->view, row, "name", "class %lld, %s", (long long)json_integer_value(class),
                       environment ? environment : "");
    else
        l2r_view_text(&report->view, row, "name", environment ? environment : "");
    l2r_view_print(&report->view, row, "graphs", "%lld", (long long)json_integer_value(json_object_get(own, "n")));
    add_mean(report, row, values, n);
}

void l2r_page_shift(struct l2r_report *report, json_t *shown, const struct l2r_run_group *group)
{
    const json_t *first = NULL;
    bool five = false;
    double *values = l2r_alloc(group->n, sizeof *values);
    if (values == NULL) {
        report->view.failed = true;
        return;
    }
    for (size_t i = 0; i < group->n; i++) {
        if (first == NULL) first = groups_of(report, group, i);
        five = five || json_object_get(result_of(report, group, i), "id-test") != NULL;
    }
    if (five) {
        json_t *parts = l2r_view_object(&report->view, shown, "id_and_ood");
        add_parts(report, l2r_view_list(&report->view, parts, "rows"), group, values);
    }
    if (first != NULL) {
        const char *score = json_string_value(json_object_get(first, "score"));
        json_t *object = l2r_view_object(&report->view, shown, "by_group");
        json_t *rows = l2r_view_list(&report->view, object, "rows");
        size_t n = json_array_size(json_object_get(first, "groups"));
        l2r_view_text(&report->view, object, "score", score ? score : "");
        add_line(report, rows, group, "worst group", "worst", values);
        add_line(report, rows, group, "mean over groups", "mean", values);
        for (size_t k = 0; k < n && n <= MOST_ROWS; k++) add_group(report, rows, group, first, k, values);
    }
    l2r_free(values);
}
