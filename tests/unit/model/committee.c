/* SPDX-License-Identifier: MIT
 * The rule that makes one answer of several members' outputs. */
#include "model/committee.h"
#include "metrics/probability.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 2, COLUMNS = 3, CELLS = ROWS * COLUMNS };
static const float a[CELLS] = {0.5F, -2, 40, -40, 0, 3}, b[CELLS] = {-1, 1, 60, -60, 0.25F, 3};
static const float *const both[] = {a, b};
static double room[3 * COLUMNS];

static void test_one_is_itself(void **state)
{
    (void)state;
    for (int task = L2R_TASK_MULTICLASS; task <= L2R_TASK_REGRESSION; task++) {
        float out[CELLS] = {0};
        l2r_combine(out, room, both, NULL, 1, (enum l2r_task)task, NULL, ROWS, COLUMNS);
        assert_memory_equal(out, a, sizeof a);
    }
}

static void test_values(void **state)
{
    (void)state;
    float out[CELLS], spread[CELLS];
    l2r_combine(out, room, both, NULL, 2, L2R_TASK_REGRESSION, NULL, ROWS, COLUMNS);
    l2r_spread(spread, room, both, 2, L2R_TASK_REGRESSION, ROWS, COLUMNS);
    for (int i = 0; i < CELLS; i++) {
        assert_true(fabs((double)out[i] - ((double)a[i] + (double)b[i]) / 2) < 1e-6);
        assert_true(fabs((double)spread[i] - fabs((double)a[i] - (double)b[i]) / sqrt(2)) < 1e-5);
    }
}

/* The mean of probabilities, also where a float could not hold 1 − p. */
static void test_binary(void **state)
{
    (void)state;
    float out[CELLS];
    l2r_combine(out, room, both, NULL, 2, L2R_TASK_BINARY, NULL, ROWS, COLUMNS);
    for (int i = 0; i < CELLS; i++) {
        double p = l2r_sigmoid((double)a[i]) + l2r_sigmoid((double)b[i]);
        double q = l2r_sigmoid(-(double)a[i]) + l2r_sigmoid(-(double)b[i]);
        assert_true(fabs((double)out[i] - log(p / q)) < 1e-5 * (1 + fabs((double)out[i])));
    }
    assert_true(out[2] > 40 && out[2] < 60 && out[3] < -40 && out[3] > -60);
}

static void test_classes(void **state)
{
    (void)state;
    float out[CELLS], p[2][CELLS], mean[CELLS];
    memcpy(p[0], a, sizeof a);
    memcpy(p[1], b, sizeof b);
    l2r_combine(out, room, both, NULL, 2, L2R_TASK_MULTICLASS, NULL, ROWS, COLUMNS);
    memcpy(mean, out, sizeof out);
    l2r_probabilities(mean, L2R_TASK_MULTICLASS, ROWS, COLUMNS);
    for (int m = 0; m < 2; m++) l2r_probabilities(p[m], L2R_TASK_MULTICLASS, ROWS, COLUMNS);
    for (int i = 0; i < CELLS; i++) assert_true(fabs((double)mean[i] - ((double)p[0][i] + (double)p[1][i]) / 2) < 1e-6);
}

/* One member without an answer: there is none, rather than a class. */
static void test_not_finite(void **state)
{
    (void)state;
    const float bad[COLUMNS] = {NAN, 1, INFINITY};
    const float *const members[] = {a, bad};
    float out[COLUMNS];
    l2r_combine(out, room, members, NULL, 2, L2R_TASK_BINARY, NULL, 1, COLUMNS);
    assert_true(isnan(out[0]) && isfinite(out[1]) && !isfinite(out[2]));
    l2r_combine(out, room, members, NULL, 2, L2R_TASK_MULTICLASS, NULL, 1, COLUMNS);
    for (int k = 0; k < COLUMNS; k++) assert_true(isnan(out[k]));
    l2r_combine(out, room, members, NULL, 2, L2R_TASK_REGRESSION, NULL, 1, COLUMNS);
    assert_true(isnan(out[0]) && isfinite(out[1]) && !isfinite(out[2]));
}

/* A member that has learned nothing of a task is left out of its mean; where all are, the first counts. */
static void test_unlearned(void **state)
{
    (void)state;
    static const uint8_t can_predict[2 * COLUMNS] = {1, 0, 0, 1, 1, 0};
    float out[CELLS];
    l2r_combine(out, room, both, can_predict, 2, L2R_TASK_REGRESSION, NULL, ROWS, COLUMNS);
    for (int i = 0; i < CELLS; i += COLUMNS) {
        assert_true(fabs((double)out[i] - ((double)a[i] + (double)b[i]) / 2) < 1e-6);
        assert_true(out[i + 1] == b[i + 1] && out[i + 2] == a[i + 2]);
    }
}

static void test_agreement_has_no_spread(void **state)
{
    (void)state;
    const float *const same[] = {a, a, a};
    float spread[CELLS];
    for (int task = L2R_TASK_MULTICLASS; task <= L2R_TASK_REGRESSION; task++) {
        l2r_spread(spread, room, same, 3, (enum l2r_task)task, ROWS, COLUMNS);
        for (int i = 0; i < CELLS; i++) assert_true(spread[i] == 0);
    }
    l2r_spread(spread, room, same, 1, L2R_TASK_REGRESSION, ROWS, COLUMNS);
    assert_true(isnan(spread[0]));
}

/* Values that are trained on as logarithms have a geometric mean. */
static void test_logarithms(void **state)
{
    (void)state;
    static const struct l2r_target_map logs[] = {{.kind = L2R_MAP_LOG10}, {.kind = L2R_MAP_NONE}};
    const float low[] = {1, 1}, high[] = {100, 100};
    const float *const of_members[] = {low, high};
    float out[2];
    double sums[6];
    l2r_combine(out, sums, of_members, NULL, 2, L2R_TASK_REGRESSION, logs, 1, 2);
    assert_true(fabs((double)out[0] - 10) < 1e-5 && (double)out[1] == 50.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_is_itself),
                                       cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_binary),
                                       cmocka_unit_test(test_classes),
                                       cmocka_unit_test(test_not_finite),
                                       cmocka_unit_test(test_unlearned),
                                       cmocka_unit_test(test_agreement_has_no_spread),
                                       cmocka_unit_test(test_logarithms)};
    return cmocka_run_group_tests_name("committee", tests, NULL, NULL);
}
