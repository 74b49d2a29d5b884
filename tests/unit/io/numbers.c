/* SPDX-License-Identifier: MIT
 * Number parsing: what is accepted, what is refused, and that reals are right to the last bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "io/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_int(const char *text, int64_t *value)
{
    const char *at = text;
    return l2r_field_int(&at, text + strlen(text), value);
}

static bool parse_real(const char *text, double *value)
{
    const char *at = text;
    return l2r_field_real(&at, text + strlen(text), value);
}

static void accepts_integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"7", 7},
                {" 12", 12},
                {"\t12 ", 12},
                {"-3", -3},
                {"+3", 3},
                {"007", 7},
                {"5, 6", 5},
                {"5 ,6", 5},
                {"-0", 0},
                {"999999999999999999", 999999999999999999}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t value = -77;
        assert_true(parse_int(good[i].text, &value));
        assert_int_equal(value, good[i].value);
    }
}

static void refuses_other_integers(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", " ", "-", "+", "x", "1x", "1.0", "1 2", "--1", "1e3", ",1", "\n1", "0x1", "1;2", "9999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t value;
        assert_false(parse_int(bad[i], &value));
    }
}

static void stops_at_the_comma(void **state)
{
    (void)state;
    const char text[] = "8 , 1", *at = text;
    int64_t value;
    assert_true(l2r_field_int(&at, text + 5, &value));
    assert_ptr_equal(at, text + 2);
    at = text;
    assert_true(l2r_field_int(&at, text + 1, &value)); /* the end given counts, not a terminator */
    assert_ptr_equal(at, text + 1);
}

static void reals_agree_with_strtod(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "1",
                                        "-1.5",
                                        ".5",
                                        "5.",
                                        "1e3",
                                        "1E-3",
                                        "23.000000",
                                        "3.14159265358979",
                                        "1e22",
                                        "1e23",
                                        "123456789012345678901234567890",
                                        "0.1",
                                        "9007199254740993",
                                        "1e-320",
                                        "2.2250738585072014e-308",
                                        "1e308",
                                        "+7.25",
                                        "0.000000000000000000000000000001",
                                        "-3.3"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value;
        assert_true(parse_real(texts[i], &value));
        assert_true(value == strtod(texts[i], NULL));
    }
}

static void random_reals_agree_with_strtod(void **state)
{
    (void)state;
    struct l2r_rng rng = l2r_rng_at(1, L2R_RANDOM_TEST, 0);
    for (int i = 0; i < 20000; i++) {
        char text[64];
        double value, number = (l2r_rng_uniform(&rng) - 0.5) * pow(10, (double)l2r_rng_below(&rng, 60) - 30);
        snprintf(text, sizeof text, "%.*g", (int)l2r_rng_below(&rng, 18) + 1, number);
        assert_true(parse_real(text, &value));
        assert_true(value == strtod(text, NULL));
    }
}

static void recognises_words(void **state)
{
    (void)state;
    double value = 0;
    assert_true(parse_real("nan", &value) && isnan(value));
    assert_true(parse_real(" NaN ,1", &value) && isnan(value));
    assert_true(parse_real("-inf", &value) && value < 0 && isinf(value));
    static const char *const bad[] = {"", ".", "e5", "1e", "1e+", "-", "na", "nanx", "1.2.3", "1 2", "0x10", ",5x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(parse_real(bad[i], &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_integers),
        cmocka_unit_test(refuses_other_integers),
        cmocka_unit_test(stops_at_the_comma),
        cmocka_unit_test(reals_agree_with_strtod),
        cmocka_unit_test(random_reals_agree_with_strtod),
        cmocka_unit_test(recognises_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
