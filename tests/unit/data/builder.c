/* SPDX-License-Identifier: MIT
 * The builder: edges once and symmetric against a brute-force matrix, types, classes, refusals, every failing
 * allocation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rng.h"
#include "data/builder.h"
#include "data/dataset.h"
#include "support/messages.h"

#include <math.h>
#include <string.h>

static struct l2r_error error;

static struct l2r_dataset *build(const struct l2r_schema *schema, const struct l2r_graph_view *graphs, int n)
{
    struct l2r_builder *builder;
    struct l2r_dataset *data = NULL;
    assert_int_equal(l2r_builder_new(&builder, schema, &error), L2R_OK);
    for (int g = 0; g < n; g++) assert_int_equal(l2r_builder_add(builder, &graphs[g], &error), L2R_OK);
    assert_int_equal(l2r_builder_finish(&data, builder, &error), L2R_OK);
    l2r_builder_free(builder);
    assert_int_equal(l2r_dataset_check_ranges(data, &error), L2R_OK);
    assert_int_equal(l2r_dataset_check_symmetry(data, &error), L2R_OK);
    return data;
}

static const struct l2r_schema plain = {.name = "t", .task = L2R_TASK_BINARY, .n_tasks = 1, .degree_as_feature = true};

static void edges_count_once(void **state)
{
    (void)state;
    const int32_t edges[] = {2, 0, 0, 2, 1, 1, 1, 1, 0, 1, 0, 2};
    const float label = 1;
    const struct l2r_graph_view graph = {
        .n_nodes = 4, .n_edges = 6, .edges = edges, .labels = &label, .part = L2R_PART_NONE};
    struct l2r_dataset *data = build(&plain, &graph, 1);
    assert_int_equal(data->n_arcs, 5); /* 0-1, 0-2 twice each, 1-1 once */
    assert_int_equal(data->n_self_loops, 1);
    assert_int_equal(l2r_dataset_n_edges(data), 3);
    assert_memory_equal(data->neighbour, ((int32_t[]){1, 2, 0, 1, 0}), 5 * sizeof(int32_t));
    assert_memory_equal(data->arc_start, ((int64_t[]){0, 2, 4, 5, 5}), 5 * sizeof(int64_t));
    /* The degree is the feature: 2 2 1 0, a self loop counts once. */
    for (int v = 0; v < 4; v++) assert_int_equal(data->nodes.rows[data->nodes.type[v]], ((int[]){2, 2, 1, 0})[v]);
    assert_int_equal(data->nodes.vocabulary[0], 3);
    assert_int_equal(data->nodes.n_types, 3);
    assert_int_equal(data->arcs.n_types, 1);
    assert_int_equal(data->arcs.n_columns, 0);
    assert_null(data->official);
    assert_null(data->node_mark);
    l2r_dataset_free(data);
}

static void first_edge_row_wins(void **state)
{
    (void)state;
    const int32_t edges[] = {1, 0, 0, 1, 1, 2, 2, 2}, rows[] = {3, 9, 1, 5}; /* 9 is dropped with its edge */
    const int32_t nodes[] = {4, 0, 4, 0, 5, 1};
    const float label = NAN;
    const struct l2r_schema schema = {
        .name = "t", .task = L2R_TASK_BINARY, .n_tasks = 1, .n_node_columns = 2, .n_edge_columns = 1};
    const struct l2r_graph_view graph = {.n_nodes = 3,
                                         .n_edges = 4,
                                         .edges = edges,
                                         .node_rows = nodes,
                                         .edge_rows = rows,
                                         .labels = &label,
                                         .part = L2R_PART_TEST};
    struct l2r_dataset *data = build(&schema, &graph, 1);
    assert_int_equal(data->n_arcs, 5);
    static const int expected[] = {3, 3, 1, 1, 5}; /* 0→1 1→0 1→2 2→1 2→2 */
    for (int a = 0; a < 5; a++) assert_int_equal(data->arcs.rows[data->arcs.type[a]], expected[a]);
    assert_int_equal(data->arcs.n_types, 3);
    assert_int_equal(data->arcs.vocabulary[0], 6);
    assert_int_equal(data->nodes.n_types, 2);
    assert_int_equal(data->nodes.type[0], data->nodes.type[1]);
    assert_int_equal(data->nodes.vocabulary[0], 6);
    assert_int_equal(data->official[0], L2R_PART_TEST);
    l2r_dataset_free(data);
}

static void classes_ascend(void **state)
{
    (void)state;
    struct l2r_graph_view graphs[4];
    const float labels[] = {7, -1, 7, 0};
    struct l2r_schema schema = plain;
    schema.task = L2R_TASK_MULTICLASS;
    for (int g = 0; g < 4; g++)
        graphs[g] = (struct l2r_graph_view){.n_nodes = g, .labels = &labels[g], .part = L2R_PART_NONE};
    struct l2r_dataset *data = build(&schema, graphs, 4);
    assert_int_equal(data->n_classes, 3);
    assert_memory_equal(data->class_value, ((int64_t[]){-1, 0, 7}), 3 * sizeof(int64_t));
    for (int g = 0; g < 4; g++) assert_true(data->labels[g] == ((float[]){2, 0, 2, 1})[g]);
    assert_memory_equal(data->node_start, ((int64_t[]){0, 0, 1, 3, 6}), 5 * sizeof(int64_t));
    l2r_dataset_free(data);
}

/* Random multigraphs against an adjacency matrix. */
static void agrees_with_a_matrix(void **state)
{
    (void)state;
    struct l2r_rng rng = l2r_rng_at(3, L2R_RANDOM_TEST, 0);
    const float label = 0;
    for (int round = 0; round < 200; round++) {
        int32_t n = (int32_t)l2r_rng_below(&rng, 9) + 1, m = (int32_t)l2r_rng_below(&rng, 40), edges[80];
        bool matrix[9][9] = {{false}};
        for (int e = 0; e < m; e++) {
            int32_t u = edges[2 * e] = (int32_t)l2r_rng_below(&rng, (uint64_t)n);
            int32_t v = edges[2 * e + 1] = (int32_t)l2r_rng_below(&rng, (uint64_t)n);
            matrix[u][v] = matrix[v][u] = true;
        }
        const struct l2r_graph_view graph = {
            .n_nodes = n, .n_edges = m, .edges = edges, .labels = &label, .part = L2R_PART_NONE};
        struct l2r_dataset *data = build(&plain, &graph, 1);
        int64_t a = 0;
        for (int u = 0; u < n; u++) {
            assert_int_equal(data->arc_start[u], a);
            for (int v = 0; v < n; v++)
                if (matrix[u][v]) assert_int_equal(data->neighbour[a++], v);
        }
        assert_int_equal(data->n_arcs, a);
        l2r_dataset_free(data);
    }
}

static void refuse(const struct l2r_schema *schema, const struct l2r_graph_view *graph, const char *message)
{
    struct l2r_builder *builder;
    assert_int_equal(l2r_builder_new(&builder, schema, &error), L2R_OK);
    assert_int_equal(l2r_builder_add(builder, graph, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, message);
    l2r_builder_free(builder);
}

static void refuses_bad_graphs(void **state)
{
    (void)state;
    const int32_t edges[] = {0, 2}, row = 5, vocabulary = 5;
    const float one = 1, half = 0.5F, uneven = 1.5F;
    struct l2r_graph_view graph = {.n_nodes = 2, .n_edges = 1, .edges = edges, .labels = &one, .part = L2R_PART_NONE};
    refuse(&plain, &graph, "edge 0 of graph 0 names node 2, outside 0..1");
    graph.n_edges = 0;
    graph.labels = &half;
    refuse(&plain, &graph, "label 0 of graph 0 is 0.5, which is not a binary label");
    struct l2r_schema schema = plain;
    schema.task = L2R_TASK_MULTICLASS;
    graph.labels = &uneven;
    refuse(&schema, &graph, "label 0 of graph 0 is 1.5, which is not a multiclass label");
    graph.labels = &one;
    graph.part = 9;
    refuse(&plain, &graph, "graph 0 is in part 9, which does not exist");
    graph.part = L2R_PART_TRAIN;
    graph.n_nodes = -1;
    refuse(&plain, &graph, "graph 0 has -1 nodes and 0 edges; each must be 0..2147483646");
    schema =
        (struct l2r_schema){.task = L2R_TASK_BINARY, .n_tasks = 1, .n_node_columns = 1, .node_vocabulary = &vocabulary};
    graph.n_nodes = 1;
    graph.node_rows = &row;
    refuse(&schema, &graph, "feature 0 of node 0 is 5, outside 0..4");
}

static void refuses_bad_schemas(void **state)
{
    (void)state;
    struct l2r_builder *builder;
    struct l2r_dataset *data;
    struct l2r_schema schema = plain;
    schema.n_tasks = 0;
    assert_int_equal(l2r_builder_new(&builder, &schema, &error), L2R_ERR_ARGUMENT);
    assert_null(builder);
    schema = plain;
    schema.task = L2R_TASK_MULTICLASS;
    schema.n_tasks = 2;
    assert_int_equal(l2r_builder_new(&builder, &schema, &error), L2R_ERR_ARGUMENT);
    assert_int_equal(l2r_builder_new(&builder, &plain, &error), L2R_OK);
    assert_int_equal(l2r_builder_finish(&data, builder, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "a data set needs at least one graph");
    assert_null(data);
    l2r_builder_free(builder);
}

/* Builds with the k-th allocation failing; true when it got through. */
static bool build_with_failure(long k)
{
    const int32_t edges[] = {0, 1, 1, 2}, rows[] = {0, 1}, nodes[] = {1, 2, 3};
    const float real[] = {1, 2, 3}, label = 4;
    const uint8_t marks[] = {0, 1, 1};
    const struct l2r_schema schema = {.name = "t",
                                      .task = L2R_TASK_MULTICLASS,
                                      .n_tasks = 1,
                                      .n_node_columns = 1,
                                      .n_edge_columns = 1,
                                      .n_node_reals = 1,
                                      .has_marks = true,
                                      .n_edge_reals = 1};
    const struct l2r_graph_view graph = {0, 3,    2,    edges, nodes, rows, real, marks, &label, L2R_PART_TRAIN,
                                         0, real, real, NULL};
    struct l2r_builder *builder = NULL;
    struct l2r_dataset *data = NULL;
    l2r_memory_fail_at(k, false);
    enum l2r_status status = l2r_builder_new(&builder, &schema, &error);
    for (int g = 0; g < 9 && status == L2R_OK; g++) status = l2r_builder_add(builder, &graph, &error);
    if (status == L2R_OK) status = l2r_builder_finish(&data, builder, &error);
    l2r_memory_fail_at(-1, false);
    l2r_builder_free(builder);
    l2r_dataset_free(data);
    if (status != L2R_OK) assert_int_equal(status, L2R_ERR_MEMORY);
    return status == L2R_OK;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    long k = 0;
    while (!build_with_failure(k)) k++;
    assert_in_range(k, 10, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_count_once),
        cmocka_unit_test(first_edge_row_wins),
        cmocka_unit_test(classes_ascend),
        cmocka_unit_test(agrees_with_a_matrix),
        cmocka_unit_test(refuses_bad_graphs),
        cmocka_unit_test(refuses_bad_schemas),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
