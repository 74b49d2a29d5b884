/* SPDX-License-Identifier: MIT
 *
 * Arrays: one that grows, one that a stopped run hands to the run that continues it, and the orders that qsort needs.
 *
 *     struct l2r_array edges = {0};
 *     if (!l2r_array_add(&edges, pair, 2, sizeof *pair)) return out of memory;
 *
 * The item size is the caller's to repeat, and is the same in every call. Typed arrays (int32_t *rows; size_t capacity)
 * use l2r_reserve (memory.h) directly.
 */
#ifndef L2R_BASE_ARRAY_H
#define L2R_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct l2r_array {
    void *items;
    size_t n, capacity;
};

/* Appends n items of `size` bytes each; false when out of memory, and then nothing is appended. */
bool l2r_array_add(struct l2r_array *array, const void *items, size_t n, size_t size);
void l2r_array_clear(struct l2r_array *array);

/* [count] numbers at `data` that a checkpoint must carry: written as they are, and read back into the same place. */
enum l2r_state_kind { L2R_STATE_REAL /* l2r_real */, L2R_STATE_F64, L2R_STATE_I32, L2R_STATE_I64 };

struct l2r_state_array {
    const char *name;
    enum l2r_state_kind kind;
    void *data;
    int64_t count; /* 0: nothing to carry */
};

/* Ascending order for qsort: of numbers, and of pointers to strings by their bytes. */
int l2r_compare_i32(const void *left, const void *right);
int l2r_compare_i64(const void *left, const void *right);
int l2r_compare_float(const void *left, const void *right);  /* no NaN */
int l2r_compare_double(const void *left, const void *right); /* no NaN */
int l2r_compare_strings(const void *left, const void *right);

#endif
