/* SPDX-License-Identifier: MIT
 * See large_pages.h. Only whole large pages inside the block are asked for. */
#include "base/large_pages.h"

#include <stdint.h>
#include <sys/mman.h>

enum { PAGE = 1 << 21 };

void l2r_large_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t begin = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE, end = ((uintptr_t)block + bytes) / PAGE * PAGE;
    if (block && begin < end) (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)block;
    (void)bytes;
#endif
}
