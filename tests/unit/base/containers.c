/* SPDX-License-Identifier: MIT
 * Growing text and arrays, their behaviour when memory runs out, orders for qsort, the clock and the prefetching
 * thread. */
#include "base/array.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/threads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void text_grows(void **state)
{
    struct l2r_text text = {0};
    char *string;
    (void)state;
    l2r_text_puts(&text, "graphs: ");
    for (int i = 0; i < 1000; i++) l2r_text_print(&text, "%d,", i % 10);
    l2r_text_add(&text, "!?", 1);
    assert_int_equal(l2r_text_finish(&string, &text, "a test", NULL), L2R_OK);
    assert_int_equal(strlen(string), 8 + 2000 + 1);
    assert_memory_equal(string, "graphs: 0,1,2,", 14);
    assert_string_equal(string + 2006, "9,!");
    assert_null(text.text);
    l2r_free(string);
    assert_int_equal(l2r_text_finish(&string, &text, "a test", NULL), L2R_OK);
    assert_string_equal(string, "");
    l2r_free(string);
}

static void text_reports_lost_memory_once(void **state)
{
    struct l2r_text text = {0};
    struct l2r_error error;
    char *string;
    (void)state;
    l2r_text_puts(&text, "kept");
    l2r_memory_fail_at(0, false);
    for (int i = 0; i < 1000; i++) l2r_text_puts(&text, "0123456789");
    l2r_memory_fail_at(-1, false);
    assert_true(text.failed);
    assert_int_equal(l2r_text_finish(&string, &text, "the page", &error), L2R_ERR_MEMORY);
    assert_null(string);
    assert_non_null(strstr(error.message, "the page"));
}

static void array_grows(void **state)
{
    struct l2r_array array = {0};
    (void)state;
    for (int32_t i = 0; i < 300; i++) {
        int32_t pair[2] = {i, -i};
        assert_true(l2r_array_add(&array, pair, 2, sizeof *pair));
    }
    assert_int_equal(array.n, 600);
    assert_int_equal(((int32_t *)array.items)[599], -299);
    l2r_memory_fail_at(0, true);
    size_t before = array.n;
    while (l2r_array_add(&array, &before, 2, sizeof(int32_t))) before = array.n;
    l2r_memory_fail_at(-1, false);
    assert_int_equal(array.n, before);
    assert_int_equal(((int32_t *)array.items)[599], -299);
    l2r_array_clear(&array);
    assert_null(array.items);
}

static void orders_ascend(void **state)
{
    int32_t i32[] = {3, INT32_MIN, INT32_MAX, 0};
    int64_t i64[] = {3, INT64_MIN, INT64_MAX, 0};
    double real[] = {0.5, -1e300, 1e300, 0};
    const char *names[] = {"b", "", "a"};
    (void)state;
    qsort(i32, 4, sizeof *i32, l2r_compare_i32);
    qsort(i64, 4, sizeof *i64, l2r_compare_i64);
    qsort(real, 4, sizeof *real, l2r_compare_double);
    qsort(names, 3, sizeof *names, l2r_compare_strings);
    for (int i = 1; i < 4; i++) assert_true(i32[i - 1] < i32[i] && i64[i - 1] < i64[i] && real[i - 1] < real[i]);
    assert_string_equal(names[0], "");
    assert_string_equal(names[2], "b");
}

static void clocks_advance(void **state)
{
    double wall = l2r_clock_seconds(), thread = l2r_clock_thread_seconds(), all = l2r_clock_process_seconds();
    (void)state;
    while (l2r_clock_thread_seconds() < thread + 0.001) continue;
    assert_true(l2r_clock_seconds() > wall);
    assert_true(l2r_clock_process_seconds() > all);
    assert_true(l2r_clock_date() > 1.7e9);
}

enum { PLACES = 3 };

static void square(void *context, size_t k)
{
    size_t *places = context;
    places[k % PLACES] = k * k;
}

static void prefetch_keeps_order(void **state)
{
    size_t places[PLACES];
    struct l2r_prefetch *prefetch;
    (void)state;
    assert_int_equal(l2r_prefetch_new(&prefetch, square, places, NULL), L2R_OK);
    for (int i = 0; i < PLACES; i++) l2r_prefetch_request(prefetch);
    for (size_t k = 0; k < 2000; k++) {
        l2r_prefetch_wait(prefetch, k);
        assert_int_equal(places[k % PLACES], k * k);
        l2r_prefetch_request(prefetch);
    }
    l2r_prefetch_free(prefetch); /* with work still wanted */
    l2r_prefetch_free(NULL);
}

static void columns_of_a_terminal(void **state)
{
    (void)state;
    assert_int_equal(l2r_text_columns("pIC50"), 5);
    assert_int_equal(l2r_text_columns("µM 10⁻⁹"), 7);
    assert_int_equal(l2r_text_columns("活性"), 4);
    assert_int_equal(l2r_text_columns("e\xcc\x81"), 1); /* e and an accent */
    assert_int_equal(l2r_text_columns("\xff"), 1);
    assert_int_equal(l2r_text_columns("\xe6"), 1); /* cut off */
}

static void arrays_are_trimmed(void **state)
{
    (void)state;
    struct l2r_array array = {0};
    l2r_array_trim(&array, sizeof(int));
    for (int i = 0; i < 9; i++) assert_true(l2r_array_add(&array, &i, 1, sizeof i));
    assert_true(array.capacity > 9);
    l2r_array_trim(&array, sizeof(int));
    assert_int_equal(array.capacity, 9);
    for (int i = 0; i < 9; i++) assert_int_equal(((const int *)array.items)[i], i);
    l2r_array_clear(&array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows),
        cmocka_unit_test(text_reports_lost_memory_once),
        cmocka_unit_test(array_grows),
        cmocka_unit_test(orders_ascend),
        cmocka_unit_test(clocks_advance),
        cmocka_unit_test(prefetch_keeps_order),
        cmocka_unit_test(columns_of_a_terminal),
        cmocka_unit_test(arrays_are_trimmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
