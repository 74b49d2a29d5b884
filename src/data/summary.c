/* SPDX-License-Identifier: MIT
 * See summary.h. The sanity check comes first: nothing is counted through an index that was not checked. */
#include "data/summary.h"

#include "base/memory.h"
#include "data/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void widen(struct l2r_range *range, int64_t value, bool first)
{
    if (first || value < range->min) range->min = value;
    if (first || value > range->max) range->max = value;
    range->mean += (double)value;
}

static void count_nodes(struct l2r_summary *s, const struct l2r_dataset *data, int64_t graph, int64_t *loops)
{
    int64_t first = data->node_start[graph];
    *loops = 0;
    for (int64_t v = first; v < data->node_start[graph + 1]; v++) {
        int64_t begin = data->arc_start[v], end = data->arc_start[v + 1], own = 0;
        for (int64_t a = begin; a < end; a++) own += data->neighbour[a] == v - first;
        widen(&s->degree, end - begin, v == 0);
        s->n_isolated += end - begin == own;
        *loops += own;
    }
}

static void count_graphs(struct l2r_summary *s, const struct l2r_dataset *data)
{
    for (int64_t g = 0; g < data->n_graphs; g++) {
        int64_t loops;
        count_nodes(s, data, g, &loops);
        int64_t edges = (l2r_dataset_arcs_of(data, g) + loops) / 2;
        widen(&s->nodes, l2r_dataset_nodes_of(data, g), g == 0);
        widen(&s->edges, edges, g == 0);
        s->n_edgeless += edges == 0;
        s->parts[data->official ? data->official[g] : L2R_PART_NONE]++;
    }
    s->nodes.mean /= (double)data->n_graphs;
    s->edges.mean /= (double)data->n_graphs;
    s->degree.mean = data->n_nodes ? s->degree.mean / (double)data->n_nodes : 0;
    s->n_edges = l2r_dataset_edges(data);
    s->n_self_loops = data->n_self_loops;
}

static void count_classes(struct l2r_summary *s, const struct l2r_dataset *data)
{
    for (int32_t c = 0; c < data->n_classes; c++) s->labels[c].class_value = data->class_value[c];
    for (int64_t g = 0; g < data->n_graphs; g++)
        if (!isnan(data->labels[g])) s->labels[(int32_t)data->labels[g]].count++;
}

static void count_task(struct l2r_label_summary *task, const struct l2r_dataset *data, int32_t k)
{
    double sum = 0, squares = 0;
    task->min = task->max = task->mean = task->sd = (double)NAN;
    for (int64_t g = 0; g < data->n_graphs; g++) {
        double y = (double)data->labels[g * data->n_tasks + k];
        if (isnan(y)) continue;
        task->count++;
        task->positives += y == 1;
        task->min = task->count == 1 || y < task->min ? y : task->min;
        task->max = task->count == 1 || y > task->max ? y : task->max;
        sum += y;
    }
    task->missing = data->n_graphs - task->count;
    if (task->count == 0) return;
    task->mean = sum / (double)task->count;
    for (int64_t g = 0; g < data->n_graphs; g++) {
        double y = (double)data->labels[g * data->n_tasks + k] - task->mean;
        if (!isnan(y)) squares += y * y;
    }
    task->sd = task->count > 1 ? sqrt(squares / (double)(task->count - 1)) : 0;
}

static enum l2r_status check(struct l2r_summary *s, const struct l2r_dataset *data, struct l2r_error *error)
{
    struct l2r_error found = {0};
    enum l2r_status status = l2r_dataset_check_ranges(data, &found);
    if (status == L2R_OK) status = l2r_dataset_check_symmetry(data, &found);
    if (status == L2R_ERR_MEMORY) return l2r_fail(error, status, "%s", found.message);
    s->sound = status == L2R_OK;
    if (!s->sound) snprintf(s->problem, sizeof s->problem, "%.500s", found.message);
    return L2R_OK;
}

enum l2r_status l2r_summary_make(struct l2r_summary *summary, const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *summary = (struct l2r_summary){.data = data, .has_official = data->official != NULL};
    L2R_TRY(check(summary, data, error));
    if (!summary->sound) goto done;
    summary->n_labels = data->task == L2R_TASK_MULTICLASS ? data->n_classes : data->n_tasks;
    summary->labels = l2r_alloc((size_t)summary->n_labels, sizeof *summary->labels);
    if (!summary->labels)
        return l2r_fail_memory(error, (size_t)summary->n_labels * sizeof *summary->labels, "a summary");
    count_graphs(summary, data);
    if (data->task == L2R_TASK_MULTICLASS) {
        count_classes(summary, data);
    } else {
        for (int32_t k = 0; k < data->n_tasks; k++) {
            count_task(&summary->labels[k], data, k);
            summary->n_missing += summary->labels[k].missing;
        }
    }
done:
    return status;
}

void l2r_summary_clear(struct l2r_summary *summary)
{
    l2r_free(summary->labels);
    *summary = (struct l2r_summary){0};
}
