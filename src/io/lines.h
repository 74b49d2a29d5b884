/* SPDX-License-Identifier: MIT
 *
 * The lines of one entry, with positions for messages: "data/PROTEINS_A.txt:812: …". Blanks and carriage returns at
 * the end of a line are dropped. Empty lines are allowed at the end of a file only, where editors leave them,
 * unless keep_empty is set.
 *
 * Rows are read in two ways that can be mixed row by row: carefully, with a message for every possible error, and
 * quickly, for rows in the plainest form only; all others are left to the careful reader.
 *
 *     l2r_lines_quick    "12,7\n" "3,4\n" …    plain rows only, without messages; stops before anything else
 *     l2r_lines_ints     "12 , 7\r\n"          such a row with blanks, or with an error to report
 */
#ifndef L2R_IO_LINES_H
#define L2R_IO_LINES_H

#include "io/source.h"

struct l2r_lines {
    struct l2r_stream *stream;
    const struct l2r_source *source;
    const struct l2r_entry *entry;
    char *buffer;            /* buffer[end] is 0, and a few bytes after it may be read */
    size_t begin, end;       /* unread bytes */
    bool finished;           /* the stream has ended */
    bool held;               /* the next call returns the current line again */
    bool keep_empty;         /* an empty line is a row (a missing label) */
    int64_t number;          /* of the current line, from 1 */
    const char *text, *stop; /* the current line; text is NULL at the end */
};

enum l2r_status l2r_lines_open(struct l2r_lines *lines, const struct l2r_source *source, const struct l2r_entry *entry,
                               struct l2r_error *error);
/* The same without a thread that reads ahead: for callers that read several tables at the same time. */
enum l2r_status l2r_lines_open_alone(struct l2r_lines *lines, const struct l2r_source *source,
                                     const struct l2r_entry *entry, struct l2r_error *error);
void l2r_lines_close(struct l2r_lines *lines);

/* Moves to the next line: lines->text .. lines->stop, valid until the next call; text is NULL at the end. */
enum l2r_status l2r_lines_next(struct l2r_lines *lines, struct l2r_error *error);

/* The next row must have n numbers; *more is false at the end of the file. Reals: an empty field, "" or nan is NaN if
 * `missing` is allowed, an error otherwise. */
enum l2r_status l2r_lines_ints(struct l2r_lines *lines, int64_t *values, int32_t n, bool *more,
                               struct l2r_error *error);
enum l2r_status l2r_lines_reals(struct l2r_lines *lines, double *values, int32_t n, bool missing, bool *more,
                                struct l2r_error *error);
/* How many columns the next row has (0: no more rows), which stays the next row. Refuses more than `limit`. */
enum l2r_status l2r_lines_columns(struct l2r_lines *lines, int32_t *n, int32_t limit, struct l2r_error *error);

/* Up to n_rows rows of `columns` integers 0 .. end-1, as long as they are plain (digits and commas, a blank behind a
 * comma at most, a line feed right after the last digit) and lie whole in the buffer. Returns how many, possibly 0;
 * what stopped it is the next row for the calls above, which get more bytes, accept or refuse it. */
int64_t l2r_lines_quick(struct l2r_lines *lines, int32_t *rows, int64_t n_rows, int32_t columns, int32_t end);
/* The next row as it stands, from text to the line feed at text + *length, if it lies whole in the buffer and is not
 * empty; NULL otherwise. It stays the next row; 8 bytes from text may be read whatever the length. */
const char *l2r_lines_peek(const struct l2r_lines *lines, size_t *length);

/* The file must have `expected` rows and the current row is one too many or, at the end, too few: says so.
 * `because` explains the number: "the nodes of PROTEINS_graph_indicator.txt". */
enum l2r_status l2r_lines_wrong_count(const struct l2r_lines *lines, int64_t expected, const char *because,
                                      struct l2r_error *error);

/* "path:line: " + the sentence, as L2R_ERR_FORMAT. */
enum l2r_status l2r_lines_fail(const struct l2r_lines *lines, struct l2r_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
