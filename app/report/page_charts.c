/* SPDX-License-Identifier: MIT
 * See page_charts.h. */
#include "report/page_charts.h"

#include "base/json.h"
#include "metrics/probability.h"
#include "metrics/ranking.h"

#include <math.h>

json_t *l2r_page_chart_set(json_t *charts, const char *name)
{
    json_object_set_new(charts, name, json_pack("{s:[], s:[]}", "series", "charts"));
    return json_object_get(charts, name);
}

int l2r_page_chart_series(json_t *set, const char *name)
{
    json_t *series = json_object_get(set, "series");
    json_array_append_new(series, json_string(name));
    return (int)json_array_size(series) - 1;
}

json_t *l2r_page_chart_add(json_t *set, const char *kind, const char *title, const char *x, const char *y)
{
    json_t *charts = json_object_get(set, "charts");
    json_array_append_new(charts, json_pack("{s:s, s:s, s:s, s:s, s:[]}", "kind", kind, "title", title, "x", x, "y", y,
                                            kind[0] == 'b' ? "stacks" : "lines"));
    return json_array_get(charts, json_array_size(charts) - 1);
}

json_t *l2r_page_chart_line(json_t *chart, int series, json_t *x, json_t *y)
{
    json_t *lines = json_object_get(chart, "lines");
    json_array_append_new(lines, json_pack("{s:i, s:o, s:o}", "s", series, "x", x, "y", y));
    return json_array_get(lines, json_array_size(lines) - 1);
}

bool l2r_page_chart_curve(json_t **x, json_t **y, const json_t *epochs, const char *part, const char *key)
{
    size_t n = json_array_size(epochs), step = (n + L2R_CHART_POINTS - 1) / L2R_CHART_POINTS;
    bool any = false;
    *x = json_array();
    *y = json_array();
    for (size_t i = 0; i < n; i++) {
        const json_t *line = json_array_get(epochs, i);
        const json_t *value = json_object_get(part[0] != '\0' ? json_object_get(line, part) : line, key);
        if (i % step != 0 && i + 1 < n) continue;
        any = any || json_is_number(value);
        json_array_append(*x, json_object_get(line, "epoch"));
        json_array_append_new(*y, json_is_number(value) ? l2r_json_real(json_number_value(value)) : json_null());
    }
    if (any) return true;
    json_decref(*x);
    json_decref(*y);
    return false;
}

/* Appends a corner that lies at least `step` further along the curve than the last one that was drawn. */
static void add_corner(json_t *x, json_t *y, double *drawn, double at_x, double at_y, double step, bool always)
{
    double far = fabs(at_x - drawn[0]) + fabs(at_y - drawn[1]);
    if (!always && far < step) return;
    drawn[0] = at_x;
    drawn[1] = at_y;
    json_array_append_new(x, at_x > 0 ? json_real(at_x) : json_integer(0));
    json_array_append_new(y, at_y > 0 ? json_real(at_y) : json_integer(0));
}

bool l2r_page_chart_ranking(struct l2r_page_ranking *ranking, const float *score, const float *label, int64_t n,
                            int points)
{
    struct l2r_roc roc;
    double step = 2.0 / points, on_roc[2] = {0}, on_recall[2] = {-1, 0};
    *ranking = (struct l2r_page_ranking){.auc = NAN};
    for (int64_t i = 0; i < n; i++) {
        ranking->n += !isnan(label[i]);
        ranking->positives += label[i] > 0;
    }
    if (l2r_roc_make(&roc, score, label, n, NULL) != L2R_OK) return false;
    if (roc.n > 0) {
        ranking->fpr = json_array(), ranking->tpr = json_array();
        ranking->recall = json_array(), ranking->precision = json_array();
    }
    for (int64_t i = 0; i < roc.n; i++) {
        double found = roc.y[i] * (double)ranking->positives;
        double wrong = roc.x[i] * (double)(ranking->n - ranking->positives);
        bool end = i == 0 || i + 1 == roc.n;
        add_corner(ranking->fpr, ranking->tpr, on_roc, roc.x[i], roc.y[i], step, end);
        if (i > 0)
            add_corner(ranking->recall, ranking->precision, on_recall, roc.y[i], found / (found + wrong), step, end);
    }
    ranking->auc = roc.area;
    l2r_roc_clear(&roc);
    return true;
}

void l2r_page_ranking_clear(struct l2r_page_ranking *ranking)
{
    json_decref(ranking->fpr);
    json_decref(ranking->tpr);
    json_decref(ranking->recall);
    json_decref(ranking->precision);
    *ranking = (struct l2r_page_ranking){0};
}

json_t *l2r_page_chart_reliability(json_t *chart, int series, float *p, const float *label, int64_t n)
{
    struct l2r_reliability bins;
    json_t *x = json_array(), *y = json_array(), *counts = json_array();
    for (int64_t i = 0; i < n; i++) {
        double inside = fmin(fmax((double)p[i], 1e-9), 1 - 1e-9);
        p[i] = (float)(log(inside) - log1p(-inside));
    }
    const struct l2r_scores scores = {
        .task = L2R_TASK_BINARY, .n_graphs = n, .n_tasks = 1, .output = p, .labels = label};
    l2r_reliability_make(&bins, &scores, 0);
    for (int b = 0; b < L2R_RELIABILITY_BINS; b++) {
        if (bins.count[b] == 0) continue;
        json_array_append_new(x, json_real(bins.mean[b]));
        json_array_append_new(y, json_real(bins.share[b]));
        json_array_append_new(counts, json_integer(bins.count[b]));
    }
    json_t *line = json_array_size(x) > 0 ? l2r_page_chart_line(chart, series, x, y) : NULL;
    if (line != NULL) {
        json_object_set_new(line, "n", counts);
        return line;
    }
    json_decref(x);
    json_decref(y);
    json_decref(counts);
    return NULL;
}
