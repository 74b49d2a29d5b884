/* SPDX-License-Identifier: MIT
 * See text_numbers.h. A hash table with linear probing, at most half full. */
#include "base/text_numbers.h"

#include "base/memory.h"

#include <string.h>
#include <xxhash.h>

/* The slot of the text, or the free one where it belongs. */
static size_t find_slot(const struct l2r_text_numbers *t, const char *text)
{
    size_t mask = t->n_slots - 1, slot = (size_t)XXH3_64bits(text, strlen(text)) & mask;
    while (t->slots[slot] != 0 && strcmp(l2r_text_numbers_text(t, t->slots[slot] - 1), text) != 0)
        slot = (slot + 1) & mask;
    return slot;
}

static bool grow(struct l2r_text_numbers *t)
{
    struct l2r_text_numbers larger = *t;
    if (2 * ((size_t)t->n + 1) <= t->n_slots) return true;
    larger.n_slots = t->n_slots ? 2 * t->n_slots : 64;
    larger.slots = l2r_alloc(larger.n_slots, sizeof *larger.slots);
    if (!larger.slots) return false;
    for (int32_t k = 0; k < t->n; k++) larger.slots[find_slot(&larger, l2r_text_numbers_text(t, k))] = k + 1;
    l2r_free(t->slots);
    *t = larger;
    return true;
}

int32_t l2r_text_numbers_add(struct l2r_text_numbers *t, const char *text)
{
    size_t bytes = strlen(text) + 1;
    if (!grow(t)) return -1;
    size_t slot = find_slot(t, text);
    if (t->slots[slot] != 0) return t->slots[slot] - 1;
    if (!l2r_reserve((void **)&t->text, &t->capacity, t->used + bytes, 1) ||
        !l2r_reserve((void **)&t->start, &t->start_capacity, (size_t)t->n + 1, sizeof *t->start))
        return -1;
    memcpy(t->text + t->used, text, bytes);
    t->start[t->n] = t->used;
    t->used += bytes;
    t->slots[slot] = ++t->n;
    return t->n - 1;
}

void l2r_text_numbers_clear(struct l2r_text_numbers *t)
{
    l2r_free(t->text);
    l2r_free(t->start);
    l2r_free(t->slots);
    *t = (struct l2r_text_numbers){0};
}
