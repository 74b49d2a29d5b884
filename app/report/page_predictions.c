/* SPDX-License-Identifier: MIT
 *
 * Predictions of the validation and test graphs:
 *
 *     classes               confusion matrices, and ROC of one class against the rest
 *     one binary task       confusion matrices at p = 1/2, ROC, precision against recall, reliability of p
 *     several binary tasks  ROC and its area for every task
 *     values                predicted against true
 */
#include "report/page_parts.h"

#include "base/memory.h"
#include "draw/svg.h"
#include "metrics/probability.h"
#include "predict/predictor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CLASSES = 12, CLOUD = 5 * L2R_CHART_POINTS };

static const char *const part_names[] = {"training", "validation", "test"};
static const int shown_parts[] = {L2R_PART_TEST, L2R_PART_VALID};

/* Graphs of a part that are shown: none of those that the run was told not to look at. */
static int64_t size_of(const struct l2r_evidence *e, int part)
{
    return e->output[part] != NULL ? l2r_split_size(&e->split, part) : 0;
}

/* The label of a task, or 1/0 for "is of class k". NaN: missing. */
static float label_of(const struct l2r_evidence *e, int32_t graph, int32_t column)
{
    const struct l2r_dataset *data = e->data;
    if (data->task != L2R_TASK_MULTICLASS) return data->labels[(int64_t)graph * data->n_tasks + column];
    float label = data->labels[graph];
    return isnan(label) ? label
                        : (float)(data->class_value[(int64_t)label] == l2r_predictor_class(e->predictor, column));
}

static int32_t predicted_class(const float *output, int32_t n)
{
    int32_t best = 0;
    for (int32_t k = 1; k < n; k++)
        if (output[k] > output[best]) best = k;
    return best;
}

/* count [k × k]: rows are true classes. Binary: classes 0 and 1. */
static void count_matrix(int64_t *count, const struct l2r_evidence *e, int part, int32_t k)
{
    const int32_t *graphs = l2r_split_part(&e->split, part);
    int32_t outputs = l2r_predictor_outputs(e->predictor);
    for (int64_t i = 0; i < size_of(e, part); i++) {
        const float *output = e->output[part] + i * outputs;
        int32_t said = outputs == 1 ? output[0] > 0.5f : predicted_class(output, k), truth = -1;
        for (int32_t c = 0; c < k; c++) {
            float label = label_of(e, graphs[i], outputs == 1 ? 0 : c);
            if (label == (outputs == 1 ? (float)c : 1.0f)) truth = c;
        }
        if (truth >= 0) count[truth * k + said]++;
    }
}

static long long class_of(const struct l2r_evidence *e, int32_t c)
{
    bool multi = l2r_predictor_task(e->predictor) == L2R_TASK_MULTICLASS;
    return multi ? (long long)l2r_predictor_class(e->predictor, c) : c;
}

static void add_matrix(struct l2r_view *view, json_t *matrix, const struct l2r_evidence *e, int part,
                       const int64_t *count, int32_t k)
{
    char text[L2R_FORMAT];
    l2r_view_text(view, matrix, "part", part_names[part]);
    json_t *classes = l2r_view_list(view, matrix, "classes"), *rows = l2r_view_list(view, matrix, "rows");
    for (int32_t c = 0; c < k; c++) {
        snprintf(text, sizeof text, "%lld", class_of(e, c));
        l2r_view_append(view, classes, text);
    }
    for (int32_t r = 0; r < k; r++) {
        double total = 0;
        for (int32_t c = 0; c < k; c++) total += (double)count[r * k + c];
        json_t *row = l2r_view_item(view, rows);
        l2r_view_print(view, row, "label", "%lld", class_of(e, r));
        json_t *cells = l2r_view_list(view, row, "cells");
        for (int32_t c = 0; c < k; c++) {
            double share = total > 0 ? (double)count[r * k + c] / total : 0;
            json_t *cell = l2r_view_item(view, cells);
            l2r_view_text(view, cell, "colour", r == c ? "60,130,230" : "230,110,40");
            l2r_view_text(view, cell, "shade", l2r_svg_decimal(text, 0.45 * share));
            l2r_view_print(view, cell, "count", "%lld", (long long)count[r * k + c]);
            l2r_view_fixed(view, cell, "share", 100 * share, 1);
        }
    }
}

static enum l2r_status add_matrices(struct l2r_view *view, json_t *shown, const struct l2r_evidence *e,
                                    struct l2r_error *error)
{
    int32_t outputs = l2r_predictor_outputs(e->predictor), k = outputs == 1 ? 2 : outputs;
    if (k > MOST_CLASSES) return L2R_OK;
    json_t *confusion = l2r_view_object(view, shown, "confusion");
    l2r_view_flag(view, confusion, "threshold", outputs == 1);
    json_t *matrices = l2r_view_list(view, confusion, "matrices");
    for (int i = 0; i < 2; i++) {
        int64_t *count = l2r_alloc((size_t)(k * k), sizeof *count);
        if (count == NULL) return l2r_fail_memory(error, (size_t)(k * k) * sizeof *count, "a confusion matrix");
        count_matrix(count, e, shown_parts[i], k);
        if (size_of(e, shown_parts[i]) > 0)
            add_matrix(view, l2r_view_item(view, matrices), e, shown_parts[i], count, k);
        l2r_free(count);
    }
    return L2R_OK;
}

/* Precision against recall, from the corners of the ROC: of P positives and N negatives, y·P and x·N are found. */
static void add_precision(json_t *chart, int series, const json_t *roc_x, const json_t *roc_y, const float *label,
                          int64_t n)
{
    double positives = 0, negatives = 0;
    json_t *x = json_array(), *y = json_array();
    for (int64_t i = 0; i < n; i++) {
        positives += label[i] > 0;
        negatives += label[i] == 0;
    }
    for (size_t i = 0; i < json_array_size(roc_x); i++) {
        double found = json_number_value(json_array_get(roc_y, i)) * positives;
        double wrong = json_number_value(json_array_get(roc_x, i)) * negatives;
        if (found + wrong <= 0) continue;
        json_array_append_new(x, json_real(found / positives));
        json_array_append_new(y, json_real(found / (found + wrong)));
    }
    l2r_page_chart_line(chart, series, x, y);
}

/* Share of positives against mean p, a point for each bin that holds a graph (metrics/probability.h). score: p, which
 * becomes its logit. */
static void add_reliability(json_t *chart, int series, float *score, const float *label, int64_t n)
{
    struct l2r_reliability bins;
    json_t *x = json_array(), *y = json_array();
    for (int64_t i = 0; i < n; i++) {
        double p = fmin(fmax((double)score[i], 1e-9), 1 - 1e-9);
        score[i] = (float)(log(p) - log1p(-p));
    }
    const struct l2r_scores scores = {
        .task = L2R_TASK_BINARY, .n_graphs = n, .n_tasks = 1, .output = score, .labels = label};
    l2r_reliability_make(&bins, &scores, 0);
    for (int b = 0; b < L2R_RELIABILITY_BINS; b++) {
        if (bins.count[b] == 0) continue;
        json_array_append_new(x, json_real(bins.mean[b]));
        json_array_append_new(y, json_real(bins.share[b]));
    }
    l2r_page_chart_line(chart, series, x, y);
}

/* The ROC of one column on one part; precision, reliability: charts of the same column, or NULL. */
static enum l2r_status add_roc(json_t *chart, json_t *precision, json_t *reliability, double *auc,
                               const struct l2r_evidence *e, int part, int32_t column, int series,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t n = size_of(e, part);
    int32_t outputs = l2r_predictor_outputs(e->predictor);
    float *score = l2r_alloc((size_t)n, sizeof *score), *label = l2r_alloc((size_t)n, sizeof *label);
    json_t *x, *y;
    *auc = NAN;
    if (score == NULL || label == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a ROC curve");
    for (int64_t i = 0; i < n; i++) {
        score[i] = e->output[part][i * outputs + column];
        label[i] = label_of(e, l2r_split_part(&e->split, part)[i], column);
    }
    if (!l2r_page_chart_roc(&x, &y, auc, score, label, n)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a ROC curve");
    if (x != NULL && precision != NULL) add_precision(precision, series, x, y, label, n);
    if (x != NULL) l2r_page_chart_line(chart, series, x, y);
    if (reliability != NULL) add_reliability(reliability, series, score, label, n);
done:
    l2r_free(score);
    l2r_free(label);
    return status;
}

/* A square chart over 0 … 1 in both directions. */
static json_t *new_square(json_t *set, const char *title, const char *x, const char *y, bool diagonal)
{
    json_t *chart = l2r_page_chart_add(set, "lines", title, x, y);
    static const char *const flags[] = {"free", "square", "unit", "diagonal"};
    for (int i = 0; i < (diagonal ? 4 : 3); i++) json_object_set_new(chart, flags[i], json_true());
    return chart;
}

static json_t *new_roc(json_t *set, const char *title)
{
    return new_square(set, title, "false positive rate", "true positive rate", true);
}

static void name_column(char *out, size_t size, const struct l2r_evidence *e, int32_t column)
{
    if (l2r_predictor_task(e->predictor) == L2R_TASK_MULTICLASS)
        snprintf(out, size, "class %lld", (long long)l2r_predictor_class(e->predictor, column));
    else if (l2r_predictor_task_name(e->predictor, column) != NULL)
        snprintf(out, size, "%.60s", l2r_predictor_task_name(e->predictor, column));
    else
        snprintf(out, size, "task %d", (int)column);
}

/* One column: both parts in one chart. */
static enum l2r_status add_single_roc(json_t *set, const struct l2r_evidence *e, int32_t column,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *chart = new_roc(set, "ROC");
    json_t *precision = new_square(set, "precision and recall", "recall", "precision", false);
    json_t *reliability = new_square(set, "reliability", "mean p of a tenth", "share of positives", true);
    for (int i = 0; i < 2; i++) {
        char name[64];
        double auc;
        int series = (int)json_array_size(json_object_get(set, "series"));
        if (size_of(e, shown_parts[i]) == 0) continue;
        L2R_TRY(add_roc(chart, precision, reliability, &auc, e, shown_parts[i], column, series, error));
        snprintf(name, sizeof name, isnan(auc) ? "%s: no area" : "%s: area %.4f", part_names[shown_parts[i]], auc);
        l2r_page_chart_series(set, name);
    }
done:
    return status;
}

/* Several columns: a chart a part, and their areas as a table. */
static enum l2r_status add_many_rocs(struct l2r_view *view, json_t *shown, json_t *set, const struct l2r_evidence *e,
                                     int32_t columns, struct l2r_error *error)
{
    static const char *const keys[] = {"test", "valid"}; /* as shown_parts */
    enum l2r_status status = L2R_OK;
    json_t *charts[] = {new_roc(set, "ROC, test"), new_roc(set, "ROC, validation")};
    json_t *rows = l2r_view_list(view, l2r_view_object(view, shown, "areas"), "rows");
    for (int32_t c = 0; c < columns; c++) {
        char name[64];
        name_column(name, sizeof name, e, c);
        int series = l2r_page_chart_series(set, name);
        json_t *row = l2r_view_item(view, rows);
        l2r_view_text(view, row, "column", name);
        for (int i = 0; i < 2; i++) {
            double auc;
            L2R_TRY(add_roc(charts[i], NULL, NULL, &auc, e, shown_parts[i], c, series, error));
            l2r_view_fixed(view, row, keys[i], auc, 4);
        }
    }
done:
    return status;
}

static void add_cloud(json_t *set, const struct l2r_evidence *e, int32_t task)
{
    char title[64] = "predicted against true";
    if (e->data->n_tasks > 1) name_column(title, sizeof title, e, task);
    json_t *chart = l2r_page_chart_add(set, "points", title, "true", "predicted");
    json_object_set_new(chart, "square", json_true());
    json_object_set_new(chart, "diagonal", json_true());
    for (int i = 1; i >= 0; i--) { /* test on top */
        const int32_t *graphs = l2r_split_part(&e->split, shown_parts[i]);
        int64_t n = size_of(e, shown_parts[i]), step = (n + CLOUD - 1) / CLOUD;
        int32_t outputs = l2r_predictor_outputs(e->predictor);
        json_t *x = json_array(), *y = json_array(), *names = json_array();
        for (int64_t g = 0; g < n; g += step) {
            float label = label_of(e, graphs[g], task);
            if (isnan(label)) continue;
            json_array_append_new(x, json_real((double)label));
            json_array_append_new(y, json_real((double)e->output[shown_parts[i]][g * outputs + task]));
            json_array_append_new(names, json_sprintf("graph %d", (int)graphs[g]));
        }
        json_object_set_new(l2r_page_chart_line(chart, i, x, y), "name", names);
    }
}

enum l2r_status l2r_page_predictions(struct l2r_report *report, json_t *shown, const struct l2r_evidence *e,
                                     size_t number, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_view *view = &report->view;
    enum l2r_task task = l2r_predictor_task(e->predictor);
    int32_t outputs = l2r_predictor_outputs(e->predictor);
    char name[32];
    snprintf(name, sizeof name, "predictions-%zu", number + 1);
    json_t *set = l2r_page_chart_set(report->charts, name);
    json_t *predictions = l2r_view_object(view, shown, "predictions");
    l2r_view_text(view, predictions, "set", name);
    if (task == L2R_TASK_REGRESSION) {
        for (int i = 0; i < 2; i++) l2r_page_chart_series(set, part_names[shown_parts[i]]);
        for (int32_t t = 0; t < outputs; t++) add_cloud(set, e, t);
        json_object_set_new(set, "solid", json_true());
    } else {
        if (task == L2R_TASK_MULTICLASS || outputs == 1) L2R_TRY(add_matrices(view, predictions, e, error));
        if (outputs == 1 || (outputs == 2 && task == L2R_TASK_MULTICLASS))
            L2R_TRY(add_single_roc(set, e, outputs - 1, error));
        else
            L2R_TRY(add_many_rocs(view, predictions, set, e, outputs, error));
    }
done:
    return status;
}
