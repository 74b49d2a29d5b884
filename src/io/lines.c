/* SPDX-License-Identifier: MIT
 *
 * See lines.h. One buffer; a line that is cut by its end is moved to the front and completed:
 *
 *     buffer   |…read lines…|unread: 12,7\n3,4\n5|0 0 0 …|
 *                           begin                end      BEHIND bytes of 0, so that a parser may look past the end
 *
 * Rows are parsed where they lie; nothing is copied and nothing is allocated per line.
 */
#include "io/lines.h"

#include "base/decimal.h"
#include "base/memory.h"
#include "io/numbers.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    BUFFER = 1 << 10, /* small inputs must reach what happens at its end */
    STEP = 1 << 6,
#else
    BUFFER = 1 << 20, /* also the longest line */
    STEP = 1 << 17,   /* bytes at a time: parsed while they are still in the nearest caches */
#endif
    BEHIND = 64 /* bytes behind the last one that may be read */
};

enum l2r_status l2r_lines_fail(const struct l2r_lines *lines, struct l2r_error *error, const char *format, ...)
{
    char sentence[640];
    va_list arguments;
    va_start(arguments, format);
    l2r_decimal_vprint(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return l2r_fail(error, L2R_ERR_FORMAT, "%s/%s:%lld: %s", lines->source->path, lines->entry->name,
                    (long long)(lines->number > 0 ? lines->number : 1), sentence);
}

static enum l2r_status open_lines(struct l2r_lines *lines, const struct l2r_source *source,
                                  const struct l2r_entry *entry, bool ahead, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error reason;
    *lines = (struct l2r_lines){.source = source, .entry = entry};
    status = l2r_stream_open(&lines->stream, source, entry, ahead, &reason);
    if (status != L2R_OK) L2R_FAIL(status, "%s/%s: %s", source->path, entry->name, reason.message);
    lines->buffer = l2r_alloc_raw(BUFFER + BEHIND, 1);
    if (!lines->buffer) {
        status = l2r_fail_memory(error, BUFFER, "a line buffer");
        goto done;
    }
    memset(lines->buffer, 0, BEHIND);
done:
    if (status != L2R_OK) l2r_lines_close(lines);
    return status;
}

enum l2r_status l2r_lines_open(struct l2r_lines *lines, const struct l2r_source *source, const struct l2r_entry *entry,
                               struct l2r_error *error)
{
    return open_lines(lines, source, entry, true, error);
}

enum l2r_status l2r_lines_open_alone(struct l2r_lines *lines, const struct l2r_source *source,
                                     const struct l2r_entry *entry, struct l2r_error *error)
{
    return open_lines(lines, source, entry, false, error);
}

void l2r_lines_close(struct l2r_lines *lines)
{
    l2r_stream_free(lines->stream);
    l2r_free(lines->buffer);
    *lines = (struct l2r_lines){0};
}

/* Gets more bytes after the unread ones. Errors name the line that the bytes would have belonged to. */
static enum l2r_status refill(struct l2r_lines *lines, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error reason;
    size_t got = 0, kept = lines->end - lines->begin;
    if (lines->begin > 0) memmove(lines->buffer, lines->buffer + lines->begin, kept);
    lines->begin = 0;
    lines->end = kept;
    if (kept == BUFFER) {
        lines->number++;
        return l2r_lines_fail(lines, error, "the line is longer than %d bytes; this is not a text table", (int)BUFFER);
    }
    size_t room = BUFFER - kept;
    status = l2r_stream_read(lines->stream, lines->buffer + kept, room < STEP ? room : STEP, &got, &reason);
    if (status != L2R_OK) {
        lines->number++;
        l2r_lines_fail(lines, error, "%s", reason.message);
        if (error) error->status = status;
        return status;
    }
    lines->finished = got == 0;
    lines->end += got;
    memset(lines->buffer + lines->end, 0, BEHIND); /* ends every number, and is no line feed */
    return L2R_OK;
}

/* One line, whatever is in it. */
static enum l2r_status take_line(struct l2r_lines *lines, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t seen = 0; /* unread bytes known to hold no line end */
    const char *stop;
    for (;;) {
        const char *from = lines->buffer + lines->begin;
        stop = memchr(from + seen, '\n', lines->end - lines->begin - seen);
        if (stop || lines->finished) break;
        seen = lines->end - lines->begin;
        L2R_TRY(refill(lines, error));
    }
    if (!stop && lines->begin == lines->end) {
        lines->text = lines->stop = NULL;
        goto done;
    }
    lines->number++;
    lines->text = lines->buffer + lines->begin;
    lines->stop = stop ? stop : lines->buffer + lines->end;
    lines->begin = (size_t)(lines->stop - lines->buffer) + (stop != NULL);
    while (lines->stop > lines->text && (lines->stop[-1] == '\r' || lines->stop[-1] == ' ' || lines->stop[-1] == '\t'))
        lines->stop--;
done:
    return status;
}

enum l2r_status l2r_lines_next(struct l2r_lines *lines, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (lines->held) {
        lines->held = false;
        return L2R_OK;
    }
    L2R_TRY(take_line(lines, error));
    if (!lines->text || lines->text < lines->stop || lines->keep_empty) goto done;
    /* An empty line: fine if only empty ones follow, otherwise the first of them is the mistake to report. */
    int64_t empty = lines->number;
    while (lines->text && lines->text == lines->stop) L2R_TRY(take_line(lines, error));
    if (lines->text) {
        lines->number = empty;
        status = l2r_lines_fail(lines, error, "the line is empty, but more rows follow");
    } else {
        lines->number = empty - 1; /* the end is where the rows end */
    }
done:
    return status;
}

/* The field at `at`, cut to a few printable characters. */
static enum l2r_status bad_field(const struct l2r_lines *lines, const char *at, const char *kind,
                                 struct l2r_error *error)
{
    char shown[40];
    size_t n = 0;
    at = l2r_skip_blanks(at, lines->stop);
    for (; at < lines->stop && *at != ',' && n < 24; at++) shown[n++] = *at >= ' ' && *at < 127 ? *at : '?';
    if (at < lines->stop && *at != ',')
        for (int i = 0; i < 3; i++) shown[n++] = '.';
    shown[n] = '\0';
    if (n == 0) return l2r_lines_fail(lines, error, "a field is empty, expected %s", kind);
    return l2r_lines_fail(lines, error, "\"%s\" is not %s", shown, kind);
}

static int32_t count_columns(const struct l2r_lines *lines)
{
    int32_t n = 1;
    for (const char *c = lines->text; c < lines->stop; c++) n += *c == ',';
    return n;
}

static enum l2r_status wrong_columns(const struct l2r_lines *lines, int32_t n, struct l2r_error *error)
{
    int32_t found = count_columns(lines);
    return l2r_lines_fail(lines, error, "the row has %d value%s, expected %d", found, found == 1 ? "" : "s", n);
}

/* Reads field k at *at into the caller's values and moves *at behind it; false: it is not what is expected. */
typedef bool field_reader(void *values, int32_t k, const char **at, const char *stop);

/* The next line as n fields between commas, each read by `read`. Inline, so that the reader is not called through a
 * pointer in tables of millions of lines. */
static inline enum l2r_status read_row(struct l2r_lines *lines, void *values, int32_t n, field_reader *read,
                                       const char *expected, bool *more, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_lines_next(lines, error));
    *more = lines->text != NULL;
    if (!lines->text) goto done;
    const char *at = lines->text;
    for (int32_t k = 0; k < n; k++) {
        const char *field = at;
        if (!read(values, k, &at, lines->stop)) {
            status = bad_field(lines, field, expected, error);
            goto done;
        }
        if ((at < lines->stop) != (k < n - 1)) {
            status = wrong_columns(lines, n, error);
            goto done;
        }
        if (k < n - 1) at++; /* behind the comma */
    }
done:
    return status;
}

static bool read_int(void *values, int32_t k, const char **at, const char *stop)
{
    return l2r_field_int(at, stop, (int64_t *)values + k);
}

enum l2r_status l2r_lines_ints(struct l2r_lines *lines, int64_t *values, int32_t n, bool *more, struct l2r_error *error)
{
    return read_row(lines, values, n, read_int, "a whole number", more, error);
}

/* An empty field, or what some writers put in its place. */
static bool is_missing(const char **at, const char *stop)
{
    const char *p = l2r_skip_blanks(*at, stop);
    if (stop - p >= 2 && p[0] == '"' && p[1] == '"') p = l2r_skip_blanks(p + 2, stop);
    if (p < stop && *p != ',') return false;
    *at = p;
    return true;
}

/* Values are kept as floats: a number beyond their range would become infinite. */
static bool read_float(double *value, const char **at, const char *stop)
{
    return l2r_field_real(at, stop, value) && !(fabs(*value) > (double)FLT_MAX);
}

static bool read_real(void *values, int32_t k, const char **at, const char *stop)
{
    double *value = (double *)values + k;
    return read_float(value, at, stop) && !isnan(*value);
}

static bool read_real_or_missing(void *values, int32_t k, const char **at, const char *stop)
{
    double *value = (double *)values + k;
    if (!is_missing(at, stop)) return read_float(value, at, stop);
    *value = (double)NAN;
    return true;
}

enum l2r_status l2r_lines_reals(struct l2r_lines *lines, double *values, int32_t n, bool missing, bool *more,
                                struct l2r_error *error)
{
    field_reader *read = missing ? read_real_or_missing : read_real;
    return read_row(lines, values, n, read, "a finite number", more, error);
}

enum l2r_status l2r_lines_columns(struct l2r_lines *lines, int32_t *n, int32_t limit, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *n = 0;
    L2R_TRY(l2r_lines_next(lines, error));
    lines->held = true;
    if (lines->text) *n = count_columns(lines);
    if (*n > limit) status = l2r_lines_fail(lines, error, "the row has %d columns, at most %d are accepted", *n, limit);
done:
    return status;
}

enum l2r_status l2r_lines_wrong_count(const struct l2r_lines *lines, int64_t expected, const char *because,
                                      struct l2r_error *error)
{
    if (lines->text)
        return l2r_lines_fail(lines, error, "the file has more than %lld rows, the number of %s", (long long)expected,
                              because);
    return l2r_lines_fail(lines, error, "the file ends after %lld row%s, expected %lld, the number of %s",
                          (long long)lines->number, lines->number == 1 ? "" : "s", (long long)expected, because);
}

/* The quick way through a table: one pass over the bytes, straight to the numbers.
 *
 *     "12,7\n"   digit, digit, comma, digit, line feed            any other byte: stop in front of this row
 *
 * There is no search for the end: after the last byte of the buffer stands a 0, which is neither digit, comma nor line
 * feed, so a row that is cut there stops the loop like any other byte. Errors are not reported here; the careful reader
 * above reads the row again and reports them. */
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
