/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a cache file whose checksums are right: not used, or a data set with every index in range.
 */
#include "data/cache.h"
#include "data/check.h"
#include "memory_file.h"

#include <string.h>
#include <xxhash.h>

/* Where cache.c keeps them. */
enum { HEADER = 512, FINGERPRINT = 24, BLOCK_HASH = 40, HEADER_HASH = 504 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t fingerprint = 0, hash;
    uint8_t *bytes = malloc(size + 1);
    if (!bytes) return 0;
    if (size > 0) memcpy(bytes, data, size);
    if (size >= HEADER) {
        memcpy(&fingerprint, bytes + FINGERPRINT, 8);
        hash = XXH3_64bits(bytes + HEADER, size - HEADER);
        memcpy(bytes + BLOCK_HASH, &hash, 8);
        hash = XXH3_64bits(bytes, HEADER_HASH);
        memcpy(bytes + HEADER_HASH, &hash, 8);
    }
    struct memory_file file = memory_file_new(bytes, size);
    struct l2r_dataset *set = l2r_cache_load(file.path, fingerprint);
    if (set && l2r_dataset_check_ranges(set, NULL) != L2R_OK) abort();
    if (set) (void)l2r_dataset_check_symmetry(set, NULL); /* walks every arc, for the sanitizer */
    l2r_dataset_free(set);
    close(file.file);
    free(bytes);
    return 0;
}
