/* SPDX-License-Identifier: MIT
 *
 * A wish for a large block that is about to be filled: pages of 2 MB, if the system has them (Linux, transparent huge pages).
 * The first touch of each small page costs about as much as parsing what is written there.
 */
#ifndef L2R_BASE_LARGE_PAGES_H
#define L2R_BASE_LARGE_PAGES_H

#include <stddef.h>

/* Never fails: without large pages the block is the same, only slower to fill. */
void l2r_large_pages(void *block, size_t bytes);

#endif
