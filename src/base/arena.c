/* SPDX-License-Identifier: MIT
 * See arena.h. */
#include "base/arena.h"

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

enum { FIRST_BLOCK = 1 << 16 };

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
        /* Several blocks: one with room to spare takes their place. Out of memory is no failure here: the newest
         * stays. */
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
