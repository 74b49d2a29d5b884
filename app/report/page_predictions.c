/* SPDX-License-Identifier: MIT
 *
 * Predictions of the validation and test graphs:
 *
 *     classes               confusion matrix; ROC, precision against recall and reliability of a class against the rest
 *     binary tasks          the same for each task
 *     values                predicted against true
 *
 * One task or class is shown at a time: the page has a chooser where there are several. A page of hundreds of tasks
 * stays small, because its charts share so many points.
 */
#include "report/page_parts.h"

#include "base/memory.h"
#include "data/formats/ogb/ogb.h"
#include "draw/svg.h"
#include "model/predictor.h"
#include "nn/network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CLASSES = 12, FEWEST_POINTS = 24, ALL_POINTS = 24000, LARGEST_CLOUD = 5 * L2R_CHART_POINTS };

static const char *const part_names[] = {"training", "validation", "test"};
static const int shown_parts[] = {L2R_PART_TEST, L2R_PART_VALID};

struct shown {
    struct l2r_view *view;
    const struct l2r_predictor *predictor;
    const struct l2r_dataset *data;
    const struct l2r_outcomes *parts; /* [3] */
    enum l2r_task task;
    int32_t columns;  /* tasks, or classes */
    int points;       /* of a curve */
    float *p, *label; /* [graphs of the largest part]: room for a column */
};

/* ---- Names ---- */

static void name_column(char *out, size_t size, const struct shown *s, int32_t column)
{
    bool classes = s->task == L2R_TASK_MULTICLASS;
    const char *name =
        classes ? l2r_predictor_class_name(s->predictor, 0, column) : l2r_predictor_task_name(s->predictor, column);
    if (name != NULL)
        snprintf(out, size, "%.120s", name);
    else if (classes)
        snprintf(out, size, "class %lld", (long long)l2r_predictor_class(s->predictor, column));
    else
        snprintf(out, size, "task %d", (int)column);
}

/* Class c of a task, or of the outputs. */
static void name_class(char *out, size_t size, const struct shown *s, int32_t task, int32_t c)
{
    bool classes = s->task == L2R_TASK_MULTICLASS;
    const char *name = l2r_predictor_class_name(s->predictor, classes ? 0 : task, c);
    if (name != NULL)
        snprintf(out, size, "%.60s", name);
    else
        snprintf(out, size, "%lld", classes ? (long long)l2r_predictor_class(s->predictor, c) : (long long)c);
}

/* ---- Confusion matrices ---- */

static void add_matrix(const struct shown *s, json_t *matrix, int part, int32_t task, const int64_t *count, int32_t k)
{
    char text[L2R_FORMAT];
    l2r_view_text(s->view, matrix, "part", part_names[part]);
    json_t *classes = l2r_view_list(s->view, matrix, "classes"), *rows = l2r_view_list(s->view, matrix, "rows");
    for (int32_t r = 0; r < k; r++) {
        double total = 0;
        for (int32_t c = 0; c < k; c++) total += (double)count[r * k + c];
        json_t *row = l2r_view_item(s->view, rows);
        name_class(text, sizeof text, s, task, r);
        l2r_view_append(s->view, classes, text);
        l2r_view_text(s->view, row, "label", text);
        json_t *cells = l2r_view_list(s->view, row, "cells");
        for (int32_t c = 0; c < k; c++) {
            double share = total > 0 ? (double)count[r * k + c] / total : 0;
            json_t *cell = l2r_view_item(s->view, cells);
            l2r_view_text(s->view, cell, "colour", r == c ? "60,130,230" : "230,110,40");
            l2r_view_text(s->view, cell, "shade", l2r_svg_decimal(text, 0.45 * share));
            l2r_view_print(s->view, cell, "count", "%lld", (long long)count[r * k + c]);
            if (total > 0) l2r_view_fixed(s->view, cell, "share", 100 * share, 1);
        }
    }
}

/* The matrices of one task, or of all classes. */
static void add_matrices(const struct shown *s, json_t *choices, int32_t task)
{
    bool classes = s->task == L2R_TASK_MULTICLASS;
    int32_t k = classes ? s->columns : 2;
    int64_t count[MOST_CLASSES * MOST_CLASSES];
    json_t *choice = l2r_view_item(s->view, choices);
    if (!classes && s->columns > 1) {
        char name[128];
        name_column(name, sizeof name, s, task);
        json_t *chosen = l2r_view_object(s->view, choice, "chosen");
        l2r_view_print(s->view, chosen, "index", "%d", (int)task);
        l2r_view_text(s->view, chosen, "task", name);
    }
    json_t *matrices = l2r_view_list(s->view, choice, "matrices");
    for (int i = 0; i < 2; i++) {
        const struct l2r_outcomes *o = &s->parts[shown_parts[i]];
        if (o->n == 0) continue;
        l2r_outcomes_count(count, o, task, k);
        add_matrix(s, l2r_view_item(s->view, matrices), shown_parts[i], task, count, k);
    }
}

/* How `l2r predict` decides. Class weights are costs: task t is positive where weight · p > 1 − p, from
 * p = 1 / (1 + weight) on. */
static void add_threshold(const struct shown *s, json_t *confusion)
{
    const double *weight = l2r_predictor_signature(s->predictor)->class_weight;
    bool weighted = false;
    for (int32_t c = 0; weight != NULL && c < s->columns; c++) weighted = weighted || fabs(weight[c] - 1) > 1e-6;
    l2r_view_flag(s->view, confusion, "threshold", !weighted && s->task == L2R_TASK_BINARY);
    if (!weighted) return;
    if (s->task == L2R_TASK_MULTICLASS) {
        l2r_view_text(s->view, confusion, "weighted_classes", "yes");
    } else if (s->columns == 1) {
        char number[L2R_FORMAT];
        l2r_view_print(s->view, confusion, "weighted", "from p = %s on",
                       l2r_format_fixed(number, 1 / (1 + weight[0]), 3));
    } else {
        l2r_view_text(s->view, confusion, "weighted", "at another p for each task");
    }
}

static void add_confusion(const struct shown *s, json_t *predictions)
{
    bool classes = s->task == L2R_TASK_MULTICLASS;
    if (classes && s->columns > MOST_CLASSES) return;
    json_t *confusion = l2r_view_object(s->view, predictions, "confusion");
    add_threshold(s, confusion);
    json_t *choices = l2r_view_list(s->view, confusion, "choices");
    for (int32_t t = 0; t < (classes ? 1 : s->columns); t++) add_matrices(s, choices, t);
}

/* ---- Curves ---- */

/* A square chart over 0 … 1 in both directions. */
static json_t *new_square(json_t *set, const char *title, const char *x, const char *y, bool diagonal)
{
    json_t *chart = l2r_page_chart_add(set, "lines", title, x, y);
    static const char *const flags[] = {"free", "square", "unit", "diagonal"};
    for (int i = 0; i < (diagonal ? 4 : 3); i++) json_object_set_new(chart, flags[i], json_true());
    return chart;
}

/* Charts to which no part had anything to add are taken out again. */
static void drop_empty(json_t *set)
{
    json_t *charts = json_object_get(set, "charts");
    for (size_t i = json_array_size(charts); i-- > 0;)
        if (json_array_size(json_object_get(json_array_get(charts, i), "lines")) == 0) json_array_remove(charts, i);
}

/* The curves of one column: test and validation in the same charts. */
static enum l2r_status add_curves(const struct shown *s, json_t *set, int32_t column, struct l2r_error *error)
{
    json_t *roc = new_square(set, "ROC", "false positive rate", "true positive rate", true);
    json_t *precision = new_square(set, "precision and recall", "recall", "precision", false);
    json_t *reliability = new_square(set, "reliability", "mean p of a tenth", "share of positives", true);
    json_object_set_new(reliability, "dots", json_true());
    for (int i = 0; i < 2; i++) {
        const struct l2r_outcomes *o = &s->parts[shown_parts[i]];
        struct l2r_page_ranking ranking;
        char name[128];
        if (o->n == 0) continue;
        l2r_outcomes_column(s->p, s->label, o, column);
        if (!l2r_page_chart_ranking(&ranking, s->p, s->label, o->n, s->points))
            return l2r_fail_memory(error, (size_t)o->n * sizeof *s->p, "a ROC curve");
        if (!isnan(ranking.auc))
            snprintf(name, sizeof name, "%s: ROC-AUC %.4f", part_names[shown_parts[i]], ranking.auc);
        else
            snprintf(name, sizeof name, "%s: %lld positive of %lld, no ROC", part_names[shown_parts[i]],
                     (long long)ranking.positives, (long long)ranking.n);
        int series = l2r_page_chart_series(set, name);
        if (ranking.fpr != NULL) {
            l2r_page_chart_line(roc, series, json_incref(ranking.fpr), json_incref(ranking.tpr));
            l2r_page_chart_line(precision, series, json_incref(ranking.recall), json_incref(ranking.precision));
        }
        l2r_page_ranking_clear(&ranking);
        l2r_page_chart_reliability(reliability, series, s->p, s->label, o->n);
    }
    drop_empty(set);
    return L2R_OK;
}

/* "line 12: CCO", once for all clouds of a set. */
static void name_graph(json_t *names, const struct l2r_dataset *data, int32_t graph)
{
    char key[16];
    int64_t line = l2r_dataset_source_row(data, graph);
    const char *smiles = l2r_dataset_smiles(data, graph);
    snprintf(key, sizeof key, "%d", (int)graph);
    if (json_object_get(names, key) != NULL) return;
    if (line >= 0)
        json_object_set_new(
            names, key, json_sprintf("line %lld%s%.80s", (long long)line, smiles ? ": " : "", smiles ? smiles : ""));
    else
        json_object_set_new(names, key, json_sprintf("graph %d", (int)graph));
}

static void add_cloud(const struct shown *s, json_t *set, json_t *names, int32_t task)
{
    json_t *chart = l2r_page_chart_add(set, "points", "predicted against true", "true", "predicted");
    json_object_set_new(chart, "square", json_true());
    json_object_set_new(chart, "diagonal", json_true());
    json_object_set_new(set, "solid", json_true());
    for (int i = 0; i < 2; i++) l2r_page_chart_series(set, part_names[shown_parts[i]]);
    for (int i = 1; i >= 0; i--) { /* test on top */
        const struct l2r_outcomes *o = &s->parts[shown_parts[i]];
        int64_t most = 5 * (int64_t)s->points < LARGEST_CLOUD ? 5 * (int64_t)s->points : LARGEST_CLOUD;
        int64_t step = (o->n + most - 1) / most;
        json_t *x = json_array(), *y = json_array(), *graphs = json_array();
        for (int64_t g = 0; g < o->n; g += step) {
            int64_t cell = g * o->columns + task;
            if (isnan(o->label[cell])) continue;
            json_array_append_new(x, json_real((double)o->label[cell]));
            json_array_append_new(y, json_real((double)o->p[cell]));
            json_array_append_new(graphs, json_integer(o->graph[g]));
            name_graph(names, s->data, o->graph[g]);
        }
        json_object_set_new(l2r_page_chart_line(chart, i, x, y), "g", graphs);
    }
}

/* One column: the charts are those of the set. Several: a set each, of which the page shows the one that is chosen. */
static enum l2r_status add_columns(const struct shown *s, json_t *set, int32_t first, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *names = json_object(), *choices = s->columns - first > 1 ? json_array() : NULL;
    for (int32_t c = first; c < s->columns; c++) {
        char name[128];
        json_t *one = set;
        name_column(name, sizeof name, s, c);
        if (choices != NULL) {
            json_array_append_new(choices, json_pack("{s:s, s:[], s:[]}", "name", name, "series", "charts"));
            one = json_array_get(choices, json_array_size(choices) - 1);
        }
        if (s->task == L2R_TASK_REGRESSION)
            add_cloud(s, one, names, c);
        else
            L2R_TRY(add_curves(s, one, c, error));
    }
    if (choices != NULL) {
        json_object_set_new(set, "what", json_string(s->task == L2R_TASK_MULTICLASS ? "class" : "task"));
        json_object_set(set, "choices", choices);
    }
    if (json_object_size(names) > 0) json_object_set(set, "names", names);
done:
    json_decref(choices);
    json_decref(names);
    return status;
}

enum l2r_status l2r_page_predictions(struct l2r_report *report, json_t *shown, const struct l2r_run_scores *scores,
                                     const struct l2r_outcomes parts[3], size_t number, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct shown s = {.view = &report->view,
                      .predictor = scores->predictor,
                      .data = scores->data,
                      .parts = parts,
                      .task = l2r_predictor_task(scores->predictor),
                      .columns = l2r_predictor_n_outputs(scores->predictor)};
    int64_t most = parts[L2R_PART_TEST].n > parts[L2R_PART_VALID].n ? parts[L2R_PART_TEST].n : parts[L2R_PART_VALID].n;
    int32_t first = s.task == L2R_TASK_MULTICLASS && s.columns == 2; /* of two classes one says all */
    char name[32];
    int share = ALL_POINTS / s.columns;
    s.points = share < FEWEST_POINTS ? FEWEST_POINTS : share > L2R_CHART_POINTS ? L2R_CHART_POINTS : share;
    s.p = l2r_alloc(2 * (size_t)most, sizeof *s.p);
    if (s.p == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: predictions");
    s.label = s.p + most;
    snprintf(name, sizeof name, "predictions-%zu", number + 1);
    json_t *set = l2r_page_chart_set(report->charts, name);
    json_t *predictions = l2r_view_object(s.view, shown, "predictions");
    if (s.task != L2R_TASK_REGRESSION) add_confusion(&s, predictions);
    L2R_TRY(add_columns(&s, set, first, error));
    bool drawn = json_array_size(json_object_get(set, "charts")) + json_array_size(json_object_get(set, "choices")) > 0;
    if (drawn) l2r_view_text(s.view, predictions, "set", name);
done:
    l2r_free(s.p);
    return status;
}
