/* SPDX-License-Identifier: MIT
 *
 * The weights of a run's training graphs: a histogram by class, and drawings of the graphs at both ends.
 */
#include "report/page_parts.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>

enum { BINS = 30, MOST_CLASSES = 8 };

/* Classes that the histogram distinguishes; 1: none. */
static int32_t classes_of(const struct l2r_dataset *data)
{
    int32_t n = data->task == L2R_TASK_MULTICLASS ? data->n_classes : data->task == L2R_TASK_BINARY ? 2 : 1;
    return data->n_tasks == 1 && n <= MOST_CLASSES ? n : 1;
}

static void add_stack(json_t *set, json_t *chart, const char *name, const int64_t count[BINS])
{
    json_t *bins = json_array();
    for (int b = 0; b < BINS; b++) json_array_append_new(bins, json_integer(count[b]));
    json_array_append_new(json_object_get(chart, "stacks"),
                          json_pack("{s:i, s:o}", "s", l2r_page_chart_series(set, name), "n", bins));
}

/* sorted [n]: graphs, lightest first; the weights are not all equal. */
static void add_histogram(json_t *set, const struct l2r_run_scores *e, const int32_t *sorted, int64_t n)
{
    const struct l2r_dataset *data = e->data;
    double low = (double)e->weight[sorted[0]], high = (double)e->weight[sorted[n - 1]];
    int32_t classes = classes_of(data);
    json_t *chart = l2r_page_chart_add(set, "bars", "weights of the training graphs", "weight", "graphs");
    json_t *edges = json_array();
    for (int b = 0; b <= BINS; b++) json_array_append_new(edges, json_real(low + (high - low) * b / BINS));
    json_object_set_new(chart, "edges", edges);
    json_object_set_new(chart, "rule", json_integer(1));
    json_object_set_new(set, "solid", json_true());
    for (int32_t k = 0; k < classes; k++) {
        int64_t count[BINS] = {0};
        char name[64] = "graphs";
        for (int64_t i = 0; i < n; i++) {
            int bin = (int)(((double)e->weight[sorted[i]] - low) / (high - low) * BINS);
            if (classes == 1 || data->labels[sorted[i]] == (float)k) count[bin < BINS ? bin : BINS - 1]++;
        }
        const char *word = classes > 1 ? l2r_dataset_class_name(data, 0, k) : NULL;
        if (word != NULL)
            snprintf(name, sizeof name, "%.60s", word);
        else if (classes > 1)
            snprintf(name, sizeof name, "label %lld",
                     (long long)(data->task == L2R_TASK_MULTICLASS ? data->class_value[k] : k));
        add_stack(set, chart, name, count);
    }
}

static void add_facts(struct l2r_view *view, json_t *facts, const struct l2r_run_scores *e, const int32_t *sorted,
                      int64_t n)
{
    double sum = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        double w = (double)e->weight[sorted[i]];
        sum += w, square += w * w;
    }
    l2r_view_print(view, facts, "graphs", "%lld", (long long)n);
    l2r_view_fixed(view, facts, "lowest", (double)e->weight[sorted[0]], 3);
    l2r_view_fixed(view, facts, "median",
                   ((double)e->weight[sorted[(n - 1) / 2]] + (double)e->weight[sorted[n / 2]]) / 2, 3);
    l2r_view_fixed(view, facts, "highest", (double)e->weight[sorted[n - 1]], 3);
    l2r_view_fixed(view, facts, "effective", sum * sum / ((double)n * square), 3);
}

/* One graph of a gallery; the data takes the drawing, NULL where there is none. */
static void add_graph(struct l2r_view *view, json_t *list, const struct l2r_run_scores *e, int32_t graph, char *svg,
                      const char *why)
{
    char label[64];
    json_t *shown = l2r_view_item(view, list);
    l2r_run_scores_label(label, sizeof label, e->data, graph);
    l2r_view_fixed(view, shown, "weight", (double)e->weight[graph], 3);
    int64_t line = l2r_dataset_source_row(e->data, graph);
    if (line >= 0)
        l2r_view_print(view, shown, "graph", "line %lld", (long long)line);
    else
        l2r_view_print(view, shown, "graph", "graph %d", (int)graph);
    l2r_view_text(view, shown, "label", label);
    if (svg != NULL)
        l2r_view_markup(view, shown, "drawing", svg, svg);
    else
        l2r_view_print(view, shown, "nodes", "%lld nodes%s", (long long)l2r_dataset_nodes_of(e->data, graph), why);
}

/* Without drawings (their module may be missing) the graphs are still listed. */
static enum l2r_status add_gallery(struct l2r_view *view, json_t *galleries, const struct l2r_run_scores *e,
                                   const char *title, const int32_t *graphs, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error reason = {0};
    char **svg = l2r_alloc((size_t)n, sizeof *svg);
    if (svg == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: drawings");
    enum l2r_status drawn = l2r_run_scores_draw(svg, e, graphs, n, &reason);
    if (drawn == L2R_ERR_MEMORY) L2R_FAIL(drawn, "%s", reason.message);
    json_t *gallery = l2r_view_item(view, galleries);
    l2r_view_text(view, gallery, "title", title);
    if (drawn != L2R_OK) l2r_view_text(view, gallery, "reason", reason.message);
    json_t *list = l2r_view_list(view, gallery, "drawn");
    for (int64_t i = 0; i < n; i++)
        add_graph(view, list, e, graphs[i], svg[i], drawn == L2R_OK ? ": too large to be drawn here" : "");
done:
    l2r_free(svg);
    return status;
}

enum l2r_status l2r_page_weights(struct l2r_report *report, json_t *shown, const struct l2r_run_scores *scores,
                                 size_t number, int64_t extremes, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_view *view = &report->view;
    int64_t n = l2r_split_size(&scores->split, L2R_PART_TRAIN);
    char name[32];
    if (scores->weight == NULL || n == 0) return L2R_OK;
    int32_t *sorted = l2r_alloc((size_t)n, sizeof *sorted);
    if (sorted == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the order of weights");
    L2R_TRY(l2r_run_scores_order(sorted, scores, error));
    json_t *weights = l2r_view_object(view, shown, "weights");
    if (!(scores->weight[sorted[n - 1]] - scores->weight[sorted[0]] > 1e-6f)) {
        l2r_view_print(view, weights, "equal", "%lld", (long long)n);
        goto done;
    }
    json_t *facts = l2r_view_object(view, weights, "facts");
    add_facts(view, facts, scores, sorted, n);
    snprintf(name, sizeof name, "weights-%zu", number + 1);
    l2r_view_text(view, facts, "set", name);
    add_histogram(l2r_page_chart_set(report->charts, name), scores, sorted, n);
    if (extremes > n / 2) extremes = n / 2;
    if (extremes == 0) goto done;
    json_t *galleries = l2r_view_list(view, weights, "galleries");
    L2R_TRY(add_gallery(view, galleries, scores, "Lowest weights", sorted, extremes, error));
    for (int64_t i = 0; i < n / 2; i++) { /* the heaviest first */
        int32_t graph = sorted[i];
        sorted[i] = sorted[n - 1 - i];
        sorted[n - 1 - i] = graph;
    }
    L2R_TRY(add_gallery(view, galleries, scores, "Highest weights", sorted, extremes, error));
done:
    l2r_free(sorted);
    return status;
}
