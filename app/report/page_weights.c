/* SPDX-License-Identifier: MIT
 *
 * What a run thinks of its training graphs: a histogram of their weights, by class, and drawings of the graphs at both
 * ends.
 */
#include "report/page_parts.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>

enum { BINS = 30, MOST_CLASSES = 8 };

/* Classes that the histogram tells apart; 1: it does not. */
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
static void add_histogram(json_t *set, const struct l2r_evidence *e, const int32_t *sorted, int64_t n)
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
        if (classes > 1)
            snprintf(name, sizeof name, "label %lld",
                     (long long)(data->task == L2R_TASK_MULTICLASS ? data->class_value[k] : k));
        add_stack(set, chart, name, count);
    }
}

static void add_facts(struct l2r_svg *page, const struct l2r_evidence *e, const int32_t *sorted, int64_t n)
{
    double sum = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        double w = (double)e->weight[sorted[i]];
        sum += w, square += w * w;
    }
    double facts[] = {(double)e->weight[sorted[0]],
                      ((double)e->weight[sorted[(n - 1) / 2]] + (double)e->weight[sorted[n / 2]]) / 2,
                      (double)e->weight[sorted[n - 1]], sum * sum / ((double)n * square)};
    static const char *const words[] = {"lowest ", "median ", "highest ", "effective sample size "};
    l2r_svg_add(page, "<p>%lld training graphs at the last saved epoch: ", (long long)n);
    for (int f = 0; f < 4; f++) {
        l2r_svg_add(page, "%s%s", f > 0 ? ", " : "", words[f]);
        l2r_html_fixed(page, facts[f], 3);
    }
    l2r_svg_add(page, ".</p>\n");
}

/* Without drawings (the module that makes them may be missing) the graphs are still named. */
static enum l2r_status add_gallery(struct l2r_svg *page, const struct l2r_evidence *e, const char *title,
                                   const int32_t *graphs, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error reason = {0};
    char **svg = l2r_alloc((size_t)n, sizeof *svg);
    if (svg == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: drawings");
    enum l2r_status drawn = l2r_evidence_draw(svg, e, graphs, n, &reason);
    if (drawn == L2R_ERR_MEMORY) L2R_FAIL(drawn, "%s", reason.message);
    l2r_html_element(page, "h3", title);
    if (drawn != L2R_OK) {
        l2r_svg_add(page, "\n<p class=\"note\">The graphs are not drawn: ");
        l2r_html_text(page, reason.message);
        l2r_svg_add(page, "</p>");
    }
    l2r_svg_add(page, "\n<div class=\"gallery tight\">\n");
    for (int64_t i = 0; i < n; i++) {
        char label[64];
        l2r_evidence_label(label, sizeof label, e->data, graphs[i]);
        l2r_svg_add(page, "<figure>");
        if (svg[i] != NULL)
            l2r_svg_add(page, "%s", svg[i]);
        else
            l2r_svg_add(page, "<p class=\"muted\">%lld nodes%s</p>",
                        (long long)l2r_dataset_nodes_of(e->data, graphs[i]),
                        drawn == L2R_OK ? ": too large to be drawn here" : "");
        l2r_svg_add(page, "<figcaption><b>weight ");
        l2r_html_fixed(page, (double)e->weight[graphs[i]], 3);
        l2r_svg_add(page, "</b><br/>graph %d, %s</figcaption>", (int)graphs[i], label);
        l2r_svg_add(page, "</figure>\n");
    }
    l2r_svg_add(page, "</div>\n");
done:
    for (int64_t i = 0; svg != NULL && i < n; i++) l2r_free(svg[i]);
    l2r_free(svg);
    return status;
}

enum l2r_status l2r_page_weights(struct l2r_svg *page, struct l2r_report *report, const struct l2r_evidence *evidence,
                                 size_t number, int64_t extremes, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t n = l2r_split_size(&evidence->split, L2R_PART_TRAIN);
    char name[32];
    if (evidence->weight == NULL || n == 0) return L2R_OK;
    int32_t *sorted = l2r_alloc((size_t)n, sizeof *sorted);
    if (sorted == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the order of weights");
    L2R_TRY(l2r_evidence_order(sorted, evidence, error));
    l2r_svg_add(page, "<h3>Weights</h3>\n");
    if (!(evidence->weight[sorted[n - 1]] - evidence->weight[sorted[0]] > 1e-6f)) {
        l2r_svg_add(page, "<p>All %lld training graphs have the same weight.</p>\n", (long long)n);
        goto done;
    }
    add_facts(page, evidence, sorted, n);
    snprintf(name, sizeof name, "weights-%zu", number + 1);
    add_histogram(l2r_page_chart_set(report->charts, name), evidence, sorted, n);
    l2r_svg_add(page, "<div class=\"charts\" data-set=\"%s\"></div>\n", name);
    if (extremes > n / 2) extremes = n / 2;
    if (extremes == 0) goto done;
    L2R_TRY(add_gallery(page, evidence, "Lowest weights", sorted, extremes, error));
    for (int64_t i = 0; i < n / 2; i++) { /* the heaviest first */
        int32_t graph = sorted[i];
        sorted[i] = sorted[n - 1 - i];
        sorted[n - 1 - i] = graph;
    }
    L2R_TRY(add_gallery(page, evidence, "Highest weights", sorted, extremes, error));
done:
    l2r_free(sorted);
    return status;
}
