/* SPDX-License-Identifier: MIT
 * See page_charts.h. */
#include "report/page_charts.h"

#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

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

struct ranked {
    float score, label;
};

static int highest_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->score < y->score) - (x->score > y->score);
}

bool l2r_page_chart_roc(json_t **x, json_t **y, double *auc, const float *score, const float *label, int64_t n)
{
    struct ranked *rows = l2r_alloc((size_t)n, sizeof *rows);
    double positives = 0, m = 0, up = 0, right = 0, last_up = 0, last_right = 0, area = 0, drawn_up = 0,
           drawn_right = 0;
    *auc = NAN;
    *x = *y = NULL;
    for (int64_t i = 0; rows != NULL && i < n; i++)
        if (!isnan(label[i])) {
            positives += (double)label[i];
            rows[(int64_t)m++] = (struct ranked){score[i], label[i]};
        }
    if (rows == NULL || positives < 1 || positives > m - 1) {
        bool there = rows != NULL;
        l2r_free(rows);
        return there;
    }
    qsort(rows, (size_t)m, sizeof *rows, highest_first);
    *x = json_pack("[i]", 0);
    *y = json_pack("[i]", 0);
    for (int64_t i = 0; i < (int64_t)m; i++) {
        up += (double)rows[i].label / positives;
        right += (1 - (double)rows[i].label) / (m - positives);
        bool end = i + 1 == (int64_t)m;
        if (!end && rows[i + 1].score == rows[i].score) continue; /* ties are one step */
        area += (right - last_right) * (up + last_up) / 2;
        last_up = up, last_right = right;
        if (!end && up - drawn_up + right - drawn_right < 2.0 / L2R_CHART_POINTS) continue;
        json_array_append_new(*x, json_real(end ? 1 : right));
        json_array_append_new(*y, json_real(end ? 1 : up));
        drawn_up = up, drawn_right = right;
    }
    *auc = area;
    l2r_free(rows);
    return true;
}
