/* SPDX-License-Identifier: MIT
 * l2r/data.h: data sets from files with options, SMILES and arrays; what they lend; dropped rows; save and open; splits
 * by rule, indices, folds and file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem/molecule.h"
#include "data/dataset.h"
#include "support/training_runs.h"

#include "support/calls.h" /* after the others, whose functions have errors of their own */

#include <math.h>
#include <string.h>

/* Two graphs, a path and a triangle with a self loop, with every kind of feature. */
static const int64_t nodes[] = {2, 3}, edges_of[] = {1, 4};
static const int32_t edges[] = {0, 1, 0, 1, 1, 2, 2, 0, 1, 1}, rows[] = {0, 1, 2, 1, 0}, bonds[] = {0, 1, 1, 1, 0};
static const float reals[] = {0.5f, 1, 2, 3, 4}, labels[] = {5, 3};
static const uint8_t parts[] = {L2R_PART_TRAIN, L2R_PART_TEST};

static struct l2r_arrays arrays(void)
{
    struct l2r_arrays a = L2R_ARRAYS_INIT;
    a.name = "two";
    a.task = L2R_TASK_MULTICLASS;
    a.n_tasks = 1;
    a.n_graphs = 2;
    a.node_counts = nodes;
    a.edge_counts = edges_of;
    a.edges = edges;
    a.n_node_columns = a.n_edge_columns = a.n_node_reals = 1;
    a.node_rows = rows;
    a.edge_rows = bonds;
    a.node_real = reals;
    a.labels = labels;
    a.parts = parts;
    return a;
}

static void from_arrays_and_getters(void **state)
{
    (void)state;
    struct l2r_dataset *data, *again;
    struct l2r_arrays a = arrays();
    char path[300];
    OK(l2r_dataset_from_arrays(&data, &a, &error));
    assert_string_equal(l2r_dataset_name(data), "two");
    assert_int_equal(l2r_dataset_n_graphs(data), 2);
    assert_int_equal(l2r_dataset_task(data), L2R_TASK_MULTICLASS);
    assert_int_equal(l2r_dataset_n_tasks(data), 1);
    assert_null(l2r_dataset_task_name(data, 0));
    assert_int_equal(l2r_dataset_n_classes(data), 2);
    assert_int_equal(l2r_dataset_class(data, 0), 3);
    assert_true(l2r_dataset_class(data, 2) == INT64_MIN && l2r_dataset_class(data, -1) == INT64_MIN);
    assert_true(l2r_dataset_labels(data)[0] == 1 && l2r_dataset_labels(data)[1] == 0);
    assert_memory_equal(l2r_dataset_parts(data), parts, 2);
    assert_null(l2r_dataset_environments(data));
    assert_null(l2r_dataset_smiles(data, 0));
    assert_int_equal(l2r_dataset_source_row(data, 0), -1);
    assert_int_equal(l2r_dataset_node_start(data)[2], 5);
    assert_int_equal(l2r_dataset_arc_start(data)[5], 9); /* 2 + 6 + a self loop */
    assert_int_equal(l2r_dataset_neighbours(data)[0], 1);
    assert_int_equal(l2r_dataset_n_node_columns(data), 1);
    assert_int_equal(l2r_dataset_n_edge_columns(data), 1);
    assert_int_equal(l2r_dataset_n_node_reals(data), 1);
    assert_int_equal(l2r_dataset_node_vocabulary(data, 0), 3);
    assert_int_equal(l2r_dataset_edge_vocabulary(data, 0) + l2r_dataset_node_vocabulary(data, 1), 2);
    assert_int_equal(l2r_dataset_node_row(data, 2)[0], 2);
    assert_int_equal(l2r_dataset_edge_row(data, 0)[0], 0);
    assert_true(!l2r_dataset_node_row(data, 5) && !l2r_dataset_edge_row(data, -1));
    assert_true(l2r_dataset_node_real(data)[4] == 4);
    assert_string_equal(l2r_dataset_notes(data), "");
    assert_int_equal(l2r_dataset_n_dropped(data), 0);
    snprintf(path, sizeof path, "%s/two.l2r", root);
    OK(l2r_dataset_save(data, path, &error));
    OK(l2r_dataset_open(&again, path, NULL, &error));
    assert_int_equal(l2r_dataset_fingerprint(again), l2r_dataset_fingerprint(data));
    l2r_dataset_free(data);
    snprintf(path, sizeof path, "%s/again.l2r", root);
    OK(l2r_dataset_save(again, path, &error)); /* one that was itself saved */
    l2r_dataset_free(again);
    OK(l2r_dataset_open(&again, path, NULL, &error));
    assert_int_equal(l2r_dataset_n_graphs(again), 2);
    l2r_dataset_free(again);
    assert_int_equal(truncate(path, 600), 0);
    assert_int_equal(l2r_dataset_open(&again, path, NULL, &error), L2R_ERR_FORMAT);
    assert_non_null(strstr(error.message, "is damaged"));
    assert_int_equal(l2r_dataset_save(NULL, path, &error), L2R_ERR_ARGUMENT);
}

static void bad_arrays(void **state)
{
    (void)state;
    struct l2r_dataset *data;
    const int64_t negative[] = {2, -1};
    struct l2r_arrays a = arrays();
    refused(l2r_dataset_from_arrays(NULL, &a, &error), "data is NULL");
    refused(l2r_dataset_from_arrays(&data, NULL, &error), "arrays is NULL");
    a.n_graphs = 0;
    refused(l2r_dataset_from_arrays(&data, &a, &error), "arrays.n_graphs = 0");
    a = arrays(), a.node_counts = NULL;
    refused(l2r_dataset_from_arrays(&data, &a, &error), "arrays.node_counts is NULL");
    a = arrays(), a.edge_counts = negative;
    refused(l2r_dataset_from_arrays(&data, &a, &error), "graph 1 has 3 nodes and -1 edges");
    a = arrays(), a.node_rows = NULL;
    refused(l2r_dataset_from_arrays(&data, &a, &error), "arrays.node_rows is NULL");
    a = arrays(), a.size = 3;
    refused(l2r_dataset_from_arrays(&data, &a, &error), "arrays.size = 3");
    struct {
        struct l2r_arrays known;
        int64_t later;
    } newer = {arrays(), 1};
    newer.known.size = sizeof newer;
    refused(l2r_dataset_from_arrays(&data, &newer.known, &error), "members that version");
    newer.later = 0;
    OK(l2r_dataset_from_arrays(&data, &newer.known, &error));
    l2r_dataset_free(data);
}

static void nothing_is_asked_of_null(void **state)
{
    (void)state;
    assert_true(!l2r_dataset_name(NULL) && !l2r_dataset_labels(NULL) && !l2r_dataset_parts(NULL));
    assert_true(!l2r_dataset_environments(NULL) && !l2r_dataset_smiles(NULL, 0) && !l2r_dataset_node_start(NULL));
    assert_true(!l2r_dataset_arc_start(NULL) && !l2r_dataset_neighbours(NULL) && !l2r_dataset_node_row(NULL, 0));
    assert_true(!l2r_dataset_edge_row(NULL, 0) && !l2r_dataset_node_real(NULL) && !l2r_dataset_task_name(NULL, 0));
    assert_int_equal(l2r_dataset_n_tasks(NULL) + l2r_dataset_n_classes(NULL) + l2r_dataset_n_node_columns(NULL), 0);
    assert_int_equal(l2r_dataset_n_edge_columns(NULL) + l2r_dataset_n_node_reals(NULL), 0);
    assert_int_equal(l2r_dataset_node_vocabulary(NULL, 0) + l2r_dataset_edge_vocabulary(NULL, 0), 0);
    assert_int_equal(l2r_dataset_n_dropped(NULL), 0);
    assert_int_equal(l2r_dataset_task(NULL), L2R_TASK_MULTICLASS);
    assert_string_equal(l2r_task_name((enum l2r_task)77), "unknown");
    assert_true(!l2r_split_graphs(NULL, NULL, 0) && !l2r_split_rule_name(NULL));
    l2r_split_free(NULL);
}

static const char *const smiles[] = {"CCO", "C(C", NULL, "c1ccccc1O", "CC(=O)O extra"};

static void from_smiles(void **state)
{
    (void)state;
    static const float y[] = {0, 1, 1, NAN, 1, 0, 1, 1, 0, 1};
    struct l2r_dataset *data;
    struct l2r_config *options;
    int64_t row;
    char reason[100], tiny[4];
    struct l2r_molecule_graph probe = {0};
    if (l2r_molecule_features(&probe, "C", false, &error) != L2R_OK) skip(); /* a build without RDKit */
    l2r_molecule_graph_clear(&probe);
    OK(l2r_dataset_from_smiles(&data, SMILES(smiles, y, L2R_TASK_BINARY, 2, 5), NULL, &error));
    assert_int_equal(l2r_dataset_n_graphs(data), 3);
    assert_string_equal(l2r_dataset_smiles(data, 2), "CC(=O)O");
    assert_int_equal(l2r_dataset_source_row(data, 1), 3);
    assert_true(l2r_dataset_labels(data)[2] == 1 && l2r_dataset_labels(data)[3] == 1);
    assert_string_equal(l2r_dataset_task_name(data, 1), "label 1");
    assert_non_null(l2r_dataset_environments(data)); /* scaffolds */
    assert_int_equal(l2r_dataset_n_dropped(data), 2);
    OK(l2r_dataset_dropped_row(&row, reason, sizeof reason, data, 0, &error));
    assert_int_equal(row, 1);
    assert_true(strlen(reason) > 5);
    OK(l2r_dataset_dropped_row(&row, tiny, sizeof tiny, data, 1, &error));
    assert_int_equal(row, 2);
    assert_string_equal(tiny, "the");
    OK(l2r_dataset_dropped_row(NULL, NULL, 0, data, 1, &error));
    refused(l2r_dataset_dropped_row(&row, reason, sizeof reason, data, 2, &error), "i = 2; the data set has 2");
    refused(l2r_dataset_dropped_row(&row, NULL, 9, data, 0, &error), "reason is NULL");
    l2r_dataset_free(data);
    OK(l2r_config_for_data(&options, &error));
    OK(l2r_config_set(options, "on-bad-smiles", "fail", &error));
    assert_int_equal(l2r_dataset_from_smiles(&data, SMILES(smiles, NULL, L2R_TASK_BINARY, 1, 5), options, &error),
                     L2R_ERR_FORMAT);
    assert_non_null(strstr(error.message, "smiles:1: "));
    l2r_config_free(options);
    static const char *const odd[] = {"CCO", "CCO\xc3\xa9N", "CC\xe2\x80\x8b", "CC\x01", "N caf\xc3\xa9", "CCC"};
    OK(l2r_dataset_from_smiles(&data, SMILES(odd, NULL, L2R_TASK_BINARY, 1, 6), NULL, &error));
    assert_int_equal(l2r_dataset_n_graphs(data), 3);
    assert_int_equal(l2r_dataset_n_dropped(data), 3);
    OK(l2r_dataset_dropped_row(&row, reason, sizeof reason, data, 0, &error));
    assert_int_equal(row, 1);
    assert_non_null(strstr(reason, "byte 4 of the SMILES (0xc3)"));
    l2r_dataset_free(data);
    OK(l2r_config_for_explanation(&options, &error));
    refused(l2r_dataset_from_smiles(&data, SMILES(smiles, NULL, L2R_TASK_BINARY, 1, 5), options, &error),
            "not those of data");
    refused(l2r_dataset_open(&data, "motif", options, &error), "not those of data");
    l2r_config_free(options);
    refused(l2r_dataset_from_smiles(&data, SMILES(NULL, NULL, L2R_TASK_BINARY, 1, 5), NULL, &error), "smiles is NULL");
    refused(l2r_dataset_from_smiles(&data, SMILES(smiles, NULL, L2R_TASK_BINARY, 1, -1), NULL, &error), "n_rows = -1");
    refused(l2r_dataset_from_smiles(&data, SMILES(smiles, NULL, (enum l2r_task)77, 1, 5), NULL, &error), "task = 77");
    refused(l2r_dataset_from_smiles(&data, SMILES(smiles, NULL, L2R_TASK_BINARY, 0, 5), NULL, &error), "n_tasks = 0");
    refused(l2r_dataset_from_smiles(&data, SMILES(smiles, NULL, L2R_TASK_BINARY, INT32_MAX, 5), NULL, &error),
            "n_tasks = 2147483647");
    refused(l2r_dataset_from_smiles(&data, SMILES(smiles, reals, L2R_TASK_BINARY, 1, 5), NULL, &error),
            "labels[0] = 0.5");
}

static void splits(void **state)
{
    (void)state;
    struct l2r_dataset *data;
    struct l2r_split *split, *again;
    struct l2r_config *options;
    char path[300];
    int64_t n, seen = 0;
    OK(l2r_dataset_open(&data, "motif:train=20,valid=10,test=10", NULL, &error));
    OK(l2r_split_new(&split, data, NULL, &error));
    assert_string_equal(l2r_split_rule_name(split), "official");
    assert_non_null(l2r_split_graphs(&n, split, L2R_PART_VALID));
    assert_int_equal(n, 10);
    snprintf(path, sizeof path, "%s/split.json", root);
    OK(l2r_split_save(split, path, &error));
    OK(l2r_split_open(&again, path, data, &error));
    assert_memory_equal(l2r_split_graphs(NULL, again, 0), l2r_split_graphs(&n, split, 0), (size_t)n * 8);
    l2r_split_free(again);
    l2r_split_free(split);
    OK(l2r_config_for_data(&options, &error));
    OK(l2r_config_set(options, "split", "random", &error));
    OK(l2r_config_set(options, "split-seed", "4", &error));
    OK(l2r_split_new(&split, data, options, &error));
    assert_string_equal(l2r_split_rule_name(split), "random");
    l2r_split_free(split);
    char tested[40] = {0};
    for (int32_t k = 0; k < 5; k++) { /* every graph is tested once */
        OK(l2r_split_fold(&split, data, k, 5, options, &error));
        const int64_t *test = l2r_split_graphs(&n, split, L2R_PART_TEST);
        for (int64_t i = 0; i < n; i++) tested[test[i]]++;
        seen += n;
        l2r_split_free(split);
    }
    for (int g = 0; g < 40; g++) assert_int_equal(tested[g], 1);
    assert_int_equal(seen, 40);
    OK(l2r_split_from_indices(&split, data, (const int64_t[]){3, 1}, 2, NULL, 0, (const int64_t[]){2}, 1, &error));
    assert_int_equal(l2r_split_graphs(&n, split, L2R_PART_TRAIN)[0], 1);
    assert_true(!l2r_split_graphs(&n, split, L2R_PART_VALID) && n == 0);
    assert_true(!l2r_split_graphs(&n, split, 77) && n == 0);
    l2r_split_free(split);
    const int64_t bad[] = {3, 40, 3};
    refused(l2r_split_from_indices(&split, data, bad, 2, NULL, 0, NULL, 0, &error), "train[1] = 40; expected 0 … 39");
    refused(l2r_split_from_indices(&split, data, bad, 1, bad, 1, NULL, 0, &error), "valid[0] = 3, which is in train");
    refused(l2r_split_from_indices(&split, data, bad, 1, NULL, 1, NULL, 0, &error), "valid is NULL");
    refused(l2r_split_from_indices(&split, data, bad, -1, NULL, 0, NULL, 0, &error), "n_train is negative");
    refused(l2r_split_from_indices(&split, data, NULL, 0, bad, 1, NULL, 0, &error), "at least one graph must train");
    refused(l2r_split_fold(&split, data, 5, 5, NULL, &error), "k = 5; expected 0 … 4");
    refused(l2r_split_fold(&split, data, 0, 2, NULL, &error), "n_folds = 2; expected 3 … 40");
    refused(l2r_split_new(&split, NULL, NULL, &error), "data is NULL");
    refused(l2r_split_new(NULL, data, NULL, &error), "split is NULL");
    refused(l2r_split_open(&split, NULL, data, &error), "path is NULL");
    refused(l2r_split_save(NULL, path, &error), "split is NULL");
    assert_null(split);
    l2r_config_free(options);
    l2r_dataset_free(data);
}

static void generated_and_told(void **state)
{
    (void)state;
    struct l2r_config *options;
    struct l2r_dataset *data, *again;
    char *text, dir[256];
    OK(l2r_config_for_generator(&options, "motif", &error));
    OK(l2r_config_set_json(options, "{\"train\": 8, \"valid\": 4, \"test\": 4}", &error));
    OK(l2r_dataset_generate(&data, "motif", options, &error));
    assert_true(l2r_dataset_n_graphs(data) == 16 && l2r_dataset_n_nodes(data) > 16 && l2r_dataset_n_edges(data) > 16);
    OK(l2r_dataset_summary(&text, data, &error));
    assert_non_null(strstr(text, "sound: symmetric"));
    l2r_free(text);
    OK(l2r_dataset_summary_json(&text, data, &error));
    assert_true(strstr(text, "\"sound\": true") && strstr(text, "\"graphs\": 16"));
    l2r_free(text);
    folder(dir, "exported");
    OK(l2r_dataset_export(data, dir, &error));
    OK(l2r_dataset_open(&again, dir, NULL, &error));
    assert_int_equal(l2r_dataset_n_edges(again), l2r_dataset_n_edges(data));
    l2r_dataset_free(again);
    l2r_config_free(options);
    refused(l2r_config_for_generator(&options, "motives", &error), "there is no generator \"motives\"; there are ");
    refused(l2r_config_for_generator(&options, NULL, &error), "generator is NULL");
    assert_null(options);
    OK(l2r_config_for_data(&options, &error));
    refused(l2r_dataset_generate(&again, "motif", options, &error), "options are not those of motif");
    refused(l2r_dataset_generate(&again, "motif:mu=0.5", NULL, &error), "there is no generator");
    refused(l2r_dataset_generate(NULL, "motif", NULL, &error), "data is NULL");
    refused(l2r_dataset_export(data, NULL, &error), "dir is NULL");
    refused(l2r_dataset_summary(&text, NULL, &error), "data is NULL");
    refused(l2r_dataset_summary_json(NULL, data, &error), "json is NULL");
    assert_true(l2r_dataset_n_nodes(NULL) + l2r_dataset_n_edges(NULL) == 0 && !l2r_split_note(NULL));
    l2r_config_free(options);
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(from_arrays_and_getters),
                                       cmocka_unit_test(bad_arrays),
                                       cmocka_unit_test(nothing_is_asked_of_null),
                                       cmocka_unit_test(from_smiles),
                                       cmocka_unit_test(splits),
                                       cmocka_unit_test(generated_and_told)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
