/* SPDX-License-Identifier: MIT
 * A wish for large pages changes no byte, whatever the block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/large_pages.h"
#include "base/memory.h"

static void blocks_keep_their_bytes(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_keep_their_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
