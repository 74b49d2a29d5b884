/* SPDX-License-Identifier: MIT
 *
 * Files of torch.save (.pt, .ckpt): a zip of one pickle and the raw numbers of its tensors.
 *
 *     model/data.pkl    {"state_dict": {"W": _rebuild_tensor_v2(storage "0", offset, size, stride, …)}, …}
 *     model/data/0      the storage's numbers, as they lie in memory
 *     model/byteorder   "little"
 *
 * Nothing in the file is executed (io/pickle.h): a tensor is recognised by the name of the function that would rebuild
 * it. Sizes are checked against the storage before a number is read.
 */
#ifndef L2R_IO_TORCH_FILE_H
#define L2R_IO_TORCH_FILE_H

#include "io/pickle.h"

#include <stdbool.h>

struct l2r_torch_file {
    struct l2r_arena arena;
    const struct l2r_pickle *root;
    const char *where; /* names the file in errors */
    struct l2r_torch_storage {
        const char *key; /* of the last folder of its entry: "0" */
        const void *bytes;
        size_t size;
    } * storages; /* [n] */
    size_t n, capacity;
};

/* Bytes of a file, unpacked; no model of molecules comes near. */
enum { L2R_TORCH_BYTES = 1 << 30, L2R_TORCH_ENTRIES = 1 << 16 };

/* To be cleared also after a failure; `where` must outlive it. The bytes are not kept. */
enum l2r_status l2r_torch_file_read(struct l2r_torch_file *file, const void *bytes, size_t length, const char *where,
                                    struct l2r_error *error);
void l2r_torch_file_clear(struct l2r_torch_file *file);

/* A matrix; of a vector rows = 1. */
struct l2r_torch_tensor {
    int64_t rows, cols;
    const double *values; /* [rows × cols] */
};
/* Is the value a tensor? */
bool l2r_torch_is_tensor(const struct l2r_pickle *value);
/* Its numbers, which must be floats of 16, 32 or 64 bits and finite; at most two dimensions. `name` is for errors. */
enum l2r_status l2r_torch_tensor(struct l2r_torch_tensor *tensor, struct l2r_torch_file *file,
                                 const struct l2r_pickle *value, const char *name, struct l2r_error *error);

#endif
