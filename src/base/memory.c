/* SPDX-License-Identifier: MIT
 *
 * See memory.h. A heap block carries no header: aligned_alloc and free do the work, and growing copies, since realloc
 * knows no alignment. An arena's block does carry one, a single alignment unit long.
 */
#include "base/memory.h"

#include "base/system.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Thread_local long allocations; /* made since l2r_memory_fail_at was last called */
static _Thread_local long fail_at = -1;
static _Thread_local bool fail_for_good;
static _Thread_local size_t requested; /* bytes since l2r_memory_requested was last called */

/* Counts an allocation. A test may have set this one to fail, on this thread or (base/system.h) on any. */
static bool must_fail(void)
{
    long k = allocations++;
    if (l2r_fault_due(L2R_CALL_ALLOCATE)) return true;
    return fail_at >= 0 && (k == fail_at || (fail_for_good && k > fail_at));
}

void *l2r_alloc_raw(size_t count, size_t size)
{
    size_t bytes;
    if (must_fail() || __builtin_mul_overflow(count, size, &bytes)) return NULL;
    if (bytes > SIZE_MAX - L2R_ALIGNMENT) return NULL;
    bytes = (bytes + L2R_ALIGNMENT - 1) / L2R_ALIGNMENT * L2R_ALIGNMENT;
    requested += bytes;
    return aligned_alloc(L2R_ALIGNMENT, bytes ? bytes : L2R_ALIGNMENT);
}

void *l2r_alloc(size_t count, size_t size)
{
    void *block = l2r_alloc_raw(count, size);
    if (block) memset(block, 0, count * size);
    return block;
}

void l2r_free(void *block)
{
    free(block);
}

char *l2r_strdup(const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = l2r_alloc_raw(length, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

bool l2r_reserve(void **items, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity) return true;
    size_t wanted = *capacity < 8 ? 8 : *capacity;
    while (wanted < needed) {
        if (wanted > SIZE_MAX / 2) return false;
        wanted *= 2;
    }
    void *bigger = l2r_alloc_raw(wanted, size);
    if (!bigger) return false;
    if (*items) memcpy(bigger, *items, *capacity * size);
    l2r_free(*items);
    *items = bigger;
    *capacity = wanted;
    return true;
}

void l2r_large_pages(void *block, size_t bytes)
{
    enum { PAGE = 1 << 21 }; /* only whole ones inside the block */
#ifdef MADV_HUGEPAGE
    uintptr_t begin = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE, end = ((uintptr_t)block + bytes) / PAGE * PAGE;
    if (block && begin < end) (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)block;
    (void)bytes;
#endif
}

/* ---- Arenas ---- */

enum { FIRST_BLOCK = 1 << 16 }; /* of an arena; each further block is twice as large as the one before */

struct l2r_arena_block {
    struct l2r_arena_block *older;
    size_t size; /* bytes after this header */
};

/* The header takes one alignment unit, so that the data after it stays aligned. */
static char *block_data(struct l2r_arena_block *block)
{
    return (char *)block + L2R_ALIGNMENT;
}

static struct l2r_arena_block *block_new(size_t size, struct l2r_arena_block *older)
{
    if (size > SIZE_MAX - L2R_ALIGNMENT) return NULL;
    struct l2r_arena_block *block = l2r_alloc_raw(1, size + L2R_ALIGNMENT);
    if (!block) return NULL;
    block->older = older;
    block->size = size;
    return block;
}

static void free_blocks(struct l2r_arena_block *block)
{
    while (block) {
        struct l2r_arena_block *older = block->older;
        l2r_free(block);
        block = older;
    }
}

void l2r_arena_init(struct l2r_arena *arena)
{
    *arena = (struct l2r_arena){0};
}

void *l2r_arena_alloc(struct l2r_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) return NULL;
    bytes = (bytes + L2R_ALIGNMENT - 1) / L2R_ALIGNMENT * L2R_ALIGNMENT;
    /* What is left of the newest block stays unused when it is too small: blocks double, so little is lost. */
    if (!arena->blocks || arena->blocks->size - arena->used < bytes) {
        size_t wanted = arena->blocks ? 2 * arena->blocks->size : FIRST_BLOCK;
        struct l2r_arena_block *block = block_new(wanted > bytes ? wanted : bytes, arena->blocks);
        if (!block) return NULL;
        arena->blocks = block;
        arena->used = 0;
    }
    void *memory = block_data(arena->blocks) + arena->used;
    arena->used += bytes;
    arena->total += bytes;
    if (arena->total > arena->peak) arena->peak = arena->total;
    return memory;
}

void *l2r_arena_zeroed(struct l2r_arena *arena, size_t count, size_t size)
{
    void *memory = l2r_arena_alloc(arena, count, size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

char *l2r_arena_strdup(struct l2r_arena *arena, const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = l2r_arena_alloc(arena, length, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

void l2r_arena_reset(struct l2r_arena *arena)
{
    if (arena->blocks && arena->blocks->older) {
        /* Several blocks: one with room to spare takes their place. Running out of memory here is no failure: the
         * newest block, the largest, stays and the next round adds others to it. */
        struct l2r_arena_block *one = block_new(arena->peak + arena->peak / 4, NULL);
        if (one) {
            free_blocks(arena->blocks);
            arena->blocks = one;
        } else {
            free_blocks(arena->blocks->older);
            arena->blocks->older = NULL;
        }
    }
#ifndef NDEBUG
    if (arena->blocks) memset(block_data(arena->blocks), 0xA5, arena->blocks->size);
#endif
    arena->used = 0;
    arena->total = 0;
}

void l2r_arena_clear(struct l2r_arena *arena)
{
    free_blocks(arena->blocks);
    l2r_arena_init(arena);
}

/* ---- For tests ---- */

long l2r_memory_fail_at(long k, bool for_good)
{
    long made = allocations;
    allocations = 0;
    fail_at = k;
    fail_for_good = for_good;
    return made;
}

size_t l2r_memory_requested(void)
{
    size_t bytes = requested;
    requested = 0;
    return bytes;
}
