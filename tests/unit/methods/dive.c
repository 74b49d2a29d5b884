/* SPDX-License-Identifier: MIT
 * Several copies of a gated network: the best on validation predicts, and it is the one that the file keeps; gates keep
 * to their budget; refusals. */
#include "support/training_runs.h"

#include "base/json.h"
#include "batch/batch.h"
#include "methods/method.h"
#include "model/predictor.h"

#include <math.h>

/* The lines of a run's metrics; the caller frees the array. */
static json_t *read_metrics(const char *run)
{
    char path[512], line[8192];
    snprintf(path, sizeof path, "%s/%s/metrics.jsonl", root, run);
    FILE *file = fopen(path, "r");
    json_t *lines = json_array();
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) json_array_append_new(lines, json_loads(line, 0, NULL));
    fclose(file);
    return lines;
}

static void test_best_copy_predicts(void **state)
{
    (void)state;
    struct l2r_config *config = config_for("gin", "dive", (const char *const[]){"copies", "3", "ema", "0.9", NULL});
    struct l2r_result result = train(config, "three", false, NULL);
    json_t *lines = read_metrics("three"), *line;
    size_t i, k;
    double best = -1;
    assert_int_equal(json_array_size(lines), 6);
    json_array_foreach(lines, i, line)
    {
        const json_t *copies = json_object_get(line, "copies");
        double valid = json_number_value(json_object_get(json_object_get(line, "valid"), "accuracy")), highest = -1;
        double overlap = json_number_value(json_object_get(line, "overlap"));
        assert_int_equal(json_array_size(copies), 3);
        for (k = 0; k < 3; k++) highest = fmax(highest, json_number_value(json_array_get(copies, k)));
        assert_true(valid == highest && overlap > 0 && overlap < 1);
        best = fmax(best, valid);
    }
    assert_true(result.valid == best); /* scored once more at the end, by the copy that was kept */
    json_decref(lines);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

/* The mean gate of a network that was trained with these options. */
static double mean_gate(const char *run, const char *const *set)
{
    char dir[256];
    struct l2r_config *config = config_for("gin", "gsat", set);
    struct l2r_result result = train(config, run, false, NULL);
    struct l2r_predictor *predictor;
    struct l2r_dataset *data;
    struct l2r_arena arena;
    struct l2r_batch batch;
    struct l2r_tape tape;
    struct l2r_error error;
    int32_t graphs[16];
    double sum = 0;
    for (int32_t i = 0; i < 16; i++) graphs[i] = i;
    folder(dir, run);
    l2r_arena_init(&arena);
    l2r_tape_init(&tape);
    l2r_tape_mode_predict(&tape);
    assert_int_equal(l2r_predictor_open(&predictor, dir, &error), L2R_OK);
    assert_int_equal(l2r_dataset_load(&data, l2r_config_text(config, "data"), false, &error), L2R_OK);
    assert_int_equal(l2r_batch_make(&batch, &arena, data, graphs, 16, &error), L2R_OK);
    l2r_network_represent(l2r_predictor_trained(predictor)->networks[0], &tape, &batch);
    const struct l2r_value *gates = l2r_value_of(&tape, tape.gates.edges);
    for (int64_t i = 0; i < gates->rows; i++) sum += (double)gates->data[i] / (double)gates->rows;
    l2r_tape_clear(&tape);
    l2r_arena_clear(&arena);
    l2r_dataset_free(data);
    l2r_predictor_free(predictor);
    l2r_result_clear(&result);
    l2r_config_free(config);
    return sum;
}

static void test_budget(void **state)
{
    (void)state;
    static const char *const base[] = {"epochs", "40", "lr", "0.01", "gsat-weight", "0", "edge-budget-weight", "100"};
    const char *few[11], *many[11];
    memcpy(few, base, sizeof base), memcpy(many, base, sizeof base);
    few[8] = many[8] = "edge-budget";
    few[9] = "0.3", many[9] = "0.8";
    few[10] = many[10] = NULL;
    double low = mean_gate("few", few), high = mean_gate("many", many);
    if (!(low + 0.2 < high)) fail_msg("mean gates of %g and %g", low, high);
}

static void test_own_backbone(void **state)
{
    (void)state;
    for (int own = 0; own < 2; own++) {
        const char *const set[] = {"gates-backbone", own ? "own" : "shared", NULL};
        struct l2r_config *config = config_for("gin", "gsat", set);
        struct l2r_result result = train(config, set[1], false, NULL);
        struct l2r_safetensors *tensors = run_tensors(set[1], "best.safetensors");
        size_t second = 0;
        for (size_t i = 0; l2r_safetensors_at(tensors, i); i++)
            second += strncmp(l2r_safetensors_at(tensors, i)->name, "1.gates.layers.", 15) == 0;
        assert_true(own ? second > 0 : second == 0);
        l2r_safetensors_free(tensors);
        l2r_result_clear(&result);
        l2r_config_free(config);
    }
}

static void test_refuses_frozen_gates(void **state)
{
    (void)state;
    struct l2r_config *config = config_for("gin", "dive", (const char *const[]){"freeze", "backbone", NULL});
    const struct l2r_network network = {.n_copies = 2};
    const struct l2r_training_set set = {0};
    struct l2r_error error = {0};
    double room[64];
    assert_true(l2r_method_find("dive")->size <= sizeof room);
    assert_int_equal(l2r_method_find("dive")->init(room, config, &network, &set, &error), L2R_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "`freeze`"));
    l2r_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_best_copy_predicts), cmocka_unit_test(test_budget),
                                       cmocka_unit_test(test_own_backbone),
                                       cmocka_unit_test(test_refuses_frozen_gates)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
