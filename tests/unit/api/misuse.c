/* SPDX-License-Identifier: MIT
 * Public calls with arguments that cannot be meant: each returns L2R_ERR_ARGUMENT with a sentence that names the value,
 * and leaves the object as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/builder.h"
#include "data/dataset.h"
#include "model/predictor.h"
#include "support/training_runs.h"

#include "support/calls.h" /* after the others, whose functions have errors of their own */

#include <math.h>
#include <string.h>

/* Two columns on nodes, one on edges, a number on nodes, classes found from the labels. */
static const struct l2r_schema rich = {.name = "t",
                                       .task = L2R_TASK_MULTICLASS,
                                       .n_tasks = 1,
                                       .n_node_columns = 2,
                                       .n_edge_columns = 1,
                                       .n_node_reals = 1};

static const int32_t path_edges[] = {0, 1, 1, 2}, path_nodes[] = {0, 1, 2, 0, 1, 1}, path_bonds[] = {0, 3};
static const float path_reals[] = {0.5f, -1, 2}, label = 7;
static const struct l2r_graph_view path = {.n_nodes = 3,
                                           .n_edges = 2,
                                           .edges = path_edges,
                                           .node_rows = path_nodes,
                                           .edge_rows = path_bonds,
                                           .node_real = path_reals,
                                           .labels = &label,
                                           .part = L2R_PART_NONE};

static struct l2r_builder *new_builder(void)
{
    struct l2r_builder *builder;
    assert_int_equal(l2r_builder_new(&builder, &rich, &error), L2R_OK);
    return builder;
}

/* A refused graph leaves nothing behind: what is built with refusals in between has the same bytes. */
static void refused_graphs_leave_nothing(void **state)
{
    (void)state;
    const int32_t bad_edges[] = {0, 1, 1, 3}, bad_nodes[] = {9, 9, 9, 9, 9, -1}, bad_bonds[] = {8, -2};
    const float bad_reals[] = {0, NAN, 0}, bad_label = 0.5f;
    struct l2r_graph_view bad[5] = {path, path, path, path, path};
    static const char *const why[5] = {"edge 1 of graph 1 names node 3, outside 0..2", "feature 1 of node 2 is -1",
                                       "feature 0 of edge 1 is -2", "node_real[1] of graph 1 is nan",
                                       "label 0 of graph 1 is 0.5"};
    bad[0].edges = bad_edges;
    bad[1].node_rows = bad_nodes;
    bad[2].edge_rows = bad_bonds;
    bad[3].node_real = bad_reals;
    bad[4].labels = &bad_label;
    struct l2r_builder *plain = new_builder(), *tried = new_builder();
    struct l2r_dataset *expected, *data;
    for (int g = 0; g < 2; g++) {
        assert_int_equal(l2r_builder_add(plain, &path, &error), L2R_OK);
        assert_int_equal(l2r_builder_add(tried, &path, &error), L2R_OK);
        for (int k = 0; g == 0 && k < 5; k++) refused(l2r_builder_add(tried, &bad[k], &error), why[k]);
    }
    assert_int_equal(l2r_builder_finish(&expected, plain, &error), L2R_OK);
    assert_int_equal(l2r_builder_finish(&data, tried, &error), L2R_OK);
    assert_int_equal(l2r_dataset_check_ranges(data, &error), L2R_OK);
    assert_int_equal(data->block_size, expected->block_size);
    assert_memory_equal(data->block, expected->block, data->block_size);
    refused(l2r_builder_add(tried, &path, &error), "is finished");
    l2r_dataset_free(data);
    refused(l2r_builder_finish(&data, tried, &error), "is finished");
    assert_null(data);
    l2r_dataset_free(expected);
    l2r_builder_free(plain);
    l2r_builder_free(tried);
}

static void schemas(void **state)
{
    (void)state;
    struct l2r_builder *builder = NULL;
    const int64_t classes[] = {3, 3};
    const int32_t none[] = {2, 0};
    struct l2r_schema s = rich;
    refused(l2r_builder_new(&builder, NULL, &error), "schema is NULL");
    refused(l2r_builder_new(NULL, &s, &error), "builder is NULL");
    s.task = (enum l2r_task)77;
    refused(l2r_builder_new(&builder, &s, &error), "task = 77 is no task");
    s = rich, s.n_tasks = -1;
    refused(l2r_builder_new(&builder, &s, &error), "n_tasks = -1; expected 1");
    s = rich, s.n_node_reals = -5;
    refused(l2r_builder_new(&builder, &s, &error), "n_node_reals = -5; expected 0");
    s = rich, s.n_tasks = 2;
    refused(l2r_builder_new(&builder, &s, &error), "has one label column");
    s = rich, s.node_vocabulary = none;
    refused(l2r_builder_new(&builder, &s, &error), "node_vocabulary[1] = 0");
    s = rich, s.node_value = classes;
    refused(l2r_builder_new(&builder, &s, &error), "vocabulary, which is missing");
    s = rich, s.class_value = classes, s.n_classes = 2;
    refused(l2r_builder_new(&builder, &s, &error), "class_value[1] = 3 does not come after 3");
    s.n_classes = -1;
    refused(l2r_builder_new(&builder, &s, &error), "n_classes = -1");
    s = rich, s.task = L2R_TASK_BINARY, s.class_value = classes;
    refused(l2r_builder_new(&builder, &s, &error), "a binary task, which has no classes");
    assert_null(builder);
}

static void missing_arrays(void **state)
{
    (void)state;
    struct l2r_builder *builder = new_builder();
    struct l2r_dataset *data = NULL;
    struct l2r_graph_view g = path;
    refused(l2r_builder_add(NULL, &path, &error), "builder is NULL");
    refused(l2r_builder_add(builder, NULL, &error), "graph is NULL");
    g.edges = NULL;
    refused(l2r_builder_add(builder, &g, &error), "edges of graph 0 is NULL");
    g = path, g.node_rows = NULL;
    refused(l2r_builder_add(builder, &g, &error), "node_rows of graph 0 is NULL");
    g = path, g.edge_rows = NULL;
    refused(l2r_builder_add(builder, &g, &error), "edge_rows of graph 0 is NULL");
    g = path, g.node_real = NULL;
    refused(l2r_builder_add(builder, &g, &error), "node_real of graph 0 is NULL");
    g = path, g.n_nodes = -1;
    refused(l2r_builder_add(builder, &g, &error), "-1 nodes");
    g = path, g.part = 9;
    refused(l2r_builder_add(builder, &g, &error), "part 9");
    refused(l2r_builder_finish(NULL, builder, &error), "data is NULL");
    refused(l2r_builder_finish(&data, NULL, &error), "builder is NULL");
    refused(l2r_builder_finish(&data, builder, &error), "at least one graph");
    assert_int_equal(l2r_builder_add(builder, &path, &error), L2R_OK); /* still usable */
    assert_int_equal(l2r_builder_finish(&data, builder, &error), L2R_OK);
    l2r_dataset_free(data);
    l2r_builder_free(builder);
}

static void configs(void **state)
{
    (void)state;
    struct l2r_config *bare = NULL;
    struct l2r_result result;
    char dir[256];
    folder(dir, "never");
    refused(train_into(&result, NULL, dir, false, NULL, &error), "config is NULL");
    assert_int_equal(l2r_config_new(&bare, &error), L2R_OK);
    refused(train_into(&result, bare, dir, false, NULL, &error), "the config lacks options of a run");
    refused(l2r_config_set(NULL, "epochs", "1", &error), "config is NULL");
    refused(l2r_config_set(bare, NULL, "1", &error), "name is NULL");
    refused(l2r_run_declare(bare, NULL, "erm", &error), "model is NULL");
    l2r_config_free(bare);

    struct l2r_config *config = config_for("gin", "erm", (const char *const[]){NULL});
    refused(train_into(NULL, config, dir, false, NULL, &error), "result is NULL");
    assert_int_equal(l2r_config_set(config, "model", "pna", &error), L2R_OK);
    refused(train_into(&result, config, dir, false, NULL, &error), "declared for another model or method");
    assert_int_equal(l2r_config_set(config, "model", "nothing", &error), L2R_OK);
    refused(train_into(&result, config, dir, false, NULL, &error), "there is no model \"nothing\"");
    l2r_config_free(config);
}

static void predictors(void **state)
{
    (void)state;
    struct l2r_config *config = config_for("gin", "erm", (const char *const[]){"epochs", "1", NULL});
    struct l2r_result result = train(config, "scored", false, NULL);
    struct l2r_predictor *p = NULL;
    struct l2r_dataset *data = NULL;
    char dir[256];
    float output[64];
    folder(dir, "scored");
    refused(l2r_predictor_open(&p, NULL, &error), "path is NULL");
    refused(l2r_predictor_open(NULL, dir, &error), "predictor is NULL");
    refused(l2r_dataset_load(&data, NULL, false, &error), "where is NULL");
    assert_int_equal(l2r_predictor_open(&p, dir, &error), L2R_OK);
    assert_int_equal(l2r_dataset_load(&data, l2r_config_text(config, "data"), false, &error), L2R_OK);
    long long n = (long long)l2r_dataset_n_graphs(data);
    char range[64];
    snprintf(range, sizeof range, "graphs[1] = -1; expected 0 … %lld", n - 1);
    refused(l2r_predictor_predict(output, p, data, (const int64_t[]){0, -1}, 2, &error), range);
    refused(l2r_predictor_predict(output, p, data, (const int64_t[]){n}, 1, &error), "graphs[0] = ");
    refused(l2r_predictor_predict(output, p, data, (const int64_t[]){0}, -1, &error), "n = -1");
    refused(l2r_predictor_predict(output, p, data, NULL, 1, &error),
            "graphs is NULL, which stands for all graphs, but n = 1");
    refused(l2r_predictor_predict(output, p, NULL, (const int64_t[]){0}, 1, &error), "data is NULL");
    refused(l2r_predictor_predict(output, NULL, data, (const int64_t[]){0}, 1, &error), "predictor is NULL");
    refused(l2r_predictor_predict(NULL, p, data, (const int64_t[]){0}, 1, &error), "output is NULL");
    assert_true(l2r_predictor_class(p, -1) == INT64_MIN && l2r_predictor_class(NULL, 0) == INT64_MIN);
    assert_true(l2r_predictor_class(p, l2r_predictor_n_outputs(p)) == INT64_MIN);
    assert_int_equal(l2r_predictor_n_outputs(NULL) + l2r_predictor_width(NULL) + (int)l2r_dataset_n_graphs(NULL), 0);
    assert_int_equal(l2r_predictor_predict(output, p, data, (const int64_t[]){0}, 1, &error), L2R_OK);
    l2r_predictor_probabilities(output, p, -1);
    l2r_predictor_probabilities(NULL, p, 1);
    l2r_dataset_free(data);
    l2r_predictor_free(p);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused_graphs_leave_nothing), cmocka_unit_test(schemas),
                                       cmocka_unit_test(missing_arrays), cmocka_unit_test(configs),
                                       cmocka_unit_test(predictors)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
