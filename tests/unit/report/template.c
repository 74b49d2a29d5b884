/* SPDX-License-Identifier: MIT
 * Templates: sections, lines, escaping by construction; and numbers as the page shows them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "report/format.h"

#include <math.h>
#include <string.h>

static struct l2r_view view;
static struct l2r_error error;

static int set_up(void **state)
{
    (void)state;
    l2r_view_init(&view);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    l2r_view_clear(&view);
    return 0;
}

static void becomes(const char *template, const char *expected)
{
    char *page;
    if (l2r_template_fill_text(&page, template, &view, &error) != L2R_OK) fail_msg("%s", error.message);
    assert_string_equal(page, expected);
    l2r_free(page);
}

static void is_refused(const char *template, enum l2r_status status)
{
    char *page;
    assert_int_equal(l2r_template_fill_text(&page, template, &view, &error), status);
    assert_null(page);
}

static void test_text_is_escaped(void **state)
{
    (void)state;
    l2r_view_text(&view, view.root, "bad", "<b title=\"x\">&\x01\xff");
    becomes("<p class=\"{{bad}}\">{{bad}}</p>", "<p class=\"&lt;b title=&quot;x&quot;&gt;&amp;?"
                                                "?\">"
                                                "&lt;b title=&quot;x&quot;&gt;&amp;?"
                                                "?</p>");
}

static void test_kinds_do_not_mix(void **state)
{
    (void)state;
    l2r_view_text(&view, view.root, "text", "<b>");
    l2r_view_markup(&view, view.root, "markup", "<b>", NULL);
    becomes("{{{markup}}}", "<b>");
    is_refused("{{{text}}}", L2R_ERR_MEMORY);
    is_refused("{{markup}}", L2R_ERR_MEMORY);
    is_refused("{{missing}}", L2R_ERR_MEMORY);
}

static void test_json_cannot_end_the_script(void **state)
{
    (void)state;
    l2r_view_set(&view, view.root, "charts", json_pack("[s]", "</script><b>&"));
    becomes("<script>{{=charts}}</script>", "<script>[\"\\u003c/script\\u003e\\u003cb\\u003e\\u0026\"]</script>");
}

static void test_sections(void **state)
{
    (void)state;
    json_t *list = l2r_view_list(&view, view.root, "list");
    l2r_view_text(&view, view.root, "outer", "o");
    l2r_view_text(&view, view.root, "empty", "");
    l2r_view_flag(&view, view.root, "no", false);
    l2r_view_append(&view, list, "a");
    l2r_view_append(&view, list, "b");
    l2r_view_text(&view, l2r_view_item(&view, list), "outer", "inner");
    json_array_remove(list, 1);
    becomes("{{#list}}[{{outer}}]{{/list}}", "[o][inner]");
    becomes("{{#no}}x{{/no}}{{^no}}y{{/no}}{{#empty}}z{{/empty}}{{#none}}z{{/none}}", "y");
    becomes("a\n{{#outer}}\n  {{.}}\n{{/outer}}\nb\n", "a\n  o\nb\n"); /* tags alone leave no lines */
    becomes("{{#outer}}\n{{#outer}}{{.}}{{/outer}}\n{{/outer}}\n", "o\n");
    is_refused("{{#list}}", L2R_ERR_ARGUMENT);
    is_refused("{{>nowhere}}", L2R_ERR_ARGUMENT);
}

static void test_numbers(void **state)
{
    char out[L2R_FORMAT];
    (void)state;
    assert_string_equal(l2r_format_fixed(out, -0.12345, 4), "−0.1235");
    assert_string_equal(l2r_format_fixed(out, -0.00001, 4), "0.0000");
    assert_string_equal(l2r_format_fixed(out, (double)NAN, 4), "–");
    assert_string_equal(l2r_format_fixed(out, 12.5, 0), "13");
    assert_string_equal(l2r_format_seconds(out, 12.34), "12.3 s");
    assert_string_equal(l2r_format_seconds(out, 185), "3:05 min");
    json_t *list = l2r_view_list(&view, view.root, "values"), *value = json_pack("[i, f, b, s]", 64, 0.001, 1, "<");
    for (size_t i = 0; i < 4; i++) l2r_view_append_value(&view, list, json_array_get(value, i));
    json_decref(value);
    becomes("{{#values}}{{.}} {{/values}}", "64 0.001 yes &lt; ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_text_is_escaped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kinds_do_not_mix, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_json_cannot_end_the_script, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sections, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
