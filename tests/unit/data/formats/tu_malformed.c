/* SPDX-License-Identifier: MIT
 * The TU reader on bad data: one sentence with path:line for each kind of damage, and no leak when memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "support/malformed.h"
#include "support/messages.h"
#include "support/zip_file.h"

#include <unistd.h>

static struct l2r_error error;

static struct memory_set good_set(void)
{
    struct memory_set set = {.n = 0};
    memory_set_text(&set, "T_A.txt", "1, 2\n2, 1\n3, 4\n");
    memory_set_text(&set, "T_graph_indicator.txt", "1\n1\n2\n2\n");
    memory_set_text(&set, "T_graph_labels.txt", "1\n2\n");
    memory_set_text(&set, "T_node_labels.txt", "7\n7\n8\n9\n");
    memory_set_text(&set, "T_node_attributes.txt", "1, 2\n3, 4\n5, 6\n7, 8\n");
    memory_set_text(&set, "T_edge_labels.txt", "1\n1\n2\n");
    memory_set_text(&set, "T_node_marks.txt", "0\n0\n1\n1\n");
    memory_set_text(&set, "T_split.txt", "train\ntest\n");
    return set;
}

static const struct malformed cases[] = {
    /* missing */
    {"T_A.txt", NULL, "set/T_A.txt: the file is missing; a TU data set needs it"},
    {"T_graph_indicator.txt", NULL, "set/T_graph_indicator.txt: the file is missing; a TU data set needs it"},
    {"T_graph_labels.txt", NULL, "set/T_graph_labels.txt: the file is missing; a TU data set needs it"},
    /* empty */
    {"T_A.txt", "", "set/T_A.txt:1: the file is empty, expected one edge per line"},
    {"T_graph_labels.txt", "", "set/T_graph_labels.txt:1: the file is empty, expected one row per graph"},
    {"T_graph_indicator.txt", "", "set/T_graph_indicator.txt:1: the file is empty, expected the graph of each node"},
    {"T_node_labels.txt", "",
     "set/T_node_labels.txt:1: the file ends after 0 rows, expected 4, the number of nodes in "
     "T_graph_indicator.txt"},
    {"T_node_attributes.txt", "\n",
     "set/T_node_attributes.txt:1: the file ends after 0 rows, expected 4, the number of "
     "nodes in T_graph_indicator.txt"},
    {"T_edge_labels.txt", "", "set/T_edge_labels.txt:1: the file is empty, expected one row for each line of T_A.txt"},
    /* truncated and too long */
    {"T_A.txt", "1, 2\n2, ", "set/T_A.txt:2: a field is empty, expected a whole number"},
    {"T_graph_indicator.txt", "1\n1\n",
     "set/T_node_labels.txt:3: the file has more than 2 rows, the number of nodes in T_graph_indicator.txt"},
    {"T_edge_attributes.txt", "0.5\n",
     "set/T_edge_attributes.txt:1: the file has 1 rows, expected one for each line of T_A.txt"},
    {"T_edge_attributes.txt", "0.5\n1\nx\n", "set/T_edge_attributes.txt:3: \"x\" is not a finite number"},
    {"T_graph_weights.txt", "1\n-1\n", "set/T_graph_weights.txt:2: a weight must be 0 or more"},
    {"T_graph_weights.txt", "1\n",
     "set/T_graph_weights.txt:1: the file ends after 1 row, expected 2, the number of graphs in T_graph_labels.txt"},
    {"T_graph_indicator.txt", "1\n1\n2\n",
     "set/T_node_labels.txt:4: the file has more than 3 rows, the number of nodes "
     "in T_graph_indicator.txt"},
    {"T_node_labels.txt", "7\n7\n",
     "set/T_node_labels.txt:2: the file ends after 2 rows, expected 4, the number of nodes "
     "in T_graph_indicator.txt"},
    {"T_node_attributes.txt", "1, 2\n3, 4\n5, 6\n7, 8\n9, 9\n",
     "set/T_node_attributes.txt:5: the file has more than 4 rows, the number of nodes in T_graph_indicator.txt"},
    {"T_node_marks.txt", "0\n",
     "set/T_node_marks.txt:1: the file ends after 1 row, expected 4, the number of nodes in "
     "T_graph_indicator.txt"},
    {"T_edge_labels.txt", "1\n1\n", "set/T_edge_labels.txt:2: the file ends after 2 rows, but T_A.txt goes on"},
    {"T_edge_labels.txt", "1\n1\n2\n2\n",
     "set/T_edge_labels.txt:4: the file has more than 3 rows, the number of edges in T_A.txt"},
    {"T_split.txt", "train\n",
     "set/T_split.txt:1: the file ends after 1 row, expected 2, the number of graphs in "
     "T_graph_labels.txt"},
    /* out of range */
    {"T_A.txt", "1, 2\n3, 5\n", "set/T_A.txt:2: node id 5 is outside 1..4 (from T_graph_indicator.txt)"},
    {"T_A.txt", "0, 1\n", "set/T_A.txt:1: node id 0 is outside 1..4 (from T_graph_indicator.txt)"},
    {"T_A.txt", "-1, 1\n", "set/T_A.txt:1: node id -1 is outside 1..4 (from T_graph_indicator.txt)"},
    {"T_A.txt", "2, 3\n", "set/T_A.txt:1: the edge 2, 3 joins graph 1 and graph 2"},
    {"T_graph_indicator.txt", "1\n1\n3\n2\n",
     "set/T_graph_indicator.txt:3: graph id 3 is outside 1..2 (from T_graph_labels.txt)"},
    {"T_node_marks.txt", "0\n256\n0\n0\n", "set/T_node_marks.txt:2: mark 256 is outside 0..255"},
    {"T_split.txt", "train\nvalidation\n", "set/T_split.txt:2: expected train, valid, test, id-valid, id-test or none"},
    /* not numbers */
    {"T_A.txt", "1, 2\n2, one\n", "set/T_A.txt:2: \"one\" is not a whole number"},
    {"T_A.txt", "1; 2\n", "set/T_A.txt:1: \"1; 2\" is not a whole number"},
    {"T_A.txt", "1, 2, 3\n", "set/T_A.txt:1: the row has 3 values, expected 2"},
    {"T_A.txt", "1, 2\n\n2, 1\n", "set/T_A.txt:2: the line is empty, but more rows follow"},
    {"T_A.txt", "\x7f\x45\x4c\x46\x02\x01\n", "set/T_A.txt:1: \"?ELF??\" is not a whole number"},
    {"T_graph_labels.txt", "1\n1.5\n", "set/T_graph_labels.txt:2: \"1.5\" is not a whole number"},
    {"T_node_attributes.txt", "1, 2\n3, nan\n5, 6\n7, 8\n",
     "set/T_node_attributes.txt:2: \"nan\" is not a finite number"},
    {"T_node_attributes.txt", "1, 2\n3\n5, 6\n7, 8\n", "set/T_node_attributes.txt:2: the row has 1 value, expected 2"},
};

static void names_file_and_line(void **state)
{
    (void)state;
    assert_malformed(cases, sizeof cases / sizeof *cases, good_set, "tu");
}

static void the_good_set_is_good(void **state)
{
    (void)state;
    struct memory_set set = good_set();
    struct l2r_dataset *data;
    assert_int_equal(memory_set_read(&data, &set, reader_named("tu"), &error), L2R_OK);
    l2r_dataset_free(data);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    struct memory_set set = good_set();
    memory_set_text(&set, "T_A.txt", "3, 4\n2, 1\n1, 2\n"); /* out of order: the longer way */
    for (long k = 0;; k++) {
        struct l2r_dataset *data;
        l2r_memory_fail_at(k, false);
        enum l2r_status status = memory_set_read(&data, &set, reader_named("tu"), &error);
        l2r_memory_fail_at(-1, false);
        l2r_dataset_free(data);
        if (status == L2R_OK) {
            assert_in_range(k, 50, 5000);
            return;
        }
        assert_int_equal(status, L2R_ERR_MEMORY);
    }
}

/* A zip that was cut loses its directory at the end; one with a flipped byte fails its own checksum. */
static void damaged_zips(void **state)
{
    (void)state;
    char *bytes, *folder = fresh_folder();
    size_t size;
    struct l2r_dataset *data;
    assert_non_null(folder);
    assert_int_equal(l2r_file_read(&bytes, &size, L2R_TEST_DIR "/data/tu/MINI.zip", 1 << 20, &error), L2R_OK);
    const char *path = path_in(folder, "bad.zip");
    assert_int_equal(l2r_file_write(path, bytes, size / 3, &error), L2R_OK);
    assert_int_equal(l2r_dataset_load(&data, path, false, &error), L2R_ERR_FORMAT);
    assert_memory_equal(error.message, path, strlen(path));
    for (size_t at = 30; at < size; at += 7) {
        bytes[at] ^= 0x40;
        assert_int_equal(l2r_file_write(path, bytes, size, &error), L2R_OK);
        if (l2r_dataset_load(&data, path, false, &error) != L2R_OK) /* some bytes mean nothing */
            assert_memory_equal(error.message, path, strlen(path));
        l2r_dataset_free(data);
        bytes[at] ^= 0x40;
    }
    l2r_free(bytes);
    l2r_remove_tree(folder);
}

static void unreadable_files(void **state)
{
    (void)state;
    char *folder = fresh_folder();
    struct l2r_dataset *data;
    assert_non_null(folder);
    assert_int_equal(l2r_dataset_load(&data, folder, false, &error), L2R_ERR_FORMAT);
    expect_message(error.message, ": no data set is recognised here: expected NAME_A.txt");
    assert_int_equal(l2r_dataset_load(&data, path_in(folder, "none"), false, &error), L2R_ERR_IO);
    expect_message(error.message, "/none: no such file or folder, and no generator of that name");
    l2r_remove_tree(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_good_set_is_good),
        cmocka_unit_test(names_file_and_line),
        cmocka_unit_test(survives_every_failing_allocation),
        cmocka_unit_test(damaged_zips),
        cmocka_unit_test(unreadable_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
