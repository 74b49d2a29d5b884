/* SPDX-License-Identifier: MIT
 * Pairs weighted by the head: no inner steps are ERM, bit for bit; runs are the same
 * in pieces and on any number of threads; what a run says of its weights at the end. */
#include "support/training_runs.h"

static const char *const small[] = {"epochs", "3", NULL};

static struct l2r_result run(const char *name, const char *method, const char *const *set)
{
    struct l2r_config *config = config_for("gin", method, small);
    struct l2r_error error;
    for (size_t i = 0; set[i]; i += 2)
        if (l2r_config_set(config, set[i], set[i + 1], &error) != L2R_OK) fail_msg("%s", error.message);
    struct l2r_result result = train(config, name, false, NULL);
    l2r_config_free(config);
    return result;
}

/* The epoch that was kept may be one before the weights: the losses of all epochs tell. */
static void expect_same_models(const char *a, const char *b, bool same)
{
    json_t *x = run_metrics(a), *y = run_metrics(b);
    bool equal = json_array_size(x) == json_array_size(y);
    for (size_t i = 0; equal && i < json_array_size(x); i++)
        equal =
            json_equal(json_object_get(json_array_get(x, i), "valid"), json_object_get(json_array_get(y, i), "valid"));
    if (equal != same) fail_msg("%s and %s are%s the same model", a, b, same ? " not" : "");
    json_decref(x);
    json_decref(y);
}

static void test_limits(void **state)
{
    (void)state;
    struct l2r_result all[] = {
        run("none", "l2r", (const char *const[]){"pair-weights", "none", NULL}),
        run("head", "l2r", (const char *const[]){"pair-weights", "head", NULL}),
        run("shuffled", "l2r", (const char *const[]){"pair-weights", "head", "weights-control", "shuffled", NULL}),
        run("idle", "l2r", (const char *const[]){"pair-weights", "head", "inner-steps", "0", NULL}),
        run("erm", "erm", (const char *const[]){NULL}),
        run("oodgnn", "oodgnn", (const char *const[]){NULL}),
        run("oodgnn-head", "oodgnn", (const char *const[]){"pair-weights", "head", NULL}),
    };
    expect_same_models("none", "head", false);
    expect_same_models("head", "shuffled", false);
    expect_same_models("idle", "erm", true);
    expect_same_models("oodgnn", "oodgnn-head", false);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) l2r_result_clear(&all[i]);
}

static double reported(const struct l2r_result *result, const char *key)
{
    return json_number_value(json_object_get(result->conclusion, key));
}

static void expect_sentence(const struct l2r_result *result, const char *begin)
{
    const char *sentence = json_string_value(json_object_get(result->conclusion, "sentence"));
    if (!sentence || strncmp(sentence, begin, strlen(begin)) != 0) fail_msg("%s", sentence ? sentence : "nothing");
}

/* A run says how much dependence its weights removed that shuffled ones would not; plain training says nothing. */
static void test_conclusion(void **state)
{
    (void)state;
    struct l2r_result learned = run("told", "l2r", (const char *const[]){"ess", "0.7", NULL}),
                      idle = run("told-idle", "l2r", (const char *const[]){"clusters", "1", NULL}),
                      plain = run("told-erm", "erm", (const char *const[]){NULL}),
                      known = run("told-control", "l2r", (const char *const[]){"weights-control", "shuffled", NULL});
    assert_true(reported(&learned, "dependence_left") < 0.9);
    assert_true(reported(&learned, "dependence_left_shuffled") > reported(&learned, "dependence_left") + 0.1);
    assert_true(reported(&learned, "ess") > 0.69 && reported(&learned, "ess") < 0.71);
    expect_sentence(&learned, "the learned weights left ");
    expect_sentence(&idle, "no weights were learned");
    expect_sentence(&known, "the learned weights, which the control shuffled, left ");
    assert_null(plain.conclusion);
    l2r_result_clear(&learned);
    l2r_result_clear(&idle);
    l2r_result_clear(&plain);
    l2r_result_clear(&known);
}

static void test_pieces(void **state)
{
    (void)state;
    pieces_are_whole("gin", "l2r", (const char *const[]){"pair-weights", "head", "ess", "0.6", "ema", "0.9", NULL}, 1);
    pieces_are_whole("gcn", "l2r", (const char *const[]){"pair-weights", "head", "bilevel", "second", NULL}, 2);
    pieces_are_whole("gcn", "oodgnn", (const char *const[]){"pair-weights", "head", NULL}, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits), cmocka_unit_test(test_conclusion),
                                       cmocka_unit_test(test_pieces)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
