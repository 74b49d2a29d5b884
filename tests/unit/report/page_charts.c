/* SPDX-License-Identifier: MIT
 * Chart data: curves stay short and keep their ends, and a ROC curve treats ties as one step. */
#include "report/page_charts.h"

#include "base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double at(const json_t *array, size_t i)
{
    return json_number_value(json_array_get(array, i));
}

static json_t *epochs(int n)
{
    json_t *lines = json_array();
    for (int e = 1; e <= n; e++)
        json_array_append_new(lines,
                              json_pack("{s:i, s:f, s:{s:f}}", "epoch", e, "loss", 1.0 / e, "valid", "accuracy", 0.5));
    return lines;
}

static void test_long_curves_are_thinned(void **state)
{
    (void)state;
    for (int n = 1; n <= 1601; n += 400) {
        json_t *lines = epochs(n), *x, *y;
        assert_true(l2r_page_chart_curve(&x, &y, lines, "", "loss"));
        size_t points = json_array_size(x);
        assert_true(points == json_array_size(y) && points <= L2R_CHART_POINTS + 1);
        assert_true(n > L2R_CHART_POINTS || points == (size_t)n);
        assert_true(at(x, 0) == 1 && at(x, points - 1) == n && at(y, points - 1) == 1.0 / n);
        json_decref(x);
        json_decref(y);
        assert_true(l2r_page_chart_curve(&x, &y, lines, "valid", "accuracy"));
        json_decref(x);
        json_decref(y);
        assert_false(l2r_page_chart_curve(&x, &y, lines, "valid", "loss"));
        assert_false(l2r_page_chart_curve(&x, &y, lines, "reweight", "ess"));
        json_decref(lines);
    }
}

static void test_gaps_are_null(void **state)
{
    (void)state;
    json_t *lines = json_pack("[{s:i, s:n}, {s:i, s:f}]", "epoch", 1, "loss", "epoch", 2, "loss", 0.5), *x, *y;
    assert_true(l2r_page_chart_curve(&x, &y, lines, "", "loss"));
    assert_true(json_is_null(json_array_get(y, 0)) && at(y, 1) == 0.5);
    json_decref(x);
    json_decref(y);
    json_decref(lines);
}

static void test_ranking(void **state)
{
    (void)state;
    const float score[] = {0.9f, 0.8f, 0.8f, 0.3f, 0.1f}, label[] = {1, 1, 0, NAN, 0};
    struct l2r_page_ranking r;
    assert_true(l2r_page_chart_ranking(&r, score, label, 5, L2R_CHART_POINTS));
    assert_true(fabs(r.auc - 0.875) < 1e-12); /* four pairs, one of them a tie */
    assert_true(r.n == 4 && r.positives == 2);
    assert_int_equal(json_array_size(r.fpr), 4);
    assert_true(at(r.fpr, 1) == 0 && at(r.tpr, 1) == 0.5 && at(r.fpr, 2) == 0.5 && at(r.tpr, 2) == 1);
    assert_true(at(r.fpr, 3) == 1);
    assert_int_equal(json_array_size(r.recall), 3); /* of the first, of the first three, of all */
    assert_true(at(r.recall, 0) == 0.5 && at(r.precision, 0) == 1);
    assert_true(at(r.recall, 1) == 1 && fabs(at(r.precision, 1) - 2.0 / 3) < 1e-12);
    assert_true(at(r.recall, 2) == 1 && at(r.precision, 2) == 0.5);
    l2r_page_ranking_clear(&r);
    assert_true(l2r_page_chart_ranking(&r, score, label, 2, L2R_CHART_POINTS)); /* one class only */
    assert_true(isnan(r.auc) && r.fpr == NULL && r.recall == NULL && r.n == 2 && r.positives == 2);
    assert_true(l2r_page_chart_ranking(&r, score, label, 0, L2R_CHART_POINTS));
    assert_true(isnan(r.auc) && r.fpr == NULL && r.n == 0);
}

static void test_large_curves_are_short(void **state)
{
    (void)state;
    enum { N = 20000 };
    float *score = l2r_alloc(N, sizeof *score), *label = l2r_alloc(N, sizeof *label);
    for (int i = 0; i < N; i++) score[i] = (float)i, label[i] = (float)(i * 7 % 11 < 5);
    for (int points = 20; points <= L2R_CHART_POINTS; points *= 20) {
        struct l2r_page_ranking r;
        assert_true(l2r_page_chart_ranking(&r, score, label, N, points));
        assert_true(json_array_size(r.fpr) <= (size_t)points + 2 && json_array_size(r.recall) <= (size_t)points + 2);
        assert_true(r.auc > 0.49 && r.auc < 0.51);
        assert_true(at(r.recall, json_array_size(r.recall) - 1) == 1);
        l2r_page_ranking_clear(&r);
    }
    l2r_free(score);
    l2r_free(label);
}

static void test_reliability(void **state)
{
    (void)state;
    float p[] = {0.05f, 0.07f, 0.95f, 0.5f}, none[] = {0.5f};
    const float label[] = {0, 1, 1, NAN}, missing[] = {NAN};
    json_t *set = json_pack("{s:[], s:[]}", "series", "charts");
    json_t *chart = l2r_page_chart_add(set, "lines", "reliability", "mean p", "share");
    json_t *line = l2r_page_chart_reliability(chart, 0, p, label, 4);
    assert_non_null(line);
    const json_t *x = json_object_get(line, "x"), *y = json_object_get(line, "y"), *n = json_object_get(line, "n");
    assert_true(json_array_size(x) == 2 && fabs(at(x, 0) - 0.06) < 1e-6 && fabs(at(x, 1) - 0.95) < 1e-6);
    assert_true(at(y, 0) == 0.5 && at(y, 1) == 1 && at(n, 0) == 2 && at(n, 1) == 1);
    assert_null(l2r_page_chart_reliability(chart, 1, none, missing, 1));
    json_decref(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_long_curves_are_thinned),
                                       cmocka_unit_test(test_gaps_are_null), cmocka_unit_test(test_ranking),
                                       cmocka_unit_test(test_large_curves_are_short),
                                       cmocka_unit_test(test_reliability)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
