/* SPDX-License-Identifier: MIT
 * The default committee for tables of molecules through the public calls: `members=auto`, calibrated as a whole; a
 * copy, which answers with all members; and explanations, which say what all answer and explain those that read the
 * graph. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/training_runs.h"
#include <l2r/l2r.h>

#include "support/calls.h"
#include "support/oxygens.h"

#include <math.h>

enum { N = 60 };
static struct l2r_predictor *model;
static struct l2r_dataset *data;
static const int32_t graphs[] = {0, 1, 7};

/* Trained once for all tests; false: there is no RDKit. */
static bool have_model(void)
{
    struct l2r_run run = L2R_RUN_INIT;
    struct l2r_config *config;
    struct l2r_result *result;
    char table[256], out[256];
    if (model) return true;
    folder(table, "my.csv");
    folder(out, "committee");
    write_oxygens(table, N);
    OK(l2r_config_for_run(&config, NULL, "erm", &error));
    OK(l2r_config_set_json(config,
                           "{\"members\": \"auto\", \"calibrate\": \"temperature\", \"epochs\": 2, \"hidden\": 8, "
                           "\"layers\": 2, \"split\": \"random\"}",
                           &error));
    OK(l2r_config_set(config, "data", table, &error));
    enum l2r_status status = l2r_dataset_open(&data, table, NULL, &error);
    if (status == L2R_OK) {
        run.config = config;
        run.data = data;
        run.out = out;
        OK(l2r_train(&result, &model, &run, &error));
        l2r_result_free(result);
    }
    l2r_config_free(config);
    return status == L2R_OK;
}

static void test_members_auto(void **state)
{
    (void)state;
    char path[256];
    const char *members, *calibrate;
    if (!have_model()) skip();
    OK(l2r_config_get(&members, l2r_predictor_config(model), "members", &error));
    assert_non_null(strstr(members, "dmpnn,forest:"));
    OK(l2r_config_get(&calibrate, l2r_predictor_config(model), "calibrate", &error));
    assert_string_equal(calibrate, "temperature");
    folder(path, "committee/members/2-forest/best.safetensors");
    assert_int_equal(access(path, R_OK), 0);
}

/* Temperature divides the logit of the mean of all: its sign stays, and the members themselves keep theirs. */
static void test_calibrated_as_a_whole(void **state)
{
    (void)state;
    char *json, path[256];
    struct l2r_predictor *member;
    if (!have_model()) skip();
    OK(l2r_predictor_signature_json(&json, model, &error));
    assert_non_null(strstr(json, "\"temperature\""));
    l2r_free(json);
    folder(path, "committee/members/2-forest");
    OK(l2r_predictor_open(&member, path, &error));
    OK(l2r_predictor_signature_json(&json, member, &error));
    assert_null(strstr(json, "\"temperature\""));
    l2r_free(json);
    l2r_predictor_free(member);
}

static void test_copy(void **state)
{
    (void)state;
    struct l2r_predictor *copy;
    float one[3], two[3];
    if (!have_model()) skip();
    OK(l2r_predictor_copy(&copy, model, &error));
    OK(l2r_predictor_score(one, model, data, graphs, 3, &error));
    OK(l2r_predictor_score(two, copy, data, graphs, 3, &error));
    assert_memory_equal(one, two, sizeof one);
    l2r_predictor_free(copy);
}

/* The copy of trees answers as they do. */
static void test_copy_of_trees(void **state)
{
    (void)state;
    struct l2r_predictor *forest, *copy;
    float one[3], two[3];
    char path[256];
    if (!have_model()) skip();
    folder(path, "committee/members/2-forest");
    OK(l2r_predictor_open(&forest, path, &error));
    OK(l2r_predictor_copy(&copy, forest, &error));
    OK(l2r_predictor_score(one, forest, data, graphs, 3, &error));
    OK(l2r_predictor_score(two, copy, data, graphs, 3, &error));
    assert_memory_equal(one, two, sizeof one);
    l2r_predictor_free(copy);
    l2r_predictor_free(forest);
}

static void test_explanation(void **state)
{
    (void)state;
    struct l2r_explanation *e;
    struct l2r_config *options;
    char *json;
    float p[1];
    if (!have_model()) skip();
    OK(l2r_config_for_explanation(&options, &error));
    OK(l2r_config_set(options, "explainer", "shapley", &error));
    OK(l2r_explanation_new(&e, model, data, graphs[2], options, &error));
    OK(l2r_predictor_score(p, model, data, &graphs[2], 1, &error));
    l2r_predictor_probabilities(p, model, 1);
    assert_true(fabs(l2r_explanation_score(e, "answer") - (double)p[0]) < 1e-6);
    int64_t n;
    double sum = 0;
    const float *effects = l2r_explanation_node_effects(&n, e);
    for (int64_t i = 0; i < n; i++) sum += (double)effects[i];
    assert_true(fabs(sum - (l2r_explanation_score(e, "value") - l2r_explanation_score(e, "baseline"))) < 1e-4);
    OK(l2r_explanation_json(&json, e, model, data, &error));
    assert_non_null(strstr(json, "\"members_explained\": 1"));
    l2r_free(json);
    l2r_explanation_free(e);
    l2r_config_free(options);
}

/* A model that is fitted again with the validation graphs, in memory: the result has both, the caller the second. */
static void test_refit_in_memory(void **state)
{
    (void)state;
    struct l2r_run run = L2R_RUN_INIT;
    struct l2r_config *config;
    struct l2r_result *result, *plain;
    struct l2r_predictor *again, *before;
    char *json;
    float one[3], two[3];
    if (!have_model()) skip();
    OK(l2r_config_for_run(&config, "gin", "erm", &error));
    OK(l2r_config_set_json(config, "{\"epochs\": 3, \"hidden\": 8, \"layers\": 2, \"split\": \"random\"}", &error));
    run.config = config;
    run.data = data;
    OK(l2r_train(&plain, &before, &run, &error));
    OK(l2r_config_set(config, "refit", "true", &error));
    OK(l2r_train(&result, &again, &run, &error));
    OK(l2r_result_json(&json, result, &error));
    assert_non_null(strstr(json, "\"refit\""));
    assert_true(l2r_result_score(result, L2R_PART_VALID, NULL) == l2r_result_score(plain, L2R_PART_VALID, NULL));
    OK(l2r_predictor_score(one, before, data, graphs, 3, &error));
    OK(l2r_predictor_score(two, again, data, graphs, 3, &error));
    assert_memory_not_equal(one, two, sizeof one);
    l2r_free(json);
    l2r_result_free(result);
    l2r_result_free(plain);
    l2r_predictor_free(again);
    l2r_predictor_free(before);
    l2r_config_free(config);
}

static int end(void **state)
{
    l2r_predictor_free(model);
    l2r_dataset_free(data);
    return run_tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_auto), cmocka_unit_test(test_calibrated_as_a_whole),
        cmocka_unit_test(test_copy),         cmocka_unit_test(test_copy_of_trees),
        cmocka_unit_test(test_explanation),  cmocka_unit_test(test_refit_in_memory)};
    return cmocka_run_group_tests_name("committees", tests, run_set_up, end);
}
