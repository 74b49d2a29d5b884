/* SPDX-License-Identifier: MIT
 * See csv_records.h. The buffer holds the current record and what was read behind it; the end of a record is looked for
 * byte by byte (csv_text.c takes it apart then).
 *
 *     buffer   |… record before|current record ….|not read yet …|
 *                              begin             scan           end
 *
 * Every byte is looked at twice at most: where an open quote made the search run in vain as far as `lines_until`,
 * quotes do not reach over the end of a line up to there. */
#include "io/csv_records.h"

#include "base/memory.h"
#include "io/csv_text.h"
#include "io/stream.h"

#include <stdio.h>
#include <string.h>

enum { ROOM = 1 << 18 }; /* of a new buffer */
static const char open_quote[] = "a quote is opened and not closed";

struct l2r_csv {
    struct l2r_stream *stream;
    char *path;
    char *buffer;
    size_t capacity, begin, end;
    size_t scan;         /* looked at, from begin */
    bool field_begins;   /* at scan */
    bool has_quotes;     /* the field at scan began with one */
    bool quoted;         /* scan is inside of quotes */
    bool finished;       /* the stream has ended */
    bool started;        /* the first bytes were looked at */
    int64_t line;        /* of begin */
    int64_t taken;       /* bytes before buffer[0] */
    int64_t lines_until; /* up to this byte of the file a record is a line */
    char delimiter;
    int32_t expected; /* fields of the first sound record */
    char problem[160];
    struct l2r_csv_text text; /* the fields */
    struct l2r_csv_record record;
};

enum l2r_status l2r_csv_open(struct l2r_csv **out, const struct l2r_source *source, const struct l2r_entry *entry,
                             char delimiter, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_csv *csv = l2r_alloc(1, sizeof *csv);
    *out = NULL;
    if (!csv) return l2r_fail_memory(error, sizeof *csv, "a table");
    size_t length = strlen(source->path) + strlen(entry->name) + 2;
    csv->path = l2r_alloc(length, 1);
    csv->buffer = l2r_alloc_raw(ROOM, 1);
    if (!csv->path || !csv->buffer) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %d bytes for a table", (int)ROOM);
    if (source->kind == L2R_SOURCE_FILE)
        snprintf(csv->path, length, "%s", source->path);
    else
        snprintf(csv->path, length, "%s/%s", source->path, entry->name);
    csv->capacity = ROOM;
    csv->delimiter = delimiter;
    csv->line = 1;
    csv->record.number = -1;
    struct l2r_error reason = {0};
    status = l2r_stream_open(&csv->stream, source, entry, false, &reason);
    if (status != L2R_OK) L2R_FAIL(status, "%s: %s", csv->path, reason.message);
    *out = csv;
    csv = NULL;
done:
    l2r_csv_free(csv);
    return status;
}

void l2r_csv_free(struct l2r_csv *csv)
{
    if (!csv) return;
    l2r_stream_free(csv->stream);
    l2r_csv_text_clear(&csv->text);
    l2r_free(csv->buffer);
    l2r_free(csv->path);
    l2r_free(csv);
}

char l2r_csv_delimiter(const struct l2r_csv *csv)
{
    return csv->delimiter;
}

const char *l2r_csv_path(const struct l2r_csv *csv)
{
    return csv->path;
}

/* Moves the unread bytes to the front. */
static void move_up(struct l2r_csv *csv)
{
    if (csv->begin == 0) return;
    memmove(csv->buffer, csv->buffer + csv->begin, csv->end - csv->begin);
    csv->taken += (int64_t)csv->begin;
    csv->end -= csv->begin;
    csv->scan -= csv->begin;
    csv->begin = 0;
}

/* More bytes behind the unread ones. Without room for them (the record is as long as allowed) nothing happens. */
static enum l2r_status fill(struct l2r_csv *csv, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (csv->begin > csv->capacity / 2 || csv->end == csv->capacity) move_up(csv);
    if (csv->end == csv->capacity) {
        if (csv->capacity > L2R_CSV_LONGEST) return L2R_OK;
        if (!l2r_reserve((void **)&csv->buffer, &csv->capacity, csv->capacity + 1, 1))
            return l2r_fail_memory(error, 2 * csv->capacity, "a record of a table");
    }
    size_t got = 0;
    struct l2r_error reason = {0};
    status = l2r_stream_read(csv->stream, csv->buffer + csv->end, csv->capacity - csv->end, &got, &reason);
    if (status != L2R_OK) L2R_FAIL(status, "%s:%lld: %s", csv->path, (long long)csv->line, reason.message);
    csv->end += got;
    csv->finished = got == 0;
done:
    return status;
}

/* What the first bytes tell: a byte order mark is passed over, other formats are refused. */
static enum l2r_status start(struct l2r_csv *csv, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    while (csv->end < 4 && !csv->finished) L2R_TRY(fill(csv, error));
    const char *b = csv->buffer;
    if (csv->end >= 4 && memcmp(b, "PK\3\4", 4) == 0)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: this is a zip archive under the name of a table; unpack it first", csv->path);
    if (csv->end >= 2 && (memcmp(b, "\xff\xfe", 2) == 0 || memcmp(b, "\xfe\xff", 2) == 0))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: this is UTF-16; save the table as UTF-8", csv->path);
    if (csv->end >= 3 && memcmp(b, "\xef\xbb\xbf", 3) == 0) csv->begin = 3;
    if (csv->delimiter == 0) csv->delimiter = l2r_csv_guess_delimiter(b + csv->begin, b + csv->end);
    csv->scan = csv->begin;
    csv->started = true;
done:
    return status;
}

/* Looks on for the line feed that ends the record; true: scan stands on it. */
static bool find_end(struct l2r_csv *csv)
{
    bool lines = csv->taken + (int64_t)csv->begin < csv->lines_until;
    for (; csv->scan < csv->end; csv->scan++) {
        char c = csv->buffer[csv->scan];
        if (c == '\n' && (!csv->quoted || lines)) return true;
        if (c == '"' && (csv->field_begins || csv->has_quotes))
            csv->has_quotes = true, csv->quoted = !csv->quoted; /* a doubled quote changes it twice */
        csv->field_begins = c == csv->delimiter && !csv->quoted;
        if (csv->field_begins) csv->has_quotes = false;
    }
    return false;
}

/* Ends the record at `stop` (of the buffer) and moves behind the line's end there. */
static void take(struct l2r_csv *csv, size_t stop, size_t next)
{
    struct l2r_csv_record *r = &csv->record;
    size_t length = stop - csv->begin;
    r->raw = csv->buffer + csv->begin;
    if (length > 0 && r->raw[length - 1] == '\r') length--;
    r->raw_length = length;
    r->line = csv->line;
    for (const char *c = csv->buffer + csv->begin, *end = csv->buffer + next;
         c < end && (c = memchr(c, '\n', (size_t)(end - c))); c++)
        csv->line++;
    csv->begin = csv->scan = next;
    csv->field_begins = true;
    csv->quoted = csv->has_quotes = false;
}

/* The record grew too long, or the file ended inside of quotes. When its first line alone is short enough the quote is
 * to blame, and the line is lost; otherwise everything up to the next line feed. */
static enum l2r_status give_up(struct l2r_csv *csv, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *feed = memchr(csv->buffer + csv->begin, '\n', csv->end - csv->begin);
    size_t stop = feed ? (size_t)(feed - csv->buffer) : csv->end;
    if (stop - csv->begin <= L2R_CSV_LONGEST) {
        snprintf(csv->problem, sizeof csv->problem, "%s", open_quote);
        csv->lines_until = csv->taken + (int64_t)csv->end;
        take(csv, stop, feed ? stop + 1 : stop);
        goto done;
    }
    snprintf(csv->problem, sizeof csv->problem, "it is longer than %d bytes", (int)L2R_CSV_LONGEST);
    while (!feed && !csv->finished) {
        csv->begin = csv->scan = csv->end;
        L2R_TRY(fill(csv, error));
        feed = memchr(csv->buffer + csv->begin, '\n', csv->end - csv->begin);
    }
    take(csv, csv->begin, feed ? (size_t)(feed - csv->buffer) + 1 : csv->end);
    csv->record.raw = "";
done:
    return status;
}

/* Finds the next record's bytes; *found is false at the end. */
static enum l2r_status find_record(bool *found, struct l2r_csv *csv, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *found = true;
    csv->problem[0] = '\0';
    csv->field_begins = true;
    for (;;) {
        size_t length = csv->end - csv->begin;
        bool ended = find_end(csv), too_long = csv->scan - csv->begin > L2R_CSV_LONGEST;
        if (ended && !too_long) {
            if (csv->quoted) snprintf(csv->problem, sizeof csv->problem, "%s", open_quote);
            take(csv, csv->scan, csv->scan + 1);
            break;
        }
        if (too_long || (csv->finished && csv->quoted)) {
            L2R_TRY(give_up(csv, error));
            break;
        }
        if (csv->finished) {
            *found = length > 0;
            if (*found) take(csv, csv->end, csv->end);
            break;
        }
        L2R_TRY(fill(csv, error));
    }
done:
    return status;
}

/* Takes the record apart, unless it is lost already. */
static enum l2r_status read_fields(struct l2r_csv *csv, struct l2r_error *error)
{
    struct l2r_csv_record *r = &csv->record;
    r->n_fields = 0;
    r->number++;
    if (csv->problem[0] == '\0') {
        if (!l2r_csv_text_split(&csv->text, r->raw, r->raw_length, csv->delimiter))
            return l2r_fail_memory(error, r->raw_length, "the fields of a record");
        r->fields = csv->text.fields;
        r->n_fields = csv->text.n;
        l2r_csv_check(csv->problem, sizeof csv->problem, r->raw, r->raw_length);
        if (csv->expected == 0 && csv->problem[0] == '\0') csv->expected = r->n_fields;
        if (csv->problem[0] == '\0' && r->n_fields != csv->expected)
            snprintf(csv->problem, sizeof csv->problem, "it has %d field%s, the first record %d", (int)r->n_fields,
                     r->n_fields == 1 ? "" : "s", (int)csv->expected);
    }
    r->problem = csv->problem[0] != '\0' ? csv->problem : NULL;
    return L2R_OK;
}

enum l2r_status l2r_csv_next(const struct l2r_csv_record **record, struct l2r_csv *csv, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool found = true;
    *record = NULL;
    if (!csv->started) L2R_TRY(start(csv, error));
    do L2R_TRY(find_record(&found, csv, error));
    while (found && csv->record.raw_length == 0 && csv->problem[0] == '\0');
    if (!found) goto done;
    L2R_TRY(read_fields(csv, error));
    *record = &csv->record;
done:
    return status;
}
