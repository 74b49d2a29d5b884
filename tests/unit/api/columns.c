/* SPDX-License-Identifier: MIT
 * l2r/data.h and l2r/train.h: numbers of the caller's own beside the graphs, and those that are computed of molecules,
 * in training, prediction, a saved model and its refusals; and pretraining on SMILES without labels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/training_runs.h"
#include <l2r/l2r.h>

#include "support/calls.h"

#include <math.h>

enum { N = 60 };
static const char *const names[] = {"dose", "bench"};

/* Two columns: the first is what the label is made of, the second has nothing to say and some holes. */
static void draw_columns(float *values, float *labels)
{
    for (int i = 0; i < N; i++) {
        values[2 * i] = (float)(i * 7 % 13) - 6;
        values[2 * i + 1] = i % 9 == 4 ? NAN : (float)(i % 4);
        labels[i] = 2 * values[2 * i] + 1;
    }
}

static struct l2r_dataset *from_arrays(const float *labels)
{
    static int64_t nodes[N], edges[N];
    static int32_t ends[N * 4];
    struct l2r_arrays arrays = L2R_ARRAYS_INIT;
    struct l2r_dataset *data;
    for (int i = 0; i < N; i++) nodes[i] = 3, edges[i] = 2, ends[4 * i + 1] = 1, ends[4 * i + 3] = 2;
    arrays.task = L2R_TASK_REGRESSION;
    arrays.n_tasks = 1;
    arrays.n_graphs = N;
    arrays.node_counts = nodes;
    arrays.edge_counts = edges;
    arrays.edges = ends;
    arrays.labels = labels;
    OK(l2r_dataset_from_arrays(&data, &arrays, &error));
    return data;
}

static const char *const *molecules(void)
{
    static char texts[N][64];
    static const char *list[N];
    for (int i = 0; i < N; i++) {
        texts[i][0] = '\0';
        for (int k = 0; k < 1 + i % 7; k++) strcat(texts[i], (i + k) % 3 ? "C" : "CO");
        strcat(texts[i], i % 2 ? "c1ccccc1" : i % 5 ? "CN" : "C(=O)O");
        list[i] = texts[i];
    }
    return list;
}

static bool have_rdkit(void)
{
    struct l2r_dataset *data;
    const char *const one[] = {"CCO"};
    enum l2r_status status = l2r_dataset_from_smiles(&data, SMILES(one, NULL, L2R_TASK_BINARY, 1, 1), NULL, &error);
    l2r_dataset_free(data);
    return status == L2R_OK;
}

static struct l2r_config *options(const char *features)
{
    struct l2r_config *config;
    OK(l2r_config_for_run(&config, "gin", "erm", &error));
    OK(l2r_config_set_json(config,
                           "{\"hidden\": 16, \"layers\": 1, \"epochs\": 60, \"batch-size\": 10, \"lr\": 0.02, "
                           "\"dropout\": 0, \"split\": \"random\", \"head-layers\": 1, \"early-stop\": 0}",
                           &error));
    OK(l2r_config_set(config, "features", features, &error));
    return config;
}

static double error_of(const float *found, const float *labels)
{
    double sum = 0;
    for (int i = 0; i < N; i++) sum += fabs((double)found[i] - (double)labels[i]) / N;
    return sum;
}

/* Trains on the data, which has the columns, and asks: in memory, saved and opened again. Without the columns, or with
 * others, the model is not asked. */
static void learns_columns(const struct l2r_dataset *data, const struct l2r_dataset *bare, const float *labels,
                           const char *features)
{
    struct l2r_run run = L2R_RUN_INIT;
    struct l2r_config *config = options(features);
    struct l2r_result *result;
    struct l2r_predictor *model, *again;
    struct l2r_dataset *other;
    float found[N], same[N], values[2 * N] = {0};
    static const char *const swapped[] = {"bench", "dose"};
    int64_t graphs[N];
    char path[256];
    for (int32_t i = 0; i < N; i++) graphs[i] = i;
    run.config = config;
    run.data = data;
    OK(l2r_train(&result, &model, &run, &error));
    OK(l2r_predictor_predict(found, model, data, graphs, N, &error));
    assert_true(error_of(found, labels) < 2); /* the labels reach from -11 to 13 */
    snprintf(path, sizeof path, "%s/columns-%s.safetensors", root, features);
    OK(l2r_predictor_save(model, path, &error));
    OK(l2r_predictor_open(&again, path, &error));
    OK(l2r_predictor_predict(same, again, data, graphs, N, &error));
    assert_memory_equal(found, same, sizeof found);
    refused(l2r_predictor_predict(same, again, bare, graphs, N, &error), "reads the column \"dose\"");
    OK(l2r_dataset_with_columns(&other, data, values, swapped, 2, &error));
    refused(l2r_predictor_predict(same, again, other, graphs, N, &error), "reads the column \"dose\"");
    l2r_dataset_free(other);
    l2r_predictor_free(again);
    l2r_predictor_free(model);
    l2r_result_free(result);
    l2r_config_free(config);
}

static void test_columns_of_arrays(void **state)
{
    float values[2 * N], labels[N];
    struct l2r_dataset *bare, *data, *none;
    char path[256];
    (void)state;
    draw_columns(values, labels);
    bare = from_arrays(labels);
    assert_int_equal(l2r_dataset_n_columns(bare), 0);
    assert_null(l2r_dataset_column_values(bare));
    OK(l2r_dataset_with_columns(&data, bare, values, names, 2, &error));
    assert_int_equal(l2r_dataset_n_columns(data), 2);
    assert_string_equal(l2r_dataset_column_name(data, 1), "bench");
    assert_null(l2r_dataset_column_name(data, 2));
    assert_memory_equal(l2r_dataset_column_values(data), values, sizeof values);
    assert_memory_equal(l2r_dataset_labels(data), labels, sizeof labels);
    assert_int_equal(l2r_dataset_n_edges(data), 2 * N);
    learns_columns(data, bare, labels, "none");
    OK(l2r_dataset_with_columns(&none, data, NULL, NULL, 0, &error));
    assert_int_equal(l2r_dataset_n_columns(none), 0);
    l2r_dataset_free(none);
    snprintf(path, sizeof path, "%s/columns.l2r", root);
    OK(l2r_dataset_save(data, path, &error));
    OK(l2r_dataset_open(&none, path, NULL, &error));
    assert_memory_equal(l2r_dataset_column_values(none), values, sizeof values);
    l2r_dataset_free(none);
    l2r_dataset_free(data);
    l2r_dataset_free(bare);
}

static void test_columns_and_features_of_smiles(void **state)
{
    float values[2 * N], labels[N];
    struct l2r_dataset *bare, *data;
    (void)state;
    if (!have_rdkit()) skip();
    draw_columns(values, labels);
    OK(l2r_dataset_from_smiles(&bare, SMILES(molecules(), labels, L2R_TASK_REGRESSION, 1, N), NULL, &error));
    OK(l2r_dataset_with_columns(&data, bare, values, names, 2, &error));
    assert_string_equal(l2r_dataset_smiles(data, 3), molecules()[3]);
    learns_columns(data, bare, labels, "morgan,descriptors");
    l2r_dataset_free(data);
    l2r_dataset_free(bare);
}

static void test_refusals(void **state)
{
    float values[2 * N], labels[N];
    static const char *const twice[] = {"dose", "dose"}, *const missing[] = {"dose", NULL};
    struct l2r_dataset *data, *copy;
    (void)state;
    draw_columns(values, labels);
    data = from_arrays(labels);
    refused(l2r_dataset_with_columns(NULL, data, values, names, 2, &error), "copy is NULL");
    refused(l2r_dataset_with_columns(&copy, NULL, values, names, 2, &error), "data is NULL");
    refused(l2r_dataset_with_columns(&copy, data, NULL, names, 2, &error), "values is NULL");
    refused(l2r_dataset_with_columns(&copy, data, values, NULL, 2, &error), "names is NULL");
    refused(l2r_dataset_with_columns(&copy, data, values, names, -1, &error), "n_columns = -1; expected 0");
    refused(l2r_dataset_with_columns(&copy, data, values, twice, 2, &error), "names[0] and names[1] are both \"dose\"");
    refused(l2r_dataset_with_columns(&copy, data, values, missing, 2, &error), "names[1] is NULL");
    values[7] = INFINITY;
    refused(l2r_dataset_with_columns(&copy, data, values, names, 2, &error), "values[7] is infinite");
    assert_null(copy);
    l2r_dataset_free(data);
}

/* Descriptors as labels and hidden atoms, then a run that starts from it. */
static void test_pretraining(void **state)
{
    float values[2 * N], labels[N];
    struct l2r_config *config = options("none"), *then = options("none");
    struct l2r_dataset *data, *labelled;
    struct l2r_run run = L2R_RUN_INIT;
    struct l2r_result *result;
    struct l2r_predictor *model;
    char dir[256];
    (void)state;
    if (!have_rdkit()) skip();
    draw_columns(values, labels);
    OK(l2r_config_set(config, "targets", "descriptors", &error));
    OK(l2r_config_set(config, "epochs", "3", &error));
    refused(l2r_dataset_from_smiles(&data, SMILES(molecules(), labels, L2R_TASK_REGRESSION, 1, N), config, &error),
            "labels must be NULL");
    OK(l2r_dataset_from_smiles(&data, SMILES(molecules(), NULL, L2R_TASK_REGRESSION, 1, N), config, &error));
    assert_true(l2r_dataset_n_tasks(data) > 50);
    assert_int_equal(l2r_dataset_task(data), L2R_TASK_REGRESSION);
    snprintf(dir, sizeof dir, "%s/pretrained", root);
    run.config = config;
    run.data = data;
    run.out = dir;
    OK(l2r_train(&result, &model, &run, &error));
    assert_string_equal(l2r_result_metric(result), "nrmse");
    assert_int_equal(l2r_predictor_n_outputs(model), l2r_dataset_n_tasks(data));
    l2r_predictor_free(model);
    l2r_result_free(result);
    OK(l2r_dataset_from_smiles(&labelled, SMILES(molecules(), labels, L2R_TASK_REGRESSION, 1, N), NULL, &error));
    OK(l2r_config_set(then, "epochs", "2", &error));
    OK(l2r_config_set(then, "from", dir, &error));
    OK(l2r_config_set(then, "reset", "head", &error));
    run = (struct l2r_run)L2R_RUN_INIT;
    run.config = then;
    run.data = labelled;
    OK(l2r_train(&result, NULL, &run, &error));
    l2r_result_free(result);
    l2r_dataset_free(data);
    l2r_dataset_free(labelled);
    l2r_config_free(config);
    l2r_config_free(then);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns_of_arrays),
                                       cmocka_unit_test(test_columns_and_features_of_smiles),
                                       cmocka_unit_test(test_refusals), cmocka_unit_test(test_pretraining)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
