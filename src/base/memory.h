/* SPDX-License-Identifier: MIT
 *
 * Memory, in three forms.
 *
 *   blocks    l2r_alloc … l2r_free. Every allocation of the library passes through here, so that tests can make the
 *             k-th one fail (l2r_memory_fail_at) and so that sizes are multiplied with an overflow check.
 *   arrays    l2r_reserve doubles the capacity of a typed array; base/array.h has an untyped one.
 *   arenas    many allocations with one lifetime, released together:
 *
 *     block 0            block 1
 *     [aaaa|bb|cccc....] [ddddddd|ee.......]     reset: releases both in O(1)
 *
 * Everything is aligned to 64 bytes: a cache line, and the widest vector register. Nothing here writes an error: NULL
 * or false means out of memory, and the caller reports what the memory was for (l2r_fail_memory).
 */
#ifndef L2R_BASE_MEMORY_H
#define L2R_BASE_MEMORY_H

#include <l2r/status.h> /* l2r_free */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define L2R_ALIGNMENT 64

/* count × size zeroed bytes; NULL when out of memory or when the product overflows. count 0 gives a valid block. */
void *l2r_alloc(size_t count, size_t size);
/* The same without zeroing. */
void *l2r_alloc_raw(size_t count, size_t size);
char *l2r_strdup(const char *text);

/* Makes room for `needed` elements in a growing array, doubling *capacity; false when out of memory (the array is
 * unchanged then).
 *     if (!l2r_reserve((void **)&a->items, &a->capacity, a->count + 1, sizeof *a->items)) ... */
bool l2r_reserve(void **items, size_t *capacity, size_t needed, size_t size);

/* Requests 2 MB pages for a large block that is about to be filled, if the system has them (Linux, transparent huge
 * pages): the first touch of each small page costs about as much as parsing what is written there. Never fails. */
void l2r_large_pages(void *block, size_t bytes);

/* ---- Arenas ----
 * After a reset an arena replaces several blocks by one that would have held them all, so a loop that repeats the same
 * work allocates nothing from its second round on. An arena is used by one thread at a time and never returns single
 * allocations. Debug builds poison the memory that a reset gives back, so that a dangling pointer is noticed. */

struct l2r_arena_block;

struct l2r_arena {
    struct l2r_arena_block *blocks; /* newest first */
    size_t used;                    /* bytes handed out of the newest block */
    size_t total;                   /* bytes handed out since the last reset, all blocks */
    size_t peak;                    /* largest `total` seen */
};

void l2r_arena_init(struct l2r_arena *arena);
/* count × size bytes aligned to 64, not zeroed; NULL when out of memory. */
void *l2r_arena_alloc(struct l2r_arena *arena, size_t count, size_t size);
void *l2r_arena_zeroed(struct l2r_arena *arena, size_t count, size_t size);
char *l2r_arena_strdup(struct l2r_arena *arena, const char *text);
/* Releases all allocations and keeps the memory for the next round. */
void l2r_arena_reset(struct l2r_arena *arena);
/* Gives the memory back; the arena is empty and may be used again. */
void l2r_arena_clear(struct l2r_arena *arena);

/* ---- For tests ---- */

/* The k-th allocation from now (0: the next) fails, once or for good; k < 0 switches this off. Returns how many
 * allocations were made since the last call. Per thread; l2r_fault_set (system.h) reaches all. */
long l2r_memory_fail_at(long k, bool for_good);
/* Bytes requested since the last call, freed or not; rounded up to whole cache lines. Per thread. */
size_t l2r_memory_requested(void);

#endif
