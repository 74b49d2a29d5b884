/* SPDX-License-Identifier: MIT
 *
 * The graphs of a workload (workload.h): from its generator or from files, the first so many of them, and written to
 * a folder for other programs.
 *
 *     DIR/NAME_*.txt     TU layout (data/formats/tu/tu.h)
 *     DIR/data.json      {"name": "molecules", "task": "binary", "outputs": 1, "graphs": …, "nodes": …, "arcs": …,
 *                         "node_columns": [119, 5, …], "node_values": null,
 *                         "edge_columns": [5, 6, 2], "edge_values": null}
 *
 * X_columns: the size of each vocabulary. X_values: null when the tables hold category numbers, otherwise a list a
 * column of the source's integers, whose places are the category numbers.
 */
#include "bench/workload.h"

#include "base/memory.h"
#include "data/formats/tu/tu.h"
#include "io/file.h"
#include "io/json_file.h"

#include <stdio.h>

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
