/* SPDX-License-Identifier: MIT
 *
 * Parses a cell of a table. People write the same thing in many ways; this is the one parser for labels, weights and
 * values to split by:
 *
 *     "", NA, N/A, nan, null, none, <NA>, #N/A    a missing label, not reported
 *     n.d., -, ?, not tested, …                   missing, too, but reported, and never the name of a class
 *     7.5, -3e-2, −1, 1,234.5                     a number; 7,5 and 1.234,5 where the column has decimal commas
 *     >10, <= 0.1, ≥5                             a bound
 *     active, 5 uM, 2021-03-04, 0x10, 1e-400      text; numbers are decimal, and 0 or at least 1e-45 in size
 *
 * Blanks around a cell do not count; neither do capital letters in words.
 */
#ifndef L2R_DATA_FORMATS_SMILES_CELLS_H
#define L2R_DATA_FORMATS_SMILES_CELLS_H

#include <stdbool.h>
#include <stddef.h>

enum l2r_cell { L2R_CELL_MISSING, L2R_CELL_NUMBER, L2R_CELL_BOUND, L2R_CELL_TEXT };

/* *number: the number or the bound, otherwise NaN. *bound, which may be NULL: 1 for ">10", -1 for "<10", otherwise 0.
 * decimal: '.' or ','. */
enum l2r_cell l2r_cell_read(double *number, int *bound, const char *text, char decimal);

/* A number if the comma in it is a decimal comma ("7,5"); *thousands: it may as well separate thousands ("1,234"). */
bool l2r_cell_has_comma(bool *thousands, const char *text);

/* A word for a missing value. */
bool l2r_cell_is_void(const char *text);

/* For a text that begins with a number: what follows it and a hint, "a number with a unit; …". NULL: it is no such
 * text. */
const char *l2r_cell_fault(const char *text);

/* Parses a cell of a relation column, in quotes or not: 1 for > and >=, -1 for < and <=, 0 for =, ~ and nothing;
 * L2R_NO_RELATION: something else. */
enum { L2R_NO_RELATION = 2 };
int l2r_cell_relation(const char *text);

/* The word in a cell without the blanks around it, cut to size; false: it was cut. */
bool l2r_cell_word(char *word, size_t size, const char *text);

/* The next word of "A,B" into `word`; false at the end. */
bool l2r_next_word(char *word, size_t size, const char **list);

/* L2R_PART_* of "train", "valid", "test", "id-valid", "id-test" and their synonyms; L2R_PART_NONE when missing; -1: not
 * a part. */
int l2r_part_of(const char *cell);

#endif
