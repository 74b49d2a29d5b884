/* SPDX-License-Identifier: MIT
 *
 * Heap: alignment, zeroing, overflow, growth, and the switch that makes allocations fail.
 * Arena: alignment, growth over several blocks, one block after a reset, and no allocation once warm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"

#include <stdbool.h>
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

/* ---- Arenas ---- */

/* Some 3 MB in pieces of uneven size, as a mini-batch would take them; false when memory ran out. */
static bool one_round(struct l2r_arena *arena)
{
    for (size_t i = 0; i < 60; i++) {
        char *piece = l2r_arena_alloc(arena, 1000 * i + 1, sizeof(short));
        if (!piece) return false;
        memset(piece, (int)i, (1000 * i + 1) * sizeof(short));
    }
    return true;
}

static void pieces_are_aligned_and_apart(void **state)
{
    (void)state;
    enum { N = 2000 };
    static unsigned char *piece[N];
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    for (size_t i = 0; i < N; i++) {
        piece[i] = l2r_arena_alloc(&arena, i % 257, 1);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % L2R_ALIGNMENT, 0);
        memset(piece[i], (int)(i % 251), i % 257);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < i % 257; k++) assert_int_equal(piece[i][k], i % 251);
    l2r_arena_clear(&arena);
    assert_null(arena.blocks);
}

static void zeroed_is_zero_after_a_reset(void **state)
{
    (void)state;
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    memset(l2r_arena_alloc(&arena, 100, 8), 0xFF, 800);
    l2r_arena_reset(&arena);
    const unsigned char *piece = l2r_arena_zeroed(&arena, 100, 8);
    for (size_t i = 0; i < 800; i++) assert_int_equal(piece[i], 0);
    assert_string_equal(l2r_arena_strdup(&arena, "mutagen"), "mutagen");
    l2r_arena_clear(&arena);
}

static void allocates_nothing_once_warm(void **state)
{
    (void)state;
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    assert_true(one_round(&arena));
    l2r_arena_reset(&arena); /* here several blocks become one */
    l2r_memory_fail_at(0, true);
    for (int round = 0; round < 5; round++) {
        assert_true(one_round(&arena));
        l2r_arena_reset(&arena);
    }
    assert_int_equal(l2r_memory_fail_at(-1, false), 0);
    l2r_arena_clear(&arena);
}

static void counts_what_it_hands_out(void **state)
{
    (void)state;
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    l2r_arena_alloc(&arena, 1, 1);
    l2r_arena_alloc(&arena, 65, 1);
    assert_int_equal(arena.total, 64 + 128);
    l2r_arena_reset(&arena);
    assert_int_equal(arena.total, 0);
    assert_int_equal(arena.peak, 64 + 128);
    l2r_arena_clear(&arena);
    l2r_arena_reset(&arena); /* nothing there: no harm */
}

static void overflow_gives_null(void **state)
{
    (void)state;
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    assert_null(l2r_arena_alloc(&arena, SIZE_MAX, 2));
    assert_null(l2r_arena_alloc(&arena, SIZE_MAX - 10, 1));
    assert_null(l2r_arena_zeroed(&arena, SIZE_MAX / 2 + 1, 1));
    assert_int_equal(arena.total, 0);
    l2r_arena_clear(&arena);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    bool worked = false;
    for (long k = 0; !worked; k++) {
        struct l2r_arena arena;
        assert_true(k < 100);
        l2r_arena_init(&arena);
        l2r_memory_fail_at(k, true);
        bool first = one_round(&arena);
        l2r_arena_reset(&arena);
        worked = first && one_round(&arena);
        l2r_memory_fail_at(-1, false);
        l2r_arena_reset(&arena);
        assert_true(one_round(&arena)); /* memory is back: so is the arena */
        l2r_arena_clear(&arena);
    }
}

#ifndef NDEBUG
static void reset_poisons(void **state)
{
    (void)state;
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    unsigned char *piece = l2r_arena_zeroed(&arena, 64, 1);
    l2r_arena_reset(&arena);
    for (size_t i = 0; i < 64; i++) assert_int_equal(piece[i], 0xA5);
    l2r_arena_clear(&arena);
}
#endif

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
        cmocka_unit_test(pieces_are_aligned_and_apart),
        cmocka_unit_test(zeroed_is_zero_after_a_reset),
        cmocka_unit_test(allocates_nothing_once_warm),
        cmocka_unit_test(counts_what_it_hands_out),
        cmocka_unit_test(overflow_gives_null),
        cmocka_unit_test(survives_failing_allocations),
#ifndef NDEBUG
        cmocka_unit_test(reset_poisons),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
