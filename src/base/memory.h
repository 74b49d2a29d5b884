/* SPDX-License-Identifier: MIT
 *
 * Heap memory. Every allocation of the library passes through here, so that tests can make the k-th one
 * fail (l2r_memory_fail_at) and so that sizes are multiplied with an overflow check.
 * Blocks are aligned to 64 bytes: a cache line, and the widest vector register.
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

/* Makes room for `needed` elements in a growing array, doubling *capacity; false when out of memory (the
 * array is unchanged then).
 *     if (!l2r_reserve((void **)&a->items, &a->capacity, a->count + 1, sizeof *a->items)) ... */
bool l2r_reserve(void **items, size_t *capacity, size_t needed, size_t size);

/* Asks for pages of 2 MB under a large block that is about to be filled, if the system has them (Linux, transparent
 * huge pages): the first touch of each small page costs about as much as parsing what is written there. Never fails. */
void l2r_large_pages(void *block, size_t bytes);

/* For tests: the k-th allocation from now (0 = the next) fails, once or for good; k < 0 switches it off.
 * Returns how many allocations were made since the last call. Per thread; l2r_fault_set (system.h) reaches all. */
long l2r_memory_fail_at(long k, bool for_good);
/* For tests: bytes asked for since the last call, whether freed again or not; rounded up to whole cache lines. Per
 * thread. */
size_t l2r_memory_requested(void);

#endif
