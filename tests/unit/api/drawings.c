/* SPDX-License-Identifier: MIT
 * What a model leaves behind: its file, the weights of its training graphs, and explanations as numbers, JSON and
 * drawings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/training_runs.h"

#include "support/calls.h" /* after the others, whose functions have errors of their own */

#include <l2r/l2r.h>
#include <math.h>
#include <string.h>

enum { GRAPHS = 24 };
static const char motif[] = "motif:train=12,valid=6,test=6";
static const int64_t first[] = {0, 1, 2};

static struct l2r_config *small(const char *method)
{
    struct l2r_config *config;
    OK(l2r_config_for_run(&config, "gin", method, &error));
    OK(l2r_config_set_json(config, "{\"epochs\": 2, \"hidden\": 8, \"layers\": 2, \"batch-size\": 6}", &error));
    return config;
}

/* Weights of training graphs that were learned are positive and have a mean near 1; the others have 1. */
static void check_weights(const float *weights, bool learned)
{
    double sum = 0;
    for (int g = 0; g < 12; g++) {
        assert_true(weights[g] > 0);
        sum += (double)weights[g];
    }
    if (learned) assert_true(fabs(sum / 12 - 1) < 0.05);
    for (int g = 12; g < GRAPHS; g++) assert_true(weights[g] == 1);
}

static void own_loops_leave_a_model(void **state)
{
    (void)state;
    struct l2r_config *config = small("l2r"), *plain = small("erm");
    struct l2r_dataset *data;
    struct l2r_training *training;
    struct l2r_predictor *made, *read;
    float weights[GRAPHS], a[6], b[6];
    char path[256];
    OK(l2r_dataset_open(&data, motif, NULL, &error));
    OK(l2r_training_new(&training, config, data, NULL, &error));
    OK(l2r_training_epoch(NULL, training, &error));
    OK(l2r_training_weights(weights, training, &error));
    check_weights(weights, true);
    OK(l2r_training_predictor(&made, training, &error));
    folder(path, "own.safetensors");
    OK(l2r_predictor_save(made, path, &error));
    OK(l2r_predictor_open(&read, path, &error));
    OK(l2r_predictor_predict(a, made, data, first, 3, &error));
    OK(l2r_predictor_predict(b, read, data, first, 3, &error));
    assert_memory_equal(a, b, sizeof a);
    struct l2r_split *split;
    refused(l2r_predictor_weights(weights, read, data, &error), "its method weights all graphs equally");
    refused(l2r_predictor_split(&split, read, data, &error), "is not in the folder of a run");
    refused(l2r_predictor_save(NULL, path, &error), "predictor is NULL");
    refused(l2r_predictor_save(made, NULL, &error), "path is NULL");
    assert_int_equal(l2r_predictor_save(made, "/nowhere/at/all.safetensors", &error), L2R_ERR_IO);
    refused(l2r_training_weights(NULL, training, &error), "weights is NULL");
    refused(l2r_training_weights(weights, NULL, &error), "training is NULL");
    l2r_training_free(training);
    OK(l2r_training_new(&training, plain, data, NULL, &error));
    refused(l2r_training_weights(weights, training, &error), "the method erm weights all graphs equally");
    l2r_training_free(training);
    l2r_predictor_free(made);
    l2r_predictor_free(read);
    l2r_dataset_free(data);
    l2r_config_free(config);
    l2r_config_free(plain);
}

static void runs_keep_their_weights(void **state)
{
    (void)state;
    static const char *const methods[] = {"l2r", "erm"};
    struct l2r_dataset *data, *other;
    float weights[GRAPHS];
    OK(l2r_dataset_open(&data, motif, NULL, &error));
    OK(l2r_dataset_open(&other, "motif:train=6,valid=6,test=6", NULL, &error));
    for (int m = 0; m < 2; m++) {
        struct l2r_run run = L2R_RUN_INIT;
        struct l2r_config *config = small(methods[m]);
        struct l2r_result *result;
        struct l2r_predictor *predictor;
        char dir[256];
        folder(dir, methods[m]);
        run.config = config;
        run.data = data;
        run.out = dir;
        OK(l2r_train(&result, &predictor, &run, &error));
        struct l2r_split *split;
        int64_t n;
        OK(l2r_predictor_split(&split, predictor, data, &error));
        assert_true(l2r_split_graphs(&n, split, L2R_PART_TRAIN) && n == 12);
        l2r_split_free(split);
        assert_int_equal(l2r_predictor_split(&split, predictor, other, &error), L2R_ERR_FORMAT);
        refused(l2r_predictor_split(NULL, predictor, data, &error), "split is NULL");
        assert_true(l2r_predictor_trained_on(predictor, data) && !l2r_predictor_trained_on(predictor, other));
        assert_false(l2r_predictor_trained_on(NULL, data) || l2r_predictor_trained_on(predictor, NULL));
        assert_null(split);
        if (m == 0) {
            OK(l2r_predictor_weights(weights, predictor, data, &error));
            check_weights(weights, true);
            assert_int_equal(l2r_predictor_weights(weights, predictor, other, &error), L2R_ERR_FORMAT);
            refused(l2r_predictor_weights(NULL, predictor, data, &error), "weights is NULL");
            refused(l2r_predictor_weights(weights, predictor, NULL, &error), "data is NULL");
            refused(l2r_predictor_weights(weights, NULL, data, &error), "predictor is NULL");
        } else {
            refused(l2r_predictor_weights(weights, predictor, data, &error), "its method weights all graphs equally");
        }
        l2r_predictor_free(predictor);
        l2r_result_free(result);
        l2r_config_free(config);
    }
    l2r_dataset_free(data);
    l2r_dataset_free(other);
}

static void explanations(void **state)
{
    (void)state;
    struct l2r_config *config = small("erm"), *options;
    struct l2r_dataset *data, *other;
    struct l2r_training *training;
    struct l2r_predictor *p;
    struct l2r_explanation *why;
    char *text = NULL, *again = NULL;
    OK(l2r_dataset_open(&data, motif, NULL, &error));
    OK(l2r_dataset_open(&other, "motif:train=1,valid=1,test=1", NULL, &error));
    OK(l2r_training_new(&training, config, data, NULL, &error));
    OK(l2r_training_predictor(&p, training, &error));
    OK(l2r_config_for_explanation(&options, &error));
    OK(l2r_config_set(options, "steps", "5", &error));
    OK(l2r_explanation_new(&why, p, data, 3, options, &error));
    assert_int_equal(l2r_explanation_graph(why), 3);
    assert_true(l2r_explanation_score(why, "p") > 0 && l2r_explanation_score(why, "sparsity") >= 0);
    assert_true(isnan(l2r_explanation_score(why, "beauty")) && isnan(l2r_explanation_score(why, NULL)));
    assert_true(isnan(l2r_explanation_score(NULL, "p")) && l2r_explanation_graph(NULL) == -1);
    OK(l2r_explanation_json(&text, why, p, data, &error));
    assert_true(strstr(text, "\"graph\": 3") && strstr(text, "\"edges\": ["));
    l2r_free(text);
    OK(l2r_explanation_svg(&text, why, p, data, &error));
    OK(l2r_explanation_svg(&again, why, p, data, &error));
    assert_true(strncmp(text, "<svg", 4) == 0 && strstr(text, "graph 3: predicted") && strcmp(text, again) == 0);
    l2r_free(text);
    l2r_free(again);
    struct l2r_fragments *none;
    struct l2r_fragment_score entry = L2R_FRAGMENT_SCORE_INIT;
    refused(l2r_fragments_new(&none, &why, 1, p, data, &error), "has no SMILES");
    refused(l2r_fragments_new(&none, NULL, 1, p, data, &error), "explanations is NULL");
    refused(l2r_fragments_new(&none, &why, -1, p, data, &error), "n = -1");
    refused(l2r_fragments_new(NULL, &why, 1, p, data, &error), "fragments is NULL");
    OK(l2r_fragments_new(&none, &why, 0, p, data, &error));
    OK(l2r_fragments_json(&text, none, p, &error));
    assert_string_equal(text, "[]");
    l2r_free(text);
    assert_true(l2r_fragments_n_entries(none) == 0 && l2r_fragments_n_entries(NULL) == 0);
    refused(l2r_fragments_entry(&entry, none, 0, &error), "i = 0; there are 0");
    refused(l2r_fragments_entry(&entry, NULL, 0, &error), "fragments is NULL");
    refused(l2r_fragments_json(NULL, none, p, &error), "json is NULL");
    refused(l2r_fragments_json(&text, none, NULL, &error), "predictor is NULL");
    l2r_fragments_free(none);
    l2r_fragments_free(NULL);
    assert_null(l2r_dataset_row_name(data, 0));
    refused(l2r_explanation_json(&text, why, p, other, &error), "data is not the data set of this explanation");
    refused(l2r_explanation_json(&text, NULL, p, data, &error), "explanation is NULL");
    refused(l2r_explanation_svg(&text, why, NULL, data, &error), "predictor is NULL");
    refused(l2r_explanation_svg(NULL, why, p, data, &error), "svg is NULL");
    assert_null(text);
    float low[2], high[2], output[2] = {0};
    assert_true(l2r_predictor_intervals(low, high, output, p, 1, 0.9, &error) != L2R_OK); /* classes have none */
    refused(l2r_predictor_intervals(low, NULL, output, p, 1, 0.9, &error), "high is NULL");
    refused(l2r_predictor_intervals(low, high, output, p, -1, 0.9, &error), "n = -1");
    refused(l2r_predictor_intervals(low, high, output, NULL, 1, 0.9, &error), "predictor is NULL");

    struct l2r_split *split;
    struct l2r_training *never;
    struct l2r_result *result;
    struct l2r_run run = L2R_RUN_INIT;
    refused(l2r_split_new(&split, data, options, &error), "options are not those of data");
    OK(l2r_split_new(&split, other, NULL, &error));
    run.config = config;
    run.data = data;
    run.split = split;
    refused(l2r_train(&result, NULL, &run, &error), "split is for 3 graphs, but data has 24");
    refused(l2r_training_new(&never, config, data, split, &error), "split is for 3 graphs, but data has 24");
    l2r_split_free(split);
    l2r_explanation_free(why);
    l2r_config_free(options);
    l2r_predictor_free(p);
    l2r_training_free(training);
    l2r_dataset_free(data);
    l2r_dataset_free(other);
    l2r_config_free(config);
}

/* Graphs without an explanation, and what the columns of molecules mean. */
static void graphs(void **state)
{
    (void)state;
    struct l2r_dataset *data;
    char *text = NULL;
    double xy[2 * 64];
    static const int64_t nodes[] = {3, 0}, edges_of[] = {3, 0};
    static const int32_t edges[] = {0, 1, 1, 2, 2, 2};
    static const float labels[] = {0, 1};
    struct l2r_arrays arrays = L2R_ARRAYS_INIT;
    arrays.task = L2R_TASK_BINARY;
    arrays.n_tasks = 1;
    arrays.n_graphs = 2;
    arrays.node_counts = nodes;
    arrays.edge_counts = edges_of;
    arrays.edges = edges;
    arrays.labels = labels;
    arrays.degree_as_feature = true;
    arrays.n_environments = 2;
    refused(l2r_dataset_from_arrays(&data, &arrays, &error), "arrays.environments is NULL");
    arrays.environments = (const int32_t[]){1, 2};
    refused(l2r_dataset_from_arrays(&data, &arrays, &error), "graph 1 is in environment 2, outside 0..1");
    arrays.environments = (const int32_t[]){1, 0};
    arrays.environment_names = (const char *const[]){"north", NULL};
    OK(l2r_dataset_from_arrays(&data, &arrays, &error));
    assert_true(l2r_dataset_environments(data)[0] == 1 && l2r_dataset_environments(data)[1] == 0);
    assert_string_equal(l2r_dataset_environment_name(data, 0), "north");
    OK(l2r_dataset_layout(xy, data, 0, &error));
    assert_true(fabs(hypot(xy[0] - xy[2], xy[1] - xy[3]) - 1) < 0.2); /* neighbours are about one unit apart */
    OK(l2r_dataset_svg(&text, data, 0, &error));
    assert_true(strncmp(text, "<svg", 4) == 0);
    l2r_free(text);
    OK(l2r_dataset_svg(&text, data, 1, &error)); /* a graph without nodes is an empty picture */
    l2r_free(text);
    OK(l2r_dataset_layout(xy, data, 1, &error));
    assert_null(l2r_dataset_node_column_name(data, 0));
    refused(l2r_dataset_svg(&text, data, 2, &error), "g = 2; expected 0 … 1");
    refused(l2r_dataset_svg(NULL, data, 0, &error), "svg is NULL");
    refused(l2r_dataset_layout(xy, NULL, 0, &error), "data is NULL");
    refused(l2r_dataset_layout(NULL, data, 0, &error), "xy is NULL");
    l2r_dataset_free(data);
    OK(l2r_dataset_open(&data, "molecules:graphs=20", NULL, &error));
    assert_string_equal(l2r_dataset_node_column_name(data, 0), "atomic number");
    assert_string_equal(l2r_dataset_edge_column_name(data, 2), "conjugated");
    assert_true(!l2r_dataset_node_column_name(data, 9) && !l2r_dataset_edge_column_name(data, -1));
    assert_true(!l2r_dataset_node_column_name(NULL, 0) && !l2r_dataset_edge_column_name(NULL, 0));
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(own_loops_leave_a_model),
                                       cmocka_unit_test(runs_keep_their_weights), cmocka_unit_test(explanations),
                                       cmocka_unit_test(graphs)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
