/* SPDX-License-Identifier: MIT
 * Splits: each rule's sizes and proportions, the same split for the same seed, files read back, and bad files refused.
 * */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/builder.h"
#include "data/splits/split.h"
#include "support/data_sets.h"
#include "support/folder.h"
#include "support/messages.h"

#include <math.h>

static struct l2r_error error;
static struct l2r_config *config;

static int set_up(void **state)
{
    return make_folder(state) == 0 && l2r_config_new(&config, &error) == L2R_OK &&
                   l2r_split_declare(config, &error) == L2R_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    l2r_config_free(config);
    return remove_folder(state);
}

static void set(const char *name, const char *value)
{
    assert_int_equal(l2r_config_set(config, name, value, &error), L2R_OK);
}

/* n graphs; graph g has g % 10 + 1 nodes and class g % 4 == 0. */
static struct l2r_dataset *make_data(const char *name, int n, enum l2r_task task, bool official)
{
    const struct l2r_schema schema = {.name = name, .task = task, .n_tasks = 1, .degree_as_feature = true};
    struct l2r_builder *builder;
    struct l2r_dataset *data;
    assert_int_equal(l2r_builder_new(&builder, &schema, &error), L2R_OK);
    for (int g = 0; g < n; g++) {
        float label = g % 4 == 0;
        const struct l2r_graph_view graph = {.n_nodes = g % 10 + 1,
                                             .labels = &label,
                                             .part =
                                                 official ? (g % 5 == 0 ? L2R_PART_TEST : g % 5 == 1) : L2R_PART_NONE};
        assert_int_equal(l2r_builder_add(builder, &graph, &error), L2R_OK);
    }
    assert_int_equal(l2r_builder_finish(&data, builder, &error), L2R_OK);
    l2r_builder_free(builder);
    return data;
}

static struct l2r_split make_split(const struct l2r_dataset *data)
{
    struct l2r_split split;
    enum l2r_status status = l2r_split_make(&split, data, config, &error);
    if (status != L2R_OK) fail_msg("%s", error.message);
    return split;
}

static void assert_sizes(const struct l2r_split *split, int64_t train, int64_t valid, int64_t test)
{
    assert_int_equal(l2r_split_size(split, L2R_PART_TRAIN), train);
    assert_int_equal(l2r_split_size(split, L2R_PART_VALID), valid);
    assert_int_equal(l2r_split_size(split, L2R_PART_TEST), test);
}

/* Every graph once, lists ascending. */
static void assert_partition(const struct l2r_split *split, int64_t n)
{
    uint8_t seen[5000] = {0};
    assert_int_equal(split->start[0], 0);
    assert_int_equal(split->start[3], n);
    for (int p = 0; p < 3; p++) {
        for (int64_t i = 0; i < l2r_split_size(split, p); i++) {
            int32_t g = l2r_split_part(split, p)[i];
            assert_true(i == 0 || g > l2r_split_part(split, p)[i - 1]);
            assert_false(seen[g]++);
        }
    }
}

static void random_and_stratified(void **state)
{
    (void)state;
    struct l2r_dataset *data = make_data("x", 1000, L2R_TASK_MULTICLASS, false);
    struct l2r_split split = make_split(data); /* auto */
    assert_string_equal(split.rule, "stratified");
    assert_sizes(&split, 800, 100, 100);
    assert_partition(&split, 1000);
    for (int p = 0; p < 3; p++) {
        int64_t ones = 0;
        for (int64_t i = 0; i < l2r_split_size(&split, p); i++) ones += l2r_split_part(&split, p)[i] % 4 == 0;
        assert_int_equal(ones, l2r_split_size(&split, p) / 4);
    }
    struct l2r_split again = make_split(data);
    assert_memory_equal(split.graphs, again.graphs, 1000 * sizeof(int32_t));
    l2r_split_clear(&again);
    set("split-seed", "1");
    again = make_split(data);
    assert_memory_not_equal(split.graphs, again.graphs, 1000 * sizeof(int32_t));
    l2r_split_clear(&again);
    l2r_split_clear(&split);

    set("split", "random");
    set("valid-fraction", "0.25");
    set("test-fraction", "0.333");
    split = make_split(data);
    assert_sizes(&split, 417, 250, 333);
    assert_partition(&split, 1000);
    l2r_split_clear(&split);
    set("test-fraction", "0.75");
    assert_int_equal(l2r_split_make(&split, data, config, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "`valid-fraction=0.25` and `test-fraction=0.75` leave nothing to train on; their "
                                  "sum must be below 1");
    l2r_dataset_free(data);
}

static void stratifies_binary_labels(void **state)
{
    (void)state;
    struct l2r_dataset *data = make_data("x", 403, L2R_TASK_BINARY, false);
    struct l2r_split split = make_split(data);
    int64_t ones = 0;
    assert_partition(&split, 403);
    for (int64_t i = 0; i < l2r_split_size(&split, L2R_PART_TEST); i++)
        ones += l2r_split_part(&split, L2R_PART_TEST)[i] % 4 == 0;
    assert_in_range(ones, 9, 11); /* a tenth of 101 */
    l2r_split_clear(&split);
    l2r_dataset_free(data);
}

static void by_size(void **state)
{
    (void)state;
    struct l2r_dataset *data = make_data("PROTEINS", 1000, L2R_TASK_MULTICLASS, false);
    struct l2r_split split = make_split(data);
    assert_string_equal(split.rule, "size"); /* all have at most 25 nodes */
    assert_sizes(&split, 450, 50, 500);
    assert_partition(&split, 1000);
    l2r_split_clear(&split);
    set("max-train-nodes", "3"); /* 300 graphs: all of them */
    set("valid-fraction", "0.2");
    split = make_split(data);
    assert_sizes(&split, 240, 60, 700);
    for (int64_t i = 0; i < split.start[2]; i++) assert_true(l2r_dataset_nodes_of(data, split.graphs[i]) <= 3);
    l2r_split_clear(&split);
    l2r_dataset_free(data);
}

/* Where no limit is known the smallest train and the largest test: two graphs of each size from 1 to 10. */
static void by_order_of_size(void **state)
{
    (void)state;
    struct l2r_dataset *data = make_data("other", 20, L2R_TASK_MULTICLASS, false);
    set("split", "size");
    struct l2r_split split = make_split(data);
    assert_sizes(&split, 16, 2, 2);
    assert_partition(&split, 20);
    for (int64_t i = 0; i < 16; i++) assert_true(l2r_dataset_nodes_of(data, split.graphs[i]) <= 8);
    for (int64_t i = 0; i < 2; i++)
        assert_int_equal(l2r_dataset_nodes_of(data, l2r_split_part(&split, L2R_PART_TEST)[i]), 10);
    l2r_split_clear(&split);
    l2r_dataset_free(data);
}

static void sentences(void **state)
{
    (void)state;
    struct l2r_dataset *data = make_data("other", 20, L2R_TASK_MULTICLASS, false);
    struct l2r_split split;
    set("split", "official");
    assert_int_equal(l2r_split_make(&split, data, config, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "`split=official`: data set \"other\" came without a split; use size, random, "
                                  "stratified or file");
    set("split", "file");
    assert_int_equal(l2r_split_make(&split, data, config, &error), L2R_ERR_ARGUMENT);
    assert_string_equal(error.message, "`split=file` needs `split-file=FILE`");
    l2r_dataset_free(data);
}

static void official_and_files(void **state)
{
    (void)state;
    struct l2r_dataset *data = make_data("x", 50, L2R_TASK_BINARY, true);
    struct l2r_split split = make_split(data), back;
    assert_string_equal(split.rule, "official");
    assert_sizes(&split, 30, 10, 10);
    assert_partition(&split, 50);
    split.seed = 12;
    const char *path = path_in(folder, "split.json");
    assert_int_equal(l2r_split_write(&split, path, &error), L2R_OK);
    set("split-file", path); /* auto follows */
    back = make_split(data);
    assert_string_equal(back.rule, "official");
    assert_int_equal(back.seed, 12);
    assert_memory_equal(back.start, split.start, sizeof back.start);
    assert_memory_equal(back.graphs, split.graphs, 50 * sizeof(int32_t));
    l2r_split_clear(&back);
    l2r_split_clear(&split);
    l2r_dataset_free(data);
}

/* Three parts keep the fingerprint that they had before there could be five: models and folders remember it. */
static void five_parts(void **state)
{
    (void)state;
    struct l2r_dataset *data = make_data("x", 50, L2R_TASK_BINARY, true);
    struct l2r_split three = make_split(data), five, back;
    uint8_t part[50];
    char text[160];
    assert_int_equal(l2r_split_parts(&three), 3);
    assert_int_equal(l2r_split_fingerprint(&three), UINT64_C(0x6c0c07c3bdfdbfd0));
    l2r_split_describe(text, sizeof text, &three);
    assert_string_equal(text, "30 train, 10 valid, 10 test");
    for (int g = 0; g < 50; g++) part[g] = (uint8_t)(g % 7 < L2R_N_PARTS ? g % 7 : L2R_PART_TRAIN);
    five = (struct l2r_split){.rule = "official", .n_graphs = 50};
    assert_int_equal(l2r_split_fill(&five, part, 50, &error), L2R_OK);
    l2r_split_describe(text, sizeof text, &five);
    assert_string_equal(text, "22 train, 7 valid, 7 test, 7 id-valid, 7 id-test");
    const char *path = path_in(folder, "five.json");
    assert_int_equal(l2r_split_write(&five, path, &error), L2R_OK);
    set("split-file", path);
    back = make_split(data);
    assert_memory_equal(back.start, five.start, sizeof back.start);
    assert_memory_equal(back.graphs, five.graphs, 50 * sizeof(int32_t));
    assert_int_equal(l2r_split_fingerprint(&back), l2r_split_fingerprint(&five));
    five.start[4]++; /* another border between the two id parts */
    assert_int_not_equal(l2r_split_fingerprint(&back), l2r_split_fingerprint(&five));
    l2r_split_clear(&back);
    l2r_split_clear(&five);
    l2r_split_clear(&three);
    l2r_dataset_free(data);
}

static void refuses_bad_files(void **state)
{
    (void)state;
#define HEAD "{\"format\": \"l2r-split\", \"version\": 1, \"n_graphs\": 9, "
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"[1]", ": this is not a split; expected an object with \"format\": \"l2r-split\""},
        {"{\"format\": \"l2r-split\", \"version\": 2}", ": \"version\" must be 1"},
        {"{\"format\": \"l2r-split\", \"version\": 1, \"n_graphs\": 8}",
         ": the split is for 8 graphs, but data set \"x\" has 9"},
        {HEAD "\"train\": [0], \"valid\": [1]}", ": \"test\" must be a list of graph numbers"},
        {HEAD "\"train\": [0, 9], \"valid\": [], \"test\": []}", ": \"train\" names graph 9, outside 0..8"},
        {HEAD "\"train\": [-1], \"valid\": [], \"test\": []}", ": \"train\" names graph -1, outside 0..8"},
        {HEAD "\"train\": [2, 1], \"valid\": [], \"test\": []}", ": \"train\" must be ascending, but 1 follows 2"},
        {HEAD "\"train\": [2, 2], \"valid\": [], \"test\": []}", ": \"train\" must be ascending, but 2 follows 2"},
        {HEAD "\"train\": [2], \"valid\": [1, 2], \"test\": []}", ": graph 2 is in \"valid\" and in another part"},
        {HEAD "\"train\": [1.5], \"valid\": [], \"test\": []}", ": \"train\" number 0 is not an integer"},
        {HEAD "\"train\": [], \"valid\": [1], \"test\": [2]}", ": \"train\" is empty"},
        {HEAD "\"train\": [0], \"valid\": [1], \"test\": [2], \"id-test\": [2]}",
         ": graph 2 is in \"id-test\" and in another part"},
        {HEAD "\n\"train\": [}", ":2: not valid JSON"},
        {"", ":1: not valid JSON"},
    };
    struct l2r_dataset *data = make_data("x", 9, L2R_TASK_BINARY, false);
    const char *path = path_in(folder, "bad.json");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct l2r_split split;
        assert_int_equal(l2r_file_write(path, cases[i].text, strlen(cases[i].text), &error), L2R_OK);
        assert_int_equal(l2r_split_read(&split, path, data, &error), L2R_ERR_FORMAT);
        assert_memory_equal(error.message, path, strlen(path));
        assert_memory_equal(error.message + strlen(path), cases[i].message, strlen(cases[i].message));
        assert_null(split.graphs);
    }
    struct l2r_split split;
    assert_int_equal(l2r_split_read(&split, path_in(folder, "none.json"), data, &error), L2R_ERR_IO);
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_and_stratified, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stratifies_binary_labels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(by_size, set_up, tear_down),
        cmocka_unit_test_setup_teardown(by_order_of_size, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sentences, set_up, tear_down),
        cmocka_unit_test_setup_teardown(official_and_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(five_parts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_bad_files, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
