/* SPDX-License-Identifier: MIT
 *
 * One fuzz input as a safetensors file that gets past the first checks: a JSON header, a line feed, the data. The
 * length in front is added here, and the checksums in the header ("xxh3" and "xxh3_header", 32 digits each), where it
 * has them, are made right.
 */
#ifndef L2R_FUZZ_TENSOR_FILE_H
#define L2R_FUZZ_TENSOR_FILE_H

#include "io/safetensors.h"
#include "memory_file.h"

#include <string.h>
#include <xxhash.h>

static inline void tensor_file_seal(char *header, size_t length, const uint8_t *data, size_t size)
{
    static const char key[] = "\"xxh3\":\"";
    char text[L2R_CHECKSUM_TEXT];
    XXH128_hash_t hash = XXH3_128bits(data, size);
    char *at = memmem(header, length, key, sizeof key - 1);
    if (!at || (size_t)(at - header) + sizeof key - 1 + 32 > length) return;
    l2r_checksum_text(text, hash.high64, hash.low64);
    memcpy(at + sizeof key - 1, text, 32);
    at = memmem(header, length, L2R_HEADER_KEY, sizeof L2R_HEADER_KEY - 1);
    if (!at || (size_t)(at - header) + sizeof L2R_HEADER_KEY - 1 + 32 > length) return;
    at += sizeof L2R_HEADER_KEY - 1;
    if (l2r_checksum_header(text, header, length, (size_t)(at - header))) memcpy(at, text, 32);
}

static inline struct memory_file tensor_file_new(const uint8_t *data, size_t size)
{
    const uint8_t *line = size > 0 ? memchr(data, '\n', size) : NULL;
    uint64_t length = line ? (uint64_t)(line - data) : size;
    size_t skipped = line ? (size_t)length + 1 : size;
    uint8_t *bytes = malloc(sizeof length + size);
    if (!bytes) abort();
    memcpy(bytes, &length, sizeof length);
    if (length > 0) memcpy(bytes + 8, data, (size_t)length);
    if (size > skipped) memcpy(bytes + 8 + length, data + skipped, size - skipped);
    tensor_file_seal((char *)bytes + 8, (size_t)length, bytes + 8 + length, size - skipped);
    struct memory_file file = memory_file_new(bytes, 8 + (size_t)length + size - skipped);
    free(bytes);
    return file;
}

#endif
