/* SPDX-License-Identifier: MIT
 * The TU reader on good data: the sample folder and zip, every optional table, tables and edges in unusual order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/dataset.h"
#include "support/data_sets.h"
#include "support/messages.h"

#include <math.h>
#include <string.h>

static struct l2r_error error;

static struct l2r_dataset *load(const char *name)
{
    struct l2r_dataset *data;
    assert_int_equal(l2r_dataset_load(&data, path_in(L2R_TEST_DIR "/data/tu", name), false, &error), L2R_OK);
    return data;
}

static struct l2r_dataset *read_set(const struct memory_set *set)
{
    struct l2r_dataset *data;
    enum l2r_status status = memory_set_read(&data, set, reader_named("tu"), &error);
    if (status != L2R_OK) fail_msg("%s", error.message);
    assert_int_equal(l2r_dataset_check_ranges(data, &error), L2R_OK);
    assert_int_equal(l2r_dataset_check_symmetry(data, &error), L2R_OK);
    return data;
}

static void assert_sample(const struct l2r_dataset *data)
{
    assert_string_equal(data->name, "MINI");
    assert_int_equal(data->task, L2R_TASK_MULTICLASS);
    assert_int_equal(data->n_graphs, 4);
    assert_memory_equal(data->node_start, ((int64_t[]){0, 3, 5, 7, 8}), 5 * sizeof(int64_t));
    /* Graph 1: 0-1, 1-2 (each line twice, one three times). 2: 0-1 and 1-1. 3: 0-0. 4: nothing. */
    assert_memory_equal(data->arc_start, ((int64_t[]){0, 1, 3, 4, 5, 7, 8, 8, 8}), 9 * sizeof(int64_t));
    assert_memory_equal(data->neighbour, ((int32_t[]){1, 0, 2, 1, 1, 0, 1, 0}), 8 * sizeof(int32_t));
    assert_int_equal(data->n_self_loops, 2);
    assert_int_equal(l2r_dataset_n_edges(data), 5);
    assert_int_equal(data->n_classes, 2);
    assert_memory_equal(data->class_value, ((int64_t[]){-1, 1}), 2 * sizeof(int64_t));
    for (int g = 0; g < 4; g++) assert_true(data->labels[g] == (float)(g % 2));
    assert_int_equal(data->nodes.vocabulary[0], 3);
    assert_memory_equal(data->nodes.value, ((int64_t[]){-2, 5, 7}), 3 * sizeof(int64_t));
    for (int v = 0; v < 8; v++)
        assert_int_equal(data->nodes.rows[data->nodes.type[v]], ((int[]){1, 0, 1, 2, 2, 0, 1, 2})[v]);
    assert_memory_equal(data->arcs.value, ((int64_t[]){10, 20, 30}), 3 * sizeof(int64_t));
    for (int a = 0; a < 8; a++)
        assert_int_equal(data->arcs.rows[data->arcs.type[a]], ((int[]){0, 0, 1, 1, 0, 0, 1, 0})[a]);
    assert_int_equal(data->n_node_reals, 2);
    assert_true(data->node_real[2] == -1.25F && data->node_real[3] == 2 && data->node_real[14] == 0.5F);
    assert_null(data->official);
}

static void reads_the_sample(void **state)
{
    (void)state;
    struct l2r_dataset *data = load("MINI");
    assert_sample(data);
    l2r_dataset_free(data);
    data = load("MINI.zip"); /* entry names with a double slash, an editor's backup */
    assert_sample(data);
    l2r_dataset_free(data);
}

static const struct memory_set two_graphs = {.files = {{"T_A.txt", "1,2\n3,4\n4,5\n", 12},
                                                       {"T_graph_indicator.txt", "1\n1\n2\n2\n2\n", 10},
                                                       {"T_graph_labels.txt", "0\n5\n", 4}},
                                             .n = 3};

static void degree_stands_in(void **state)
{
    (void)state;
    struct l2r_dataset *data = read_set(&two_graphs);
    assert_int_equal(data->nodes.n_columns, 1);
    assert_int_equal(data->nodes.vocabulary[0], 3);
    for (int v = 0; v < 5; v++) assert_int_equal(data->nodes.rows[data->nodes.type[v]], ((int[]){1, 1, 1, 2, 1})[v]);
    assert_int_equal(data->class_value[1], 5);
    assert_int_equal(data->arcs.n_columns, 0);
    l2r_dataset_free(data);
}

/* Nodes of the two graphs mixed, edges jumping back: the same graphs come out. */
static void any_order_of_nodes_and_edges(void **state)
{
    (void)state;
    struct memory_set set = two_graphs;
    memory_set_text(&set, "T_graph_indicator.txt", "2\n1\n2\n1\n2\n"); /* graph 1: nodes 2 4; graph 2: nodes 1 3 5 */
    memory_set_text(&set, "T_A.txt", "1,3\n4,2\n5,3\n2,4\n");
    memory_set_text(&set, "T_edge_labels.txt", "7\n8\n9\n6\n");
    memory_set_text(&set, "T_node_labels.txt", "10\n20\n11\n21\n12\n");
    struct l2r_dataset *data = read_set(&set);
    assert_memory_equal(data->node_start, ((int64_t[]){0, 2, 5}), 3 * sizeof(int64_t));
    assert_memory_equal(data->neighbour, ((int32_t[]){1, 0, 1, 0, 2, 1}), 6 * sizeof(int32_t));
    static const int64_t labels[] = {20, 21, 10, 11, 12}, edge_labels[] = {8, 8, 7, 7, 9, 9};
    for (int v = 0; v < 5; v++) assert_int_equal(data->nodes.value[data->nodes.rows[data->nodes.type[v]]], labels[v]);
    for (int a = 0; a < 6; a++) assert_int_equal(data->arcs.value[data->arcs.rows[data->arcs.type[a]]], edge_labels[a]);
    l2r_dataset_free(data);
}

static void several_label_columns(void **state)
{
    (void)state;
    struct memory_set set = two_graphs;
    memory_set_text(&set, "T_node_labels.txt", "0, 100\n1, 100\n0, 200\n0, 300\n1, 100\n");
    struct l2r_dataset *data = read_set(&set);
    assert_int_equal(data->nodes.n_columns, 2);
    assert_memory_equal(data->nodes.vocabulary, ((int32_t[]){2, 3}), 2 * sizeof(int32_t));
    assert_memory_equal(data->nodes.value, ((int64_t[]){0, 1, 100, 200, 300}), 5 * sizeof(int64_t));
    assert_int_equal(data->nodes.n_types, 4);
    assert_int_equal(data->nodes.type[1], data->nodes.type[4]);
    l2r_dataset_free(data);
}

static void regression_marks_and_split(void **state)
{
    (void)state;
    struct memory_set set = two_graphs;
    memory_set_text(&set, "T_graph_labels.txt", NULL);
    memory_set_text(&set, "T_graph_attributes.txt", "0.5, 1\n-2,\n");
    memory_set_text(&set, "T_node_marks.txt", "0\n1\n2\n255\n0\n");
    memory_set_text(&set, "T_split.txt", "test\r\ntrain\r\n\r\n");
    struct l2r_dataset *data = read_set(&set);
    assert_int_equal(data->task, L2R_TASK_REGRESSION);
    assert_int_equal(data->n_tasks, 2);
    assert_int_equal(data->n_classes, 0);
    assert_true(data->labels[0] == 0.5F && data->labels[2] == -2 && isnan(data->labels[3]));
    assert_memory_equal(data->node_mark, ((uint8_t[]){0, 1, 2, 255, 0}), 5);
    assert_memory_equal(data->official, ((uint8_t[]){L2R_PART_TEST, L2R_PART_TRAIN}), 2);
    l2r_dataset_free(data);
}

/* Edge attributes are part of what makes edges different; they follow their edge in any order of lines. */
static void edge_attributes(void **state)
{
    (void)state;
    struct memory_set set = two_graphs;
    memory_set_text(&set, "T_edge_attributes.txt", "0.5, 1\n0.25, 1\n0.5, 1\n");
    struct l2r_dataset *data = read_set(&set);
    assert_int_equal(data->arcs.n_columns, 0);
    assert_int_equal(data->arcs.n_reals, 2);
    assert_int_equal(data->arcs.n_types, 2);
    static const float first[] = {0.5F, 0.5F, 0.25F, 0.25F, 0.5F, 0.5F};
    for (int a = 0; a < 6; a++) assert_true(l2r_dataset_edge_real(data, a)[0] == first[a]);
    assert_null(l2r_dataset_edge_real(data, 6));
    uint64_t before = l2r_dataset_fingerprint(data);
    l2r_dataset_free(data);
    memory_set_text(&set, "T_A.txt", "4,5\n1,2\n3,4\n");
    memory_set_text(&set, "T_edge_labels.txt", "3\n4\n3\n");
    memory_set_text(&set, "T_edge_attributes.txt", "0.5, 1\n0.5, 1\n0.25, 1\n");
    data = read_set(&set);
    for (int a = 0; a < 6; a++) assert_true(l2r_dataset_edge_real(data, a)[0] == first[a]);
    assert_int_equal(data->arcs.n_types, 3); /* (4, 0.5), (3, 0.25), (3, 0.5) */
    assert_true(l2r_dataset_fingerprint(data) != before);
    l2r_dataset_free(data);
}

static void empty_graphs_and_weights(void **state)
{
    (void)state;
    struct memory_set set = two_graphs;
    memory_set_text(&set, "T_graph_indicator.txt", "2\n2\n3\n3\n3\n");
    memory_set_text(&set, "T_graph_labels.txt", "0\n5\n0\n5\n");
    memory_set_text(&set, "T_graph_weights.txt", "1\n0\n2.5\n1\n");
    struct l2r_dataset *data = read_set(&set);
    assert_memory_equal(data->node_start, ((int64_t[]){0, 0, 2, 5, 5}), 5 * sizeof(int64_t));
    assert_memory_equal(data->weight, ((float[]){1, 0, 2.5F, 1}), 4 * sizeof(float));
    assert_non_null(strstr(data->notes, "2 of 4 graphs have no nodes; the first is graph 1"));
    l2r_dataset_free(data);
}

static void one_folder_deep(void **state)
{
    (void)state;
    struct memory_set set = {.files = {{"D/T_A.txt", "1,2\n", 4},
                                       {"D/T_graph_indicator.txt", "1\n1\n", 4},
                                       {"D/T_graph_labels.txt", "3\n", 2},
                                       {"D/T_edge_weather.txt", "not read", 8}},
                             .n = 4};
    struct l2r_dataset *data = read_set(&set);
    assert_string_equal(data->name, "T");
    l2r_dataset_free(data);
    memory_set_text(&set, "E/U_A.txt", "1,2\n");
    assert_int_equal(memory_set_read(&data, &set, reader_named("tu"), &error), L2R_ERR_FORMAT);
    expect_message(error.message, "set holds 2 TU data sets; name the folder of one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_sample),
        cmocka_unit_test(degree_stands_in),
        cmocka_unit_test(any_order_of_nodes_and_edges),
        cmocka_unit_test(several_label_columns),
        cmocka_unit_test(regression_marks_and_split),
        cmocka_unit_test(edge_attributes),
        cmocka_unit_test(empty_graphs_and_weights),
        cmocka_unit_test(one_folder_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
