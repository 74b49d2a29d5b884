/* SPDX-License-Identifier: MIT
 * Numbers made to do harm, in TU and OGB tables: too large for their type, not finite, negative, absurd counts. Each is
 * refused with a sentence that names file and line; "nan" in a label of a regression means that it is missing
 * (docs/formats.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/data_sets.h"
#include "support/messages.h"

static struct l2r_error error;

struct hostile {
    const char *file, *text, *message;
};

static void expect_refusals(const struct memory_set *good, const char *reader, const struct hostile *cases, size_t n)
{
    struct l2r_dataset *data;
    assert_int_equal(memory_set_read(&data, good, reader_named(reader), &error), L2R_OK);
    l2r_dataset_free(data);
    for (size_t i = 0; i < n; i++) {
        struct memory_set set = *good;
        memory_set_text(&set, cases[i].file, cases[i].text);
        enum l2r_status status = memory_set_read(&data, &set, reader_named(reader), &error);
        if (status != L2R_ERR_FORMAT) fail_msg("case %zu was accepted: %s", i, cases[i].message);
        expect_message(error.message, cases[i].message);
        assert_null(data);
    }
}

static void tu_numbers(void **state)
{
    (void)state;
    static const struct hostile cases[] = {
        {"T_node_attributes.txt", "1\n1e400\n", "set/T_node_attributes.txt:2: \"1e400\" is not a finite number"},
        {"T_node_attributes.txt", "1e39\n1\n", "set/T_node_attributes.txt:1: \"1e39\" is not a finite number"},
        {"T_node_attributes.txt", "1\n-1e39\n", "set/T_node_attributes.txt:2: \"-1e39\" is not a finite number"},
        {"T_node_attributes.txt", "1\n-inf\n", "set/T_node_attributes.txt:2: \"-inf\" is not a finite number"},
        {"T_node_attributes.txt", "NaN\n1\n", "set/T_node_attributes.txt:1: \"NaN\" is not a finite number"},
        {"T_A.txt", "999999999999999999, 1\n",
         "set/T_A.txt:1: node id 999999999999999999 is outside 1..2 (from T_graph_indicator.txt)"},
        {"T_A.txt", "99999999999999999999, 1\n", "set/T_A.txt:1: \"99999999999999999999\" is not a whole number"},
        {"T_A.txt", "4294967297, 1\n",
         "set/T_A.txt:1: node id 4294967297 is outside 1..2 (from T_graph_indicator.txt)"},
        {"T_graph_indicator.txt", "1\n4294967297\n",
         "set/T_graph_indicator.txt:2: graph id 4294967297 is outside 1..1 (from T_graph_labels.txt)"},
        {"T_graph_indicator.txt", "-1\n1\n",
         "set/T_graph_indicator.txt:1: graph id -1 is outside 1..1 (from T_graph_labels.txt)"},
        {"T_graph_labels.txt", "nan\n", "set/T_graph_labels.txt:1: \"nan\" is not a whole number"},
        {"T_graph_labels.txt", "9223372036854775808\n",
         "set/T_graph_labels.txt:1: \"9223372036854775808\" is not a whole number"},
        {"T_node_labels.txt", "1e400\n1\n", "set/T_node_labels.txt:1: \"1e400\" is not a whole number"},
    };
    struct memory_set good = {.n = 0};
    memory_set_text(&good, "T_A.txt", "1, 2\n2, 1\n");
    memory_set_text(&good, "T_graph_indicator.txt", "1\n1\n");
    memory_set_text(&good, "T_graph_labels.txt", "1\n");
    memory_set_text(&good, "T_node_labels.txt", "3\n-3\n");
    memory_set_text(&good, "T_node_attributes.txt", "1\n3.4e38\n");
    expect_refusals(&good, "tu", cases, sizeof cases / sizeof *cases);
}

static void tu_targets(void **state)
{
    (void)state;
    static const struct hostile cases[] = {
        {"T_graph_attributes.txt", "1, 1e400\n", "set/T_graph_attributes.txt:1: \"1e400\" is not a finite number"},
        {"T_graph_attributes.txt", "inf, 1\n", "set/T_graph_attributes.txt:1: \"inf\" is not a finite number"},
    };
    struct memory_set good = {.n = 0};
    memory_set_text(&good, "T_A.txt", "1, 1\n");
    memory_set_text(&good, "T_graph_indicator.txt", "1\n");
    memory_set_text(&good, "T_graph_attributes.txt", "0.5, nan\n");
    expect_refusals(&good, "tu", cases, sizeof cases / sizeof *cases);
}

static void ogb_numbers(void **state)
{
    (void)state;
    static const struct hostile cases[] = {
        {"m/raw/num-node-list.csv", "99999999999\n1\n",
         "set/m/raw/num-node-list.csv:1: 99999999999 is outside 0..2147483645"},
        {"m/raw/num-node-list.csv", "-1\n1\n", "set/m/raw/num-node-list.csv:1: -1 is outside 0..2147483645"},
        {"m/raw/num-edge-list.csv", "2147483646\n0\n",
         "set/m/raw/num-edge-list.csv:1: 2147483646 is outside 0..2147483645"},
        {"m/raw/num-edge-list.csv", "1e9\n0\n", "set/m/raw/num-edge-list.csv:1: \"1e9\" is not a whole number"},
        {"m/raw/node-feat.csv", "3\n4294967299\n5\n",
         "set/m/raw/node-feat.csv:2: value 4294967299 in column 1 is outside 0..999999"},
        {"m/raw/edge.csv", "0,-1\n", "set/m/raw/edge.csv:1: value -1 in column 2 is outside 0..1"},
        {"m/raw/edge.csv", "0,4294967296\n", "set/m/raw/edge.csv:1: value 4294967296 in column 2 is outside 0..1"},
        {"m/raw/graph-label.csv", "1e39\n0\n", "set/m/raw/graph-label.csv:1: \"1e39\" is not a finite number"},
        {"m/raw/graph-label.csv", "1\n-Inf\n", "set/m/raw/graph-label.csv:2: \"-Inf\" is not a finite number"},
        {"m/split/scaffold/train.csv", "-1\n", "set/m/split/scaffold/train.csv:1: graph -1 is outside 0..1"},
        {"m/split/scaffold/train.csv", "4294967296\n",
         "set/m/split/scaffold/train.csv:1: graph 4294967296 is outside 0..1"},
    };
    struct memory_set good = small_ogb_set("3\n4\n5\n", "1\n0\n");
    memory_set_text(&good, "m/split/scaffold/train.csv", "0\n");
    memory_set_text(&good, "m/split/scaffold/valid.csv", "1\n");
    memory_set_text(&good, "m/split/scaffold/test.csv", "");
    expect_refusals(&good, "ogb", cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tu_numbers),
        cmocka_unit_test(tu_targets),
        cmocka_unit_test(ogb_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
