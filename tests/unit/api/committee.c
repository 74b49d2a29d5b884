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
static char members[1024], calibrate[32]; /* options of its run */
static const int64_t graphs[] = {0, 1, 7};

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
        const char *text;
        OK(l2r_train(&result, &model, &run, &error));
        OK(l2r_config_get(&text, l2r_result_config(result), "members", &error));
        snprintf(members, sizeof members, "%s", text);
        OK(l2r_config_get(&text, l2r_result_config(result), "calibrate", &error));
        snprintf(calibrate, sizeof calibrate, "%s", text);
        l2r_result_free(result);
    }
    l2r_config_free(config);
    return status == L2R_OK;
}

static void count_start(void *context, const char *summary)
{
    (void)summary;
    ++*(int *)context;
}

static void test_members_auto(void **state)
{
    (void)state;
    const char *hidden;
    if (!have_model()) skip();
    assert_non_null(strstr(members, "dmpnn,forest:"));
    /* A model keeps what builds it, and nothing of training. */
    OK(l2r_config_get(&hidden, l2r_predictor_config(model), "hidden", &error));
    assert_string_equal(hidden, "8");
    refused(l2r_config_get(&hidden, l2r_predictor_config(model), "calibrate", &error), "calibrate");
    refused(l2r_config_get(&hidden, l2r_predictor_config(model), "lr", &error), "lr");
    assert_string_equal(calibrate, "temperature");
    assert_true(l2r_predictor_n_members(model) >= 5);
}

/* Temperature divides the logit of the mean of all: its sign stays, and the members themselves keep theirs. */
static void test_calibrated_as_a_whole(void **state)
{
    (void)state;
    char *json;
    struct l2r_predictor *member;
    if (!have_model()) skip();
    OK(l2r_predictor_signature_json(&json, model, &error));
    assert_non_null(strstr(json, "\"temperature\""));
    l2r_free(json);
    OK(l2r_predictor_member(&member, model, 1, &error));
    OK(l2r_predictor_signature_json(&json, member, &error));
    assert_null(strstr(json, "\"temperature\""));
    l2r_free(json);
    l2r_predictor_free(member);
}

static void same_bytes(const char *a, const char *b)
{
    char *x, *y;
    size_t n, m;
    OK(l2r_file_read(&x, &n, a, 1 << 28, &error));
    OK(l2r_file_read(&y, &m, b, 1 << 28, &error));
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    l2r_free(x);
    l2r_free(y);
}

/* Without a folder the same options give the same model, bit for bit: all members, refitted or not, calibration,
 * applicability domain, learned weights, fingerprints of data and split. */
static void test_in_memory(void **state)
{
    (void)state;
    static const char *const what[][2] = {
        {NULL, "{\"members\": \"auto\", \"calibrate\": \"temperature\", \"epochs\": 2, \"hidden\": 8, \"layers\": 2, "
               "\"split\": \"random\", \"refit\": true}"},
        {"gin", "{\"members\": \"2\", \"epochs\": 2, \"hidden\": 8, \"layers\": 2, \"split\": \"random\"}"},
        {"gin", "{\"epochs\": 2, \"hidden\": 8, \"layers\": 2, \"split\": \"random\", \"ess\": 0.6, "
                "\"holdout\": 0.2}"}};
    char table[256], out[256], file[300], best[300];
    if (!have_model()) skip();
    folder(table, "my.csv");
    folder(out, "with-folder");
    snprintf(best, sizeof best, "%s/best.safetensors", out);
    folder(file, "in-memory.safetensors");
    for (int i = 0; i < 3; i++) {
        struct l2r_run run = L2R_RUN_INIT;
        struct l2r_config *config;
        struct l2r_result *result[2];
        struct l2r_predictor *made;
        OK(l2r_config_for_run(&config, what[i][0], i == 2 ? "l2r" : "erm", &error));
        OK(l2r_config_set_json(config, what[i][1], &error));
        OK(l2r_config_set(config, "data", table, &error));
        run.config = config;
        run.data = data;
        OK(l2r_train(&result[0], &made, &run, &error));
        assert_int_equal(l2r_predictor_n_members(made), i == 0 ? l2r_predictor_n_members(model) : i == 1 ? 2 : 1);
        OK(l2r_predictor_save(made, file, &error));
        l2r_predictor_free(made);
        l2r_remove_tree(out);
        run.out = out;
        OK(l2r_train(&result[1], NULL, &run, &error));
        same_bytes(file, best);
        assert_true(l2r_result_score(result[0], L2R_PART_TEST, NULL) ==
                    l2r_result_score(result[1], L2R_PART_TEST, NULL));
        for (int k = 0; k < 2; k++) l2r_result_free(result[k]);
        l2r_config_free(config);
    }
}

/* A member that cannot be is refused before anything is trained, wherever it stands. */
static void test_bad_members(void **state)
{
    (void)state;
    static const char *const lists[] = {"gin,nosuch", "gin,mlp:hiden=8,forest", "gin,forest,mlp:hidden=-1",
                                        "gin,forest:refit=true", "gcn,gin"};
    char table[256];
    if (!have_model()) skip();
    folder(table, "my.csv");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct l2r_callbacks watch = L2R_CALLBACKS_INIT;
        struct l2r_run run = L2R_RUN_INIT;
        struct l2r_config *config;
        struct l2r_result *result = NULL;
        int starts = 0;
        watch.context = &starts;
        watch.start = count_start;
        OK(l2r_config_for_run(&config, "gin", "erm", &error));
        OK(l2r_config_set(config, "members", lists[i], &error));
        run.config = config;
        run.data = data;
        run.callbacks = &watch;
        assert_int_equal(l2r_train(&result, NULL, &run, &error), L2R_ERR_ARGUMENT);
        assert_null(result);
        assert_int_equal(starts, 0);
        l2r_config_free(config);
    }
}

static void test_copy(void **state)
{
    (void)state;
    struct l2r_predictor *copy;
    float one[3], two[3];
    if (!have_model()) skip();
    OK(l2r_predictor_copy(&copy, model, &error));
    OK(l2r_predictor_predict(one, model, data, graphs, 3, &error));
    OK(l2r_predictor_predict(two, copy, data, graphs, 3, &error));
    assert_memory_equal(one, two, sizeof one);
    l2r_predictor_free(copy);
}

/* The copy of trees answers as they do. */
static void test_copy_of_trees(void **state)
{
    (void)state;
    struct l2r_predictor *forest, *copy;
    float one[3], two[3];
    if (!have_model()) skip();
    OK(l2r_predictor_member(&forest, model, 1, &error));
    assert_int_equal(l2r_predictor_n_members(forest), 1);
    OK(l2r_predictor_copy(&copy, forest, &error));
    OK(l2r_predictor_predict(one, forest, data, graphs, 3, &error));
    OK(l2r_predictor_predict(two, copy, data, graphs, 3, &error));
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
    OK(l2r_predictor_predict(p, model, data, &graphs[2], 1, &error));
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

/* A model refitted with the validation graphs, in memory: the result has both, the caller the second. */
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
    OK(l2r_predictor_predict(one, before, data, graphs, 3, &error));
    OK(l2r_predictor_predict(two, again, data, graphs, 3, &error));
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
        cmocka_unit_test(test_in_memory),    cmocka_unit_test(test_bad_members),
        cmocka_unit_test(test_copy),         cmocka_unit_test(test_copy_of_trees),
        cmocka_unit_test(test_explanation),  cmocka_unit_test(test_refit_in_memory)};
    return cmocka_run_group_tests_name("committees", tests, run_set_up, end);
}
