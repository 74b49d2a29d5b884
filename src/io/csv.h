/* SPDX-License-Identifier: MIT
 *
 * Tables of text (CSV, TSV; RFC 4180): reading their records from front to back in constant memory, and writing fields.
 *
 *     smiles,name,y\n            record 0, line 1
 *     CCO,"ethanol, dry",1\n     record 1, line 2: a quoted field may hold delimiters, line feeds and doubled quotes
 *
 * A quote opens a field only as its first character; elsewhere it stands for itself. Lines end with \n or \r\n, or with
 * \r alone in a file without any \n; a byte order mark and empty lines are skipped. A first line "sep=;", which Excel
 * reads and writes, sets the delimiter and is no record. A record that is not UTF-8 is read as Windows-1252
 * (io/western.h), unless a record before it had UTF-8; its fields and its raw text are UTF-8 all the same. An error in
 * one record (its length, its text, its number of fields) is stored in record.problem, and reading goes on after it;
 * after a quote that is never closed, with the next line.
 */
#ifndef L2R_IO_CSV_H
#define L2R_IO_CSV_H

#include "io/source.h"

#include <stdio.h>

enum { L2R_CSV_LONGEST = 4 << 20 }; /* bytes of a record */
#define L2R_CSV_WHOLE_LINES '\x1f'  /* a delimiter that no text has: a record is one field */

struct l2r_csv;

struct l2r_csv_field {
    const char *text; /* without its quotes; ends with 0 */
    size_t length;
};

struct l2r_csv_record {
    int64_t number;  /* from 0 */
    int64_t line;    /* where it begins, from 1 */
    const char *raw; /* its bytes as they stand (as UTF-8), without the line's end; "" if it is too long */
    size_t raw_length;
    const struct l2r_csv_field *fields; /* [n_fields] */
    int32_t n_fields;                   /* 0 where a problem leaves none to read */
    const char *problem;                /* NULL, or why it is invalid: "it has 3 fields, the first record 2" */
};

/* delimiter: ',', ';' or a tab; 0: the most frequent of them in the first line. */
enum l2r_status l2r_csv_open(struct l2r_csv **out, const struct l2r_source *source, const struct l2r_entry *entry,
                             char delimiter, struct l2r_error *error);
void l2r_csv_free(struct l2r_csv *csv);

/* The next record, valid until the next call; NULL at the end. Fails when the bytes cannot be read: a damaged gzip
 * file, an archive or UTF-16 under the name of a table, no memory. */
enum l2r_status l2r_csv_next(const struct l2r_csv_record **record, struct l2r_csv *csv, struct l2r_error *error);

/* For records that were made of something else: where record i begins in the original file, and why it is invalid (or
 * NULL). The arrays must outlive the table. */
void l2r_csv_annotate(struct l2r_csv *csv, const int64_t *lines, char *const *problems, int64_t n);

char l2r_csv_delimiter(const struct l2r_csv *csv);   /* known after the first record */
int64_t l2r_csv_western(const struct l2r_csv *csv);  /* the line of the first Windows-1252 record so far; 0: none */
const char *l2r_csv_path(const struct l2r_csv *csv); /* for messages: "data/my.csv" */

/* A record taken apart; zero at first. */
struct l2r_csv_fields {
    char *text;
    size_t capacity;
    struct l2r_csv_field *field; /* [n] */
    size_t field_capacity;
    int32_t n;
};
/* Replaces the fields by those of raw [length]; false: out of memory. */
bool l2r_csv_split(struct l2r_csv_fields *fields, const char *raw, size_t length, char delimiter);
void l2r_csv_fields_clear(struct l2r_csv_fields *fields);

/* How many fields a record has; *open: its last one lacks a closing quote. */
int32_t l2r_csv_count_fields(bool *open, const char *raw, size_t length, char delimiter);

/* One field with the delimiter before it: text, quoted where it must be; a float by the fewest digits that read back as
 * the same float. */
void l2r_csv_write_text(FILE *out, char delimiter, const char *text);
void l2r_csv_write_first(FILE *out, char delimiter, const char *text); /* the first of a row: nothing before it */
void l2r_csv_write_float(FILE *out, char delimiter, float value);
enum { L2R_CSV_FLOAT = 32 };
const char *l2r_csv_format_float(char text[L2R_CSV_FLOAT], float value);

#endif
