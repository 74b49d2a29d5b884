/* SPDX-License-Identifier: MIT
 * Real edge features from arrays and from files (NAME_edge_attributes.txt): D-MPNN, GATv2 and GINE learn what they say,
 * cannot without them, give the same bits from both sources, and a saved model asks for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/predictor.h"
#include "support/training_runs.h"
#include <l2r/l2r.h>

#include "support/calls.h"

#include <math.h>

enum { N = 64, NODES = 3, EDGES = 2 };
static float label[N], length[N * EDGES];

/* A node of kind 0 between one of kind 1 and one of kind 2; the label is how much longer the first edge is. A second
 * column of edges is always the same. */
static struct l2r_dataset *stars(bool measured)
{
    static int64_t nodes[N], edges[N];
    static int32_t ends[N * EDGES * 2], kind[N * NODES];
    static float reals[N * EDGES * 2];
    struct l2r_arrays arrays = L2R_ARRAYS_INIT;
    struct l2r_dataset *data;
    for (int i = 0; i < N; i++) {
        nodes[i] = NODES;
        edges[i] = EDGES;
        for (int v = 0; v < NODES; v++) kind[i * NODES + v] = v;
        for (int e = 0; e < EDGES; e++) {
            ends[(i * EDGES + e) * 2 + 1] = e + 1;
            length[i * EDGES + e] = (float)((i * 29 + e * 13) % 17) / 8 - 1;
            reals[(i * EDGES + e) * 2] = length[i * EDGES + e];
            reals[(i * EDGES + e) * 2 + 1] = 0.5F;
        }
        label[i] = length[i * EDGES] - length[i * EDGES + 1];
    }
    arrays.name = "stars";
    arrays.task = L2R_TASK_REGRESSION;
    arrays.n_tasks = 1;
    arrays.n_graphs = N;
    arrays.node_counts = nodes;
    arrays.edge_counts = edges;
    arrays.edges = ends;
    arrays.n_node_columns = 1;
    arrays.node_rows = kind;
    arrays.n_edge_reals = measured ? 2 : 0;
    arrays.edge_real = measured ? reals : NULL;
    arrays.labels = label;
    OK(l2r_dataset_from_arrays(&data, &arrays, &error));
    return data;
}

static struct l2r_predictor *train_on(const struct l2r_dataset *data, const char *model, bool read)
{
    struct l2r_config *config;
    struct l2r_run run = L2R_RUN_INIT;
    struct l2r_result *result;
    struct l2r_predictor *predictor;
    OK(l2r_config_for_run(&config, model, "erm", &error));
    OK(l2r_config_set_json(config,
                           "{\"hidden\": 16, \"layers\": 2, \"epochs\": 40, \"batch-size\": 8, \"lr\": 0.01, \"norm\": "
                           "\"none\", \"readout\": \"sum\", \"dropout\": 0, \"split\": \"random\", \"head-layers\": 1}",
                           &error));
    OK(l2r_config_set(config, "edge-features", read ? "true" : "false", &error));
    run.config = config;
    run.data = data;
    OK(l2r_train(&result, &predictor, &run, &error));
    l2r_result_free(result);
    l2r_config_free(config);
    return predictor;
}

static void predict(float *found, struct l2r_predictor *predictor, const struct l2r_dataset *data)
{
    int32_t graphs[N];
    for (int32_t i = 0; i < N; i++) graphs[i] = i;
    OK(l2r_predictor_represent(found, NULL, predictor, data, graphs, N, &error));
}

/* Share of the variance that is explained. */
static double r2(const float *found)
{
    double mean = 0, all = 0, left = 0;
    for (int i = 0; i < N; i++) mean += (double)label[i] / N;
    for (int i = 0; i < N; i++) {
        all += pow((double)label[i] - mean, 2);
        left += pow((double)label[i] - (double)found[i], 2);
    }
    return 1 - left / all;
}

static void test_real_edge_features(void **state)
{
    static const char *const models[] = {"dmpnn", "gat", "gin"};
    struct l2r_dataset *data = stars(true), *bare = stars(false), *filed;
    float found[N], same[N];
    int32_t one = 0;
    char dir[256], path[160];
    (void)state;
    snprintf(dir, sizeof dir, "%s/stars", root);
    OK(l2r_dataset_export(data, dir, &error));
    OK(l2r_dataset_open(&filed, dir, NULL, &error));
    assert_int_equal(l2r_dataset_n_edge_reals(filed), 2);
    for (int64_t a = 0; a < 2 * N * EDGES; a++)
        assert_memory_equal(l2r_dataset_edge_real(filed, a), l2r_dataset_edge_real(data, a), 2 * sizeof(float));
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        struct l2r_predictor *reads = train_on(data, models[m], true), *blind = train_on(data, models[m], false);
        struct l2r_predictor *from_file = train_on(filed, models[m], true), *again;
        predict(found, reads, data);
        if (!(r2(found) > 0.8)) fail_msg("%s: r2 is %g with the lengths", models[m], r2(found));
        predict(same, from_file, filed);
        assert_memory_equal(found, same, sizeof found);
        predict(same, blind, data);
        if (!(r2(same) < 0.1)) fail_msg("%s: r2 is %g without the lengths", models[m], r2(same));
        snprintf(path, sizeof path, "%s/%s.safetensors", root, models[m]);
        OK(l2r_predictor_save(reads, path, &error));
        OK(l2r_predictor_open(&again, path, &error));
        predict(same, again, data);
        assert_memory_equal(found, same, sizeof found);
        assert_int_equal(l2r_predictor_represent(same, NULL, again, bare, &one, 1, &error), L2R_ERR_ARGUMENT);
        if (!strstr(error.message, "edge")) fail_msg("\"%s\" does not speak of edges", error.message);
        l2r_predictor_free(again);
        l2r_predictor_free(from_file);
        l2r_predictor_free(blind);
        l2r_predictor_free(reads);
    }
    l2r_dataset_free(filed);
    l2r_dataset_free(bare);
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_real_edge_features)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
