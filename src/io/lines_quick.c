/* SPDX-License-Identifier: MIT
 * The quick way through a table (see lines.h): one pass over the bytes, straight to the numbers.
 *
 *     "12,7\n"   digit, digit, comma, digit, line feed            any other byte: stop in front of this row
 *
 * No end is looked for first: behind the last byte of the buffer stands a 0, which is neither digit, comma nor line
 * feed, so a row that is cut there stops the loop like any other surprise. Nothing is reported from here; the careful
 * way in lines.c reads the row that stopped us again and knows the words. */
#include "io/lines.h"

#include <string.h>

enum { MOST_DIGITS = 9 }; /* fits an int32_t without a check for each digit */

/* One number at p below `end`, or NULL. */
static inline const char *plain_number(const char *p, int32_t *value, uint32_t end)
{
    const char *first = p;
    uint32_t number = (uint32_t)(unsigned char)*p - '0', digit;
    if (number > 9) return NULL;
    while ((digit = (uint32_t)(unsigned char)*++p - '0') <= 9) {
        if (p - first >= MOST_DIGITS) return NULL;
        number = number * 10 + digit;
    }
    if (number >= end) return NULL;
    *value = (int32_t)number;
    return p;
}

int64_t l2r_lines_quick(struct l2r_lines *lines, int32_t *rows, int64_t n_rows, int32_t columns, int32_t end)
{
    if (lines->held || lines->begin == lines->end || columns < 1 || end < 1) return 0;
    const char *p = lines->buffer + lines->begin, *row = p;
    int64_t n = 0;
    for (; n < n_rows; n++, row = p) {
        int32_t *values = rows + n * columns;
        for (int32_t k = 0; k < columns; k++) {
            p = plain_number(p, &values[k], (uint32_t)end);
            if (!p || *p != (k < columns - 1 ? ',' : '\n')) goto stop;
            p++;
            if (k < columns - 1 && *p == ' ') p++;
        }
    }
stop:
    lines->begin = (size_t)(row - lines->buffer);
    lines->number += n;
    return n;
}

const char *l2r_lines_peek(const struct l2r_lines *lines, size_t *length)
{
    const char *text = lines->buffer + lines->begin;
    if (lines->held || lines->begin == lines->end) return NULL;
    const char *stop = memchr(text, '\n', lines->end - lines->begin);
    if (!stop || stop == text) return NULL;
    *length = (size_t)(stop - text);
    return text;
}
