/* SPDX-License-Identifier: MIT
 * See memory.h. A block carries no header: aligned_alloc and free do the work; growing copies. */
#include "base/memory.h"

#include "base/system.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Thread_local long allocations; /* made since l2r_memory_fail_at was last called */
static _Thread_local long fail_at = -1;
static _Thread_local bool fail_for_good;
static _Thread_local size_t requested; /* bytes since l2r_memory_requested was last called */

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
