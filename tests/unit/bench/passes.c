/* SPDX-License-Identifier: MIT
 * Workloads and their passes: the table can be built, the first graphs are the first graphs, an epoch measured is an
 * epoch trained, and medians are medians. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/measure.h"
#include "bench/passes.h"
#include "fit/trainer.h"
#include "io/json_file.h"
#include "support/messages.h"
#include "support/temporary.h"

#include <math.h>

static struct l2r_error error;

static struct l2r_config *small(const struct l2r_workload *w, const char *epochs)
{
    struct l2r_config *config;
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_workload_configure(config, w, "erm", &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "hidden", "8", &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "layers", "2", &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "batch-size", "8", &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "epochs", epochs, &error), L2R_OK);
    return config;
}

static void every_workload_can_be_built(void **state)
{
    (void)state;
    int n = 0;
    for (const struct l2r_workload *w = l2r_workloads; w->name; w++, n++) {
        json_t *row = l2r_workload_to_json(w);
        assert_non_null(row);
        assert_int_equal(json_integer_value(json_object_get(row, "batch-size")), 128);
        assert_true(json_real_value(json_object_get(row, "dropout")) == 0.5);
        assert_true(json_is_true(json_object_get(row, "batch-norm")));
        assert_int_equal(json_integer_value(json_object_get(row, "hidden")), atoi(w->hidden));
        assert_ptr_equal(l2r_workload_find(w->name), w);
        json_decref(row);
    }
    assert_int_equal(n, 5);
    assert_null(l2r_workload_find("gin"));
}

static void takes_the_first_graphs(void **state)
{
    (void)state;
    struct l2r_workload_data load;
    assert_int_equal(l2r_workload_load(&load, &l2r_workloads[0], "molecules:graphs=50,seed=2", 20, false, &error),
                     L2R_OK);
    assert_int_equal(load.whole->n_graphs, 50);
    assert_int_equal(load.data.n_graphs, 20);
    assert_int_equal(load.data.n_nodes, load.whole->node_start[20]);
    assert_int_equal(load.data.n_arcs, load.whole->arc_start[load.data.n_nodes]);
    assert_int_equal(l2r_split_size(&load.split, L2R_PART_TRAIN), 20);
    l2r_workload_data_clear(&load);
    assert_int_equal(l2r_workload_load(&load, &l2r_workloads[0], "no/such/place", 0, false, &error), L2R_ERR_IO);
    l2r_workload_data_clear(&load);
}

/* What is written can be read back as the same graphs; data.json has what the layout loses. */
static void exports_the_same_graphs(void **state)
{
    (void)state;
    char root[TEMPORARY_LENGTH], dir[TEMPORARY_LENGTH + 8], path[TEMPORARY_LENGTH + 24];
    struct l2r_workload_data load;
    struct l2r_dataset *again;
    json_t *about;
    assert_non_null(temporary_folder(root));
    snprintf(dir, sizeof dir, "%s/out", root);
    snprintf(path, sizeof path, "%s/data.json", dir);
    assert_int_equal(l2r_workload_load(&load, l2r_workload_find("gin-5x300"), "molecules:graphs=30", 12, false, &error),
                     L2R_OK);
    assert_int_equal(l2r_workload_export(&load, dir, &error), L2R_OK);
    assert_int_equal(l2r_dataset_load(&again, dir, false, &error), L2R_OK);
    assert_int_equal(again->n_graphs, 12);
    assert_int_equal(again->n_arcs, load.data.n_arcs);
    assert_memory_equal(again->neighbour, load.data.neighbour, (size_t)again->n_arcs * sizeof(int32_t));
    assert_int_equal(l2r_json_read(&about, path, &error), L2R_OK);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(about, "node_columns"), 0)), 119);
    assert_int_equal(json_array_size(json_object_get(about, "edge_columns")), 3);
    assert_true(json_is_null(json_object_get(about, "node_values")));
    assert_int_equal(json_integer_value(json_object_get(about, "nodes")), load.data.n_nodes);
    assert_int_equal(l2r_workload_export(&load, dir, &error), L2R_ERR_IO); /* never over something */
    json_decref(about);
    l2r_dataset_free(again);
    l2r_workload_data_clear(&load);
    l2r_remove_tree(root);
}

/* Two counted passes after one of warm-up: the third epoch of the same run. */
static void a_measured_epoch_is_an_epoch(void **state)
{
    (void)state;
    const struct l2r_workload *w = l2r_workload_find("gcn-3x128");
    struct l2r_config *config = small(w, "2");
    struct l2r_workload_data load;
    struct l2r_trainer t;
    static struct l2r_passes p;
    assert_int_equal(l2r_workload_load(&load, w, NULL, 20, false, &error), L2R_OK);
    assert_int_equal(l2r_passes_train(&p, config, &load, 1, &error), L2R_OK);
    assert_int_equal(l2r_trainer_init(&t, config, &load.data, &load.split, &error), L2R_OK);
    for (int epoch = 0; epoch < 3; epoch++, t.at.epoch++) {
        l2r_trainer_shuffle(&t);
        for (t.at.batch = 0, t.at.loss_sum = 0; t.at.batch < l2r_trainer_batches(&t);)
            assert_int_equal(l2r_trainer_step(&t, &error), L2R_OK);
    }
    assert_true(p.loss == t.at.loss_sum / 20);
    assert_int_equal(p.n, 2);
    assert_int_equal(p.n_batches, 3);
    assert_int_equal(p.nodes, load.data.n_nodes);
    assert_true(p.seconds[0] > 0 && p.seconds[1] > 0 && p.peak_before > 0 && p.peak_after > 0);
    assert_true(p.tape_bytes > 0 && p.tape_bytes < 1e9 && p.batch_bytes > 0 && p.peak_memory > p.batch_bytes);
    assert_true(l2r_passes_share(&p) > 0);
    l2r_trainer_clear(&t);
    l2r_workload_data_clear(&load);
    l2r_config_free(config);
}

static void inference_and_limits(void **state)
{
    (void)state;
    const struct l2r_workload *w = l2r_workload_find("dd-gcn-3x128");
    struct l2r_config *config = small(w, "2"), *none = small(w, "0");
    struct l2r_workload_data load;
    static struct l2r_passes p;
    assert_int_equal(l2r_workload_load(&load, w, NULL, 3, false, &error), L2R_OK);
    assert_int_equal(l2r_passes_infer(&p, config, &load, 0, &error), L2R_OK);
    assert_true(isnan(p.loss));
    assert_true(p.flops == 2.0 * (2 * 64.0 * (double)load.data.n_nodes + 16 * 3));
    json_t *json = l2r_passes_to_json(&p);
    assert_true(json_is_null(json_object_get(json, "loss")));
    assert_int_equal(json_array_size(json_object_get(json, "seconds")), 2);
    json_decref(json);
    assert_int_equal(l2r_passes_train(&p, none, &load, 0, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "--epochs: 0 passes cannot be measured; expected 1 to 1000");
    l2r_workload_data_clear(&load);
    l2r_config_free(none);
    l2r_config_free(config);
}

static void medians(void **state)
{
    (void)state;
    struct l2r_spread s = l2r_spread_of((const double[]){3, 1, 2}, 3);
    assert_true(s.median == 2 && s.least == 1 && s.most == 3);
    s = l2r_spread_of((const double[]){4, 1, 3, 2}, 4);
    assert_true(s.median == 2.5);
    struct l2r_passes p = {.n = 3, .graphs = 12, .seconds = {4, 2, 6}, .flops = 8, .peak_before = 3, .peak_after = 5};
    s = l2r_passes_speed(&p);
    assert_true(s.median == 3 && s.least == 2 && s.most == 6);
    assert_true(l2r_passes_rate(&p) == 2);
    assert_true(l2r_passes_share(&p) == 0.5);
}

static void one_set_of_weights(void **state)
{
    (void)state;
    struct l2r_reweight_time time;
    const struct l2r_reweight_shape all = {32, 6, 0}, wrong = {32, 6, 7};
    assert_int_equal(l2r_reweight_measure(&time, &all, 2, &error), L2R_OK);
    assert_true(time.seconds.median > 0 && time.left > 0 && time.left < 1);
    assert_int_equal(l2r_reweight_measure(&time, &wrong, 2, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "--clusters: 7 clusters of 6 variables; expected at most as many");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_workload_can_be_built), cmocka_unit_test(takes_the_first_graphs),
        cmocka_unit_test(exports_the_same_graphs),     cmocka_unit_test(a_measured_epoch_is_an_epoch),
        cmocka_unit_test(inference_and_limits),        cmocka_unit_test(medians),
        cmocka_unit_test(one_set_of_weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
