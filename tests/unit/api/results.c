/* SPDX-License-Identifier: MIT
 * What a run gives its caller beside a model, in memory as from a folder, and from a folder again: history, options,
 * split, weights, the model that validation chose; scores as numbers; models to bytes and back, members and their
 * spread, ensembles of models in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/training_runs.h"
#include <l2r/l2r.h>

#include "support/calls.h"

#include <math.h>
#include <string.h>

enum { TRAIN = 24, VALID = 12, TEST = 12, ALL = TRAIN + VALID + TEST, CLASSES = 2 };

static struct l2r_dataset *data;
static struct l2r_result *memory, *stored, *again;
static struct l2r_predictor *model, *from_folder;

static int train_runs(void **state)
{
    struct l2r_config *config;
    struct l2r_run run = L2R_RUN_INIT;
    char dir[256];
    if (run_set_up(state) != 0) return 1;
    folder(dir, "results");
    OK(l2r_dataset_open(&data, "motif:train=24,valid=12,test=12", NULL, &error));
    OK(l2r_config_for_run(&config, "gin", "l2r", &error));
    OK(l2r_config_set_json(config,
                           "{\"hidden\": 8, \"layers\": 2, \"batch-size\": 8, \"epochs\": 3, \"members\": \"2\", "
                           "\"refit\": true, \"scope\": \"batch\"}",
                           &error));
    run.config = config;
    run.data = data;
    OK(l2r_train(&memory, &model, &run, &error));
    run.out = dir;
    OK(l2r_train(&stored, &from_folder, &run, &error));
    run.resume = true;
    OK(l2r_train(&again, NULL, &run, &error));
    l2r_config_free(config);
    return 0;
}

static int clear(void **state)
{
    l2r_result_free(memory);
    l2r_result_free(stored);
    l2r_result_free(again);
    l2r_predictor_free(model);
    l2r_predictor_free(from_folder);
    l2r_dataset_free(data);
    return run_tear_down(state);
}

static bool is_time(const char *name)
{
    return strstr(name, "second") != NULL;
}

static void same_curves(const struct l2r_result *a, const struct l2r_result *b)
{
    assert_int_equal(l2r_result_n_curves(a), l2r_result_n_curves(b));
    for (int32_t k = 0; k < l2r_result_n_curves(a); k++) {
        int64_t n, m;
        const char *name = l2r_result_curve_name(a, k);
        const double *x = l2r_result_curve(&n, a, name), *y = l2r_result_curve(&m, b, name);
        assert_string_equal(name, l2r_result_curve_name(b, k));
        assert_true(n == m && n > 0);
        for (int64_t i = 0; !is_time(name) && i < n; i++) assert_true(x[i] == y[i] || (isnan(x[i]) && isnan(y[i])));
    }
}

static void test_history(void **state)
{
    (void)state;
    int64_t n;
    char *json;
    same_curves(memory, stored);
    same_curves(memory, again);
    const double *epoch = l2r_result_curve(&n, memory, "epoch");
    assert_true(n == 3 && epoch[0] == 1 && epoch[2] == 3);
    const double *valid = l2r_result_curve(&n, memory, "valid/accuracy");
    assert_true(n == 3 && valid[1] >= 0 && valid[1] <= 1);
    assert_non_null(l2r_result_curve(&n, memory, "2-gin/loss"));
    assert_int_equal(n, 3);
    assert_non_null(l2r_result_curve(NULL, memory, "1-gin-refit/loss"));
    assert_true(!l2r_result_curve(&n, memory, "luck") && n == 0);
    assert_true(!l2r_result_curve_name(memory, -1) && !l2r_result_curve_name(NULL, 0));
    assert_true(l2r_result_n_curves(NULL) == 0 && !l2r_result_curve(&n, NULL, "loss"));
    OK(l2r_result_history_json(&json, memory, &error));
    assert_true(strstr(json, "\"fit\": \"2-gin\"") && strstr(json, "\"epoch\": 3"));
    l2r_free(json);
    refused(l2r_result_history_json(&json, NULL, &error), "result is NULL");
}

static void test_options_split_weights(void **state)
{
    (void)state;
    const struct l2r_result *const results[] = {memory, stored, again};
    const char *text;
    int64_t n;
    uint8_t parts[ALL], others[ALL];
    OK(l2r_split_to_parts(parts, l2r_result_split(memory), &error));
    assert_int_equal(parts[0], L2R_PART_TRAIN);
    for (int i = 0; i < 3; i++) {
        OK(l2r_config_get(&text, l2r_result_config(results[i]), "scope", &error));
        assert_string_equal(text, "batch");
        OK(l2r_split_to_parts(others, l2r_result_split(results[i]), &error));
        assert_memory_equal(parts, others, ALL);
        const float *weights = l2r_result_weights(&n, results[i]), *first = l2r_result_weights(NULL, memory);
        assert_int_equal(n, ALL);
        assert_memory_equal(weights, first, ALL * sizeof *weights);
        assert_non_null(l2r_result_conclusion(results[i]));
        assert_string_equal(l2r_result_conclusion(results[i]), l2r_result_conclusion(memory));
    }
    float differ = 0;
    for (int g = 0; g < TRAIN; g++) differ += fabsf(l2r_result_weights(NULL, memory)[g] - 1);
    assert_true(differ > 0 && l2r_result_weights(NULL, memory)[ALL - 1] == 1);
    assert_true(!l2r_result_config(NULL) && !l2r_result_split(NULL) && !l2r_result_weights(&n, NULL) && n == 0);
    assert_null(l2r_result_conclusion(NULL));
}

static void test_scores(void **state)
{
    (void)state;
    struct l2r_evaluation *scores, *own;
    struct l2r_group_score group = L2R_GROUP_SCORE_INIT;
    char *json;
    int64_t n;
    const int64_t *test = l2r_split_graphs(&n, l2r_result_split(memory), L2R_PART_TEST);
    OK(l2r_result_evaluation(&scores, memory, L2R_PART_TEST, &error));
    OK(l2r_predictor_evaluate(&own, model, data, test, n, NULL, &error));
    assert_int_equal(l2r_evaluation_n_graphs(scores), TEST);
    assert_int_equal(l2r_evaluation_n_metrics(scores), l2r_evaluation_n_metrics(own));
    for (int32_t i = 0; i < l2r_evaluation_n_metrics(own); i++) {
        const char *metric = l2r_evaluation_metric(own, i);
        double a = l2r_evaluation_value(own, metric, -1), b = l2r_evaluation_value(scores, metric, -1);
        assert_true(a == b || (isnan(a) && isnan(b)));
        assert_true(a == l2r_evaluation_value(own, metric, 0) || isnan(a));
    }
    assert_true(l2r_evaluation_value(own, "accuracy", -1) == l2r_result_score(memory, L2R_PART_TEST, "accuracy"));
    assert_string_equal(l2r_evaluation_metric(own, l2r_evaluation_n_metrics(own) - 1), "loss");
    assert_true(l2r_evaluation_n_tasks(own) == 1 && l2r_evaluation_n_labels(own, 0) == TEST);
    assert_null(l2r_evaluation_task_name(own, 1));
    assert_true(l2r_evaluation_n_members(own) == 2 && l2r_evaluation_member_value(own, 1, "accuracy") >= 0);
    assert_true(isnan(l2r_evaluation_member_value(own, 2, "accuracy")) && isnan(l2r_evaluation_value(own, "n", -1)));
    assert_true(isnan(l2r_evaluation_value(own, "accuracy", 1)) && isnan(l2r_evaluation_value(NULL, "loss", -1)));
    assert_true(l2r_evaluation_n_groups(own) > 0);
    OK(l2r_evaluation_group(&group, own, 0, &error));
    assert_true(group.class_name && group.environment && group.n > 0 && group.value >= 0);
    assert_string_equal(group.metric, "accuracy");
    refused(l2r_evaluation_group(&group, own, -1, &error), "i = -1; the evaluation has");
    OK(l2r_evaluation_json(&json, own, &error));
    assert_non_null(strstr(json, "\"groups\""));
    l2r_free(json);
    refused(l2r_result_evaluation(&own, memory, L2R_PART_ID_TEST, &error), "the id-test part was not scored");
    refused(l2r_result_evaluation(&own, memory, 9, &error), "part = 9");
    l2r_evaluation_free(scores);
    l2r_evaluation_free(NULL);
    assert_true(l2r_evaluation_n_metrics(NULL) == 0 && l2r_evaluation_n_groups(NULL) == 0);
}

static void same_answers(struct l2r_predictor *a, struct l2r_predictor *b)
{
    float x[ALL * CLASSES], y[ALL * CLASSES], far[2][ALL];
    OK(l2r_predictor_predict(x, a, data, NULL, ALL, &error));
    OK(l2r_predictor_predict(y, b, data, NULL, ALL, &error));
    assert_memory_equal(x, y, sizeof x);
    OK(l2r_predictor_applicability(far[0], NULL, a, data, NULL, ALL, &error));
    OK(l2r_predictor_applicability(far[1], NULL, b, data, NULL, ALL, &error));
    assert_memory_equal(far[0], far[1], sizeof far[0]);
}

static void test_bytes(void **state)
{
    (void)state;
    void *a, *b;
    size_t n, m;
    struct l2r_predictor *back;
    char path[300], *file;
    OK(l2r_predictor_to_bytes(&a, &n, model, &error));
    OK(l2r_predictor_to_bytes(&b, &m, from_folder, &error));
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    l2r_free(b);
    folder(path, "results/best.safetensors");
    OK(l2r_file_read(&file, &m, path, 1 << 28, &error));
    assert_int_equal(n, m);
    assert_memory_equal(a, file, n);
    l2r_free(file);
    OK(l2r_predictor_from_bytes(&back, a, n, &error));
    same_answers(back, model);
    l2r_predictor_free(back);
    ((char *)a)[n - 1] ^= 1;
    assert_int_equal(l2r_predictor_from_bytes(&back, a, n, &error), L2R_ERR_FORMAT);
    assert_int_equal(l2r_predictor_from_bytes(&back, a, 3, &error), L2R_ERR_FORMAT);
    l2r_free(a);
    refused(l2r_predictor_to_bytes(&a, &n, NULL, &error), "predictor is NULL");
    refused(l2r_predictor_to_bytes(&a, NULL, model, &error), "n_bytes is NULL");
    refused(l2r_predictor_to_bytes(NULL, &n, model, &error), "bytes is NULL");
}

static void test_members(void **state)
{
    (void)state;
    float members[2 * ALL * CLASSES], spread[ALL * CLASSES], alone[ALL * CLASSES];
    struct l2r_predictor *second;
    OK(l2r_predictor_predict_members(members, spread, model, data, NULL, ALL, &error));
    OK(l2r_predictor_member(&second, model, 1, &error));
    OK(l2r_predictor_predict(alone, second, data, NULL, ALL, &error));
    assert_memory_equal(alone, members + ALL * CLASSES, sizeof alone);
    l2r_predictor_free(second);
    for (int i = 0; i < ALL * CLASSES; i++) assert_true(spread[i] >= 0 && spread[i] <= 1);
    float kept = spread[5];
    OK(l2r_predictor_predict_members(NULL, spread, model, data, NULL, ALL, &error));
    assert_true(spread[5] == kept);
    refused(l2r_predictor_predict_members(members, NULL, NULL, data, NULL, ALL, &error), "predictor is NULL");
    refused(l2r_predictor_predict_members(members, NULL, model, data, NULL, 3, &error), "graphs is NULL");
}

static void test_chosen(void **state)
{
    (void)state;
    struct l2r_predictor *chosen;
    void *a;
    char path[300], *file;
    size_t n, m;
    OK(l2r_result_chosen(&chosen, memory, &error));
    OK(l2r_predictor_to_bytes(&a, &n, chosen, &error));
    folder(path, "results/chosen.safetensors");
    OK(l2r_file_read(&file, &m, path, 1 << 28, &error));
    assert_int_equal(n, m);
    assert_memory_equal(a, file, n);
    l2r_free(a);
    l2r_free(file);
    l2r_predictor_free(chosen);
    refused(l2r_result_chosen(&chosen, again, &error), "no model beside its own");
}

static void test_ensemble_in_memory(void **state)
{
    (void)state;
    const struct l2r_predictor *both[] = {model, from_folder};
    struct l2r_ensemble *e;
    struct l2r_evaluation *scores;
    float p[ALL * CLASSES], one[ALL * CLASSES];
    struct l2r_answers answers = L2R_ANSWERS_INIT;
    OK(l2r_ensemble_from_models(&e, both, 2, &error));
    assert_int_equal(l2r_ensemble_n_models(e), 2);
    answers.output = p;
    OK(l2r_ensemble_predict(&answers, e, data, NULL, ALL, &error));
    OK(l2r_predictor_predict(one, model, data, NULL, ALL, &error));
    l2r_predictor_probabilities(one, model, ALL);
    for (int i = 0; i < ALL * CLASSES; i++) assert_true(fabsf(p[i] - one[i]) < 1e-5f);
    OK(l2r_ensemble_evaluate(&scores, e, data, NULL, ALL, "accuracy", &error));
    assert_int_equal(l2r_evaluation_n_metrics(scores), 2);
    l2r_evaluation_free(scores);
    l2r_ensemble_free(e);
    both[1] = NULL;
    refused(l2r_ensemble_from_models(&e, both, 2, &error), "models[1] is NULL");
    refused(l2r_ensemble_from_models(&e, both, 0, &error), "n = 0");
    refused(l2r_ensemble_from_models(&e, NULL, 1, &error), "models is NULL");
    refused(l2r_ensemble_from_models(NULL, both, 1, &error), "ensemble is NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_history),
                                       cmocka_unit_test(test_options_split_weights),
                                       cmocka_unit_test(test_scores),
                                       cmocka_unit_test(test_bytes),
                                       cmocka_unit_test(test_members),
                                       cmocka_unit_test(test_chosen),
                                       cmocka_unit_test(test_ensemble_in_memory)};
    return cmocka_run_group_tests_name("results", tests, train_runs, clear);
}
