/* SPDX-License-Identifier: MIT
 * `ess=choose`: candidates are ordinary runs, the run itself is the candidate that was chosen, bit for bit; without
 * evidence that is plain training; a stopped choice is resumed; what it needs is said. */
#include "train/choice.h"
#include "data/dataset.h"
#include "data/reader.h"
#include "io/json_file.h"
#include "support/training_runs.h"

#include <l2r/model.h>

#include <math.h>

static const char *const set[] = {"weigh", "network", "ess", "choose", "epochs", "3", NULL};

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* The rule, from the numbers that choice.json has. */
static const char *expected_choice(const json_t *choice)
{
    const json_t *list = json_object_get(choice, "candidates"), *best = NULL;
    assert_int_equal(json_array_size(list), 4);
    assert_true(number(json_array_get(list, 0), "better_by") == 0);
    for (size_t k = 1; k < 4; k++) {
        const json_t *one = json_array_get(list, k);
        assert_true(isfinite(number(one, "valid")) && number(one, "standard_error") >= 0);
        if (!best || number(one, "better_by") > number(best, "better_by")) best = one;
    }
    double gain = number(best, "better_by");
    return gain > 0 && gain > 2 * number(best, "standard_error") ? json_string_value(json_object_get(best, "ess"))
                                                                 : "1";
}

static void test_choice(void **state)
{
    (void)state;
    struct l2r_config *config = config_for("gin", "l2r", set);
    struct l2r_result result = train(config, "chosen", false, NULL);
    struct l2r_error error;
    json_t *choice;
    char path[256], candidate[64];
    snprintf(path, sizeof path, "%s/chosen/choice.json", root);
    assert_int_equal(l2r_json_read(&choice, path, &error), L2R_OK);
    const char *ess = json_string_value(json_object_get(choice, "ess"));
    assert_string_equal(ess, expected_choice(choice));
    assert_non_null(json_object_get(json_object_get(result.conclusion, "choice"), "sentence"));
    snprintf(candidate, sizeof candidate, "chosen/candidates/ess-%s", ess);
    same_runs("chosen", candidate);
    l2r_result_clear(&result);
    snprintf(path, sizeof path, "%s/chosen", root);
    assert_int_equal(train_into(&result, config, path, false, NULL, &error), L2R_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "already holds a run"));
    json_decref(choice);
    l2r_config_free(config);
}

/* The first candidate has the bits of ERM. */
static void test_plain(void **state)
{
    (void)state;
    struct l2r_config *erm = config_for("gin", "erm", (const char *const[]){"epochs", "3", NULL});
    struct l2r_result result = train(erm, "erm", false, NULL);
    same_tensors("erm", "chosen/candidates/ess-1", "best.safetensors");
    l2r_result_clear(&result);
    l2r_config_free(erm);
}

static void test_resume(void **state)
{
    (void)state;
    pieces_are_whole("gin", "oodgnn", set + 2, 1);
}

/* Without a folder the chosen candidate itself comes back, and nothing is written. */
static void test_in_memory(void **state)
{
    (void)state;
    struct l2r_config *config = config_for("gin", "l2r", set);
    struct l2r_run run = {.config = config};
    struct l2r_result result;
    struct l2r_predictor *predictor = NULL;
    struct l2r_error error;
    assert_int_equal(l2r_run_train(&result, &predictor, &run, &error), L2R_OK);
    assert_non_null(predictor);
    assert_true(isfinite(result.valid));
    assert_non_null(json_object_get(result.conclusion, "choice"));
    l2r_predictor_free(predictor);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

static void test_refused(void **state)
{
    (void)state;
    struct l2r_error error;
    struct l2r_result result;
    struct l2r_training *training;
    struct l2r_dataset *data;
    char dir[256];
    struct l2r_config *config = config_for("gin", "l2r", set);
    assert_int_equal(l2r_config_set(config, "data", "motif:train=40,valid=0,test=10", &error), L2R_OK);
    folder(dir, "no-valid");
    assert_int_equal(train_into(&result, config, dir, false, NULL, &error), L2R_ERR_ARGUMENT);
    assert_string_equal(error.message, "`ess=choose` needs validation graphs, of which the split leaves none");
    assert_int_equal(l2r_dataset_load(&data, "motif:train=40,valid=10,test=10", false, &error), L2R_OK);
    assert_int_equal(l2r_training_new(&training, config, data, NULL, &error), L2R_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "compares whole runs"));
    l2r_dataset_free(data);
    l2r_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_choice), cmocka_unit_test(test_plain),
                                       cmocka_unit_test(test_resume), cmocka_unit_test(test_in_memory),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
