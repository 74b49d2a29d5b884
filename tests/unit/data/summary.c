/* SPDX-License-Identifier: MIT
 * The summary of the samples, as numbers, text and JSON; and that the sanity check finds what is unsound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/dataset.h"
#include "data/summary.h"
#include "support/data_sets.h"

#include <math.h>

static struct l2r_error error;

static struct l2r_dataset *load(const char *path)
{
    struct l2r_dataset *data;
    assert_int_equal(l2r_dataset_load(&data, path_in(L2R_TEST_DIR "/data", path), false, &error), L2R_OK);
    return data;
}

static void counts_a_tu_set(void **state)
{
    (void)state;
    struct l2r_dataset *data = load("tu/MINI");
    struct l2r_summary s;
    assert_int_equal(l2r_summary_make(&s, data, &error), L2R_OK);
    assert_true(s.sound);
    assert_int_equal(s.n_edges, 5);
    assert_int_equal(s.n_self_loops, 2);
    assert_int_equal(s.n_isolated, 3); /* a lone self loop is no neighbour */
    assert_int_equal(s.n_edgeless, 1);
    assert_true(s.nodes.min == 1 && s.nodes.max == 3 && s.nodes.mean == 2);
    assert_true(s.edges.min == 0 && s.edges.max == 2 && s.edges.mean == 1.25);
    assert_true(s.degree.min == 0 && s.degree.max == 2 && s.degree.mean == 1);
    assert_int_equal(s.n_labels, 2);
    assert_int_equal(s.labels[0].class_value, -1);
    assert_int_equal(s.labels[0].count, 2);
    assert_false(s.has_official);
    l2r_summary_clear(&s);
    l2r_dataset_free(data);
}

static void shows_an_ogb_set(void **state)
{
    (void)state;
    static const char expected[] =
        "data set           mini\n"
        "graphs             4\n"
        "nodes              8\n"
        "edges              4 undirected, 0 of them self loops\n"
        "nodes per graph    1 to 3, mean 2.00\n"
        "edges per graph    0 to 2, mean 1.00\n"
        "degree             0 to 2, mean 1.00\n"
        "isolated nodes     1\n"
        "edgeless graphs    1\n"
        "node features      9 categorical (vocabulary 119 5 12 12 10 6 6 2 2; 4 distinct rows)\n"
        "edge features      3 categorical (vocabulary 5 6 2; 3 distinct rows)\n"
        "task               binary, 2 tasks\n"
        "  task 0           2 positive of 3 (66.7 %), 1 missing\n"
        "  task 1           1 positive of 2 (50.0 %), 2 missing\n"
        "missing labels     3 (37.50 %)\n"
        "official split     2 train, 1 valid, 1 test\n"
        "check              sound: symmetric, sorted, all numbers in range\n";
    struct l2r_dataset *data = load("ogb/mini");
    struct l2r_summary s;
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    assert_int_equal(l2r_summary_make(&s, data, &error), L2R_OK);
    l2r_summary_print(stream, &s);
    fclose(stream);
    assert_string_equal(text, expected);
    free(text);

    json_t *root = l2r_summary_to_json(&s);
    int graphs, positives, missing, train;
    assert_int_equal(json_unpack(root, "{s:i, s:[{s:i}, {s:i}], s:{s:i}}", "graphs", &graphs, "labels", "positives",
                                 &positives, "missing", &missing, "official_split", "train", &train),
                     0);
    assert_true(graphs == 4 && positives == 2 && missing == 2 && train == 2);
    json_decref(root);
    l2r_summary_clear(&s);
    l2r_dataset_free(data);
}

static void describes_regression(void **state)
{
    (void)state;
    struct memory_set set = {.n = 0};
    struct l2r_dataset *data;
    struct l2r_summary s;
    memory_set_text(&set, "T_A.txt", "1,2\n");
    memory_set_text(&set, "T_graph_indicator.txt", "1\n1\n2\n3\n");
    memory_set_text(&set, "T_graph_attributes.txt", "1,\n3,\nnan,\n");
    assert_int_equal(memory_set_read(&data, &set, reader_named("tu"), &error), L2R_OK);
    assert_int_equal(l2r_summary_make(&s, data, &error), L2R_OK);
    assert_true(s.labels[0].mean == 2 && fabs(s.labels[0].sd - sqrt(2.0)) < 1e-12);
    assert_true(s.labels[0].min == 1 && s.labels[0].max == 3 && s.labels[0].missing == 1);
    assert_true(isnan(s.labels[1].mean) && s.labels[1].missing == 3);
    assert_int_equal(s.n_missing, 4);
    json_t *root = l2r_summary_to_json(&s);
    assert_true(json_is_null(json_object_get(json_array_get(json_object_get(root, "labels"), 1), "mean")));
    json_decref(root);
    l2r_summary_clear(&s);
    l2r_dataset_free(data);
}

/* One array at a time is damaged; the check must say so. */
static void finds_what_is_unsound(void **state)
{
    (void)state;
    struct l2r_dataset *data = load("tu/MINI");
    struct l2r_summary s;
    int32_t *neighbour, *arc_type, *rows;
    memcpy(&neighbour, &data->neighbour, sizeof neighbour);
    memcpy(&arc_type, &data->arcs.type, sizeof arc_type);
    memcpy(&rows, &data->nodes.rows, sizeof rows);
#define DAMAGE(place, value, words)                                                                                    \
    do {                                                                                                               \
        int32_t old = place;                                                                                           \
        place = value;                                                                                                 \
        assert_int_equal(l2r_summary_make(&s, data, &error), L2R_OK);                                                  \
        assert_false(s.sound);                                                                                         \
        assert_string_equal(s.problem, words);                                                                         \
        json_t *root = l2r_summary_to_json(&s);                                                                        \
        assert_true(json_is_false(json_object_get(root, "sound")));                                                    \
        json_decref(root);                                                                                             \
        l2r_summary_clear(&s);                                                                                         \
        place = old;                                                                                                   \
    } while (0)
    DAMAGE(neighbour[0], 3, "data set \"MINI\": a neighbour is out of range or order (at 0)");
    DAMAGE(neighbour[2], 0, "data set \"MINI\": a neighbour is out of range or order (at 2)");
    DAMAGE(neighbour[0], 2, "data set \"MINI\": an arc has no equal opposite (at 0)");
    DAMAGE(arc_type[0], 1, "data set \"MINI\": an arc has no equal opposite (at 0)");
    DAMAGE(arc_type[0], 2, "data set \"MINI\": a type number has no row (at 0)");
    DAMAGE(rows[0], 3, "data set \"MINI\": a feature is outside its vocabulary (at 0)");
    assert_int_equal(l2r_dataset_check_ranges(data, &error), L2R_OK);
    assert_int_equal(l2r_dataset_check_symmetry(data, &error), L2R_OK);
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_a_tu_set),
        cmocka_unit_test(shows_an_ogb_set),
        cmocka_unit_test(describes_regression),
        cmocka_unit_test(finds_what_is_unsound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
