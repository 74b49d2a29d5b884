/* SPDX-License-Identifier: MIT
 *
 * Any bytes as the counts and the block of a cache file whose magic, versions, sizes and checksums are right: not used,
 * or a data set with every index in range. The block is cut or filled with zeros to the size that the counts ask for,
 * so that a changed count reaches the checks of the indices.
 */
#include "data/cache.h"
#include "data/block.h"
#include "data/dataset.h"
#include "io/file.h"
#include "memory_file.h"
#include "support/temporary.h"

#include <string.h>
#include <xxhash.h>

/* Where cache.c keeps them. */
enum { HEADER = 512, FINGERPRINT = 24, BLOCK_BYTES = 32, BLOCK_HASH = 40, SHAPE = 48, HEADER_HASH = 504 };
enum { LARGEST = 1 << 13 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first bytes of a file that the program itself has written. */
static const char *template_header(void)
{
    static char header[HEADER];
    static bool made;
    char folder[TEMPORARY_LENGTH], path[TEMPORARY_LENGTH + 16], *content;
    struct l2r_dataset *set;
    size_t length;
    if (made) return header;
    if (!temporary_folder(folder)) abort();
    snprintf(path, sizeof path, "%s/a.l2rcache", folder);
    if (l2r_dataset_load(&set, "motif:train=1,valid=1,test=1", false, NULL) != L2R_OK) abort();
    if (!l2r_cache_store(set, path, 7) || l2r_file_read(&content, &length, path, 1 << 20, NULL) != L2R_OK) abort();
    memcpy(header, content, HEADER);
    free(content);
    l2r_dataset_free(set);
    l2r_remove_tree(folder);
    made = true;
    return header;
}

static void write_number(uint8_t *at, uint64_t number)
{
    memcpy(at, &number, sizeof number);
}

/* The whole file; NULL when the counts ask for too much. */
static uint8_t *compose(size_t *length, const uint8_t *data, size_t size)
{
    struct l2r_shape shape = {0};
    size_t given = size < sizeof shape ? size : sizeof shape, block = 0, rest = size - given;
    memcpy(&shape, data, given);
    if (!l2r_block_size(&block, &shape)) block = rest; /* refused by its counts */
    if (block > LARGEST) return NULL;
    uint8_t *bytes = calloc(HEADER + block, 1);
    if (!bytes) abort();
    memcpy(bytes, template_header(), SHAPE);
    memcpy(bytes + SHAPE, &shape, sizeof shape);
    memcpy(bytes + HEADER, data + given, rest < block ? rest : block);
    write_number(bytes + BLOCK_BYTES, block);
    write_number(bytes + BLOCK_HASH, XXH3_64bits(bytes + HEADER, block));
    write_number(bytes + HEADER_HASH, XXH3_64bits(bytes, HEADER_HASH));
    *length = HEADER + block;
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t length = 0;
    uint8_t *bytes = size > 0 ? compose(&length, data, size) : NULL;
    if (!bytes) return 0;
    struct memory_file file = memory_file_new(bytes, length);
    struct l2r_dataset *set = l2r_cache_load(file.path, 7);
    if (set && l2r_dataset_check_ranges(set, NULL) != L2R_OK) abort();
    if (set) (void)l2r_dataset_check_symmetry(set, NULL); /* walks every arc, for the sanitizer */
    l2r_dataset_free(set);
    close(file.file);
    free(bytes);
    return 0;
}
