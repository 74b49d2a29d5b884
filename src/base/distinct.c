/* SPDX-License-Identifier: MIT
 * See distinct.h. The table is at most half full, so a probe rarely looks twice. */
#include "base/distinct.h"

#include "base/array.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void l2r_distinct_init(struct l2r_distinct *set, int32_t width)
{
    *set = (struct l2r_distinct){.width = width, .n = width == 0};
}

void l2r_distinct_clear(struct l2r_distinct *set)
{
    l2r_free(set->rows);
    l2r_free(set->slots);
    l2r_distinct_init(set, set->width);
}

/* The slot that holds the row, or the free one where it belongs. */
static size_t probe(const struct l2r_distinct *set, const int32_t *row)
{
    size_t bytes = (size_t)set->width * sizeof *row, mask = set->n_slots - 1;
    size_t slot = (size_t)XXH3_64bits(row, bytes) & mask;
    while (set->slots[slot] >= 0 && memcmp(set->rows + (size_t)set->slots[slot] * (size_t)set->width, row, bytes) != 0)
        slot = (slot + 1) & mask;
    return slot;
}

static bool grow(struct l2r_distinct *set)
{
    size_t n_slots = set->n_slots ? set->n_slots * 2 : 64;
    int32_t *slots = l2r_alloc_raw(n_slots, sizeof *slots);
    if (!slots) return false;
    memset(slots, 0xff, n_slots * sizeof *slots);
    l2r_free(set->slots);
    set->slots = slots;
    set->n_slots = n_slots;
    for (int32_t i = 0; i < set->n; i++) slots[probe(set, set->rows + (size_t)i * (size_t)set->width)] = i;
    return true;
}

int32_t l2r_distinct_add(struct l2r_distinct *set, const int32_t *row)
{
    if (set->width == 0) return 0;
    if (set->n_slots > 0) {
        size_t slot = probe(set, row);
        if (set->slots[slot] >= 0) return set->slots[slot];
    }
    size_t width = (size_t)set->width, n = (size_t)set->n;
    if (set->n == INT32_MAX / 2) return -1;
    if (2 * (n + 1) > set->n_slots && !grow(set)) return -1;
    if (!l2r_reserve((void **)&set->rows, &set->capacity, (n + 1) * width, sizeof *row)) return -1;
    memcpy(set->rows + n * width, row, width * sizeof *row);
    set->slots[probe(set, row)] = set->n;
    return set->n++;
}

int32_t l2r_distinct_find(const struct l2r_distinct *set, const int32_t *row)
{
    if (set->width == 0) return 0;
    return set->n_slots ? set->slots[probe(set, row)] : -1;
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
