/* SPDX-License-Identifier: MIT
 * A run gives the same bits again, with any number of threads, and after being stopped at any batch and resumed. */
#include "base/memory.h"
#include "base/threads.h"
#include "io/file.h"
#include "support/messages.h"
#include "support/training_runs.h"

#include <math.h>

static void test_threads_and_rerun(void **state)
{
    (void)state;
    static const char *const models[] = {"gcn", "gin"};
    for (size_t m = 0; m < 2; m++) {
        struct l2r_config *config = config_with(models[m], (const char *const[]){"virtual-node", "true", NULL});
        char one[32], two[32], again[32];
        snprintf(one, sizeof one, "%s-one", models[m]);
        snprintf(two, sizeof two, "%s-two", models[m]);
        snprintf(again, sizeof again, "%s-again", models[m]);
        l2r_threads_set(1);
        struct l2r_result first = train(config, one, false, NULL);
        l2r_threads_set(2);
        struct l2r_result second = train(config, two, false, NULL), third = train(config, again, false, NULL);
        same_runs(one, two);
        same_runs(two, again);
        assert_true(first.test == second.test && second.test == third.test);
        l2r_result_clear(&first);
        l2r_result_clear(&second);
        l2r_result_clear(&third);
        l2r_config_free(config);
    }
}

static void test_seeds_differ(void **state)
{
    (void)state;
    struct l2r_config *a = config_with("gin", (const char *const[]){"seed", "1", NULL});
    struct l2r_config *b = config_with("gin", (const char *const[]){"seed", "2", NULL});
    struct l2r_result x = train(a, "seed-1", false, NULL), y = train(b, "seed-2", false, NULL);
    double loss_x = json_number_value(json_object_get(json_object_get(x.more, "test"), "loss"));
    double loss_y = json_number_value(json_object_get(json_object_get(y.more, "test"), "loss"));
    assert_true(loss_x > 0 && loss_x != loss_y);
    l2r_result_clear(&x);
    l2r_result_clear(&y);
    l2r_config_free(a);
    l2r_config_free(b);
}

/* Stopped again and again after a few batches. */
static struct l2r_result in_pieces(const struct l2r_config *config, const char *name)
{
    struct l2r_result result;
    struct l2r_error error;
    char dir[256];
    folder(dir, name);
    int stops = 0;
    enum l2r_status status;
    do {
        int left = 3 + stops % 4;
        struct l2r_callbacks watch = {.context = &left, .stop = stop_after};
        status = train_into(&result, config, dir, stops > 0, &watch, &error);
        if (status != L2R_OK) assert_int_equal(status, L2R_ERR_INTERRUPTED);
    } while (status != L2R_OK && ++stops < 50);
    assert_int_equal(status, L2R_OK);
    assert_true(stops >= 4);
    return result;
}

/* Such a run ends like the one that nobody disturbed. */
static void test_resume(void **state)
{
    (void)state;
    static const char *const more[] = {"lr-schedule", "plateau", "lr-patience",  "0",    "clip",       "1",
                                       "optimiser",   "adamw",   "weight-decay", "0.01", "eval-train", "true",
                                       NULL};
    struct l2r_config *config = config_with("gin", more);
    struct l2r_result whole = train(config, "whole", false, NULL), result = in_pieces(config, "pieces");
    same_runs("whole", "pieces");
    assert_true(result.test == whole.test && result.best_epoch == whole.best_epoch && result.train == whole.train);
    l2r_result_clear(&result);
    /* A finished run returns what it found. */
    result = train(config, "pieces", true, NULL);
    assert_true(result.test == whole.test);
    assert_int_equal(result.n_parameters, whole.n_parameters);
    l2r_result_clear(&result);
    l2r_result_clear(&whole);
    l2r_config_free(config);
}

/* Five parts: what the validation part that does not select has chosen survives interruptions, too, and what it chose
 * is what a run that goes by it tests. */
static void test_either_selection(void **state)
{
    (void)state;
    static const char *const five[] = {"data", "goodmotif:graphs=150", "lr", "0.02", "epochs", "8", NULL};
    struct l2r_config *config = config_with("gin", five), *by_id = config_with("gin", five);
    struct l2r_error error;
    assert_int_equal(l2r_config_set(by_id, "select", "id-valid", &error), L2R_OK);
    struct l2r_result whole = train(config, "five", false, NULL), result = in_pieces(config, "five-pieces"),
                      other = train(by_id, "five-by-id", false, NULL);
    const json_t *selections = json_object_get(whole.more, "selections"), *id = json_object_get(selections, "id-valid");
    assert_true(json_equal(selections, json_object_get(result.more, "selections")));
    assert_true(json_equal(selections, json_object_get(other.more, "selections")));
    assert_true(json_number_value(json_object_get(id, "test")) == other.test);
    assert_int_equal(json_integer_value(json_object_get(id, "best_epoch")), other.best_epoch);
    assert_true(other.best_epoch != whole.best_epoch); /* else the test would show little */
    l2r_result_clear(&whole);
    l2r_result_clear(&result);
    l2r_result_clear(&other);
    l2r_config_free(config);
    l2r_config_free(by_id);
}

/* Where settings are still being chosen the test graphs are not looked at; nothing else changes. */
static void test_without_test(void **state)
{
    (void)state;
    struct l2r_config *config = config_with("gin", NULL),
                      *blind = config_with("gin", (const char *const[]){"eval-test", "false", NULL});
    struct l2r_result seen = train(config, "seen", false, NULL), unseen = train(blind, "unseen", false, NULL);
    assert_true(isfinite(seen.test) && isnan(unseen.test));
    assert_true(seen.valid == unseen.valid && seen.train == unseen.train && seen.best_epoch == unseen.best_epoch);
    assert_non_null(json_object_get(unseen.more, "valid"));
    assert_null(json_object_get(unseen.more, "test"));
    l2r_result_clear(&unseen);
    unseen = train(blind, "unseen", true, NULL);
    assert_true(isnan(unseen.test) && unseen.valid == seen.valid);
    l2r_result_clear(&seen);
    l2r_result_clear(&unseen);
    l2r_config_free(config);
    l2r_config_free(blind);
}

/* A resumed run keeps its options and its best model. */
static void test_resume_refuses(void **state)
{
    (void)state;
    struct l2r_config *config = config_with("gin", NULL),
                      *other = config_with("gin", (const char *const[]){"lr", "0.5", NULL});
    struct l2r_result result;
    struct l2r_error error;
    char dir[256], best[300];
    int left = 7; /* past the first epoch of 4 batches */
    struct l2r_callbacks watch = {.context = &left, .stop = stop_after};
    folder(dir, "strict");
    assert_int_equal(train_into(&result, config, dir, false, &watch, &error), L2R_ERR_INTERRUPTED);
    assert_int_equal(train_into(&result, other, dir, true, NULL, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "`lr` is 0.5 here but 0.001 in the run");
    snprintf(best, sizeof best, "%s/best.safetensors", dir);
    assert_false(l2r_path_is_file(best)); /* a model appears when the run has ended */
    l2r_config_free(config);
    l2r_config_free(other);
}

static void second_run(void *context, const char *summary)
{
    struct l2r_result result;
    struct l2r_error error;
    char dir[256];
    (void)summary;
    folder(dir, "shared");
    assert_int_equal(train_into(&result, context, dir, true, NULL, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "another run is in progress there");
}

static void test_one_run_a_folder(void **state)
{
    (void)state;
    struct l2r_config *config = config_with("gcn", NULL);
    struct l2r_callbacks watch = {.context = config, .start = second_run};
    struct l2r_result result = train(config, "shared", false, &watch);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

static void count_lines(void *context, const struct l2r_progress *progress)
{
    int *epochs = context;
    assert_int_equal(progress->epoch, ++*epochs);
    assert_true(isfinite(progress->loss) && isfinite(progress->valid) && progress->graphs_per_second > 0);
}

static void test_record(void **state)
{
    (void)state;
    int epochs = 0, lines = 0;
    struct l2r_config *config = config_with("gcn", NULL);
    struct l2r_callbacks watch = {.context = &epochs, .epoch = count_lines};
    struct l2r_result result = train(config, "record", false, &watch);
    assert_int_equal(epochs, 6);
    char path[512], *text;
    size_t length;
    struct l2r_error error;
    snprintf(path, sizeof path, "%s/record/metrics.jsonl", root);
    assert_int_equal(l2r_file_read(&text, &length, path, 1 << 20, &error), L2R_OK);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        json_t *object = json_loads(line, 0, NULL);
        assert_int_equal(json_integer_value(json_object_get(object, "epoch")), ++lines);
        assert_true(json_is_number(json_object_get(json_object_get(object, "valid"), "accuracy")));
        json_decref(object);
    }
    assert_int_equal(lines, 6);
    l2r_free(text);
    /* The folder holds a run now: it is not overwritten. */
    char dir[256];
    struct l2r_result other;
    folder(dir, "record");
    assert_int_equal(train_into(&other, config, dir, false, NULL, &error), L2R_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "already holds a run"));
    l2r_result_clear(&result);
    l2r_config_free(config);
}

static void test_diverged(void **state)
{
    (void)state;
    static const char *const wild[] = {"optimiser", "sgd", "lr",       "1000", "batch-norm", "false",
                                       "dropout",   "0",   "momentum", "0",    NULL};
    struct l2r_config *config = config_with("gin", wild);
    struct l2r_result result;
    struct l2r_error error;
    char dir[256];
    folder(dir, "wild");
    assert_int_equal(train_into(&result, config, dir, false, NULL, &error), L2R_ERR_DIVERGED);
    assert_non_null(strstr(error.message, "epoch "));
    assert_non_null(strstr(error.message, "batch "));
    expect_message(error.message, "the first tensor that is not finite is \"");
    assert_non_null(strstr(error.message, "try a smaller `lr`"));
    l2r_config_free(config);
}

/* One batch an epoch: the loss is still fine when the step goes too far, and the validation graphs are the first to
 * show it. */
static void test_diverged_while_scoring(void **state)
{
    (void)state;
    static const char *const wild[] = {"optimiser", "sgd",      "lr", "1000",       "batch-norm", "false", "dropout",
                                       "0",         "momentum", "0",  "batch-size", "64",         NULL};
    struct l2r_config *config = config_with("gin", wild);
    struct l2r_result result;
    struct l2r_error error;
    char dir[256];
    folder(dir, "overshoot");
    assert_int_equal(train_into(&result, config, dir, false, NULL, &error), L2R_ERR_DIVERGED);
    if (!strstr(error.message, "epoch 2, scoring the valid graphs: ") || !strstr(error.message, "try a smaller `lr`"))
        fail_msg("%s", error.message);
    l2r_config_free(config);
}

static void test_early_stop_and_metric(void **state)
{
    (void)state;
    struct l2r_config *config =
        config_with("gin", (const char *const[]){"early-stop", "1", "epochs", "200", "metric", "f1", NULL});
    struct l2r_result result = train(config, "early", false, NULL);
    assert_true(result.epochs < 200);
    assert_int_equal(result.epochs, result.best_epoch + 1);
    assert_string_equal(result.metric, "f1");
    l2r_result_clear(&result);
    l2r_config_free(config);
    struct l2r_error error;
    char dir[256];
    folder(dir, "bad-metric");
    config = config_with("gin", (const char *const[]){"metric", "rmse", NULL});
    assert_int_equal(train_into(&result, config, dir, false, NULL, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "`metric`: rmse does not suit a multiclass task; accuracy does");
    l2r_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_and_rerun),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_either_selection),
        cmocka_unit_test(test_without_test),
        cmocka_unit_test(test_resume_refuses),
        cmocka_unit_test(test_one_run_a_folder),
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_diverged),
        cmocka_unit_test(test_diverged_while_scoring),
        cmocka_unit_test(test_early_stop_and_metric),
    };
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
