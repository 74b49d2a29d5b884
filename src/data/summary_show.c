/* SPDX-License-Identifier: MIT
 * A summary (see summary.h) as text for people and as JSON for programs. */
#include "data/summary.h"

#include "base/json.h"

#include <string.h>

static void print_range(FILE *stream, const char *name, const struct l2r_range *range)
{
    fprintf(stream, "%-18s %lld to %lld, mean %.2f\n", name, (long long)range->min, (long long)range->max, range->mean);
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

static void print_label(FILE *stream, const struct l2r_summary *s, int32_t k)
{
    const struct l2r_label_summary *label = &s->labels[k];
    if (s->data->task == L2R_TASK_MULTICLASS) {
        fprintf(stream, "  class %-10lld %lld graphs (%.1f %%)\n", (long long)label->class_value,
                (long long)label->count, percent(label->count, s->data->n_graphs));
        return;
    }
    fprintf(stream, "  task %-11d ", k);
    if (s->data->task == L2R_TASK_BINARY)
        fprintf(stream, "%lld positive of %lld (%.1f %%)", (long long)label->positives, (long long)label->count,
                percent(label->positives, label->count));
    else if (label->count > 0)
        fprintf(stream, "mean %.4f, sd %.4f, %g to %g", label->mean, label->sd, label->min, label->max);
    else
        fprintf(stream, "no label");
    if (label->missing > 0) fprintf(stream, ", %lld missing", (long long)label->missing);
    fputc('\n', stream);
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
    print_categories(stream, "edge features", &data->arcs, 0);
    fprintf(stream, "%-18s %s, %d %s\n", "task", l2r_task_name(data->task), s->n_labels,
            data->task == L2R_TASK_MULTICLASS ? (s->n_labels == 1 ? "class" : "classes")
                                              : (s->n_labels == 1 ? "task" : "tasks"));
    for (int32_t k = 0; k < s->n_labels; k++) print_label(stream, s, k);
    if (s->n_missing > 0)
        fprintf(stream, "%-18s %lld (%.2f %%)\n", "missing labels", (long long)s->n_missing,
                percent(s->n_missing, data->n_graphs * data->n_tasks));
    if (s->has_official) {
        fprintf(stream, "%-18s %lld train, %lld valid, %lld test", "official split",
                (long long)s->parts[L2R_PART_TRAIN], (long long)s->parts[L2R_PART_VALID],
                (long long)s->parts[L2R_PART_TEST]);
        if (s->parts[L2R_PART_NONE] > 0) fprintf(stream, ", %lld unused", (long long)s->parts[L2R_PART_NONE]);
        fputc('\n', stream);
    } else {
        fprintf(stream, "%-18s none\n", "official split");
    }
    fprintf(stream, "%-18s sound: symmetric, sorted, all numbers in range\n", "check");
}

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
        return json_pack("{s:I, s:I}", "class", (json_int_t)l->class_value, "graphs", (json_int_t)l->count);
    json_t *task = json_pack("{s:i, s:I, s:I}", "task", (int)k, "present", (json_int_t)l->count, "missing",
                             (json_int_t)l->missing);
    if (task && s->data->task == L2R_TASK_BINARY)
        json_object_set_new(task, "positives", json_integer((json_int_t)l->positives));
    if (task && s->data->task == L2R_TASK_REGRESSION) {
        json_object_set_new(task, "mean", l2r_json_real(l->mean));
        json_object_set_new(task, "sd", l2r_json_real(l->sd));
        json_object_set_new(task, "min", l2r_json_real(l->min));
        json_object_set_new(task, "max", l2r_json_real(l->max));
    }
    return task;
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
    json_object_set_new(
        root, "official_split",
        s->has_official ? json_pack("{s:I, s:I, s:I, s:I}", "train", (json_int_t)s->parts[L2R_PART_TRAIN], "valid",
                                    (json_int_t)s->parts[L2R_PART_VALID], "test", (json_int_t)s->parts[L2R_PART_TEST],
                                    "unused", (json_int_t)s->parts[L2R_PART_NONE])
                        : json_null());
    return root;
}
