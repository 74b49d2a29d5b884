/* SPDX-License-Identifier: MIT
 * The public calls of l2r/data.h that make data sets (open, save, from SMILES, from arrays, from a generator)
 * and tell about them as a whole. */
#include <l2r/data.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "data/builder.h"
#include "data/cache.h"
#include "data/descriptor_labels.h"
#include "data/formats/smiles/smiles.h"
#include "data/formats/tu/tu.h"
#include "data/reader.h"
#include "data/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that were made for data or for a run; NULL are the defaults. */
static enum l2r_status check_options(const struct l2r_config *options, struct l2r_error *error)
{
    if (!options || (l2r_config_has(options, l2r_data_options[0].name) && l2r_config_has(options, "cache")))
        return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "options are not those of data; l2r_config_for_data makes them");
}

enum l2r_status l2r_dataset_open(struct l2r_dataset **data, const char *where, const struct l2r_config *options,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(data);
    *data = NULL;
    L2R_NEED(where);
    L2R_TRY(check_options(options, error));
    L2R_TRY(l2r_dataset_load_with(data, where, options, !options || l2r_config_flag(options, "cache"), error));
done:
    return status;
}

enum l2r_status l2r_dataset_save(const struct l2r_dataset *data, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(data);
    L2R_NEED(path);
    L2R_TRY(l2r_cache_save(data, path, error));
done:
    return status;
}

enum l2r_status l2r_dataset_generate(struct l2r_dataset **data, const char *generator, const struct l2r_config *options,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *defaults = NULL;
    L2R_NEED(data);
    *data = NULL;
    L2R_TRY(l2r_config_for_generator(&defaults, generator, error));
    const struct l2r_generator *found = l2r_generator_find(generator);
    for (size_t i = 0; options && found->options[i].name; i++)
        if (!l2r_config_has(options, found->options[i].name))
            L2R_FAIL(L2R_ERR_ARGUMENT, "options are not those of %s; l2r_config_for_generator makes them", generator);
    L2R_TRY(found->generate(data, options ? options : defaults, error));
done:
    l2r_config_free(defaults);
    return status;
}

enum l2r_status l2r_dataset_export(const struct l2r_dataset *data, const char *dir, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(data);
    L2R_NEED(dir);
    L2R_TRY(l2r_tu_write(data, dir, error));
done:
    return status;
}

enum l2r_status l2r_dataset_summary(char **text, const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_summary summary = {0};
    char *page = NULL;
    size_t length = 0;
    L2R_NEED(text);
    *text = NULL;
    L2R_NEED(data);
    L2R_TRY(l2r_summary_make(&summary, data, error));
    FILE *stream = open_memstream(&page, &length);
    if (stream) l2r_summary_print(stream, &summary);
    if (stream && fclose(stream) == 0) *text = l2r_strdup(page); /* memory that l2r_free takes back */
    if (!*text) status = l2r_fail_memory(error, length, "a summary");
done:
    free(page);
    l2r_summary_clear(&summary);
    return status;
}

enum l2r_status l2r_dataset_summary_json(char **json, const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_summary summary = {0};
    L2R_NEED(json);
    *json = NULL;
    L2R_NEED(data);
    L2R_TRY(l2r_summary_make(&summary, data, error));
    L2R_TRY(l2r_json_text(json, l2r_summary_to_json(&summary), error));
done:
    l2r_summary_clear(&summary);
    return status;
}

enum { MOST_TASKS = 1 << 16 /* as many as a model file may hold (nn/signature.c) */ };

static enum l2r_status check_task(enum l2r_task task, int32_t n_tasks, struct l2r_error *error)
{
    if ((int)task < L2R_TASK_MULTICLASS || (int)task > L2R_TASK_REGRESSION)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "task = %d is no task; expected L2R_TASK_MULTICLASS, _BINARY or _REGRESSION", (int)task);
    if (n_tasks < 1 || n_tasks > MOST_TASKS || (task == L2R_TASK_MULTICLASS && n_tasks != 1))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "n_tasks = %d; expected %s", (int)n_tasks,
                        task == L2R_TASK_MULTICLASS ? "1 for a multi-class task" : "1 … 65536");
    return L2R_OK;
}

/* Before any molecule is made, because these take longer. */
static enum l2r_status check_labels(const float *labels, enum l2r_task task, int64_t n, struct l2r_error *error)
{
    for (int64_t i = 0; labels && i < n; i++) {
        float y = labels[i];
        bool good = isnan(y) || (!isinf(y) && (task != L2R_TASK_BINARY || y == 0 || y == 1) &&
                                 (task != L2R_TASK_MULTICLASS || (y == rintf(y) && fabsf(y) <= 16777216)));
        if (!good)
            return l2r_fail(error, L2R_ERR_ARGUMENT, "labels[%lld] = %g is no %s label", (long long)i, (double)y,
                            l2r_task_name(task));
    }
    return L2R_OK;
}

enum l2r_status l2r_dataset_from_smiles(struct l2r_dataset **data, const char *const *smiles, const float *labels,
                                        enum l2r_task task, int32_t n_tasks, int64_t n,
                                        const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *defaults = NULL;
    L2R_NEED(data);
    *data = NULL;
    L2R_NEED(smiles);
    if (n < 1 || n >= INT32_MAX)
        L2R_FAIL(L2R_ERR_ARGUMENT, "n = %lld; expected 1 … %d SMILES", (long long)n, INT32_MAX - 1);
    L2R_TRY(check_task(task, n_tasks, error));
    L2R_TRY(check_labels(labels, task, n * n_tasks, error));
    L2R_TRY(check_options(options, error));
    if (!options) L2R_TRY(l2r_config_for_data(&defaults, error));
    const struct l2r_smiles_list list = {.smiles = smiles, .labels = labels, .task = task, .n_tasks = n_tasks, .n = n};
    bool made = l2r_labels_are_descriptors(options);
    if (made && labels)
        L2R_FAIL(L2R_ERR_ARGUMENT, "labels must be NULL under the option targets=descriptors, which makes them");
    L2R_TRY(l2r_smiles_list_read(data, &list, options ? options : defaults, error));
    if (made) L2R_TRY(l2r_dataset_label_by_descriptors(data, l2r_config_text(options, "target-columns"), error));
done:
    if (status != L2R_OK && data) {
        l2r_dataset_free(*data);
        *data = NULL;
    }
    l2r_config_free(defaults);
    return status;
}

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
    if (edges > 0 && !a->edges) missing = "edges";
    if (nodes > 0 && a->n_node_columns > 0 && !a->node_rows) missing = "node_rows";
    if (edges > 0 && a->n_edge_columns > 0 && !a->edge_rows) missing = "edge_rows";
    if (nodes > 0 && a->n_node_reals > 0 && !a->node_real) missing = "node_real";
    if (edges > 0 && a->n_edge_reals > 0 && !a->edge_real) missing = "edge_real";
    if (a->n_environments > 0 && !a->environments) missing = "environments";
    return missing ? l2r_fail(error, L2R_ERR_ARGUMENT, "arrays.%s is NULL", missing) : L2R_OK;
}

/* The graphs one after the other, each a window on the arrays. */
static enum l2r_status add_graphs(struct l2r_builder *builder, const struct l2r_arrays *a, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t node = 0, edge = 0;
    for (int64_t g = 0; g < a->n_graphs; g++) {
        const struct l2r_graph_view view = {.n_nodes = a->node_counts[g],
                                            .n_edges = a->edge_counts[g],
                                            .edges = a->edges ? a->edges + 2 * edge : NULL,
                                            .node_rows = a->node_rows ? a->node_rows + node * a->n_node_columns : NULL,
                                            .edge_rows = a->edge_rows ? a->edge_rows + edge * a->n_edge_columns : NULL,
                                            .node_real = a->node_real ? a->node_real + node * a->n_node_reals : NULL,
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
    return status;
}

enum l2r_status l2r_dataset_from_arrays(struct l2r_dataset **data, const struct l2r_arrays *arrays,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_builder *builder = NULL;
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
                                      .degree_as_feature = a.degree_as_feature};
    L2R_TRY(l2r_builder_new(&builder, &schema, error));
    L2R_TRY(check_arrays(&a, error));
    L2R_TRY(add_graphs(builder, &a, error));
    L2R_TRY(l2r_builder_finish(data, builder, error));
done:
    l2r_builder_free(builder);
    return status;
}
