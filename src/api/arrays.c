/* SPDX-License-Identifier: MIT
 * The public calls of l2r/arrays.h that make data sets of arrays, and of the graphs of other data sets. */
#include <l2r/arrays.h>

#include "api/names.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "data/builder.h"
#include "data/gather.h"

#include <string.h>

static enum l2r_status check_arrays(const struct l2r_arrays *a, struct l2r_error *error)
{
    const char *missing = NULL;
    int64_t nodes = 0, edges = 0;
    if (a->n_graphs < 1 || a->n_graphs >= INT32_MAX - 1)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "arrays.n_graphs = %lld; expected 1 … %d", (long long)a->n_graphs,
                        INT32_MAX - 2);
    if (!a->node_counts || !a->edge_counts)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "arrays.%s is NULL", a->node_counts ? "edge_counts" : "node_counts");
    for (int64_t g = 0; g < a->n_graphs; g++) {
        int64_t v = a->node_counts[g], e = a->edge_counts[g];
        if (v < 0 || e < 0 || v >= INT32_MAX || e >= INT32_MAX)
            return l2r_fail(error, L2R_ERR_ARGUMENT, "graph %lld has %lld nodes and %lld edges; each must be 0 … %d",
                            (long long)g, (long long)v, (long long)e, INT32_MAX - 1);
        nodes += v;
        edges += e;
    }
    if (nodes > 0 && a->n_node_columns > 0 && !a->node_rows) missing = "node_rows";
    if (edges > 0 && a->n_edge_columns > 0 && !a->edge_rows) missing = "edge_rows";
    if (nodes > 0 && a->n_node_reals > 0 && !a->node_real) missing = "node_real";
    if (edges > 0 && a->n_edge_reals > 0 && !a->edge_real) missing = "edge_real";
    if (a->n_environments > 0 && !a->environments) missing = "environments";
    if (edges > 0 && !a->edges && !a->edge_index) missing = "edges";
    if (a->edges && a->edge_index)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "arrays.edges and arrays.edge_index are both given; expected one");
    return missing ? l2r_fail(error, L2R_ERR_ARGUMENT, "arrays.%s is NULL", missing) : L2R_OK;
}

/* The edges of graph g, which begin at `edge`, from the layout of edge_index; its nodes begin at `node`. */
static enum l2r_status take_edges(struct l2r_array *pairs, const struct l2r_arrays *a, int64_t n_all, int64_t g,
                                  int64_t node, int64_t edge, struct l2r_error *error)
{
    int64_t n = a->edge_counts[g], base = a->edge_index_is_global ? node : 0;
    if (!l2r_reserve(&pairs->items, &pairs->capacity, 2 * (size_t)n + 1, sizeof(int32_t)))
        return l2r_fail_memory(error, 2 * (size_t)n * sizeof(int32_t), "the edges of a graph");
    int32_t *pair = pairs->items;
    for (int64_t e = 0; e < n; e++)
        for (int end = 0; end < 2; end++) {
            int64_t v = a->edge_index[end * n_all + edge + e];
            if (v < base || v >= base + a->node_counts[g])
                return l2r_fail(error, L2R_ERR_ARGUMENT,
                                "edge_index names node %lld at edge %lld of graph %lld, outside %lld..%lld",
                                (long long)v, (long long)e, (long long)g, (long long)base,
                                (long long)(base + a->node_counts[g]) - 1);
            pair[2 * e + end] = (int32_t)(v - base);
        }
    return L2R_OK;
}

/* The graphs one after the other, each a window on the arrays. */
static enum l2r_status add_graphs(struct l2r_builder *builder, const struct l2r_arrays *a, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_array pairs = {0};
    int64_t node = 0, edge = 0, n_all = 0;
    for (int64_t g = 0; g < a->n_graphs; g++) n_all += a->edge_counts[g];
    for (int64_t g = 0; g < a->n_graphs; g++) {
        if (a->edge_index) L2R_TRY(take_edges(&pairs, a, n_all, g, node, edge, error));
        const struct l2r_graph_view view = {.n_nodes = a->node_counts[g],
                                            .n_edges = a->edge_counts[g],
                                            .edges = a->edges        ? a->edges + 2 * edge
                                                     : a->edge_index ? pairs.items
                                                                     : NULL,
                                            .node_rows = a->node_rows ? a->node_rows + node * a->n_node_columns : NULL,
                                            .edge_rows = a->edge_rows ? a->edge_rows + edge * a->n_edge_columns : NULL,
                                            .node_real = a->node_real ? a->node_real + node * a->n_node_reals : NULL,
                                            .node_mark = a->node_marks ? a->node_marks + node : NULL,
                                            .edge_real = a->edge_real ? a->edge_real + edge * a->n_edge_reals : NULL,
                                            .weight = a->weights ? a->weights + g : NULL,
                                            .bound = a->bounds ? a->bounds + g * a->n_tasks : NULL,
                                            .labels = a->labels ? a->labels + g * a->n_tasks : NULL,
                                            .environment = a->n_environments > 0 ? a->environments[g] : 0,
                                            .part = a->parts ? a->parts[g] : L2R_PART_NONE};
        L2R_TRY(l2r_builder_add(builder, &view, error));
        node += view.n_nodes;
        edge += view.n_edges;
    }
done:
    l2r_array_clear(&pairs);
    return status;
}

enum l2r_status l2r_dataset_from_arrays(struct l2r_dataset **data, const struct l2r_arrays *arrays,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_builder *builder = NULL;
    struct l2r_array names = {0};
    struct l2r_arrays a;
    L2R_NEED(data);
    *data = NULL;
    L2R_TRY(l2r_struct_take(&a, sizeof a, sizeof a, arrays, "arrays", error));
    const struct l2r_schema schema = {.name = a.name,
                                      .task = a.task,
                                      .n_tasks = a.n_tasks,
                                      .n_node_columns = a.n_node_columns,
                                      .n_edge_columns = a.n_edge_columns,
                                      .n_node_reals = a.n_node_reals,
                                      .n_edge_reals = a.n_edge_reals,
                                      .node_vocabulary = a.node_vocabulary,
                                      .edge_vocabulary = a.edge_vocabulary,
                                      .n_environments = a.n_environments,
                                      .environment_names = a.environment_names,
                                      .has_marks = a.node_marks != NULL,
                                      .degree_as_feature = a.degree_as_feature};
    L2R_TRY(l2r_builder_new(&builder, &schema, error));
    L2R_TRY(check_arrays(&a, error));
    L2R_TRY(add_graphs(builder, &a, error));
    if (a.task_names) L2R_TRY(l2r_names_join(&names, "task_names", a.task_names, a.n_tasks, error));
    const struct l2r_origin origin = {.task_names = names.items, .n_task_names = names.n};
    L2R_TRY(l2r_builder_set_origin(builder, &origin, error));
    L2R_TRY(l2r_builder_finish(data, builder, error));
done:
    l2r_array_clear(&names);
    l2r_builder_free(builder);
    return status;
}

/* ---- labels, names, … of the same graphs ---- */

/* Graphs without nodes that carry labels, names, …: the builder checks these and numbers the classes. */
static enum l2r_status label_nothing(struct l2r_dataset **about, const struct l2r_relabelling *r,
                                     const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t *zeros = l2r_alloc((size_t)data->n_graphs, sizeof *zeros);
    bool kept = !r->labels && r->bounds; /* bounds of the existing labels */
    const struct l2r_arrays bare = {.size = sizeof bare,
                                    .name = r->name ? r->name : data->name,
                                    .task = r->labels ? r->task
                                            : kept    ? data->task
                                                      : L2R_TASK_REGRESSION,
                                    .n_tasks = r->labels ? r->n_tasks
                                               : kept    ? data->n_tasks
                                                         : 1,
                                    .n_graphs = data->n_graphs,
                                    .node_counts = zeros,
                                    .edge_counts = zeros,
                                    .labels = kept ? data->labels : r->labels,
                                    .task_names = r->labels ? r->task_names : NULL,
                                    .bounds = r->bounds,
                                    .weights = r->weights,
                                    .parts = r->parts,
                                    .n_environments = r->n_environments,
                                    .environments = r->environments,
                                    .environment_names = r->environment_names};
    if (!zeros) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: labels and names of %lld graphs", (long long)data->n_graphs);
    L2R_TRY(l2r_dataset_from_arrays(about, &bare, error));
done:
    l2r_free(zeros);
    return status;
}

static void take_labels(struct l2r_dataset *made, const struct l2r_dataset *about)
{
    made->task = about->task;
    made->n_tasks = about->n_tasks;
    made->n_classes = about->n_classes;
    made->labels = about->labels;
    made->class_value = about->class_value;
    made->class_names = NULL;
    made->n_class_names = 0;
    made->task_names = about->task_names;
    made->n_task_names = about->n_task_names;
}

enum l2r_status l2r_dataset_relabel(struct l2r_dataset **copy, const struct l2r_dataset *data,
                                    const struct l2r_relabelling *relabelling, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *about = NULL;
    struct l2r_relabelling r;
    L2R_NEED(copy);
    *copy = NULL;
    L2R_NEED(data);
    L2R_TRY(l2r_struct_take(&r, sizeof r, sizeof r, relabelling, "relabelling", error));
    L2R_TRY(label_nothing(&about, &r, data, error));
    struct l2r_dataset *made = l2r_dataset_share(data);
    if (!made) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a data set");
    memcpy(made->name, about->name, sizeof made->name);
    if (r.labels) take_labels(made, about);
    if (r.labels || r.bounds) made->bound = about->bound;
    if (r.weights) made->weight = about->weight;
    if (r.parts) made->official = about->official;
    if (r.n_environments > 0) {
        made->environment = about->environment;
        made->n_environments = about->n_environments;
        made->environment_names = about->environment_names;
        made->n_environment_names = about->n_environment_names;
    }
    made->block = about->block; /* ownership moves */
    made->block_size = about->block_size;
    about->block = NULL;
    *copy = made;
done:
    l2r_dataset_free(about);
    return status;
}

/* ---- other graphs ---- */

enum l2r_status l2r_dataset_subset(struct l2r_dataset **subset, const struct l2r_dataset *data, const int64_t *graphs,
                                   int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool *taken = NULL;
    L2R_NEED(subset);
    *subset = NULL;
    L2R_NEED(data);
    L2R_NEED(graphs);
    if (n < 1 || n > data->n_graphs)
        L2R_FAIL(L2R_ERR_ARGUMENT, "n = %lld; expected 1 … %lld (the data set has so many graphs)", (long long)n,
                 (long long)data->n_graphs);
    taken = l2r_alloc((size_t)data->n_graphs, sizeof *taken);
    if (!taken) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a subset of %lld graphs", (long long)n);
    for (int64_t i = 0; i < n; i++) {
        if (graphs[i] < 0 || graphs[i] >= data->n_graphs)
            L2R_FAIL(L2R_ERR_ARGUMENT, "graphs[%lld] = %lld; expected 0 … %lld", (long long)i, (long long)graphs[i],
                     (long long)data->n_graphs - 1);
        if (taken[graphs[i]])
            L2R_FAIL(L2R_ERR_ARGUMENT, "graphs[%lld] = %lld, which is in the list twice", (long long)i,
                     (long long)graphs[i]);
        taken[graphs[i]] = true;
    }
    const struct l2r_gathered source = {data, graphs, n};
    L2R_TRY(l2r_gather(subset, &source, 1, error));
done:
    l2r_free(taken);
    return status;
}

enum l2r_status l2r_dataset_concatenate(struct l2r_dataset **all, const struct l2r_dataset *const *data, int64_t n,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_gathered *sources = NULL;
    L2R_NEED(all);
    *all = NULL;
    L2R_NEED(data);
    if (n < 1 || n > 1 << 20) L2R_FAIL(L2R_ERR_ARGUMENT, "n = %lld; expected 1 … %d data sets", (long long)n, 1 << 20);
    sources = l2r_alloc((size_t)n, sizeof *sources);
    if (!sources) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a list of %lld data sets", (long long)n);
    for (int64_t k = 0; k < n; k++) {
        if (!data[k]) L2R_FAIL(L2R_ERR_ARGUMENT, "data[%lld] is NULL", (long long)k);
        sources[k] = (struct l2r_gathered){data[k], NULL, data[k]->n_graphs};
    }
    L2R_TRY(l2r_gather(all, sources, n, error));
done:
    l2r_free(sources);
    return status;
}
