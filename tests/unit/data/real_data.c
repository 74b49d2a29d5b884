/* SPDX-License-Identifier: MIT
 * The nine public data sets: every published count, label rate and split size. They are looked for in $L2R_DATA or
 * beside the source tree; without them the test is skipped, unless $L2R_REQUIRE_DATA is set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/splits/split.h"
#include "data/summary.h"
#include "support/data_sets.h"

#include <math.h>

static const char *root;
static struct l2r_error error;

struct expectation {
    const char *path, *name;
    enum l2r_task task;
    int64_t graphs, nodes, edges, self_loops, edgeless; /* nodes, edges -1: only the means are published */
    double nodes_mean, edges_mean;
    int n_labels;
    int64_t labels[12]; /* graphs of each class, or positives of each task */
    int64_t missing;
    const char *rule;
    int64_t parts[3];
    int node_columns, node_types_vocabulary, reals;
};

static const struct expectation sets[] = {
    {"tu/PROTEINS.zip",
     "PROTEINS",
     L2R_TASK_MULTICLASS,
     1113,
     43471,
     162088 / 2,
     0,
     0,
     39.06,
     72.82,
     2,
     {663, 450},
     0,
     "size",
     {450, 50, 613},
     1,
     3,
     1},
    {"tu/DD.zip",
     "DD",
     L2R_TASK_MULTICLASS,
     1178,
     334925,
     1686092 / 2,
     0,
     0,
     284.32,
     715.66,
     2,
     {691, 487},
     0,
     "size",
     {450, 50, 678},
     1,
     82,
     0},
    {"tu/COLLAB.zip",
     "COLLAB",
     L2R_TASK_MULTICLASS,
     5000,
     372474,
     (24574995 + 2837) / 2,
     2837,
     0,
     74.49,
     2457.78,
     3,
     {2600, 775, 1625},
     0,
     "size",
     {450, 50, 4500},
     1,
     492,
     0},
    {"ogb/hiv",
     "hiv",
     L2R_TASK_BINARY,
     41127,
     -1,
     -1,
     0,
     0,
     25.51,
     27.47,
     1,
     {1443},
     0,
     "official",
     {32901, 4113, 4113},
     9,
     119,
     0},
    {"ogb/bace",
     "bace",
     L2R_TASK_BINARY,
     1513,
     -1,
     -1,
     0,
     0,
     34.09,
     36.86,
     1,
     {691},
     0,
     "official",
     {1210, 151, 152},
     9,
     119,
     0},
    {"ogb/bbbp",
     "bbbp",
     L2R_TASK_BINARY,
     2039,
     -1,
     -1,
     0,
     0,
     24.06,
     25.95,
     1,
     {1560},
     0,
     "official",
     {1631, 204, 204},
     9,
     119,
     0},
    {"ogb/esol",
     "esol",
     L2R_TASK_REGRESSION,
     1128,
     -1,
     -1,
     0,
     1,
     13.29,
     13.68,
     1,
     {-1},
     0,
     "official",
     {902, 113, 113},
     9,
     119,
     0},
    {"ogb/tox21",
     "tox21",
     L2R_TASK_BINARY,
     7831,
     -1,
     -1,
     0,
     19,
     18.57,
     19.29,
     12,
     {309, 237, 768, 300, 793, 350, 186, 942, 264, 372, 918, 423},
     16026,
     "official",
     {6264, 783, 784},
     9,
     119,
     0},
    {"ogb/clintox",
     "clintox",
     L2R_TASK_BINARY,
     1477,
     -1,
     -1,
     0,
     1,
     26.16,
     27.88,
     2,
     {1383, 112},
     0,
     "official",
     {1181, 148, 148},
     9,
     119,
     0},
};

static void assert_summary(const struct l2r_dataset *data, const struct expectation *e)
{
    struct l2r_summary s;
    assert_int_equal(l2r_summary_make(&s, data, &error), L2R_OK);
    assert_true(s.sound);
    assert_string_equal(data->name, e->name);
    assert_int_equal(data->task, e->task);
    assert_int_equal(data->n_graphs, e->graphs);
    if (e->nodes >= 0) assert_int_equal(data->n_nodes, e->nodes);
    if (e->edges >= 0) assert_int_equal(s.n_edges, e->edges);
    assert_int_equal(s.n_self_loops, e->self_loops);
    assert_true(fabs(s.nodes.mean - e->nodes_mean) < 0.005 + 1e-9);
    assert_true(fabs(s.edges.mean - e->edges_mean) < 0.005 + 1e-9);
    assert_int_equal(s.n_labels, e->n_labels);
    assert_int_equal(s.n_missing, e->missing);
    for (int k = 0; k < e->n_labels; k++) {
        if (e->task == L2R_TASK_MULTICLASS) assert_int_equal(s.labels[k].count, e->labels[k]);
        if (e->task == L2R_TASK_BINARY) assert_int_equal(s.labels[k].positives, e->labels[k]);
        if (e->task == L2R_TASK_REGRESSION)
            assert_true(fabs(s.labels[k].mean + 3.0501) < 5e-5 && fabs(s.labels[k].sd - 2.0964) < 5e-5);
    }
    assert_int_equal(s.n_edgeless, e->edgeless);
    assert_int_equal(data->nodes.n_columns, e->node_columns);
    assert_int_equal(data->nodes.vocabulary[0], e->node_types_vocabulary);
    assert_int_equal(data->n_node_reals, e->reals);
    l2r_summary_clear(&s);
}

static void assert_split(const struct l2r_dataset *data, const char *rule, const char *max_nodes,
                         const int64_t parts[3])
{
    struct l2r_config *config;
    struct l2r_split split;
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_split_declare(config, &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "max-train-nodes", max_nodes, &error), L2R_OK);
    assert_int_equal(l2r_split_make(&split, data, config, &error), L2R_OK);
    assert_string_equal(split.rule, rule);
    for (int p = 0; p < 3; p++) assert_int_equal(l2r_split_size(&split, p), parts[p]);
    l2r_split_clear(&split);
    l2r_config_free(config);
}

static void has_the_published_counts(void **state)
{
    const struct expectation *e = *state;
    struct l2r_dataset *data;
    enum l2r_status status = l2r_dataset_load(&data, path_in(root, e->path), false, &error);
    if (status != L2R_OK) fail_msg("%s", error.message);
    assert_summary(data, e);
    assert_split(data, e->rule, "0", e->parts);
    if (strcmp(e->name, "DD") == 0) { /* fewer than 500 small graphs: all of them train */
        int64_t small = 0;
        for (int64_t g = 0; g < data->n_graphs; g++) small += l2r_dataset_nodes_of(data, g) <= 200;
        assert_int_equal(small, 462);
        assert_split(data, "size", "200", (int64_t[]){416, 46, 716});
    }
    l2r_dataset_free(data);
}

int main(void)
{
    enum { N = sizeof sets / sizeof *sets };
    struct CMUnitTest tests[N];
    root = getenv("L2R_DATA") ? getenv("L2R_DATA") : L2R_TEST_DIR "/../../shared/data";
    for (int i = 0; i < N; i++) {
        union {
            const void *from;
            void *to;
        } expectation = {.from = &sets[i]};
        tests[i] = (struct CMUnitTest){
            .name = sets[i].name, .test_func = has_the_published_counts, .initial_state = expectation.to};
        if (!l2r_path_is_file(path_in(root, sets[i].path)) && !l2r_path_is_dir(path_in(root, sets[i].path))) {
            printf("%s/%s is not there; set L2R_DATA to the folder of the data sets\n", root, sets[i].path);
            return getenv("L2R_REQUIRE_DATA") ? 1 : 77;
        }
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
