/* SPDX-License-Identifier: MIT
 * Heap: alignment, zeroing, overflow, growth, and the switch that makes allocations fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"

#include <string.h>

static void blocks_are_aligned_and_zero(void **state)
{
    (void)state;
    for (size_t n = 0; n < 300; n += 7) {
        unsigned char *block = l2r_alloc(n, 1);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % L2R_ALIGNMENT, 0);
        for (size_t i = 0; i < n; i++) assert_int_equal(block[i], 0);
        memset(block, 0xFF, n);
        l2r_free(block);
    }
    l2r_free(NULL);
}

static void products_that_overflow_give_null(void **state)
{
    (void)state;
    assert_null(l2r_alloc(SIZE_MAX, 2));
    assert_null(l2r_alloc(SIZE_MAX / 4 + 1, 4));
    assert_null(l2r_alloc_raw(SIZE_MAX - 3, 1));
}

static void reserve_keeps_the_content(void **state)
{
    (void)state;
    int *items = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 1000; i++) {
        assert_true(l2r_reserve((void **)&items, &capacity, (size_t)i + 1, sizeof *items));
        assert_true(capacity > (size_t)i);
        items[i] = i;
    }
    for (int i = 0; i < 1000; i++) assert_int_equal(items[i], i);
    l2r_memory_fail_at(-1, false);
    assert_true(l2r_reserve((void **)&items, &capacity, 10, sizeof *items)); /* there is room already */
    assert_int_equal(l2r_memory_fail_at(-1, false), 0);
    l2r_free(items);
}

static void reserve_that_fails_changes_nothing(void **state)
{
    (void)state;
    int *items = NULL;
    size_t capacity = 0;
    assert_true(l2r_reserve((void **)&items, &capacity, 8, sizeof *items));
    int *items_before = items;
    size_t capacity_before = capacity;
    items[7] = 42;
    l2r_memory_fail_at(0, false);
    assert_false(l2r_reserve((void **)&items, &capacity, 9, sizeof *items));
    l2r_memory_fail_at(-1, false);
    assert_false(l2r_reserve((void **)&items, &capacity, SIZE_MAX, sizeof *items));
    assert_false(l2r_reserve((void **)&items, &capacity, SIZE_MAX / 2, sizeof *items));
    assert_ptr_equal(items, items_before);
    assert_int_equal(capacity, capacity_before);
    assert_int_equal(items[7], 42);
    l2r_free(items);
}

static void strdup_copies(void **state)
{
    (void)state;
    const char *text = "graph";
    char *copy = l2r_strdup(text);
    assert_string_equal(copy, text);
    assert_ptr_not_equal(copy, text);
    l2r_free(copy);
    l2r_memory_fail_at(0, false);
    assert_null(l2r_strdup(text));
    l2r_memory_fail_at(-1, false);
}

static void the_chosen_allocation_fails(void **state)
{
    (void)state;
    void *block[5];
    l2r_memory_fail_at(2, false);
    for (int i = 0; i < 5; i++) block[i] = l2r_alloc(1, 1);
    assert_int_equal(l2r_memory_fail_at(2, true), 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(block[i] == NULL, i == 2);
        l2r_free(block[i]);
        block[i] = l2r_alloc(1, 1);
        assert_int_equal(block[i] == NULL, i >= 2);
    }
    assert_int_equal(l2r_memory_fail_at(-1, false), 5);
    for (int i = 0; i < 5; i++) l2r_free(block[i]);
}

static void requested_bytes_are_counted(void **state)
{
    (void)state;
    l2r_memory_requested();
    void *a = l2r_alloc(3, 100), *b = l2r_alloc_raw(1, 1);
    l2r_free(a);
    assert_int_equal(l2r_memory_requested(), 320 + 64);
    assert_int_equal(l2r_memory_requested(), 0);
    l2r_free(b);
}

static void large_pages_change_no_byte(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 4096, (1 << 21) - 1, 1 << 22, (9 << 20) + 64};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *block = l2r_alloc_raw(sizes[i], 1);
        assert_non_null(block);
        for (size_t k = 0; k < sizes[i]; k += 2) block[k] = (unsigned char)(k * 7 >> 3);
        l2r_large_pages(block, sizes[i]);
        for (size_t k = 1; k < sizes[i]; k += 2) block[k] = 1;
        for (size_t k = 0; k < sizes[i]; k += 2)
            if (block[k] != (unsigned char)(k * 7 >> 3)) fail_msg("byte %zu of %zu changed", k, sizes[i]);
        l2r_free(block);
    }
    l2r_large_pages(NULL, 1 << 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_zero),
        cmocka_unit_test(products_that_overflow_give_null),
        cmocka_unit_test(reserve_keeps_the_content),
        cmocka_unit_test(reserve_that_fails_changes_nothing),
        cmocka_unit_test(strdup_copies),
        cmocka_unit_test(the_chosen_allocation_fails),
        cmocka_unit_test(large_pages_change_no_byte),
        cmocka_unit_test(requested_bytes_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
