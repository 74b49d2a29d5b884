/* SPDX-License-Identifier: MIT
 * The inside of a model (l2r/model.h): parameters that can be read and written, calibration on other graphs, what the
 * features of trees contribute; features of molecules as a matrix. */
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
#include <string.h>

enum { N = 60 };

static struct l2r_dataset *molecules;

static bool have_molecules(void)
{
    char table[256];
    if (molecules) return true;
    if (!l2r_has("rdkit")) return false;
    folder(table, "my.csv");
    write_oxygens(table, N);
    OK(l2r_dataset_open(&molecules, table, NULL, &error));
    assert_int_equal(l2r_dataset_n_graphs(molecules), N);
    return true;
}

static int tear_down(void **state)
{
    l2r_dataset_free(molecules);
    return run_tear_down(state);
}

static struct l2r_predictor *train_on(const struct l2r_dataset *data, const char *model, const char *options)
{
    struct l2r_config *config;
    struct l2r_run run = L2R_RUN_INIT;
    struct l2r_result *result;
    struct l2r_predictor *made;
    OK(l2r_config_for_run(&config, model, "erm", &error));
    OK(l2r_config_set_json(config, options, &error));
    run.config = config;
    run.data = data;
    OK(l2r_train(&result, &made, &run, &error));
    l2r_result_free(result);
    l2r_config_free(config);
    return made;
}

static void test_parameters(void **state)
{
    (void)state;
    enum { ALL = 48, CLASSES = 2 };
    struct l2r_dataset *data;
    struct l2r_parameter p = L2R_PARAMETER_INIT, same = L2R_PARAMETER_INIT;
    float before[ALL * CLASSES], after[ALL * CLASSES];
    OK(l2r_dataset_open(&data, "motif:train=24,valid=12,test=12", NULL, &error));
    struct l2r_predictor *m =
        train_on(data, "gin", "{\"epochs\": 1, \"hidden\": 8, \"layers\": 2, \"members\": \"2\", \"dropout\": 0}");
    size_t n = l2r_predictor_n_parameters(m, 0);
    assert_true(n > 4 && l2r_predictor_n_parameters(m, 1) == n);
    assert_true(l2r_predictor_n_parameters(m, 2) == 0 && l2r_predictor_n_parameters(NULL, 0) == 0);
    OK(l2r_predictor_predict(before, m, data, NULL, ALL, &error));
    for (size_t i = 0; i < n; i++) {
        OK(l2r_predictor_parameter(&p, m, 1, i, &error));
        OK(l2r_predictor_find(&same, m, 1, p.name, &error));
        assert_true(p.value && p.rows > 0 && p.columns > 0 && !p.gradient && same.value == p.value);
        if (strstr(p.name, "head")) memset(p.value, 0, (size_t)(p.rows * p.columns) * sizeof *p.value);
    }
    OK(l2r_predictor_predict(after, m, data, NULL, ALL, &error));
    assert_true(memcmp(before, after, sizeof before) != 0);
    refused(l2r_predictor_parameter(&p, m, 0, n, &error), "the model has");
    refused(l2r_predictor_parameter(&p, m, 2, 0, &error), "member = 2; expected 0 … 1");
    refused(l2r_predictor_find(&p, m, 0, "luck", &error), "no parameter \"luck\"");
    refused(l2r_predictor_find(&p, m, 0, NULL, &error), "name is NULL");
    refused(l2r_predictor_parameter(&p, NULL, 0, 0, &error), "predictor is NULL");
    l2r_predictor_free(m);
    l2r_dataset_free(data);
}

/* Temperature on the graphs themselves: their likelihood rises, their order stays; "none" gives the logits back. */
static void test_calibration(void **state)
{
    (void)state;
    enum { ALL = 48, CLASSES = 2 };
    struct l2r_dataset *data;
    struct l2r_evaluation *scores;
    float bare[ALL * CLASSES], calibrated[ALL * CLASSES], again[ALL * CLASSES];
    double loss[2];
    OK(l2r_dataset_open(&data, "motif:train=24,valid=12,test=12", NULL, &error));
    struct l2r_predictor *m = train_on(data, "gin", "{\"epochs\": 2, \"hidden\": 8, \"layers\": 2}");
    for (int k = 0; k < 2; k++) {
        OK(l2r_predictor_predict(k ? calibrated : bare, m, data, NULL, ALL, &error));
        OK(l2r_predictor_evaluate(&scores, m, data, NULL, ALL, NULL, &error));
        loss[k] = l2r_evaluation_value(scores, "loss", -1);
        l2r_evaluation_free(scores);
        if (k == 0) OK(l2r_predictor_calibrate(m, "temperature", 0, data, NULL, ALL, &error));
    }
    assert_true(loss[1] < loss[0]);
    for (int i = 0; i < ALL; i++)
        assert_int_equal(bare[2 * i] > bare[2 * i + 1], calibrated[2 * i] > calibrated[2 * i + 1]);
    OK(l2r_predictor_calibrate(m, "none", 0, data, NULL, ALL, &error));
    OK(l2r_predictor_predict(again, m, data, NULL, ALL, &error));
    assert_memory_equal(again, bare, sizeof bare);
    refused(l2r_predictor_calibrate(m, "luck", 0, data, NULL, ALL, &error), "method = \"luck\"; expected one of none|");
    refused(l2r_predictor_calibrate(m, "platt", 2, data, NULL, ALL, &error), "coverage = 2");
    const int64_t none = 0;
    refused(l2r_predictor_calibrate(m, "platt", 0, data, &none, 0, &error), "n = 0");
    refused(l2r_predictor_calibrate(m, NULL, 0, data, NULL, ALL, &error), "method is NULL");
    if (have_molecules())
        refused(l2r_predictor_calibrate(m, "platt", 0, molecules, NULL, N, &error), "the model a multiclass task");
    l2r_predictor_free(m);
    l2r_dataset_free(data);
}

/* Contributions and the constant are the output: a logit of boosted trees, a probability of a forest. */
static void check_trees(const char *model, const char *options, bool votes)
{
    struct l2r_predictor *m = train_on(molecules, model, options);
    int32_t features = l2r_predictor_n_features(m, 0);
    float *share = l2r_alloc((size_t)N * ((size_t)features + 1), sizeof *share);
    float *values = l2r_alloc((size_t)N * (size_t)features, sizeof *values), output[N];
    char name[64];
    assert_true(features > 0);
    OK(l2r_predictor_contributions(share, values, m, 0, molecules, NULL, N, &error));
    OK(l2r_predictor_predict(output, m, molecules, NULL, N, &error));
    if (votes) l2r_predictor_probabilities(output, m, N);
    for (int g = 0; g < N; g++) {
        double sum = 0;
        for (int32_t k = 0; k <= features; k++) sum += (double)share[g * (features + 1) + k];
        if (fabs(sum - (double)output[g]) > 1e-3) fail_msg("graph %d: %g, not %g", g, sum, (double)output[g]);
    }
    l2r_predictor_feature_name(name, sizeof name, m, 0, 0);
    assert_true(name[0] != '\0');
    l2r_predictor_feature_name(name, sizeof name, m, 0, features);
    assert_string_equal(name, "");
    OK(l2r_predictor_contributions(NULL, NULL, m, 0, molecules, NULL, N, &error));
    refused(l2r_predictor_contributions(share, NULL, m, 1, molecules, NULL, N, &error), "member = 1");
    l2r_free(share);
    l2r_free(values);
    l2r_predictor_free(m);
}

static void test_contributions(void **state)
{
    (void)state;
    if (!have_molecules()) skip();
    check_trees("forest", "{\"trees\": 8, \"features\": \"morgan,descriptors\", \"split\": \"random\"}", true);
    if (l2r_has("xgboost"))
        check_trees("boost", "{\"epochs\": 6, \"features\": \"descriptors\", \"split\": \"random\"}", false);
    struct l2r_predictor *m =
        train_on(molecules, "gin", "{\"epochs\": 1, \"hidden\": 8, \"layers\": 2, \"split\": \"random\"}");
    float share[N];
    refused(l2r_predictor_contributions(share, NULL, m, 0, molecules, NULL, N, &error), "gin is not made of trees");
    l2r_predictor_free(m);
}

static void test_features(void **state)
{
    (void)state;
    char name[32];
    const int64_t two[] = {7, 3};
    int32_t all = l2r_features_n_columns("morgan,pairs,torsion,erg,descriptors"), width = l2r_features_n_columns("erg");
    assert_true(all == 3 * 1024 + 315 + 241 && width == 315 && l2r_features_n_columns("descriptors,erg") == 556);
    assert_true(l2r_features_n_columns("luck") == 0 && l2r_features_n_columns("erg,erg") == 0);
    assert_true(l2r_features_n_columns(NULL) == 0 && l2r_features_n_columns("erg,") == 0);
    l2r_features_column_name(name, sizeof name, "pairs,morgan", 17); /* in the order of the registry */
    assert_string_equal(name, "morgan_17");
    l2r_features_column_name(name, sizeof name, "erg", 315);
    assert_string_equal(name, "");
    l2r_features_column_name(name, 4, "morgan", 3);
    assert_string_equal(name, "mor");
    l2r_features_column_name(NULL, 0, "morgan", 3);
    assert_string_equal(l2r_registry_name(L2R_FEATURES, 0), "morgan");
    assert_int_equal(l2r_registry_n_entries(L2R_FEATURES), 5);
    assert_int_equal(l2r_registry_n_entries(L2R_EXPLAINERS), 4);
    assert_string_equal(l2r_registry_name(L2R_EXPLAINERS, 2), "shapley");
    assert_true(l2r_registry_n_entries(L2R_CALIBRATORS) >= 3 && l2r_registry_help(L2R_CALIBRATORS, 0));
    if (!have_molecules()) skip();
    float *every = l2r_alloc((size_t)N * (size_t)width, sizeof *every),
          *some = l2r_alloc(2 * (size_t)width, sizeof *some);
    OK(l2r_dataset_features(every, molecules, "erg", NULL, N, &error));
    OK(l2r_dataset_features(some, molecules, "erg", two, 2, &error));
    assert_memory_equal(some, every + 7 * width, (size_t)width * sizeof *some);
    assert_memory_equal(some + width, every + 3 * width, (size_t)width * sizeof *some);
    l2r_features_column_name(name, sizeof name, "descriptors", 0);
    assert_true(name[0] && strcmp(name, "descriptors_0") != 0);
    refused(l2r_dataset_features(some, molecules, "luck", two, 2, &error), "blocks = \"luck\"");
    refused(l2r_dataset_features(some, molecules, NULL, two, 2, &error), "blocks is NULL");
    refused(l2r_dataset_features(NULL, molecules, "erg", two, 2, &error), "features is NULL");
    struct l2r_dataset *motif;
    OK(l2r_dataset_open(&motif, "motif:train=24,valid=12,test=12", NULL, &error));
    refused(l2r_dataset_features(some, motif, "erg", two, 2, &error), "data has no SMILES");
    l2r_dataset_free(motif);
    l2r_free(every);
    l2r_free(some);
}

/* Building blocks: entry by entry what the JSON says. */
static void test_fragments(void **state)
{
    (void)state;
    if (!have_molecules()) skip();
    struct l2r_predictor *m =
        train_on(molecules, "gin", "{\"epochs\": 2, \"hidden\": 8, \"layers\": 2, \"split\": \"random\"}");
    struct l2r_explanation *why[N];
    struct l2r_config *options;
    struct l2r_fragments *found;
    struct l2r_fragment_score entry = L2R_FRAGMENT_SCORE_INIT;
    char *json, line[128];
    int64_t molecules_with = 0;
    OK(l2r_config_for_explanation(&options, &error));
    OK(l2r_config_set(options, "explainer", "occlusion", &error));
    OK(l2r_explain(why, m, molecules, NULL, N, options, &error));
    OK(l2r_fragments_new(&found, why, N, m, molecules, &error));
    OK(l2r_fragments_json(&json, found, m, &error));
    int64_t n = l2r_fragments_n_entries(found);
    assert_true(n > 0);
    for (int64_t i = 0; i < n; i++) {
        OK(l2r_fragments_entry(&entry, found, i, &error));
        assert_true(entry.target == -1 && entry.n >= entry.n_molecules && entry.n_molecules > 0);
        assert_true(entry.min <= entry.mean && entry.mean <= entry.max && isnan(entry.sd) == (entry.n == 1));
        snprintf(line, sizeof line, "\"fragment\": \"%s\"", entry.smiles);
        assert_non_null(strstr(json, line));
        molecules_with += entry.n_molecules;
    }
    assert_true(molecules_with > N);
    refused(l2r_fragments_entry(&entry, found, n, &error), "there are");
    l2r_free(json);
    l2r_fragments_free(found);
    for (int i = 0; i < N; i++) l2r_explanation_free(why[i]);
    l2r_config_free(options);
    l2r_predictor_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fragments), cmocka_unit_test(test_parameters),
                                       cmocka_unit_test(test_calibration), cmocka_unit_test(test_contributions),
                                       cmocka_unit_test(test_features)};
    return cmocka_run_group_tests_name("inside", tests, run_set_up, tear_down);
}
