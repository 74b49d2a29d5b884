/* SPDX-License-Identifier: MIT
 *
 * Numbers for rows of text. A table of a million atoms has a few hundred different rows, so most rows were seen before,
 * letter by letter: their number is found by their text and not one digit is parsed. A text that is not remembered is
 * parsed by the caller, who gets its number from the set of distinct rows (base/array.h) and has it remembered.
 *
 *     "6,0,4,5,3,0,2,0,0"  --mix of its bytes-->  slot: the same text?  -->  number
 *
 * One text a slot; the latest stays. What is remembered never changes a number, only how fast it is found.
 */
#ifndef L2R_DATA_FORMATS_OGB_ROW_NUMBERS_H
#define L2R_DATA_FORMATS_OGB_ROW_NUMBERS_H

#include "base/array.h"
#include "io/lines.h"

struct l2r_row_text;

struct l2r_row_numbers {
    struct l2r_distinct rows; /* the distinct rows, numbered in order of first sight */
    struct l2r_row_text *texts;
};

/* False when out of memory. Zeroed memory may be cleared. */
bool l2r_row_numbers_init(struct l2r_row_numbers *numbers, int32_t width);
void l2r_row_numbers_clear(struct l2r_row_numbers *numbers);

/* Up to n rows whose texts are remembered and lie whole in the buffer: their numbers to number[0 ..]. Returns how many;
 * the row that stopped it is the next one to read. */
int64_t l2r_row_numbers_quick(const struct l2r_row_numbers *numbers, struct l2r_lines *lines, int32_t *number,
                              int64_t n);
/* Has a text remembered, from l2r_lines_peek and with a good row in it, unless it is long. */
void l2r_row_numbers_remember(struct l2r_row_numbers *numbers, const char *text, size_t length, int32_t number);

#endif
