/* SPDX-License-Identifier: MIT
 * Arena: alignment, growth over several blocks, one block after a reset, and silence once warm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/memory.h"

#include <stdbool.h>
#include <string.h>

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
