/* SPDX-License-Identifier: MIT
 *
 * See array.h. The sets share one hash table, which stores numbers only:
 *
 *     slots    -1  2 -1 -1  0 -1  1 -1        the number of a thing, or -1: free
 *     things   0: key  1: key  2: key         what a number stands for lies in the set (key_fn returns it)
 *
 * The table is at most half full, so that a probe rarely looks twice. Single things are never removed: open addressing
 * would need marks for that. Removing the newest (l2r_distinct_cut) fills the table anew.
 */
#include "base/array.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

bool l2r_array_add(struct l2r_array *array, const void *items, size_t n, size_t size)
{
    if (n == 0) return true;
    if (!l2r_reserve(&array->items, &array->capacity, array->n + n, size)) return false;
    memcpy((char *)array->items + array->n * size, items, n * size);
    array->n += n;
    return true;
}

void l2r_array_clear(struct l2r_array *array)
{
    l2r_free(array->items);
    *array = (struct l2r_array){0};
}

void l2r_array_trim(struct l2r_array *array, size_t size)
{
    if (array->n == 0 || array->n == array->capacity) return;
    void *exact = l2r_alloc_raw(array->n, size);
    if (!exact) return;
    memcpy(exact, array->items, array->n * size);
    l2r_free(array->items);
    array->items = exact;
    array->capacity = array->n;
}

int l2r_compare_i32(const void *left, const void *right)
{
    const int32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

int l2r_compare_i64(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

int l2r_compare_float(const void *left, const void *right)
{
    const float *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

int l2r_compare_double(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

int l2r_compare_strings(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* ---- Distinct things ---- */

/* The bytes that make thing k what it is. */
struct key {
    const void *bytes;
    size_t length;
};
typedef struct key key_fn(const void *set, int32_t k);

/* The slot that holds the thing with this key, or the free one where it belongs. Inlined, and with it the calls of
 * key_of. */
static inline size_t probe(const struct l2r_slots *slots, const void *set, key_fn *key_of, struct key wanted)
{
    size_t mask = slots->n - 1, slot = (size_t)XXH3_64bits(wanted.bytes, wanted.length) & mask;
    for (; slots->number[slot] >= 0; slot = (slot + 1) & mask) {
        struct key there = key_of(set, slots->number[slot]);
        if (there.length == wanted.length && memcmp(there.bytes, wanted.bytes, wanted.length) == 0) break;
    }
    return slot;
}

/* Makes room for one more thing than the n that are there; false when out of memory, and then nothing has changed. */
static inline bool make_room(struct l2r_slots *slots, int32_t n, const void *set, key_fn *key_of)
{
    if (n == INT32_MAX / 2) return false;
    if (2 * ((size_t)n + 1) <= slots->n) return true;
    struct l2r_slots larger = {.n = slots->n ? slots->n * 2 : 64};
    larger.number = l2r_alloc_raw(larger.n, sizeof *larger.number);
    if (!larger.number) return false;
    memset(larger.number, 0xff, larger.n * sizeof *larger.number);
    for (int32_t k = 0; k < n; k++) larger.number[probe(&larger, set, key_of, key_of(set, k))] = k;
    l2r_free(slots->number);
    *slots = larger;
    return true;
}

/* -1: not there. */
static inline int32_t find(const struct l2r_slots *slots, const void *set, key_fn *key_of, struct key wanted)
{
    return slots->n > 0 ? slots->number[probe(slots, set, key_of, wanted)] : -1;
}

static inline struct key row_key(const void *set, int32_t k)
{
    const struct l2r_distinct *rows = set;
    size_t width = (size_t)rows->width;
    return (struct key){rows->rows + (size_t)k * width, width * sizeof *rows->rows};
}

void l2r_distinct_init(struct l2r_distinct *set, int32_t width)
{
    *set = (struct l2r_distinct){.width = width, .n = width == 0};
}

void l2r_distinct_clear(struct l2r_distinct *set)
{
    l2r_free(set->rows);
    l2r_free(set->slots.number);
    l2r_distinct_init(set, set->width);
}

int32_t l2r_distinct_find(const struct l2r_distinct *set, const int32_t *row)
{
    if (set->width == 0) return 0;
    return find(&set->slots, set, row_key, (struct key){row, (size_t)set->width * sizeof *row});
}

int32_t l2r_distinct_add(struct l2r_distinct *set, const int32_t *row)
{
    int32_t known = l2r_distinct_find(set, row);
    if (known >= 0) return known;
    size_t width = (size_t)set->width, n = (size_t)set->n;
    if (!make_room(&set->slots, set->n, set, row_key)) return -1;
    if (!l2r_reserve((void **)&set->rows, &set->capacity, (n + 1) * width, sizeof *row)) return -1;
    memcpy(set->rows + n * width, row, width * sizeof *row);
    set->slots.number[probe(&set->slots, set, row_key, row_key(set, set->n))] = set->n;
    return set->n++;
}

void l2r_distinct_cut(struct l2r_distinct *set, int32_t n)
{
    if (n >= set->n) return;
    memset(set->slots.number, 0xff, set->slots.n * sizeof *set->slots.number);
    for (int32_t k = 0; k < n; k++) set->slots.number[probe(&set->slots, set, row_key, row_key(set, k))] = k;
    set->n = n;
}

static inline struct key text_key(const void *set, int32_t k)
{
    const struct l2r_distinct_texts *texts = set;
    return (struct key){texts->text + texts->start[k], texts->start[k + 1] - texts->start[k]};
}

int32_t l2r_distinct_texts_add(struct l2r_distinct_texts *set, const char *text)
{
    struct key wanted = {text, strlen(text) + 1};
    size_t n = (size_t)set->n;
    int32_t known = find(&set->slots, set, text_key, wanted);
    if (known >= 0) return known;
    if (!make_room(&set->slots, set->n, set, text_key) ||
        !l2r_reserve((void **)&set->text, &set->capacity, set->used + wanted.length, 1) ||
        !l2r_reserve((void **)&set->start, &set->start_capacity, n + 2, sizeof *set->start))
        return -1;
    memcpy(set->text + set->used, text, wanted.length);
    set->start[n] = set->used;
    set->start[n + 1] = set->used += wanted.length;
    set->slots.number[probe(&set->slots, set, text_key, wanted)] = set->n;
    return set->n++;
}

int32_t l2r_distinct_texts_find(const struct l2r_distinct_texts *set, const char *text)
{
    return find(&set->slots, set, text_key, (struct key){text, strlen(text) + 1});
}

void l2r_distinct_texts_clear(struct l2r_distinct_texts *set)
{
    l2r_free(set->text);
    l2r_free(set->start);
    l2r_free(set->slots.number);
    *set = (struct l2r_distinct_texts){0};
}

void l2r_vocabulary_init(struct l2r_vocabulary *vocabulary)
{
    *vocabulary = (struct l2r_vocabulary){0};
    l2r_distinct_init(&vocabulary->set, 2);
}

void l2r_vocabulary_clear(struct l2r_vocabulary *vocabulary)
{
    l2r_distinct_clear(&vocabulary->set);
    l2r_free(vocabulary->values);
    l2r_free(vocabulary->rank);
    l2r_vocabulary_init(vocabulary);
}

int32_t l2r_vocabulary_add(struct l2r_vocabulary *vocabulary, int64_t value)
{
    int32_t halves[2];
    memcpy(halves, &value, sizeof halves);
    return l2r_distinct_add(&vocabulary->set, halves);
}

bool l2r_vocabulary_sort(struct l2r_vocabulary *vocabulary)
{
    size_t n = (size_t)vocabulary->set.n;
    int64_t *values = l2r_alloc_raw(n, sizeof *values);
    int32_t *rank = l2r_alloc_raw(n, sizeof *rank);
    if (!values || !rank) {
        l2r_free(values);
        l2r_free(rank);
        return false;
    }
    if (n > 0) {
        memcpy(values, vocabulary->set.rows, n * sizeof *values);
        qsort(values, n, sizeof *values, l2r_compare_i64);
    }
    for (size_t i = 0; i < n; i++) {
        int32_t halves[2];
        memcpy(halves, &values[i], sizeof halves);
        rank[l2r_distinct_find(&vocabulary->set, halves)] = (int32_t)i;
    }
    vocabulary->values = values;
    vocabulary->rank = rank;
    vocabulary->n = (int32_t)n;
    return true;
}

int32_t l2r_vocabulary_index(const struct l2r_vocabulary *vocabulary, int64_t value)
{
    int32_t halves[2], number;
    memcpy(halves, &value, sizeof halves);
    number = l2r_distinct_find(&vocabulary->set, halves);
    return number < 0 ? -1 : vocabulary->rank[number];
}
