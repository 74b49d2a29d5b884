/* SPDX-License-Identifier: MIT
 * examples/adding/edge_table.c in the registry: a folder of its two files is recognised, read and refused like any
 * other. */
#include "../../../examples/adding/edge_table.c"

#include "support/folder.h"
#include "support/messages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const struct l2r_reader l2r_reader_tu;
/* What the build would write if the example lay in src/data/readers; it takes the place of the one in the library. */
const struct l2r_reader *const l2r_readers[] = {&l2r_reader_edge_table, &l2r_reader_tu, NULL};

static enum l2r_status load(struct l2r_dataset **data, const char *graphs, const char *edges, struct l2r_error *error)
{
    assert_int_equal(l2r_file_write(inside("graphs.csv"), graphs, strlen(graphs), error), L2R_OK);
    assert_int_equal(l2r_file_write(inside("edges.csv"), edges, strlen(edges), error), L2R_OK);
    return l2r_dataset_load(data, folder, false, error);
}

static void test_reads(void **state)
{
    (void)state;
    struct l2r_dataset *data;
    struct l2r_error error = {0};
    if (load(&data, "3,7\n2,-1\n2,7\n", "0,0,1\n0,1,2\n0,2,1\n2,1,0\n", &error) != L2R_OK)
        fail_msg("%s", error.message);
    assert_int_equal(data->n_graphs, 3);
    assert_int_equal(data->n_nodes, 7);
    assert_int_equal(l2r_dataset_n_edges(data), 3); /* 1–2 came twice */
    assert_int_equal(l2r_dataset_arcs_of(data, 1), 0);
    assert_int_equal(data->n_classes, 2);
    assert_int_equal(data->class_value[0], -1);
    assert_int_equal(data->class_value[(int)data->labels[0]], 7);
    assert_int_equal(data->nodes.vocabulary[0], 3); /* degrees 0, 1, 2 */
    assert_null(data->official);
    l2r_dataset_free(data);
}

static void refuses(const char *graphs, const char *edges, const char *sentence)
{
    struct l2r_dataset *data;
    struct l2r_error error = {0};
    char expected[256];
    assert_int_equal(load(&data, graphs, edges, &error), L2R_ERR_FORMAT);
    assert_null(data);
    snprintf(expected, sizeof expected, "%s/%s", folder, sentence);
    expect_message(error.message, expected);
}

static void test_refuses(void **state)
{
    (void)state;
    refuses("3,0\n", "0,0,1\n0,1,3\n", "edges.csv:2: node 3 is outside 0..2, the nodes of graph 0");
    refuses("3,0\n2,1\n", "1,0,1\n0,1,2\n",
            "edges.csv:2: graph 0 is out of order or outside 0..1, the rows of graphs.csv");
    refuses("3,0\n", "0,0,1\n1,0,1\n", "edges.csv:2: graph 1 is out of order or outside 0..0, the rows of graphs.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reads), cmocka_unit_test(test_refuses)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
