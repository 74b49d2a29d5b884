/* SPDX-License-Identifier: MIT
 *
 * One record of a table (csv_records.h) that lies in memory: its fields, its delimiter, its letters.
 */
#ifndef L2R_IO_CSV_TEXT_H
#define L2R_IO_CSV_TEXT_H

#include "io/csv_records.h"

/* The fields of one record; zero it before the first use. */
struct l2r_csv_text {
    char *text;
    size_t capacity;
    struct l2r_csv_field *fields;
    size_t fields_capacity;
    int32_t n;
};

/* Copies the fields of raw[length] without their quotes; false when out of memory. */
bool l2r_csv_text_split(struct l2r_csv_text *text, const char *raw, size_t length, char delimiter);
void l2r_csv_text_clear(struct l2r_csv_text *text);

/* The one of , ; and tab that stands most often outside of quotes in the first line; a comma when there is none. */
char l2r_csv_guess_delimiter(const char *text, const char *stop);

/* Writes what is wrong with the letters: a zero byte, bytes that are not UTF-8. Leaves `problem` alone otherwise. */
void l2r_csv_check(char *problem, size_t size, const char *raw, size_t length);

/* Are these bytes UTF-8? The place of the first that is not; -1: all are. */
int64_t l2r_utf8_check(const char *text, size_t length);

/* The beginning of a text, for a message of one line: whole letters that fit, blanks in the place of control
 * characters. */
void l2r_csv_excerpt(char *out, size_t size, const char *text);

#endif
