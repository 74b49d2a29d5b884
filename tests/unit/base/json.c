/* SPDX-License-Identifier: MIT
 * JSON: errors name the line, numbers keep their bits, in any locale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/json_file.h"
#include "support/temporary.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[TEMPORARY_LENGTH], path[TEMPORARY_LENGTH + 8];
static struct l2r_error error;

static int make_folder(void **state)
{
    (void)state;
    if (!temporary_folder(folder)) return -1;
    snprintf(path, sizeof path, "%s/a.json", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static enum l2r_status parse(json_t **root, const char *text)
{
    return l2r_json_parse(root, text, strlen(text), "notes", &error);
}

static void errors_name_the_line(void **state)
{
    (void)state;
    static const char *const bad[] = {"",      "{", "{\"a\": 1,\n\"a\": 2}", "[1,\n2,\n,]", "[NaN]", "\"\xff\"",
                                      "[1] x", "5"};
    static const int line[] = {1, 1, 2, 3, 1, 1, 1, 1};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *root = (json_t *)1;
        char start[64];
        assert_int_equal(parse(&root, bad[i]), L2R_ERR_FORMAT);
        assert_null(root);
        snprintf(start, sizeof start, "notes:%d: not valid JSON: ", line[i]);
        assert_memory_equal(error.message, start, strlen(start));
        assert_null(strchr(error.message, '\n'));
    }
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    static char deep[1000001];
    json_t *root;
    memset(deep, '[', sizeof deep - 1);
    assert_int_equal(l2r_json_parse(&root, deep, sizeof deep - 1, "deep", &error), L2R_ERR_FORMAT);
}

static void reads_a_file(void **state)
{
    (void)state;
    json_t *root;
    const char *text = "{\n\"a\": [1, 2.5]}\n";
    assert_int_equal(l2r_file_write(path, text, strlen(text), &error), L2R_OK);
    assert_int_equal(l2r_json_read(&root, path, &error), L2R_OK);
    assert_true(json_real_value(json_array_get(json_object_get(root, "a"), 1)) == 2.5);
    json_decref(root);
    assert_int_equal(l2r_file_write(path, "{\n}}", 4, &error), L2R_OK);
    assert_int_equal(l2r_json_read(&root, path, &error), L2R_ERR_FORMAT);
    assert_non_null(strstr(error.message, "/a.json:2: "));
    assert_int_equal(l2r_json_read(&root, "/no/such.json", &error), L2R_ERR_IO);
    assert_null(root);
}

static void writes_in_one_known_form(void **state)
{
    (void)state;
    json_t *root;
    char *text;
    size_t length;
    assert_int_equal(
        parse(&root,
              "{\"z\": 0.1, \"a\": [1,2,true,null,\"x\\ny\"], \"e\": {}, \"l\": [], \"n\": [[1.0],{\"k\":1e-7}]}"),
        L2R_OK);
    assert_int_equal(l2r_json_write(root, path, &error), L2R_OK);
    json_decref(root);
    assert_int_equal(l2r_file_read(&text, &length, path, 1000, &error), L2R_OK);
    assert_string_equal(text, "{\n  \"z\": 0.1,\n  \"a\": [1, 2, true, null, \"x\\ny\"],\n  \"e\": {},\n  \"l\": [],\n"
                              "  \"n\": [\n    [1.0],\n    {\n      \"k\": 1e-07\n    }\n  ]\n}\n");
    l2r_free(text);
    assert_int_equal(l2r_json_write(NULL, path, &error), L2R_ERR_MEMORY);
}

static void long_lists_fill_lines(void **state)
{
    (void)state;
    json_t *root = json_array(), *back;
    char *text;
    size_t length;
    for (int i = 0; i < 10000; i++) json_array_append_new(root, json_integer(i));
    assert_int_equal(l2r_json_write(root, path, &error), L2R_OK);
    assert_int_equal(l2r_file_read(&text, &length, path, 1000000, &error), L2R_OK);
    size_t widest = 0, lines = 0;
    for (const char *line = text; *line; lines++) {
        size_t width = strcspn(line, "\n");
        widest = width > widest ? width : widest;
        line += width + 1;
    }
    assert_in_range(widest, 90, 120);
    assert_in_range(lines, 500, 700);
    assert_int_equal(l2r_json_read(&back, path, &error), L2R_OK);
    assert_true(json_equal(root, back));
    l2r_free(text);
    json_decref(root);
    json_decref(back);
}

static void numbers_keep_their_bits(void **state)
{
    (void)state;
    static const double values[] = {0.1,  1.0 / 3, 5, -0.0, 1e300, 5e-324, DBL_MAX, DBL_MIN, 123456789012345678.0,
                                    1e15, 0.3f};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[32];
        l2r_json_number(text, values[i]);
        double back = strtod(text, NULL);
        assert_memory_equal(&back, &values[i], sizeof back);
        assert_non_null(strpbrk(text, ".e"));
    }
    char text[32];
    l2r_json_number(text, 0.1);
    assert_string_equal(text, "0.1");
    l2r_json_number(text, 5);
    assert_string_equal(text, "5.0");
}

static void the_locale_changes_nothing(void **state)
{
    (void)state;
    char text[32];
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) skip();
    l2r_json_number(text, 0.5);
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "0.5");
}

static void what_is_not_finite_becomes_null(void **state)
{
    (void)state;
    json_t *number = l2r_json_real(0.5);
    assert_true(json_is_real(number));
    json_decref(number);
    assert_true(json_is_null(l2r_json_real((double)NAN)));
    assert_true(json_is_null(l2r_json_real((double)-INFINITY)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_name_the_line),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(reads_a_file),
        cmocka_unit_test(writes_in_one_known_form),
        cmocka_unit_test(long_lists_fill_lines),
        cmocka_unit_test(numbers_keep_their_bits),
        cmocka_unit_test(the_locale_changes_nothing),
        cmocka_unit_test(what_is_not_finite_becomes_null),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
