/* SPDX-License-Identifier: MIT
 * See row_numbers.h. A slot is one cache line. */
#include "data/formats/ogb/row_numbers.h"

#include "base/memory.h"

#include <string.h>

enum { SLOT_BITS = 11, LONGEST = 56 };

struct l2r_row_text {
    char text[LONGEST];
    int32_t number;
    int32_t length; /* 0: free */
};
_Static_assert(sizeof(struct l2r_row_text) == 64, "a slot is a cache line");

bool l2r_row_numbers_init(struct l2r_row_numbers *numbers, int32_t width)
{
    l2r_distinct_init(&numbers->rows, width);
    numbers->texts = l2r_alloc((size_t)1 << SLOT_BITS, sizeof *numbers->texts);
    return numbers->texts != NULL;
}

void l2r_row_numbers_clear(struct l2r_row_numbers *numbers)
{
    l2r_distinct_clear(&numbers->rows);
    l2r_free(numbers->texts);
    numbers->texts = NULL;
}

/* The first `length` bytes, at most 8, of which there may be more. */
static inline uint64_t word(const char *text, size_t length)
{
    uint64_t value;
    memcpy(&value, text, sizeof value);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return length < 8 ? value & ((UINT64_C(1) << 8 * length) - 1) : value;
#else
    return length < 8 ? value >> (64 - 8 * length) : value;
#endif
}

/* Overlapping words at the front, in the middle and at the end: all bytes of texts of up to 24. Length at least 1; 8
 * bytes may be read. */
static inline size_t slot_of(const char *text, size_t length)
{
    uint64_t mix = word(text, length) * UINT64_C(0x9e3779b97f4a7c15);
    if (length > 8) mix += word(text + length / 2 - 4, 8) * UINT64_C(0xd6e8feb86659fd93) + word(text + length - 8, 8);
    return (size_t)((mix ^ mix >> 29) * UINT64_C(0xff51afd7ed558ccd) >> (64 - SLOT_BITS));
}

static inline bool same(const char *a, const char *b, size_t length)
{
    size_t i = 0;
    for (; i + 8 < length; i += 8)
        if (word(a + i, 8) != word(b + i, 8)) return false;
    return word(a + i, length - i) == word(b + i, length - i);
}

static inline int32_t find(const struct l2r_row_numbers *numbers, const char *text, size_t length)
{
    const struct l2r_row_text *slot = &numbers->texts[slot_of(text, length)];
    return (size_t)slot->length == length && same(slot->text, text, length) ? slot->number : -1;
}

/* Most rows are as long as the row before them. If a line feed comes there and the text before it is remembered,
 * no line feed comes earlier, because a remembered text has none: no need to search. */
int64_t l2r_row_numbers_quick(const struct l2r_row_numbers *numbers, struct l2r_lines *lines, int32_t *number,
                              int64_t n)
{
    size_t length = 0;
    int64_t i = 0;
    if (lines->held) return 0;
    for (; i < n; i++) {
        const char *text = lines->buffer + lines->begin;
        size_t left = lines->end - lines->begin;
        int32_t found = length > 0 && length < left && text[length] == '\n' ? find(numbers, text, length) : -1;
        if (found < 0) {
            const char *stop = memchr(text, '\n', left);
            length = stop ? (size_t)(stop - text) : 0;
            if (length > 0) found = find(numbers, text, length);
            if (found < 0) break;
        }
        number[i] = found;
        lines->begin += length + 1;
    }
    lines->number += i;
    return i;
}

void l2r_row_numbers_remember(struct l2r_row_numbers *numbers, const char *text, size_t length, int32_t number)
{
    if (length == 0 || length > LONGEST) return;
    struct l2r_row_text *slot = &numbers->texts[slot_of(text, length)];
    slot->number = number;
    slot->length = (int32_t)length;
    memcpy(slot->text, text, length);
}
