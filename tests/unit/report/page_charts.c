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

static void test_roc(void **state)
{
    (void)state;
    const float score[] = {0.9f, 0.8f, 0.8f, 0.3f, 0.1f}, label[] = {1, 1, 0, NAN, 0};
    json_t *x, *y;
    double auc;
    assert_true(l2r_page_chart_roc(&x, &y, &auc, score, label, 5));
    assert_true(fabs(auc - 0.875) < 1e-12); /* four pairs, one of them a tie */
    assert_int_equal(json_array_size(x), 4);
    assert_true(at(x, 1) == 0 && at(y, 1) == 0.5 && at(x, 2) == 0.5 && at(y, 2) == 1 && at(x, 3) == 1);
    json_decref(x);
    json_decref(y);
    assert_true(l2r_page_chart_roc(&x, &y, &auc, score, label, 2)); /* one class only */
    assert_true(isnan(auc) && x == NULL && y == NULL);
    assert_true(l2r_page_chart_roc(&x, &y, &auc, score, label, 0));
    assert_true(isnan(auc) && x == NULL && y == NULL);
}

static void test_large_roc_is_short(void **state)
{
    (void)state;
    enum { N = 20000 };
    float *score = l2r_alloc(N, sizeof *score), *label = l2r_alloc(N, sizeof *label);
    for (int i = 0; i < N; i++) score[i] = (float)i, label[i] = (float)(i * 7 % 11 < 5);
    json_t *x, *y;
    double auc;
    assert_true(l2r_page_chart_roc(&x, &y, &auc, score, label, N));
    assert_true(json_array_size(x) <= L2R_CHART_POINTS + 2);
    assert_true(auc > 0.49 && auc < 0.51);
    json_decref(x);
    json_decref(y);
    l2r_free(score);
    l2r_free(label);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_long_curves_are_thinned),
                                       cmocka_unit_test(test_gaps_are_null), cmocka_unit_test(test_roc),
                                       cmocka_unit_test(test_large_roc_is_short)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
