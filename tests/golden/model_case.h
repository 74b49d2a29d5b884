/* SPDX-License-Identifier: MIT
 *
 * One file of golden/models/ as a data set and a network with the initial numbers of the file (see export_models.py):
 *
 *     graph.nodes, graph.edges    sizes; edges, node_rows, edge_rows, node_real, labels follow graph by graph
 *     initial, gradient, final    all parameters in a row, then running statistics; "places" says where each is
 *     metadata                    model, task, options of the run, places, still, vocabulary (the last four are JSON)
 */
#ifndef L2R_TESTS_MODEL_CASE_H
#define L2R_TESTS_MODEL_CASE_H

#include "data/builder.h"
#include "io/safetensors.h"
#include "nn/network.h"
#include "store/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct golden {
    struct l2r_safetensors *file;
    json_t *places, *still; /* {"head.weight": [offset, rows, cols], …}, ["layers.0.mlp.0.bias", …] */
    struct l2r_dataset *data;
    struct l2r_config *config;
    struct l2r_arena arena; /* signature, class weights, numbers of the graphs */
    struct l2r_network network;
    struct l2r_tape tape;
    int32_t *graphs; /* 0 … n-1 */
    l2r_real *weights;
};

static inline void must(enum l2r_status status, const struct l2r_error *error)
{
    if (status != L2R_OK) fail_msg("%s", error->message);
}

static inline const struct l2r_tensor *tensor(const struct golden *g, const char *name)
{
    const struct l2r_tensor *found = l2r_safetensors_find(g->file, name);
    if (!found) fail_msg("the file has no tensor %s", name);
    return found;
}

static inline json_t *parsed(const struct golden *g, const char *key)
{
    json_t *value = json_loads(l2r_safetensors_metadata(g->file, key), 0, NULL);
    assert_non_null(value);
    return value;
}

static inline void read_vocabulary(int32_t out[8], const json_t *list)
{
    for (size_t k = 0; k < json_array_size(list); k++) out[k] = (int32_t)json_integer_value(json_array_get(list, k));
}

static inline enum l2r_task task_of(const char *name)
{
    if (strcmp(name, "multiclass") == 0) return L2R_TASK_MULTICLASS;
    return strcmp(name, "binary") == 0 ? L2R_TASK_BINARY : L2R_TASK_REGRESSION;
}

static inline void build_data(struct golden *g)
{
    struct l2r_builder *builder;
    struct l2r_error error;
    int32_t node_vocabulary[8], edge_vocabulary[8];
    json_t *vocabulary = parsed(g, "vocabulary");
    read_vocabulary(node_vocabulary, json_array_get(vocabulary, 0));
    read_vocabulary(edge_vocabulary, json_array_get(vocabulary, 1));
    json_decref(vocabulary);
    const int32_t *nodes = tensor(g, "graph.nodes")->data, *edges = tensor(g, "graph.edges")->data;
    const struct l2r_tensor *node_rows = tensor(g, "node_rows"), *edge_rows = tensor(g, "edge_rows"),
                            *reals = tensor(g, "node_real"), *labels = tensor(g, "labels");
    struct l2r_schema schema = {.name = "golden",
                                .task = task_of(l2r_safetensors_metadata(g->file, "task")),
                                .n_tasks = (int32_t)labels->shape[1],
                                .n_node_columns = (int32_t)node_rows->shape[1],
                                .n_edge_columns = (int32_t)edge_rows->shape[1],
                                .n_node_reals = (int32_t)reals->shape[1],
                                .node_vocabulary = node_vocabulary,
                                .edge_vocabulary = edge_vocabulary};
    must(l2r_builder_new(&builder, &schema, &error), &error);
    int64_t node = 0, edge = 0;
    for (int64_t i = 0; i < labels->shape[0]; i++) {
        struct l2r_graph_view view = {.n_nodes = nodes[i],
                                      .n_edges = edges[i],
                                      .edges = (const int32_t *)tensor(g, "edges")->data + 2 * edge,
                                      .node_rows = (const int32_t *)node_rows->data + node * schema.n_node_columns,
                                      .edge_rows = (const int32_t *)edge_rows->data + edge * schema.n_edge_columns,
                                      .node_real = (const float *)reals->data + node * schema.n_node_reals,
                                      .labels = (const float *)labels->data + i * schema.n_tasks,
                                      .part = L2R_PART_NONE};
        must(l2r_builder_add(builder, &view, &error), &error);
        node += nodes[i];
        edge += edges[i];
    }
    must(l2r_builder_finish(&g->data, builder, &error), &error);
    l2r_builder_free(builder);
}

static inline void build_config(struct golden *g)
{
    struct l2r_error error;
    json_t *options = parsed(g, "options");
    must(l2r_config_new(&g->config, &error), &error);
    must(l2r_run_declare(g->config, l2r_safetensors_metadata(g->file, "model"), "erm", &error), &error);
    must(l2r_config_from_json(g->config, options, "options", &error), &error);
    json_decref(options);
}

/* A tensor of per-graph or per-class numbers that not every case has. */
static inline l2r_real *optional(struct golden *g, const char *name)
{
    const struct l2r_tensor *found = l2r_safetensors_find(g->file, name);
    if (!found) return NULL;
    l2r_real *copy = l2r_arena_alloc(&g->arena, (size_t)found->shape[0], sizeof *copy);
    for (int64_t i = 0; i < found->shape[0]; i++) copy[i] = (l2r_real)((const float *)found->data)[i];
    return copy;
}

/* Where the file keeps this parameter; the shapes must agree. */
static inline int64_t place_of(const struct golden *g, const struct l2r_param *p)
{
    const json_t *place = json_object_get(g->places, p->name);
    if (!place) fail_msg("the reference has no %s", p->name);
    assert_int_equal(json_integer_value(json_array_get(place, 1)), p->rows);
    assert_int_equal(json_integer_value(json_array_get(place, 2)), p->cols);
    return json_integer_value(json_array_get(place, 0));
}

static inline void build_network(struct golden *g)
{
    struct l2r_error error;
    struct l2r_signature signature;
    const struct l2r_model_type *type = l2r_model_find(l2r_config_text(g->config, "model"));
    must(l2r_signature_make(&signature, &g->arena, g->data, g->graphs, g->data->n_graphs, &error), &error);
    must(l2r_network_init(&g->network, type, g->config, &signature, 0, &error), &error);
    g->network.class_weight = optional(g, "class_weight");
    g->weights = optional(g, "weights");
    assert_int_equal(json_object_size(g->places), g->network.params.count);
    for (size_t i = 0; i < g->network.params.count; i++) {
        struct l2r_param *p = g->network.params.items[i];
        const float *initial = (const float *)tensor(g, "initial")->data + place_of(g, p);
        for (int64_t k = 0; k < p->rows * p->cols; k++) p->value[k] = (l2r_real)initial[k];
    }
}

static inline struct golden open_golden(const char *path)
{
    struct golden g = {0};
    struct l2r_error error;
    must(l2r_safetensors_read(&g.file, path, &error), &error);
    g.places = parsed(&g, "places");
    g.still = parsed(&g, "still");
    l2r_arena_init(&g.arena);
    l2r_tape_init(&g.tape);
    build_data(&g);
    build_config(&g);
    g.graphs = l2r_arena_alloc(&g.arena, (size_t)g.data->n_graphs, sizeof *g.graphs);
    for (int32_t i = 0; i < g.data->n_graphs; i++) g.graphs[i] = i;
    build_network(&g);
    return g;
}

static inline void close_golden(struct golden *g)
{
    l2r_network_clear(&g->network);
    l2r_tape_clear(&g->tape);
    l2r_arena_clear(&g->arena);
    l2r_config_free(g->config);
    l2r_dataset_free(g->data);
    json_decref(g->places);
    json_decref(g->still);
    l2r_safetensors_free(g->file);
}

#endif
