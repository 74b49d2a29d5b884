/* SPDX-License-Identifier: MIT
 *
 * See summary.h. The sanity check comes first: nothing is counted through an index that was not checked. Then the
 * counts, and the same numbers twice: as text for people and as JSON for programs, both from struct l2r_summary alone,
 * so that the two cannot disagree. */
#include "data/summary.h"

#include "base/decimal.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/dataset.h"

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
        if (data->environment) s->environments[data->environment[g]]++;
        s->parts[data->official ? data->official[g] : L2R_PART_NONE]++;
    }
    s->nodes.mean /= (double)data->n_graphs;
    s->edges.mean /= (double)data->n_graphs;
    s->degree.mean = data->n_nodes ? s->degree.mean / (double)data->n_nodes : 0;
    s->n_edges = l2r_dataset_n_edges(data);
    s->n_self_loops = data->n_self_loops;
}

static void count_classes(struct l2r_summary *s, const struct l2r_dataset *data)
{
    for (int32_t c = 0; c < data->n_classes; c++) s->labels[c].class_value = data->class_value[c];
    for (int64_t g = 0; g < data->n_graphs; g++)
        if (!isnan(data->labels[g])) s->labels[(int32_t)data->labels[g]].count++;
}

/* The label of a graph, NaN where it is missing or only a bound. */
static double exact_label(const struct l2r_dataset *data, int64_t graph, int32_t k)
{
    int64_t at = graph * data->n_tasks + k;
    return data->bound && data->bound[at] != 0 ? (double)NAN : (double)data->labels[at];
}

static void count_task(struct l2r_label_summary *task, const struct l2r_dataset *data, int32_t k)
{
    double sum = 0, squares = 0;
    int64_t exact = 0;
    task->min = task->max = task->mean = task->sd = (double)NAN;
    for (int64_t g = 0; g < data->n_graphs; g++) {
        double y = exact_label(data, g, k);
        task->count += !isnan(data->labels[g * data->n_tasks + k]);
        if (isnan(y)) continue;
        exact++;
        task->positives += y == 1;
        task->min = exact == 1 || y < task->min ? y : task->min;
        task->max = exact == 1 || y > task->max ? y : task->max;
        sum += y;
    }
    task->missing = data->n_graphs - task->count;
    task->bounds = task->count - exact;
    if (exact == 0) return;
    task->mean = sum / (double)exact;
    for (int64_t g = 0; g < data->n_graphs; g++) {
        double y = exact_label(data, g, k) - task->mean;
        if (!isnan(y)) squares += y * y;
    }
    task->sd = exact > 1 ? sqrt(squares / (double)(exact - 1)) : 0;
}

static void count_weights(struct l2r_summary *s, const struct l2r_dataset *data)
{
    s->least_weight = s->most_weight = (double)NAN;
    for (int64_t g = 0; data->weight && g < data->n_graphs; g++) {
        s->least_weight = fmin(s->least_weight, (double)data->weight[g]);
        s->most_weight = fmax(s->most_weight, (double)data->weight[g]);
    }
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
    summary->environments = l2r_alloc((size_t)data->n_environments, sizeof *summary->environments);
    if (!summary->environments) return l2r_fail_memory(error, (size_t)data->n_environments * 8, "a summary");
    count_graphs(summary, data);
    count_weights(summary, data);
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
    l2r_free(summary->environments);
    *summary = (struct l2r_summary){0};
}

/* As text for people. */

enum { MOST_LISTED = 20 }; /* environments: DrugOOD has thousands; JSON has all */

static void print_range(FILE *stream, const char *name, const struct l2r_range *range)
{
    l2r_decimal_write(stream, "%-18s %lld to %lld, mean %.2f\n", name, (long long)range->min, (long long)range->max,
                      range->mean);
}

static void print_categories(FILE *stream, const char *name, const struct l2r_categories *c, int32_t n_reals)
{
    fprintf(stream, "%-18s ", name);
    if (c->n_columns == 0 && n_reals == 0) fprintf(stream, "none");
    if (c->n_columns > 0) {
        fprintf(stream, "%d categorical (vocabulary", c->n_columns);
        for (int32_t k = 0; k < c->n_columns; k++) fprintf(stream, " %d", c->vocabulary[k]);
        fprintf(stream, "; %d distinct row%s)", c->n_types, c->n_types == 1 ? "" : "s");
    }
    if (n_reals > 0) fprintf(stream, "%s%d real", c->n_columns > 0 ? ", " : "", n_reals);
    fputc('\n', stream);
}

static double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

/* A name of the user's, in a column of a terminal. */
static void print_name(FILE *stream, const char *what, const char *name, int width)
{
    int columns = l2r_text_columns(name);
    fprintf(stream, "  %s%s%*s ", what, name, columns < width ? width - columns : 0, "");
}

static void print_label(FILE *stream, const struct l2r_summary *s, int32_t k)
{
    const struct l2r_label_summary *label = &s->labels[k];
    if (s->data->task == L2R_TASK_MULTICLASS) {
        const char *word = l2r_dataset_class_name(s->data, 0, k);
        if (word)
            print_name(stream, "class ", word, 10);
        else
            fprintf(stream, "  class %-10lld ", (long long)label->class_value);
        l2r_decimal_write(stream, "%lld graphs (%.1f %%)\n", (long long)label->count,
                          percent(label->count, s->data->n_graphs));
        return;
    }
    const char *name = l2r_dataset_task_name(s->data, k), *positive = l2r_dataset_class_name(s->data, k, 1);
    if (name)
        print_name(stream, "", name, 16);
    else
        fprintf(stream, "  task %-11d ", k);
    if (s->data->task == L2R_TASK_BINARY)
        l2r_decimal_write(stream, "%lld %s of %lld (%.1f %%)", (long long)label->positives,
                          positive ? positive : "positive", (long long)label->count,
                          percent(label->positives, label->count));
    else if (label->count > label->bounds)
        l2r_decimal_write(stream,
                          label->sd == 0 || (label->sd >= 0.01 && fabs(label->mean) < 1e7 && label->sd < 1e7)
                              ? "mean %.4f, sd %.4f, %.7g to %.7g"
                              : "mean %.5g, sd %.5g, %.7g to %.7g",
                          label->mean, label->sd, label->min, label->max);
    else if (label->count == 0)
        fprintf(stream, "no label");
    if (label->bounds > 0)
        fprintf(stream, "%s%lld bounds", label->count > label->bounds ? ", " : "", (long long)label->bounds);
    if (label->missing > 0) fprintf(stream, ", %lld missing", (long long)label->missing);
    fputc('\n', stream);
}

static void print_environments(FILE *stream, const struct l2r_summary *s)
{
    const struct l2r_dataset *data = s->data;
    fprintf(stream, "%-18s %d\n", "environments", (int)data->n_environments);
    for (int32_t k = 0; k < data->n_environments && k < MOST_LISTED; k++) {
        print_name(stream, "", l2r_dataset_environment_name(data, k), 16);
        l2r_decimal_write(stream, "%lld graphs (%.1f %%)\n", (long long)s->environments[k],
                          percent(s->environments[k], data->n_graphs));
    }
    if (data->n_environments > MOST_LISTED) fprintf(stream, "  and %d more\n", (int)data->n_environments - MOST_LISTED);
}

void l2r_summary_print(FILE *stream, const struct l2r_summary *s)
{
    const struct l2r_dataset *data = s->data;
    fprintf(stream, "%-18s %.63s\n", "data set", data->name);
    if (!s->sound) {
        fprintf(stream, "%-18s %s\n", "check", s->problem);
        return;
    }
    fprintf(stream, "%-18s %lld\n", "graphs", (long long)data->n_graphs);
    fprintf(stream, "%-18s %lld\n", "nodes", (long long)data->n_nodes);
    fprintf(stream, "%-18s %lld undirected, %lld of them self loops\n", "edges", (long long)s->n_edges,
            (long long)s->n_self_loops);
    print_range(stream, "nodes per graph", &s->nodes);
    print_range(stream, "edges per graph", &s->edges);
    print_range(stream, "degree", &s->degree);
    fprintf(stream, "%-18s %lld\n", "isolated nodes", (long long)s->n_isolated);
    fprintf(stream, "%-18s %lld\n", "edgeless graphs", (long long)s->n_edgeless);
    print_categories(stream, "node features", &data->nodes, data->n_node_reals);
    print_categories(stream, "edge features", &data->arcs, data->arcs.n_reals);
    bool none = data->task != L2R_TASK_MULTICLASS && s->n_missing == data->n_graphs * data->n_tasks;
    if (!none)
        fprintf(stream, "%-18s %s, %d %s\n", "task", l2r_task_name(data->task), s->n_labels,
                data->task == L2R_TASK_MULTICLASS ? (s->n_labels == 1 ? "class" : "classes")
                                                  : (s->n_labels == 1 ? "task" : "tasks"));
    for (int32_t k = 0; !none && k < s->n_labels; k++) print_label(stream, s, k);
    if (none) fprintf(stream, "%-18s none\n", "labels");
    if (s->n_missing > 0 && !none)
        l2r_decimal_write(stream, "%-18s %lld (%.2f %%)\n", "missing labels", (long long)s->n_missing,
                          percent(s->n_missing, data->n_graphs * data->n_tasks));
    if (data->weight) l2r_decimal_write(stream, "%-18s %g to %g\n", "weights", s->least_weight, s->most_weight);
    if (s->has_official) {
        fprintf(stream, "%-18s", "official split");
        for (int p = 0; p < L2R_N_PARTS; p++)
            if (p <= L2R_PART_TEST || s->parts[p] > 0)
                fprintf(stream, "%s %lld %s", p > 0 ? "," : "", (long long)s->parts[p], l2r_part_name(p));
        if (s->parts[L2R_PART_NONE] > 0) fprintf(stream, ", %lld unused", (long long)s->parts[L2R_PART_NONE]);
        fputc('\n', stream);
    } else {
        fprintf(stream, "%-18s none\n", "official split");
    }
    if (s->data->n_environments > 0) print_environments(stream, s);
    fprintf(stream, "%-18s sound: symmetric, sorted, all numbers in range\n", "check");
}

/* As JSON for programs. */

static json_t *range_json(const struct l2r_range *range)
{
    return json_pack("{s:I, s:I, s:o}", "min", (json_int_t)range->min, "max", (json_int_t)range->max, "mean",
                     l2r_json_real(range->mean));
}

static json_t *vocabulary_json(const struct l2r_categories *c)
{
    json_t *list = json_array();
    for (int32_t k = 0; list && k < c->n_columns; k++) json_array_append_new(list, json_integer(c->vocabulary[k]));
    return list;
}

static json_t *label_json(const struct l2r_summary *s, int32_t k)
{
    const struct l2r_label_summary *l = &s->labels[k];
    if (s->data->task == L2R_TASK_MULTICLASS)
        return json_pack("{s:I, s:s?, s:I}", "class", (json_int_t)l->class_value, "name",
                         l2r_dataset_class_name(s->data, 0, k), "graphs", (json_int_t)l->count);
    json_t *task = json_pack("{s:i, s:s?, s:I, s:I}", "task", (int)k, "name", l2r_dataset_task_name(s->data, k),
                             "present", (json_int_t)l->count, "missing", (json_int_t)l->missing);
    if (task && s->data->task == L2R_TASK_BINARY) {
        json_object_set_new(task, "positives", json_integer((json_int_t)l->positives));
        if (s->data->class_names)
            json_object_set_new(
                task, "classes",
                json_pack("[s?, s?]", l2r_dataset_class_name(s->data, k, 0), l2r_dataset_class_name(s->data, k, 1)));
    }
    if (task && s->data->bound) json_object_set_new(task, "bounds", json_integer((json_int_t)l->bounds));
    if (task && s->data->task == L2R_TASK_REGRESSION) {
        json_object_set_new(task, "mean", l2r_json_real(l->mean));
        json_object_set_new(task, "sd", l2r_json_real(l->sd));
        json_object_set_new(task, "min", l2r_json_real(l->min));
        json_object_set_new(task, "max", l2r_json_real(l->max));
    }
    return task;
}

static json_t *environments_json(const struct l2r_summary *s)
{
    json_t *list = json_array();
    for (int32_t k = 0; list && k < s->data->n_environments; k++)
        json_array_append_new(list,
                              json_pack("{s:o, s:I}", "name", l2r_json_name(l2r_dataset_environment_name(s->data, k)),
                                        "graphs", (json_int_t)s->environments[k]));
    return list;
}

static json_t *parts_json(const struct l2r_summary *s)
{
    json_t *parts = json_object();
    for (int p = 0; p < L2R_N_PARTS; p++)
        if (p <= L2R_PART_TEST || s->parts[p] > 0)
            json_object_set_new(parts, l2r_part_name(p), json_integer((json_int_t)s->parts[p]));
    json_object_set_new(parts, "unused", json_integer((json_int_t)s->parts[L2R_PART_NONE]));
    return parts;
}

static void add_counts(json_t *root, const struct l2r_summary *s)
{
    const struct l2r_dataset *data = s->data;
    json_object_set_new(root, "task", json_string(l2r_task_name(data->task)));
    json_object_set_new(root, "n_tasks", json_integer(data->n_tasks));
    json_object_set_new(root, "n_classes", json_integer(data->n_classes));
    json_object_set_new(root, "graphs", json_integer((json_int_t)data->n_graphs));
    json_object_set_new(root, "nodes", json_integer((json_int_t)data->n_nodes));
    json_object_set_new(root, "edges", json_integer((json_int_t)s->n_edges));
    json_object_set_new(root, "self_loops", json_integer((json_int_t)s->n_self_loops));
    json_object_set_new(root, "isolated_nodes", json_integer((json_int_t)s->n_isolated));
    json_object_set_new(root, "edgeless_graphs", json_integer((json_int_t)s->n_edgeless));
    json_object_set_new(root, "nodes_per_graph", range_json(&s->nodes));
    json_object_set_new(root, "edges_per_graph", range_json(&s->edges));
    json_object_set_new(root, "degree", range_json(&s->degree));
    json_object_set_new(root, "node_vocabulary", vocabulary_json(&data->nodes));
    json_object_set_new(root, "node_types", json_integer(data->nodes.n_types));
    json_object_set_new(root, "node_reals", json_integer(data->n_node_reals));
    json_object_set_new(root, "edge_vocabulary", vocabulary_json(&data->arcs));
    json_object_set_new(root, "edge_types", json_integer(data->arcs.n_types));
    json_object_set_new(root, "edge_reals", json_integer(data->arcs.n_reals));
    if (data->weight)
        json_object_set_new(root, "weights", json_pack("{s:f, s:f}", "min", s->least_weight, "max", s->most_weight));
    json_object_set_new(root, "missing_labels", json_integer((json_int_t)s->n_missing));
}

json_t *l2r_summary_to_json(const struct l2r_summary *s)
{
    json_t *root = json_pack("{s:s, s:b}", "name", s->data->name, "sound", s->sound), *labels;
    if (!root) return NULL;
    if (!s->sound) {
        json_object_set_new(root, "problem", json_string(s->problem));
        return root;
    }
    add_counts(root, s);
    labels = json_array();
    for (int32_t k = 0; labels && k < s->n_labels; k++) json_array_append_new(labels, label_json(s, k));
    json_object_set_new(root, "labels", labels);
    if (s->data->n_environments > 0) json_object_set_new(root, "environments", environments_json(s));
    json_object_set_new(root, "official_split", s->has_official ? parts_json(s) : json_null());
    return root;
}
