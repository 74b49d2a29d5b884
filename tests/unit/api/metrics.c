/* SPDX-License-Identifier: MIT
 * l2r/metrics.h: values of metrics on plain arrays, what is known about each, refusals; and what l2r/status.h says of
 * this build: modules, their folder, threads, statuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/calls.h"
#include <l2r/l2r.h>

#include <math.h>
#include <string.h>

static double value_of(const char *metric, const struct l2r_scored *scored)
{
    double value;
    OK(l2r_metric_value(&value, metric, scored, &error));
    return value;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

static void binary(void **state)
{
    (void)state;
    static const float p[] = {0.9f, 0.4f, 0.6f, 0.2f, 1, 0}, y[] = {1, 1, 0, 0, 1, NAN};
    static const double costs[] = {4};
    struct l2r_scored s = L2R_SCORED_INIT;
    s.task = L2R_TASK_BINARY;
    s.n_rows = 6;
    s.n_tasks = 1;
    s.outputs = p;
    s.labels = y;
    s.are_probabilities = true;
    assert_true(near(value_of("rocauc", &s), 5.0 / 6));
    assert_true(near(value_of("accuracy", &s), 0.6));
    assert_true(near(value_of("brier", &s), (0.01 + 0.36 + 0.36 + 0.04) / 5));
    s.class_weights = costs; /* 4 · 0.4 > 0.6, but 4 · 0.2 = 1 − 0.2 is no more */
    assert_true(near(value_of("accuracy", &s), 0.8));
    s.class_weights = NULL;
    s.are_probabilities = false; /* then all are above 0 but the last */
    assert_true(near(value_of("accuracy", &s), 0.6) && near(value_of("rocauc", &s), 5.0 / 6));
    double value = 1;
    s.n_rows = 0;
    refused(l2r_metric_value(&value, "rocauc", &s, &error), "scored.n_rows = 0");
    assert_true(isnan(value));
    s.n_rows = 2;
    refused(l2r_metric_value(&value, "rocauc", &s, &error), "undefined on these 2");
    refused(l2r_metric_value(&value, "rmse", &s, &error), "does not suit a binary task");
    refused(l2r_metric_value(&value, "charm", &s, &error), "no metric \"charm\"");
    refused(l2r_metric_value(&value, NULL, &s, &error), "metric is NULL");
    refused(l2r_metric_value(&value, "rocauc", NULL, &error), "scored is NULL");
    s.labels = NULL;
    refused(l2r_metric_value(&value, "rocauc", &s, &error), "scored.labels is NULL");
    s.labels = p;
    refused(l2r_metric_value(&value, "rocauc", &s, &error), "not a class");
    s.labels = y;
    static const float above[] = {0.5f, 1.5f};
    s.outputs = above;
    s.are_probabilities = true;
    refused(l2r_metric_value(&value, "rocauc", &s, &error), "outputs[1] = 1.5 is no probability");
}

static void others(void **state)
{
    (void)state;
    static const float p[] = {0.2f, 0.5f, 0.3f, 0.6f, 0.4f, 0}, y[] = {1, 1}, v[] = {1, 10, 3, 30},
                       z[] = {2, 10, 3, 50};
    static const double scales[] = {1, 10};
    struct l2r_scored s = L2R_SCORED_INIT;
    s.task = L2R_TASK_MULTICLASS;
    s.n_rows = 2;
    s.n_tasks = 1;
    s.n_classes = 3;
    s.outputs = p;
    s.labels = y;
    s.are_probabilities = true;
    assert_true(near(value_of("accuracy", &s), 0.5));
    s = (struct l2r_scored)L2R_SCORED_INIT;
    s.task = L2R_TASK_REGRESSION;
    s.n_rows = 2;
    s.n_tasks = 2;
    s.outputs = v;
    s.labels = z;
    s.scales = scales;
    assert_true(near(value_of("nrmse", &s), (sqrt(0.5) + sqrt(200) / 10) / 2));
    double value;
    refused(l2r_metric_value(&value, "rmse", &s, &error), "has the unit of its target");
    s.are_probabilities = true;
    refused(l2r_metric_value(&value, "nrmse", &s, &error), "the task is a regression");
}

static void known(void **state)
{
    (void)state;
    struct l2r_metric_info info = L2R_METRIC_INFO_INIT;
    for (size_t i = 0; i < l2r_registry_n_entries(L2R_METRICS); i++) {
        const char *name = l2r_registry_name(L2R_METRICS, i);
        OK(l2r_metric_describe(&info, name, &error));
        assert_string_equal(info.name, name);
        assert_string_equal(info.title, l2r_registry_help(L2R_METRICS, i));
        assert_true(info.for_multiclass || info.for_binary || info.for_regression);
    }
    OK(l2r_metric_describe(&info, "rmse", &error));
    assert_true(!info.higher_is_better && info.for_regression && !info.for_binary && !info.for_several);
    OK(l2r_metric_describe(&info, "rocauc", &error));
    assert_true(info.higher_is_better && info.for_binary && info.for_several && strlen(info.needs) > 3);
    refused(l2r_metric_describe(&info, "charm", &error), "no metric");
    refused(l2r_metric_describe(NULL, "rmse", &error), "info is NULL");
    assert_string_equal(l2r_metric_for(L2R_TASK_REGRESSION, 2), "nrmse");
    assert_string_equal(l2r_metric_for(L2R_TASK_BINARY, 1), "rocauc");
    assert_null(l2r_metric_for((enum l2r_task)9, 1));
}

static void build(void **state)
{
    (void)state;
    char folder[4096], cut[4];
    l2r_module_folder(folder, sizeof folder);
    assert_true(folder[0] == '/' && folder[strlen(folder) - 1] != '/');
    l2r_module_folder(cut, sizeof cut);
    assert_true(strlen(cut) == 3 && strncmp(cut, folder, 3) == 0);
    l2r_module_folder(NULL, 7);
#ifdef L2R_WITH_XGBOOST
    assert_true(l2r_has("xgboost"));
#endif
    assert_true(!l2r_has("caffeine") && !l2r_has(NULL) && !l2r_has(""));
    (void)l2r_has("mpi");
    l2r_threads_set(3);
    assert_int_equal(l2r_threads_get(), 3);
    l2r_threads_set(0);
    assert_true(l2r_threads_get() >= 1);
    assert_string_equal(l2r_status_name(L2R_ERR_MISSING), "missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(binary), cmocka_unit_test(others), cmocka_unit_test(known),
                                       cmocka_unit_test(build)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
