/* SPDX-License-Identifier: MIT
 *
 * Durations (base/clock.h): never negative, whatever the clock does.
 */
#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void durations_are_not_negative(void **state)
{
    (void)state;
    double start = l2r_clock_seconds();
    assert_true(l2r_clock_since(start) >= 0);
    assert_true(l2r_clock_since(start + 1e6) == 0); /* as if it had been set back since */
    assert_true(l2r_clock_since(start - 100) >= 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(durations_are_not_negative)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
