/* SPDX-License-Identifier: MIT
 * See csv.h. The buffer holds the current record and what was read after it. The end of a record is looked for byte by
 * byte; then the record is taken apart.
 *
 *     buffer   |… record before|current record ….|not read yet …|
 *                              begin             scan           end
 *
 * Every byte is read twice at most: if an open quote made the search run in vain as far as `lines_until`, quotes before
 * that point end with their line. */
#include "io/csv.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/source.h"
#include "io/western.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { ROOM = 1 << 10 }; /* small inputs must reach its end */
#else
enum { ROOM = 1 << 18 }; /* of a new buffer */
#endif
static const char open_quote[] = "a quote is opened and not closed";

/* Where in a record a byte stands. */
struct quoting {
    bool field_begins;
    bool has_quotes; /* the field began with one */
    bool quoted;     /* inside of quotes */
};
static const struct quoting record_begins = {.field_begins = true};

struct l2r_csv {
    struct l2r_stream *stream;
    char *path;
    char *buffer;
    size_t capacity, begin, end;
    size_t scan;         /* looked at, from begin */
    struct quoting at;   /* scan */
    bool finished;       /* the stream has ended */
    bool started;        /* the first bytes were looked at */
    int64_t line;        /* of begin */
    int64_t taken;       /* bytes before buffer[0] */
    int64_t lines_until; /* up to this byte of the file a record is a line */
    char delimiter;
    char feed;        /* what ends a line: \n, or \r */
    int32_t expected; /* fields of the first sound record */
    char problem[160];
    struct l2r_csv_fields fields;
    struct l2r_csv_record record;
    const int64_t *lines;  /* l2r_csv_annotate */
    char *const *problems; /* the same */
    int64_t n_annotated;
    bool has_utf8;       /* a record had letters beyond ASCII, and was UTF-8 */
    int64_t western;     /* the line of the first record in Windows-1252; 0: none */
    char *letters;       /* such a record as UTF-8 */
    size_t letters_room; /* bytes */
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
    if (source->kind == L2R_SOURCE_FILE || source->kind == L2R_SOURCE_INPUT)
        snprintf(csv->path, length, "%s", source->path);
    else
        snprintf(csv->path, length, "%s/%s", source->path, entry->name);
    csv->capacity = ROOM;
    csv->delimiter = delimiter;
    csv->line = 1;
    csv->feed = '\n';
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
    l2r_csv_fields_clear(&csv->fields);
    l2r_free(csv->letters);
    l2r_free(csv->buffer);
    l2r_free(csv->path);
    l2r_free(csv);
}

void l2r_csv_annotate(struct l2r_csv *csv, const int64_t *lines, char *const *problems, int64_t n)
{
    csv->lines = lines;
    csv->problems = problems;
    csv->n_annotated = n;
}

char l2r_csv_delimiter(const struct l2r_csv *csv)
{
    return csv->delimiter;
}

int64_t l2r_csv_western(const struct l2r_csv *csv)
{
    return csv->western;
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

/* More bytes after the unread ones. Without room for them (the record is as long as allowed) nothing happens. */
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

/* The delimiter most frequent outside of quotes in the first line; a comma when there is none. */
static char guess_delimiter(const char *text, const char *stop, char feed)
{
    static const char known[] = {'\t', ',', ';'};
    int64_t count[sizeof known] = {0};
    bool quoted = false;
    size_t best = 1;
    while (text < stop && (*text == '\n' || *text == '\r')) text++;
    for (; text < stop && (quoted || *text != feed); text++) {
        if (*text == '"') quoted = !quoted;
        for (size_t k = 0; k < sizeof known; k++) count[k] += *text == known[k] && !quoted;
    }
    for (size_t k = 0; k < sizeof known; k++)
        if (count[k] > count[best]) best = k;
    return known[best];
}

/* Excel's first line "sep=;": the delimiter, which wins over a guess. */
static void take_separator(struct l2r_csv *csv)
{
    const char *b = csv->buffer + csv->begin, *stop = csv->buffer + csv->end;
    if (stop - b < 6 || strncasecmp(b, "sep=", 4) != 0) return;
    const char *end = b + 5 + (b[5] == '\r' && csv->feed == '\n');
    if (end >= stop || *end != csv->feed) return;
    if (csv->delimiter == 0) csv->delimiter = b[4];
    csv->begin = (size_t)(end + 1 - csv->buffer);
    csv->line++;
}

/* Reads the first bytes: skips a byte order mark and refuses other formats. */
static enum l2r_status start(struct l2r_csv *csv, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    while (csv->end < ROOM && !csv->finished) L2R_TRY(fill(csv, error));
    const char *b = csv->buffer;
    if (csv->end >= 4 && memcmp(b, "PK\3\4", 4) == 0)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: this is a zip archive under the name of a table; unpack it first", csv->path);
    if (csv->end >= 2 && (memcmp(b, "\xff\xfe", 2) == 0 || memcmp(b, "\xfe\xff", 2) == 0))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: this is UTF-16; save the table as UTF-8", csv->path);
    if (csv->end >= 3 && memcmp(b, "\xef\xbb\xbf", 3) == 0) csv->begin = 3;
    if (memchr(b, '\r', csv->end) && !memchr(b, '\n', csv->end)) csv->feed = '\r';
    take_separator(csv);
    if (csv->delimiter == 0) csv->delimiter = guess_delimiter(b + csv->begin, b + csv->end, csv->feed);
    csv->scan = csv->begin;
    csv->started = true;
done:
    return status;
}

/* The state after the byte c. The whole of RFC 4180's quoting is here; finding the end of a record and counting its
 * fields both use it. */
static inline void step(struct quoting *at, char c, char delimiter)
{
    if (c == '"' && (at->field_begins || at->has_quotes)) {
        at->has_quotes = true;
        at->quoted = !at->quoted; /* a doubled quote changes it twice */
    }
    at->field_begins = c == delimiter && !at->quoted;
    if (at->field_begins) at->has_quotes = false;
}

int32_t l2r_csv_count_fields(bool *open, const char *raw, size_t length, char delimiter)
{
    int32_t n = 1;
    struct quoting at = record_begins;
    for (size_t i = 0; i < length; i++) {
        step(&at, raw[i], delimiter);
        n += at.field_begins;
    }
    *open = at.quoted;
    return n;
}

/* Searches for the line feed that ends the record; true: scan stands on it. */
static bool find_end(struct l2r_csv *csv)
{
    bool lines = csv->taken + (int64_t)csv->begin < csv->lines_until;
    for (; csv->scan < csv->end; csv->scan++) {
        char c = csv->buffer[csv->scan];
        if (c == csv->feed && (!csv->at.quoted || lines)) return true;
        step(&csv->at, c, csv->delimiter);
    }
    return false;
}

/* Ends the record at `stop` (of the buffer) and moves past the line's end there. */
static void take(struct l2r_csv *csv, size_t stop, size_t next)
{
    struct l2r_csv_record *r = &csv->record;
    size_t length = stop - csv->begin;
    r->raw = csv->buffer + csv->begin;
    if (length > 0 && csv->feed == '\n' && r->raw[length - 1] == '\r') length--;
    r->raw_length = length;
    r->line = csv->line;
    for (const char *c = csv->buffer + csv->begin, *end = csv->buffer + next;
         c < end && (c = memchr(c, csv->feed, (size_t)(end - c))); c++)
        csv->line++;
    csv->begin = csv->scan = next;
    csv->at = record_begins;
}

/* The record grew too long, or the file ended inside of quotes. When its first line alone is short enough the quote is
 * to blame, and the line is lost; otherwise everything up to the next line feed. */
static enum l2r_status give_up(struct l2r_csv *csv, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *feed = memchr(csv->buffer + csv->begin, csv->feed, csv->end - csv->begin);
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
        feed = memchr(csv->buffer + csv->begin, csv->feed, csv->end - csv->begin);
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
    csv->at.field_begins = true;
    for (;;) {
        size_t length = csv->end - csv->begin;
        bool ended = find_end(csv), too_long = csv->scan - csv->begin > L2R_CSV_LONGEST;
        if (ended && !too_long) {
            if (csv->at.quoted) snprintf(csv->problem, sizeof csv->problem, "%s", open_quote);
            take(csv, csv->scan, csv->scan + 1);
            break;
        }
        if (too_long || (csv->finished && csv->at.quoted)) {
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

/* One field from *at on, to the delimiter or the end; returns the end of the copy. */
static char *copy_field(char *out, const char **at, const char *stop, char delimiter)
{
    const char *c = *at;
    bool quotes = c < stop && *c == '"', quoted = false;
    for (; c < stop; c++) {
        if (*c == delimiter && !quoted) break;
        if (*c != '"' || !quotes) {
            *out++ = *c;
        } else if (quoted && c + 1 < stop && c[1] == '"') {
            *out++ = *c++; /* a doubled quote is one */
        } else {
            quoted = !quoted;
        }
    }
    *at = c;
    return out;
}

bool l2r_csv_split(struct l2r_csv_fields *to, const char *raw, size_t length, char delimiter)
{
    const char *at = raw, *stop = raw + length;
    to->n = 0;
    /* A field takes no more than its own bytes, and a 0 in the place of the delimiter. */
    if (!l2r_reserve((void **)&to->text, &to->capacity, length + 1, 1)) return false;
    for (char *out = to->text;; at++) {
        if (!l2r_reserve((void **)&to->field, &to->field_capacity, (size_t)to->n + 1, sizeof *to->field)) return false;
        struct l2r_csv_field *field = &to->field[to->n++];
        field->text = out;
        out = copy_field(out, &at, stop, delimiter);
        field->length = (size_t)(out - field->text);
        *out++ = '\0';
        if (at == stop) return true;
    }
}

void l2r_csv_fields_clear(struct l2r_csv_fields *fields)
{
    l2r_free(fields->text);
    l2r_free(fields->field);
    *fields = (struct l2r_csv_fields){0};
}

/* Writes what is wrong with the letters, if anything. */
static void check_letters(char *problem, size_t size, const char *raw, size_t length)
{
    if (memchr(raw, '\0', length)) {
        snprintf(problem, size, "it holds a zero byte");
        return;
    }
    int64_t at = l2r_utf8_check(raw, length);
    if (at >= 0)
        snprintf(problem, size, "its byte %lld (0x%02x) is not UTF-8", (long long)at + 1, (unsigned char)raw[at]);
}

/* Takes the record apart, unless it is lost already. */
static enum l2r_status read_fields(struct l2r_csv *csv, struct l2r_error *error)
{
    struct l2r_csv_record *r = &csv->record;
    r->n_fields = 0;
    r->number++;
    if (csv->problem[0] == '\0') {
        int64_t odd = l2r_utf8_check(r->raw, r->raw_length);
        for (size_t i = 0; odd < 0 && !csv->has_utf8 && i < r->raw_length; i++)
            csv->has_utf8 = (unsigned char)r->raw[i] >= 128;
        if (odd >= 0 && !csv->has_utf8 && l2r_is_western(r->raw, r->raw_length)) {
            if (!l2r_western_read(&csv->letters, &csv->letters_room, &r->raw_length, r->raw))
                return l2r_fail_memory(error, r->raw_length, "a record");
            r->raw = csv->letters;
            if (csv->western == 0) csv->western = r->line;
        }
        if (!l2r_csv_split(&csv->fields, r->raw, r->raw_length, csv->delimiter))
            return l2r_fail_memory(error, r->raw_length, "the fields of a record");
        r->fields = csv->fields.field;
        r->n_fields = csv->fields.n;
        check_letters(csv->problem, sizeof csv->problem, r->raw, r->raw_length);
        if (csv->expected == 0 && csv->problem[0] == '\0') csv->expected = r->n_fields;
        if (csv->problem[0] == '\0' && r->n_fields != csv->expected)
            snprintf(csv->problem, sizeof csv->problem, "it has %d field%s, the first record %d", (int)r->n_fields,
                     r->n_fields == 1 ? "" : "s", (int)csv->expected);
    }
    r->problem = csv->problem[0] != '\0' ? csv->problem : NULL;
    if (r->number < csv->n_annotated) {
        r->line = csv->lines[r->number];
        if (csv->problems[r->number]) r->problem = csv->problems[r->number];
    }
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
