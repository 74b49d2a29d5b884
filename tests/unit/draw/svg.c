/* SPDX-License-Identifier: MIT
 *
 * The SVG writer: numbers without a locale, text that is always XML, lines broken to a width.
 */
#include "draw/svg.h"
#include "base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void numbers_are_short_and_fixed(void **state)
{
    char out[32];
    (void)state;
    assert_string_equal(l2r_svg_decimal(out, 12), "12");
    assert_string_equal(l2r_svg_decimal(out, 0.5), "0.5");
    assert_string_equal(l2r_svg_decimal(out, -0.25), "-0.25");
    assert_string_equal(l2r_svg_decimal(out, -0.001), "0");
    assert_string_equal(l2r_svg_decimal(out, 3.14159), "3.14");
    assert_string_equal(l2r_svg_decimal(out, 7.999), "8");
    assert_string_equal(l2r_svg_decimal(out, 100.05), "100.05");
    assert_string_equal(l2r_svg_decimal(out, (double)NAN), "0");
    assert_string_equal(l2r_svg_decimal(out, (double)INFINITY), "0");
}

static void check_escaped(const char *text, const char *wanted)
{
    struct l2r_text svg = {0};
    char *out = NULL;
    l2r_svg_escaped(&svg, text, strlen(text));
    assert_int_equal(l2r_text_finish(&out, &svg, "a drawing", NULL), L2R_OK);
    assert_string_equal(out, wanted);
    l2r_free(out);
}

static void text_is_always_xml(void **state)
{
    (void)state;
    check_escaped("", "");
    check_escaped("a < b && \"c\" > d", "a &lt; b &amp;&amp; &quot;c&quot; &gt; d");
    check_escaped("fidelity\u2212 \u00b1 \U0001F600", "fidelity\u2212 \u00b1 \U0001F600");
    check_escaped("bell\a, del\x01", "bell?, del?");
    check_escaped("\xff\xc3", "??");        /* no start byte; a start byte alone */
    check_escaped("\xc0\xaf", "??");        /* overlong */
    check_escaped("\xed\xa0\x80", "???");   /* a surrogate */
    check_escaped("\xef\xbf\xbe.", "???."); /* U+FFFE */
    check_escaped("x\xe2\x82", "x??");      /* cut off */
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)) != NULL; text++) n++;
    return n;
}

static void paragraphs_break_at_blanks_and_line_ends(void **state)
{
    (void)state;
    struct l2r_text svg = {0};
    char *out = NULL;
    double one = l2r_svg_paragraph(NULL, 0, 0, 1000, 10, L2R_ANCHOR_START, "one line", "");
    assert_true(one > 10);
    assert_true(fabs(l2r_svg_paragraph(NULL, 0, 0, 1000, 10, L2R_ANCHOR_START, "two\nlines", "") - 2 * one) < 1e-9);
    assert_true(l2r_svg_paragraph(NULL, 0, 0, 100, 10, L2R_ANCHOR_START, NULL, "") == 0);
    assert_true(l2r_svg_paragraph(NULL, 0, 0, 100, 10, L2R_ANCHOR_START, "", "") == 0);

    double wide = l2r_text_width("words", 5, 10), lines = 4; /* a word longer than a line is broken */
    double all = l2r_svg_paragraph(&svg, 0, 0, wide, 10, L2R_ANCHOR_MIDDLE, "words words mmmmmm", "");
    assert_true(fabs(all - lines * one) < 1e-9);
    assert_int_equal(l2r_text_finish(&out, &svg, "a drawing", NULL), L2R_OK);
    assert_int_equal(count(out, "<text"), 4);
    assert_int_equal(count(out, "m</text>"), 2);
    assert_null(strstr(out, ">mmmmmm</text>"));
    assert_non_null(strstr(out, "text-anchor=\"middle\""));
    l2r_free(out);
}

static void running_out_of_memory_is_remembered(void **state)
{
    (void)state;
    struct l2r_text svg = {0};
    struct l2r_error error = {0};
    char *out = NULL;
    l2r_memory_fail_at(0, false);
    l2r_svg_circle(&svg, 1, 2, 3, "");
    l2r_memory_fail_at(-1, false);
    l2r_svg_circle(&svg, 1, 2, 3, "");
    assert_int_equal(l2r_text_finish(&out, &svg, "a drawing", &error), L2R_ERR_MEMORY);
    assert_null(out);
    assert_non_null(strstr(error.message, "a drawing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_short_and_fixed),
        cmocka_unit_test(text_is_always_xml),
        cmocka_unit_test(paragraphs_break_at_blanks_and_line_ends),
        cmocka_unit_test(running_out_of_memory_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
