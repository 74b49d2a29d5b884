/* SPDX-License-Identifier: MIT
 * See page_charts.h. */
#include "report/page_charts.h"

#include "base/json.h"
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

bool l2r_page_chart_roc(json_t **x, json_t **y, double *auc, const float *score, const float *label, int64_t n)
{
    struct l2r_roc roc;
    double drawn = 0; /* how far along the curve the last point is */
    *auc = NAN;
    *x = *y = NULL;
    if (l2r_roc_make(&roc, score, label, n, NULL) != L2R_OK) return false;
    if (roc.n > 0) {
        *x = json_array();
        *y = json_array();
    }
    for (int64_t i = 0; i < roc.n; i++) {
        bool inside = i > 0 && i + 1 < roc.n;
        if (inside && roc.x[i] + roc.y[i] - drawn < 2.0 / L2R_CHART_POINTS) continue;
        drawn = roc.x[i] + roc.y[i];
        json_array_append_new(*x, i > 0 ? json_real(roc.x[i]) : json_integer(0));
        json_array_append_new(*y, i > 0 ? json_real(roc.y[i]) : json_integer(0));
    }
    *auc = roc.area;
    l2r_roc_clear(&roc);
    return true;
}
