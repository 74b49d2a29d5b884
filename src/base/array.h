/* SPDX-License-Identifier: MIT
 *
 * Growing arrays, arrays that a checkpoint saves, comparison functions for qsort, and sets of distinct things, numbered
 * 0, 1, 2, …
 *
 *     struct l2r_array edges = {0};
 *     if (!l2r_array_add(&edges, pair, 2, sizeof *pair)) return out of memory;
 *
 *   l2r_distinct         rows of `width` integers, in order of first occurrence: feature rows become types
 *   l2r_distinct_texts   strings, in order of first occurrence: scaffolds, values of a column
 *   l2r_vocabulary       single large integers, in ascending order once all are known: labels of a source
 *
 * The three sets share one hash table with open addressing (array.c). Numbers depend on the order of the calls alone,
 * never on hashes or addresses, so a data set read twice has the same types.
 */
#ifndef L2R_BASE_ARRAY_H
#define L2R_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every call must pass the same item size. Typed arrays (int32_t *rows; size_t capacity) use l2r_reserve (memory.h)
 * directly. */
struct l2r_array {
    void *items;
    size_t n, capacity;
};

/* Appends n items of `size` bytes each; false when out of memory, and then nothing is appended. */
bool l2r_array_add(struct l2r_array *array, const void *items, size_t n, size_t size);
void l2r_array_clear(struct l2r_array *array);
/* Shrinks the block to what is used, if a smaller block can be allocated. */
void l2r_array_trim(struct l2r_array *array, size_t size);

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

/* ---- Distinct things ---- */

/* From the content of a thing to its number. */
struct l2r_slots {
    int32_t *number; /* [n]; -1: free */
    size_t n;        /* a power of two, at least twice the things in it */
};

struct l2r_distinct {
    int32_t width, n;
    int32_t *rows; /* [n × width] */
    size_t capacity;
    struct l2r_slots slots;
};

void l2r_distinct_init(struct l2r_distinct *set, int32_t width);
void l2r_distinct_clear(struct l2r_distinct *set);
/* The row's number, added if new; -1 when out of memory. Width 0: always 0. */
int32_t l2r_distinct_add(struct l2r_distinct *set, const int32_t *row);
/* Removes the rows from number n on. */
void l2r_distinct_cut(struct l2r_distinct *set, int32_t n);
/* -1: not there. */
int32_t l2r_distinct_find(const struct l2r_distinct *set, const int32_t *row);

/* Zero the struct before the first call. */
struct l2r_distinct_texts {
    char *text; /* all of them, each with its 0 at the end */
    size_t used, capacity;
    size_t *start; /* [n + 1]: where text k begins */
    size_t start_capacity;
    int32_t n;
    struct l2r_slots slots;
};

/* The text's number, added if new; -1 when out of memory. */
int32_t l2r_distinct_texts_add(struct l2r_distinct_texts *set, const char *text);
/* -1: not there. */
int32_t l2r_distinct_texts_find(const struct l2r_distinct_texts *set, const char *text);
void l2r_distinct_texts_clear(struct l2r_distinct_texts *set);

static inline const char *l2r_distinct_text(const struct l2r_distinct_texts *set, int32_t k)
{
    return set->text + set->start[k];
}

struct l2r_vocabulary {
    struct l2r_distinct set; /* values as pairs of halves */
    int32_t n;
    int64_t *values; /* [n], ascending */
    int32_t *rank;   /* [n]: number in the set -> place in values */
};

void l2r_vocabulary_init(struct l2r_vocabulary *vocabulary);
void l2r_vocabulary_clear(struct l2r_vocabulary *vocabulary);
/* A provisional number, in order of first occurrence: after sorting, rank[number] is the value's place. -1 when out of
 * memory. */
int32_t l2r_vocabulary_add(struct l2r_vocabulary *vocabulary, int64_t value);
/* Call once after the last add, before the first index; false when out of memory. */
bool l2r_vocabulary_sort(struct l2r_vocabulary *vocabulary);
/* Place of a value among the ascending ones; -1: not there. */
int32_t l2r_vocabulary_index(const struct l2r_vocabulary *vocabulary, int64_t value);

#endif
