/* SPDX-License-Identifier: MIT
 *
 * Metrics against scikit-learn (tests/golden/metrics.json), their table, and their errors.
 */
#include "metrics/probability.h"

#include "base/memory.h"
#include "support/messages.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static double *doubles_of(const json_t *list)
{
    double *out = l2r_alloc(json_array_size(list), sizeof *out);
    assert_non_null(out);
    for (size_t i = 0; i < json_array_size(list); i++) out[i] = json_number_value(json_array_get(list, i));
    return out;
}

static float *floats_of(const json_t *list)
{
    float *out = l2r_alloc(json_array_size(list), sizeof *out);
    assert_non_null(out);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        out[i] = json_is_null(item) ? NAN : (float)json_number_value(item);
    }
    return out;
}

static enum l2r_task task_of(const char *name)
{
    if (strcmp(name, "binary") == 0) return L2R_TASK_BINARY;
    return strcmp(name, "multiclass") == 0 ? L2R_TASK_MULTICLASS : L2R_TASK_REGRESSION;
}

static int count_of(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

static void check_case(json_t *test)
{
    float *output = floats_of(json_object_get(test, "output")), *labels = floats_of(json_object_get(test, "labels"));
    double *scale = doubles_of(json_object_get(test, "scale"));
    struct l2r_scores s = {.task = task_of(json_string_value(json_object_get(test, "task"))),
                           .n_graphs = count_of(test, "n_graphs"),
                           .n_tasks = count_of(test, "n_tasks"),
                           .n_classes = count_of(test, "n_classes"),
                           .output = output,
                           .labels = labels,
                           .scale = scale};
    const char *case_name = json_string_value(json_object_get(test, "name")), *name;
    json_t *expected;
    json_object_foreach(json_object_get(test, "expected"), name, expected)
    {
        const struct l2r_metric *m = l2r_metric_find(name);
        struct l2r_error error = {0};
        double value = 5, wanted = json_is_null(expected) ? (double)NAN : json_number_value(expected);
        assert_non_null(m);
        enum l2r_status status = l2r_metric_compute(&value, m, &s, &error);
        const char *why = m->units && s.n_tasks > 1 ? "has no mean over" : "undefined";
        bool right = isnan(wanted) ? status == L2R_ERR_ARGUMENT && isnan(value) && strstr(error.message, why)
                                   : status == L2R_OK && fabs(value - wanted) <= 1e-12 * fmax(1, fabs(wanted));
        if (!right) fail_msg("%s: %s is %.17g, expected %.17g (%s)", case_name, name, value, wanted, error.message);
    }
    l2r_free(scale);
    l2r_free(output);
    l2r_free(labels);
}

static void agrees_with_scikit_learn(void **state)
{
    (void)state;
    json_t *cases = json_load_file(L2R_TEST_DIR "/golden/metrics.json", 0, NULL);
    assert_true(json_array_size(cases) > 30);
    for (size_t i = 0; i < json_array_size(cases); i++) check_case(json_array_get(cases, i));
    json_decref(cases);
}

static void table_is_sound(void **state)
{
    (void)state;
    for (size_t i = 0; l2r_metrics[i]; i++) {
        const struct l2r_metric *m = l2r_metrics[i];
        assert_ptr_equal(l2r_metric_find(m->name), m);
        assert_non_null(m->title);
        assert_non_null(m->fn);
        assert_true(m->tasks != 0);
    }
    assert_null(l2r_metric_find("auc"));
    assert_string_equal(l2r_metric_default(L2R_TASK_MULTICLASS, 1)->name, "accuracy");
    assert_string_equal(l2r_metric_default(L2R_TASK_BINARY, 1)->name, "rocauc");
    assert_string_equal(l2r_metric_default(L2R_TASK_REGRESSION, 1)->name, "rmse");
    assert_string_equal(l2r_metric_default(L2R_TASK_REGRESSION, 2)->name, "nrmse");
    assert_true(l2r_metric_suits(l2r_metric_find("rmse"), L2R_TASK_REGRESSION));
    assert_false(l2r_metric_suits(l2r_metric_find("rmse"), L2R_TASK_BINARY));
    assert_false(l2r_metric_suits(l2r_metric_find("rocauc"), L2R_TASK_REGRESSION));
}

static void better_knows_direction_and_nan(void **state)
{
    (void)state;
    const struct l2r_metric *up = l2r_metric_find("rocauc"), *down = l2r_metric_find("rmse");
    assert_true(l2r_metric_better(up, 0.8, 0.7));
    assert_false(l2r_metric_better(up, 0.7, 0.7));
    assert_true(l2r_metric_better(down, 0.7, 0.8));
    assert_false(l2r_metric_better(down, 0.8, 0.7));
    assert_true(l2r_metric_better(down, 1e9, (double)NAN));
    assert_false(l2r_metric_better(up, (double)NAN, 0));
    assert_false(l2r_metric_better(up, (double)NAN, (double)NAN));
}

static void expect_failure(const char *metric, const struct l2r_scores *s, enum l2r_status status, const char *words)
{
    struct l2r_error error = {0};
    double value = 1;
    assert_int_equal(l2r_metric_compute(&value, l2r_metric_find(metric), s, &error), status);
    assert_true(isnan(value));
    if (!message_matches(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

static void bad_values_are_named(void **state)
{
    (void)state;
    float output[] = {1, 2, 3, NAN, 5, 6}, fine[] = {1, 2, 3, 4, 5, 6}, labels[] = {0, 1, 1, 0, 1, 0};
    float infinite[] = {1, 2, 3, 4, 5, INFINITY}, strange[] = {0, 1, 2, 0, 0, 0}, half[] = {0, 1, 0.5F};
    struct l2r_scores s = {L2R_TASK_BINARY, 3, 2, 0, output, labels, NULL, NULL, NULL};
    expect_failure("rocauc", &s, L2R_ERR_DIVERGED, "output 1 of graph 1 is nan");
    s.output = infinite;
    expect_failure("accuracy", &s, L2R_ERR_DIVERGED, "output 1 of graph 2 is inf");
    s.output = fine;
    s.labels = strange;
    expect_failure("ap", &s, L2R_ERR_ARGUMENT, "label 0 of graph 1 is 2, not a class 0..1");
    s.labels = labels;
    expect_failure("rmse", &s, L2R_ERR_ARGUMENT, "does not suit a binary task; rocauc does");
    s = (struct l2r_scores){L2R_TASK_MULTICLASS, 3, 1, 2, fine, strange, NULL, NULL, NULL};
    expect_failure("f1", &s, L2R_ERR_ARGUMENT, "label 0 of graph 2 is 2, not a class 0..1");
    s.labels = half;
    expect_failure("f1", &s, L2R_ERR_ARGUMENT, "label 0 of graph 2 is 0.5");
    s.n_tasks = 2;
    expect_failure("f1", &s, L2R_ERR_ARGUMENT, "1 label column");
    s = (struct l2r_scores){L2R_TASK_REGRESSION, 0, 1, 0, fine, labels, NULL, NULL, NULL};
    expect_failure("mae", &s, L2R_ERR_ARGUMENT, "mae is undefined on these 0 graphs: it needs a labelled graph");
}

static void reports_lack_of_memory(void **state)
{
    (void)state;
    float output[] = {1, 2}, labels[] = {0, 1};
    struct l2r_scores s = {L2R_TASK_BINARY, 2, 1, 0, output, labels, NULL, NULL, NULL};
    l2r_memory_fail_at(0, true);
    expect_failure("rocauc", &s, L2R_ERR_MEMORY, "out of memory");
    expect_failure("f1", &s, L2R_ERR_MEMORY, "out of memory");
    s.task = L2R_TASK_REGRESSION;
    expect_failure("spearman", &s, L2R_ERR_MEMORY, "out of memory");
    l2r_memory_fail_at(-1, false);
}

/* Two tasks, of which the second has one label. */
static void tasks_by_themselves(void **state)
{
    (void)state;
    const float output[] = {2, -1, 0, 3, -2, 1}, labels[] = {1, NAN, 0, 0, 0, NAN};
    const struct l2r_scores s = {L2R_TASK_BINARY, 3, 2, 0, output, labels, NULL, NULL, NULL};
    struct l2r_scores one;
    float room[6];
    int64_t positives;
    double value;
    l2r_scores_task(&one, room, &s, 1);
    assert_int_equal(l2r_scores_labelled(&positives, &s, 1), 1);
    assert_int_equal(positives, 0);
    assert_true(l2r_metric_compute(&value, l2r_metric_find("accuracy"), &one, NULL) == L2R_OK && value == 0);
    l2r_scores_task(&one, room, &s, 0);
    assert_int_equal(l2r_scores_labelled(&positives, &s, 0), 3);
    assert_int_equal(positives, 1);
    assert_true(l2r_metric_compute(&value, l2r_metric_find("rocauc"), &one, NULL) == L2R_OK && value == 1);
    /* log(1 + e^−2); (log 2 + log(1 + e^3)) / 2; log(1 + e^−2) */
    double sure = log1p(exp(-2)), wanted = (2 * sure + (log(2) + 3 + log1p(exp(-3))) / 2) / 3;
    assert_true(fabs(l2r_scores_loss(&s) - wanted) < 1e-12);
}

static void loss_counts_labelled_graphs_in_standard_deviations(void **state)
{
    (void)state;
    const float output[] = {1, 10, 2, 20}, labels[] = {NAN, NAN, 1, 40};
    const double scale[] = {2, 10};
    struct l2r_scores s = {L2R_TASK_REGRESSION, 2, 2, 0, output, labels, scale, NULL, NULL};
    assert_true(fabs(l2r_scores_loss(&s) - (0.25 + 4) / 2) < 1e-12);
    s.n_graphs = 1;
    assert_true(isnan(l2r_scores_loss(&s)));
    const float logits[] = {0, 1, 2}, class[] = {2};
    s = (struct l2r_scores){L2R_TASK_MULTICLASS, 1, 1, 3, logits, class, NULL, NULL, NULL};
    assert_true(fabs(l2r_scores_loss(&s) - log(1 + exp(-1) + exp(-2))) < 1e-12);
}

static void lists_of_names(void **state)
{
    (void)state;
    struct l2r_error error = {0};
    assert_true(l2r_metric_is_listed(l2r_metric_find("ap"), NULL));
    assert_true(l2r_metric_is_listed(l2r_metric_find("ap"), "mcc,ap"));
    assert_false(l2r_metric_is_listed(l2r_metric_find("ap"), "map,apx"));
    assert_int_equal(l2r_metric_check_list("rocauc,auc", L2R_TASK_BINARY, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "metrics: there is no metric \"auc\"");
    assert_int_equal(l2r_metric_check_list("rmse", L2R_TASK_BINARY, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "metrics: rmse does not suit a binary task");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_scikit_learn),
        cmocka_unit_test(table_is_sound),
        cmocka_unit_test(better_knows_direction_and_nan),
        cmocka_unit_test(bad_values_are_named),
        cmocka_unit_test(reports_lack_of_memory),
        cmocka_unit_test(tasks_by_themselves),
        cmocka_unit_test(loss_counts_labelled_graphs_in_standard_deviations),
        cmocka_unit_test(lists_of_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
