/* SPDX-License-Identifier: MIT
 *
 * Arena: many allocations, one lifetime.
 *
 *     block 0            block 1
 *     [aaaa|bb|cccc....] [ddddddd|ee.......]     reset: both forgotten in O(1)
 *
 * After a reset the arena replaces several blocks by one that would have held them all, so a loop that
 * repeats the same work allocates nothing from its second round on.
 * An arena is used by one thread at a time. Debug builds poison the memory that a reset gives back.
 */
#ifndef L2R_BASE_ARENA_H
#define L2R_BASE_ARENA_H

#include <stddef.h>

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
void l2r_arena_reset(struct l2r_arena *arena);
void l2r_arena_clear(struct l2r_arena *arena);

#endif
