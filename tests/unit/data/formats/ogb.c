/* SPDX-License-Identifier: MIT
 * The OGB reader: the sample of csv.gz files, unpacked tables, and one sentence with path:line for each kind of damage.
 * */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "data/dataset.h"
#include "support/malformed.h"
#include "support/messages.h"

#include <math.h>

static struct l2r_error error;
static const char sample[] = L2R_TEST_DIR "/data/ogb/mini";

static void reads_the_sample(void **state)
{
    (void)state;
    struct l2r_dataset *data;
    assert_int_equal(l2r_dataset_load(&data, sample, false, &error), L2R_OK);
    assert_string_equal(data->name, "mini");
    assert_int_equal(data->task, L2R_TASK_BINARY);
    assert_int_equal(data->n_tasks, 2);
    assert_int_equal(data->n_classes, 0);
    assert_memory_equal(data->node_start, ((int64_t[]){0, 2, 3, 6, 8}), 5 * sizeof(int64_t));
    assert_memory_equal(data->arc_start, ((int64_t[]){0, 1, 2, 2, 3, 5, 6, 7, 8}), 9 * sizeof(int64_t));
    assert_memory_equal(data->neighbour, ((int32_t[]){1, 0, 1, 0, 2, 1, 1, 0}), 8 * sizeof(int32_t));
    assert_memory_equal(data->nodes.vocabulary, ((int32_t[]){119, 5, 12, 12, 10, 6, 6, 2, 2}), 9 * sizeof(int32_t));
    assert_memory_equal(data->arcs.vocabulary, ((int32_t[]){5, 6, 2}), 3 * sizeof(int32_t));
    assert_int_equal(data->nodes.n_types, 4);
    assert_int_equal(data->nodes.type[0], data->nodes.type[3]);
    assert_int_equal(data->nodes.rows[data->nodes.type[5] * 9], 118);
    /* Both directions of the bond 0-1 of graph 2 carry 4,5,1. */
    for (int a = 2; a <= 3; a++)
        assert_memory_equal(data->arcs.rows + data->arcs.type[a] * 3, ((int32_t[]){4, 5, 1}), 3 * sizeof(int32_t));
    static const float labels[] = {0, 1, -9, 0, 1, -9, 1, -9}; /* -9: missing */
    for (int i = 0; i < 8; i++) {
        if (labels[i] < 0)
            assert_true(isnan(data->labels[i]));
        else
            assert_true(data->labels[i] == labels[i]);
    }
    assert_memory_equal(data->official, ((uint8_t[]){L2R_PART_TRAIN, L2R_PART_VALID, L2R_PART_TRAIN, L2R_PART_TEST}),
                        4);
    assert_int_equal(l2r_dataset_check_symmetry(data, &error), L2R_OK);
    l2r_dataset_free(data);
}

static struct memory_set good_set(void)
{
    struct memory_set set = small_ogb_set("3,0\n4,1\n5,0\n", "0.5\n\n");
    memory_set_text(&set, "m/split/time/train.csv", "1\n");
    memory_set_text(&set, "m/split/time/valid.csv", "");
    memory_set_text(&set, "m/split/time/test.csv", "0\n");
    return set;
}

static void other_columns_and_regression(void **state)
{
    (void)state;
    struct memory_set set = good_set();
    struct l2r_dataset *data;
    enum l2r_status status = memory_set_read(&data, &set, reader_named("ogb"), &error);
    if (status != L2R_OK) fail_msg("%s", error.message);
    assert_string_equal(data->name, "m");
    assert_int_equal(data->task, L2R_TASK_REGRESSION);
    assert_true(data->labels[0] == 0.5F && isnan(data->labels[1])); /* an empty line is a missing label */
    assert_memory_equal(data->nodes.vocabulary, ((int32_t[]){6, 2}), 2 * sizeof(int32_t));
    assert_memory_equal(data->official, ((uint8_t[]){L2R_PART_TEST, L2R_PART_TRAIN}), 2);
    l2r_dataset_free(data);

    memory_set_text(&set, "m/raw/node-feat.csv", NULL); /* the degree instead */
    memory_set_text(&set, "m/raw/edge-feat.csv", NULL);
    memory_set_text(&set, "m/raw/graph-label.csv", "1\n\"\"\n");
    memory_set_text(&set, "m/split/time/train.csv", NULL);
    assert_int_equal(memory_set_read(&data, &set, reader_named("ogb"), &error), L2R_OK);
    assert_int_equal(data->task, L2R_TASK_BINARY);
    assert_int_equal(data->nodes.vocabulary[0], 2);
    assert_int_equal(data->arcs.n_columns, 0);
    assert_null(data->official);
    l2r_dataset_free(data);
}

static const struct malformed cases[] = {
    {"m/raw/num-edge-list.csv", NULL, "set/m/raw/num-edge-list.csv.gz: the file is missing; an OGB data set needs it"},
    {"m/raw/edge.csv", NULL, "set/m/raw/edge.csv.gz: the file is missing; an OGB data set needs it"},
    {"m/raw/graph-label.csv", NULL, "set/m/raw/graph-label.csv.gz: the file is missing; an OGB data set needs it"},
    {"m/split/time/valid.csv", NULL,
     "set/m/split/time/valid.csv.gz: the file is missing; a split has train, valid and test"},
    {"m/raw/num-node-list.csv", "", "set/m/raw/num-node-list.csv:1: the file is empty, expected one row per graph"},
    {"m/raw/num-edge-list.csv", "1\n",
     "set/m/raw/num-edge-list.csv:1: the file ends after 1 row, expected 2, the number "
     "of graphs in num-node-list.csv.gz"},
    {"m/raw/num-edge-list.csv", "1\n0\n0\n",
     "set/m/raw/num-edge-list.csv:3: the file has more than 2 rows, the number of "
     "graphs in num-node-list.csv.gz"},
    {"m/raw/num-edge-list.csv", "1\n-1\n", "set/m/raw/num-edge-list.csv:2: -1 is outside 0..2147483645"},
    {"m/raw/num-edge-list.csv", "2\n0\n",
     "set/m/raw/edge.csv:1: the file ends after 1 rows, but num-edge-list.csv.gz counts more"},
    {"m/raw/num-edge-list.csv", "0\n0\n",
     "set/m/raw/edge.csv:1: the file has more rows than num-edge-list.csv.gz counts"},
    {"m/raw/node-feat.csv", "3,0\n4,1\n",
     "set/m/raw/node-feat.csv:2: the file ends after 2 rows, but num-node-list.csv.gz counts more"},
    {"m/raw/node-feat.csv", "3,0\n4\n5,0\n", "set/m/raw/node-feat.csv:2: the row has 1 value, expected 2"},
    {"m/raw/node-feat.csv", "3,0\n4,-1\n5,0\n", "set/m/raw/node-feat.csv:2: value -1 in column 2 is outside 0..999999"},
    {"m/raw/node-feat.csv", "3,0\n4,C\n5,0\n", "set/m/raw/node-feat.csv:2: \"C\" is not a whole number"},
    {"m/raw/edge-feat.csv", "4,6,1\n", "set/m/raw/edge-feat.csv:1: value 6 in column 2 is outside 0..5"},
    {"m/raw/edge-feat.csv", "",
     "set/m/raw/edge-feat.csv:1: the file ends after 0 rows, but num-edge-list.csv.gz counts more"},
    {"m/raw/edge.csv", "0,2\n", "set/m/raw/edge.csv:1: value 2 in column 2 is outside 0..1"},
    {"m/raw/edge.csv", "0,1\n0,1\n", "set/m/raw/edge.csv:2: the file has more rows than num-edge-list.csv.gz counts"},
    {"m/raw/graph-label.csv", "",
     "set/m/raw/graph-label.csv:1: the file ends after 0 rows, expected 2, the number of "
     "graphs in num-node-list.csv.gz"},
    {"m/raw/graph-label.csv", "1\n",
     "set/m/raw/graph-label.csv:1: the file ends after 1 row, expected 2, the number of "
     "graphs in num-node-list.csv.gz"},
    {"m/raw/graph-label.csv", "1\n0\n\n1\n", "set/m/raw/graph-label.csv:3: the line is empty, but more rows follow"},
    {"m/raw/graph-label.csv", "1\n0\n1\n",
     "set/m/raw/graph-label.csv:3: the file has more than 2 rows, the number of "
     "graphs in num-node-list.csv.gz"},
    {"m/raw/graph-label.csv", "1\nyes\n", "set/m/raw/graph-label.csv:2: \"yes\" is not a finite number"},
    {"m/split/time/train.csv", "2\n", "set/m/split/time/train.csv:1: graph 2 is outside 0..1"},
    {"m/split/time/train.csv", "0\n", "set/m/split/time/test.csv:1: graph 0 is in the split twice"},
    {"m/split/date/train.csv", "0\n", "set/m/split holds 2 splits and none is called scaffold; keep one"},
    {"n/raw/num-node-list.csv", "1\n", "set holds 2 OGB data sets; name the folder of one"},
};

static void names_file_and_line(void **state)
{
    (void)state;
    assert_malformed(cases, sizeof cases / sizeof *cases, good_set, "ogb");
}

/* The tables are read at the same time, but the error is the one that comes first graph by graph: in graph 0 before
 * graph 1, nodes before bonds before their features. */
static void reports_the_first_of_several_errors(void **state)
{
    (void)state;
    static const struct {
        const char *nodes, *edges, *features, *message;
    } several[] = {
        {"3,0\n4,1\n5,x\n", "0,2\n", "4,5,9\n", "set/m/raw/edge.csv:1: value 2 in column 2 is outside 0..1"},
        {"3,0\n4,x\n5,x\n", "0,2\n", "4,5,9\n", "set/m/raw/node-feat.csv:2: \"x\" is not a whole number"},
        {"3,0\n4,1\n5,x\n", "0,1\n", "4,5,9\n", "set/m/raw/edge-feat.csv:1: value 9 in column 3 is outside 0..1"},
        {"3,0\n4,1\n5,x\n", "0,1\n0,1\n", "4,5,1\n", "set/m/raw/node-feat.csv:3: \"x\" is not a whole number"},
        {"3,0\n4,1\n5,0\n", "0,1\n0,1\n", "4,5,1\n4,5,1\n",
         "set/m/raw/edge.csv:2: the file has more rows than num-edge-list.csv.gz counts"},
    };
    for (size_t i = 0; i < sizeof several / sizeof *several; i++) {
        struct memory_set set = good_set();
        struct l2r_dataset *data;
        memory_set_text(&set, "m/raw/node-feat.csv", several[i].nodes);
        memory_set_text(&set, "m/raw/edge.csv", several[i].edges);
        memory_set_text(&set, "m/raw/edge-feat.csv", several[i].features);
        assert_int_equal(memory_set_read(&data, &set, reader_named("ogb"), &error), L2R_ERR_FORMAT);
        expect_message(error.message, several[i].message);
    }
}

/* Counts that promise more rows than any memory holds cost nothing: the file decides. */
static void does_not_believe_large_counts(void **state)
{
    (void)state;
    struct memory_set set = good_set();
    struct l2r_dataset *data;
    memory_set_text(&set, "m/raw/num-node-list.csv", "2147483645\n2147483645\n");
    memory_set_text(&set, "m/raw/num-edge-list.csv", "2147483645\n2147483645\n");
    l2r_memory_requested();
    assert_int_equal(memory_set_read(&data, &set, reader_named("ogb"), &error), L2R_ERR_FORMAT);
    expect_message(error.message,
                   "set/m/raw/node-feat.csv:3: the file ends after 3 rows, but num-node-list.csv.gz counts more");
    assert_in_range(l2r_memory_requested(), 1, 64 << 20);
}

/* Cutting or flipping any byte of a csv.gz gives a sentence that names the file, never a crash. */
static void damaged_gzip(void **state)
{
    (void)state;
    char *bytes;
    size_t size;
    struct memory_set set = good_set();
    struct l2r_dataset *data;
    memory_set_text(&set, "m/raw/node-feat.csv", NULL);
    memory_set_text(&set, "m/raw/num-node-list.csv", "4\n4\n");
    assert_int_equal(l2r_file_read(&bytes, &size, L2R_TEST_DIR "/data/ogb/mini/raw/node-feat.csv.gz", 1 << 20, &error),
                     L2R_OK);
    static const char name[] = "set/m/raw/node-feat.csv.gz:";
    memory_set_put(&set, "m/raw/node-feat.csv.gz", bytes, size);
    assert_int_equal(memory_set_read(&data, &set, reader_named("ogb"), &error), L2R_OK);
    l2r_dataset_free(data);
    for (size_t length = 0; length < size; length++) {
        memory_set_put(&set, "m/raw/node-feat.csv.gz", bytes, length);
        enum l2r_status status = memory_set_read(&data, &set, reader_named("ogb"), &error);
        if (length == 0) { /* no rows, no columns: seen as a set without node features, whose count is wrong */
            assert_int_equal(status, L2R_ERR_FORMAT);
            continue;
        }
        assert_int_equal(status, L2R_ERR_FORMAT);
        assert_memory_equal(error.message, name, sizeof name - 1);
    }
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= 0x24;
        memory_set_put(&set, "m/raw/node-feat.csv.gz", bytes, size);
        if (memory_set_read(&data, &set, reader_named("ogb"), &error) != L2R_OK) /* the time stamp means nothing */
            assert_memory_equal(error.message, name, sizeof name - 1);
        l2r_dataset_free(data);
        bytes[at] ^= 0x24;
    }
    l2r_free(bytes);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    struct memory_set set = good_set();
    l2r_threads_set(1); /* allocations are made to fail in this thread only */
    for (long k = 0;; k++) {
        struct l2r_dataset *data;
        l2r_memory_fail_at(k, false);
        enum l2r_status status = memory_set_read(&data, &set, reader_named("ogb"), &error);
        l2r_memory_fail_at(-1, false);
        l2r_dataset_free(data);
        if (status == L2R_OK) {
            assert_in_range(k, 40, 5000);
            return;
        }
        assert_int_equal(status, L2R_ERR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_sample),
        cmocka_unit_test(other_columns_and_regression),
        cmocka_unit_test(names_file_and_line),
        cmocka_unit_test(reports_the_first_of_several_errors),
        cmocka_unit_test(does_not_believe_large_counts),
        cmocka_unit_test(damaged_gzip),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
