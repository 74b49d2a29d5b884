/* SPDX-License-Identifier: MIT
 *
 * See workload.h: the table of workloads, their options, and their graphs, from a generator or from files. Numbers of
 * graphs are chosen for epochs of a few seconds at most.
 *
 * What l2r_workload_export writes for other programs:
 *
 *     DIR/NAME_*.txt     TU layout (data/formats/tu/tu.h)
 *     DIR/data.json      {"name": "molecules", "task": "binary", "outputs": 1, "graphs": …, "nodes": …, "arcs": …,
 *                         "node_columns": [119, 5, …], "node_values": null,
 *                         "edge_columns": [5, 6, 2], "edge_values": null}
 *
 * X_columns: the size of each vocabulary. X_values: null when the tables hold category numbers; otherwise, for each
 * column, the source's integers in the order of their category numbers.
 */
#include "bench/workload.h"

#include "base/memory.h"
#include "data/formats/tu/tu.h"
#include "io/file.h"
#include "io/json_file.h"
#include "store/run.h"

#include <stdio.h>
#include <string.h>

/* ---- networks and options ---- */

const struct l2r_workload l2r_workloads[] = {
    {"gcn-5x300", "GCN, 5 layers of 300, bond features", "gcn", "5", "300", true, "molecules", 1280},
    {"gin-5x300", "GIN, 5 layers of 300, MLP 300-600-300, bond features", "gin", "5", "300", true, "molecules", 1280},
    {"gcn-3x128", "GCN, 3 layers of 128", "gcn", "3", "128", false, "molecules", 5120},
    {"gin-3x128", "GIN, 3 layers of 128, MLP 128-256-128", "gin", "3", "128", false, "molecules", 5120},
    {"dd-gcn-3x128", "GCN, 3 layers of 128, graphs as large as proteins", "gcn", "3", "128", false, "proteins", 512},
    {0}};

const struct l2r_workload *l2r_workload_find(const char *name)
{
    for (const struct l2r_workload *w = l2r_workloads; w->name; w++)
        if (strcmp(w->name, name) == 0) return w;
    return NULL;
}

enum l2r_status l2r_workload_configure(struct l2r_config *config, const struct l2r_workload *w, const char *method,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_default settings[] = {
        {"layers", w->layers}, {"hidden", w->hidden},  {"edge-features", w->edge_features ? "true" : "false"},
        {"batch-size", "128"}, {"dropout", "0.5"},     {"optimiser", "adam"},
        {"readout", "mean"},   {"batch-norm", "true"}, {"epochs", "5"}};
    L2R_TRY(l2r_run_declare(config, w->model, method, error));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        L2R_TRY(l2r_config_set_default(config, settings[i].option, settings[i].value, error));
done:
    return status;
}

json_t *l2r_workload_to_json(const struct l2r_workload *w)
{
    static const char *const shown[] = {"model",      "layers",          "hidden",  "edge-features",
                                        "batch-size", "eval-batch-size", "dropout", "optimiser",
                                        "batch-norm", "readout",         "lr"};
    struct l2r_config *config = NULL;
    json_t *row = NULL, *all = NULL;
    if (l2r_config_new(&config, NULL) == L2R_OK && l2r_workload_configure(config, w, "erm", NULL) == L2R_OK &&
        (all = l2r_config_to_json(config))) {
        row = json_pack("{s:s, s:s}", "name", w->name, "title", w->title);
        for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
            json_object_set(row, shown[i], json_object_get(all, shown[i]));
        json_object_set_new(row, "data", json_string(w->generator));
        json_object_set_new(row, "graphs", json_integer(w->graphs));
    }
    json_decref(all);
    l2r_config_free(config);
    return row;
}

/* ---- graphs ---- */

/* The first n graphs, in the same memory. (Its count of self loops is the whole set's; nothing here reads it.) */
static struct l2r_dataset first_graphs(const struct l2r_dataset *whole, int64_t n)
{
    struct l2r_dataset data = *whole;
    if (n > 0 && n < whole->n_graphs) {
        data.n_graphs = n;
        data.n_nodes = whole->node_start[n];
        data.n_arcs = whole->arc_start[data.n_nodes];
    }
    return data;
}

static enum l2r_status split_all(struct l2r_split *split, int64_t n, struct l2r_error *error)
{
    *split = (struct l2r_split){.rule = "all", .n_graphs = n, .start = {0, n, n, n}};
    split->graphs = l2r_alloc((size_t)n, sizeof *split->graphs);
    if (!split->graphs) return l2r_fail_memory(error, (size_t)n * sizeof *split->graphs, "the split");
    for (int64_t i = 0; i < n; i++) split->graphs[i] = (int32_t)i;
    return L2R_OK;
}

enum l2r_status l2r_workload_load(struct l2r_workload_data *load, const struct l2r_workload *w, const char *where,
                                  int64_t limit, bool use_cache, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char own[128];
    *load = (struct l2r_workload_data){0};
    snprintf(own, sizeof own, "%s:graphs=%lld", w->generator, (long long)(limit > 0 ? limit : w->graphs));
    L2R_TRY(l2r_dataset_load(&load->whole, where ? where : own, use_cache, error));
    load->data = first_graphs(load->whole, limit);
    L2R_TRY(split_all(&load->split, load->data.n_graphs, error));
done:
    return status;
}

void l2r_workload_data_clear(struct l2r_workload_data *load)
{
    l2r_split_clear(&load->split);
    l2r_dataset_free(load->whole);
    *load = (struct l2r_workload_data){0};
}

static json_t *columns_of(const struct l2r_categories *table)
{
    json_t *list = json_array();
    for (int32_t k = 0; k < table->n_columns; k++) json_array_append_new(list, json_integer(table->vocabulary[k]));
    return list;
}

static json_t *values_of(const struct l2r_categories *table)
{
    if (table->n_values == 0) return json_null();
    const int64_t *value = table->value;
    json_t *list = json_array();
    for (int32_t k = 0; k < table->n_columns; k++) {
        json_t *column = json_array();
        for (int32_t i = 0; i < table->vocabulary[k]; i++) json_array_append_new(column, json_integer(*value++));
        json_array_append_new(list, column);
    }
    return list;
}

enum l2r_status l2r_workload_export(const struct l2r_workload_data *load, const char *dir, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_dataset *data = &load->data;
    char path[4400];
    json_t *about = NULL;
    L2R_TRY(l2r_tu_write(data, dir, error));
    about = json_pack("{s:s, s:s, s:i, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "name", data->name, "task",
                      l2r_task_name(data->task), "outputs",
                      data->task == L2R_TASK_MULTICLASS ? (int)data->n_classes : (int)data->n_tasks, "graphs",
                      (json_int_t)data->n_graphs, "nodes", (json_int_t)data->n_nodes, "arcs", (json_int_t)data->n_arcs,
                      "node_columns", columns_of(&data->nodes), "node_values", values_of(&data->nodes), "edge_columns",
                      columns_of(&data->arcs), "edge_values", values_of(&data->arcs));
    L2R_TRY(l2r_path_join(path, sizeof path, dir, "data.json", error));
    L2R_TRY(l2r_json_write(about, path, error));
done:
    json_decref(about);
    return status;
}
