/* SPDX-License-Identifier: MIT
 * examples/adding/graphconv.c in the registry: it is found by its name, learns, and is read back for prediction. */
#include "../../../examples/adding/graphconv.c"

#include "model/predictor.h"
#include "store/run.h"
#include "support/folder.h"
#include "support/train_into.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What the build would write if the example lay in src/models; it takes the place of the one in the library. */
const struct l2r_model_type *const l2r_models[] = {&l2r_model_graphconv, NULL};

static struct l2r_config *config_with(const char *aggregate)
{
    static const char *const base[] = {
        "data", "motif:mu=0.5,train=128,valid=32,test=32", "hidden", "16", "layers", "3", "epochs", "12", "lr", "0.01",
        NULL};
    struct l2r_config *config;
    struct l2r_error error;
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_run_declare(config, "graphconv", "erm", &error), L2R_OK);
    for (size_t i = 0; base[i]; i += 2) assert_int_equal(l2r_config_set(config, base[i], base[i + 1], &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "dropout", "0", &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "aggregate", aggregate, &error), L2R_OK);
    return config;
}

static double train(const char *aggregate)
{
    struct l2r_config *config = config_with(aggregate);
    struct l2r_result result;
    struct l2r_error error = {0};
    if (train_into(&result, config, inside(aggregate), false, NULL, &error) != L2R_OK) fail_msg("%s", error.message);
    /* 3 layers of two 16 × 16 matrices, a bias and a norm; one embedding; a head for two classes */
    assert_int_equal(result.n_parameters, 3 * (2 * 256 + 16 + 32) + 16 + 2 * 17);
    double accuracy = result.train;
    l2r_result_clear(&result);
    l2r_config_free(config);
    return accuracy;
}

static void test_learns(void **state)
{
    (void)state;
    double sum = train("sum");
    assert_true(sum > 0.9);
    assert_true(train("normalised") < sum); /* a mean hides how many neighbours there are: slower on this task */
}

static void test_read_back(void **state)
{
    (void)state;
    struct l2r_predictor *predictor;
    struct l2r_error error = {0};
    if (l2r_predictor_open(&predictor, inside("normalised"), &error) != L2R_OK) fail_msg("%s", error.message);
    assert_true(l2r_config_is(l2r_predictor_config(predictor), "aggregate", "normalised"));
    l2r_predictor_free(predictor);
}

static void test_own_option_is_checked(void **state)
{
    (void)state;
    struct l2r_config *config = config_with("sum");
    struct l2r_error error = {0};
    assert_int_equal(l2r_config_set(config, "aggregate", "median", &error), L2R_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "normalised"));
    l2r_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_learns), cmocka_unit_test(test_read_back),
                                       cmocka_unit_test(test_own_option_is_checked)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
