/* SPDX-License-Identifier: MIT
 *
 * Named tensors in one file, in the safetensors format:
 *
 *     8 bytes        N, the length of the header, little endian
 *     N bytes        JSON: {"__metadata__": {"key": "text", …},
 *                           "layer.weight": {"dtype": "F32", "shape": [64, 32], "data_offsets": [0, 8192]}, …}
 *                    padded with spaces, so that the data starts at a multiple of 8
 *     the rest       the tensors, row by row, little endian, without gaps; offsets count from here
 *
 * Files written here also carry, first in __metadata__, "xxh3", the XXH3-128 of the data in hexadecimal, and
 * "xxh3_header", that of the header as it stands with 32 zeros in this place. Both are checked when read: together they
 * cover every byte. A reader trusts no number in a file: every length is compared with what is there before it is used.
 *
 *     read    header first; once it is known to be sound, each tensor into memory, aligned to 64 bytes. Files by other
 *             programs are read, too, if their types are among the five below
 *     write   atomically (file.h); the same tensors and metadata give the same bytes
 */
#ifndef L2R_IO_SAFETENSORS_H
#define L2R_IO_SAFETENSORS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum l2r_dtype { L2R_DTYPE_F64, L2R_DTYPE_I64, L2R_DTYPE_F32, L2R_DTYPE_I32, L2R_DTYPE_U8 };
enum { L2R_TENSOR_DIMS = 8 }; /* most dimensions */

struct l2r_tensor {
    const char *name;
    enum l2r_dtype dtype;
    int32_t n_dims; /* 0: a single number */
    int64_t shape[L2R_TENSOR_DIMS];
    const void *data; /* row-major */
};

struct l2r_metadatum {
    const char *key, *text; /* UTF-8 */
};

/* "F32" and so on; bytes of an element. */
const char *l2r_dtype_name(enum l2r_dtype dtype);
size_t l2r_dtype_size(enum l2r_dtype dtype);
/* Bytes of all elements; SIZE_MAX when the shape is not valid or the product too large. */
size_t l2r_tensor_bytes(const struct l2r_tensor *tensor);

/* Writes atomically. Names and keys must be distinct; "__metadata__" and the keys "xxh3" and "xxh3_header" are taken.
 * Larger elements come first in the file (so that every tensor is aligned), else the order is kept. */
enum l2r_status l2r_safetensors_write(const char *path, const struct l2r_tensor *tensors, size_t n_tensors,
                                      const struct l2r_metadatum *metadata, size_t n_metadata, struct l2r_error *error);
/* The same; the file that was there before is kept under the name `keep`, in the same folder, if that is not NULL. */
enum l2r_status l2r_safetensors_replace(const char *path, const char *keep, const struct l2r_tensor *tensors,
                                        size_t n_tensors, const struct l2r_metadatum *metadata, size_t n_metadata,
                                        struct l2r_error *error);
/* The same bytes in memory: packed [n_packed], to be freed with l2r_free. */
enum l2r_status l2r_safetensors_pack(void **packed, size_t *n_packed, const struct l2r_tensor *tensors,
                                     size_t n_tensors, const struct l2r_metadatum *metadata, size_t n_metadata,
                                     struct l2r_error *error);
/* The "xxh3" of a file of these tensors. */
enum { L2R_CHECKSUM_TEXT = 33 }; /* 32 hexadecimal digits */
enum l2r_status l2r_safetensors_checksum(char checksum[L2R_CHECKSUM_TEXT], const struct l2r_tensor *tensors,
                                         size_t n_tensors, struct l2r_error *error);

struct l2r_safetensors;

/* Reads a file and checks all of it: the header first, which alone says how much memory the rest may take. Free with
 * l2r_safetensors_free (NULL is fine). */
enum l2r_status l2r_safetensors_read(struct l2r_safetensors **file, const char *path, struct l2r_error *error);
/* The same from memory, which is copied; `where` names it in errors. */
enum l2r_status l2r_safetensors_parse(struct l2r_safetensors **parsed, const void *bytes, size_t length,
                                      const char *where, struct l2r_error *error);
void l2r_safetensors_free(struct l2r_safetensors *file);
/* What names it in errors. */
const char *l2r_safetensors_where(const struct l2r_safetensors *file);

/* Tensor i = 0, 1, … in the order of the data; NULL past the end. Its data is aligned to 64 bytes; it lives as long as
 * the file. */
const struct l2r_tensor *l2r_safetensors_at(const struct l2r_safetensors *file, size_t i);
/* By name; NULL when absent. */
const struct l2r_tensor *l2r_safetensors_find(const struct l2r_safetensors *file, const char *name);
/* Copies a tensor that must exist with this type and shape. */
enum l2r_status l2r_safetensors_copy(void *out, const struct l2r_safetensors *file, const char *name,
                                     enum l2r_dtype dtype, const int64_t *shape /* [n_dims] */, int32_t n_dims,
                                     struct l2r_error *error);
/* The text under a key of __metadata__; NULL when absent. Lives as long as the file. */
const char *l2r_safetensors_metadata(const struct l2r_safetensors *file, const char *key);
/* Did both checksums stand in the file, so that no bit of it has changed? */
bool l2r_safetensors_is_sealed(const struct l2r_safetensors *file);

/* Shared by writer and reader: an XXH3-128 as text. */
void l2r_checksum_text(char text[L2R_CHECKSUM_TEXT], uint64_t high, uint64_t low);
/* The checksum of a header whose own 32 digits stand at `at`, which count as zeros; false: out of memory. */
bool l2r_checksum_header(char text[L2R_CHECKSUM_TEXT], const char *header, size_t length, size_t at);
#define L2R_HEADER_KEY "\"xxh3_header\":\"" /* what stands before the digits */

#endif
