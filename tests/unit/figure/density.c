/* SPDX-License-Identifier: MIT
 *
 * Quantiles and densities of samples whose answers are known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "figure/chart.h"

#include <math.h>
#include <stdlib.h>

static void quantiles(void **state)
{
    (void)state;
    double values[] = {4, 1, 3, 2};
    qsort(values, 4, sizeof *values, l2r_compare_double);
    for (int i = 0; i < 4; i++) assert_true(values[i] == i + 1);
    assert_true(l2r_quantile(values, 4, 0) == 1 && l2r_quantile(values, 4, 1) == 4);
    assert_true(fabs(l2r_quantile(values, 4, 0.5) - 2.5) < 1e-12);
    assert_true(fabs(l2r_quantile(values, 4, 0.25) - 1.75) < 1e-12);
    assert_true(l2r_quantile(values, 1, 0.7) == 1);
}

/* Two heaps, the second three times as high: the density has its top there, a valley between, and covers the sample. */
static void two_heaps(void **state)
{
    (void)state;
    double values[400];
    for (int i = 0; i < 400; i++) values[i] = (i % 4 == 0 ? 1 : 5) + 0.5 * sin(1.7 * i);
    qsort(values, 400, sizeof *values, l2r_compare_double);
    struct l2r_density d;
    l2r_density_make(&d, values, 400);
    int top = 0, valley = 0;
    for (int k = 0; k < L2R_DENSITY_POINTS; k++) {
        assert_true(d.height[k] >= 0 && d.height[k] <= 1);
        if (d.height[k] > d.height[top]) top = k;
        if (d.at[k] > 2 && d.at[k] < 4 && (valley == 0 || d.height[k] < d.height[valley])) valley = k;
    }
    assert_true(d.at[0] == values[0] && fabs(d.at[L2R_DENSITY_POINTS - 1] - values[399]) < 1e-12);
    assert_true(d.at[top] > 4.4 && d.at[top] < 5.6 && d.height[top] == 1);
    assert_true(d.height[valley] < 0.1);
    assert_true(d.height[10] > 3 * d.height[valley]); /* inside the lower heap */
}

static void equal_values_are_one_peak(void **state)
{
    (void)state;
    const double values[] = {1, 1, 1};
    struct l2r_density d;
    l2r_density_make(&d, values, 3);
    assert_true(d.at[0] < 1 && d.at[L2R_DENSITY_POINTS - 1] > 1);
    for (int k = 0; k < L2R_DENSITY_POINTS; k++) assert_true(isfinite(d.height[k]));
    assert_true(d.height[L2R_DENSITY_POINTS / 2] > 0.9 && d.height[0] < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles),
        cmocka_unit_test(two_heaps),
        cmocka_unit_test(equal_values_are_one_peak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
