/* SPDX-License-Identifier: MIT
 *
 * Notes (reader.h): a reader's remarks about a data set, one line each, as text that is cached with the data. Lists of
 * rows and cells are announced by a line that counts them. */
#include "data/reader.h"

#include "base/decimal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_ROWS = 10000, /* left-out rows that get a line of their own */
    LONGEST = 600      /* bytes of a line */
};

/* A cell of the user's table may hold anything; in a line for a terminal it must not break the line or colour it. */
bool l2r_notes_add(struct l2r_notes *notes, const char *format, ...)
{
    char line[LONGEST];
    va_list arguments;
    va_start(arguments, format);
    int length = l2r_decimal_vprint(line, sizeof line, format, arguments);
    va_end(arguments);
    size_t bytes = length < 0 ? 0 : (size_t)length < sizeof line ? (size_t)length : sizeof line - 1;
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 127) line[i] = ' ';
    l2r_text_add(&notes->text, line, bytes);
    l2r_text_puts(&notes->text, "\n");
    return !notes->text.failed;
}

bool l2r_notes_add_row(struct l2r_notes *notes, const char *path, int64_t line, const char *reason)
{
    if (notes->n_rows++ >= MOST_ROWS) return true;
    return l2r_notes_add(notes, "%s:%lld: %s", path, (long long)line, reason);
}

void l2r_notes_clear(struct l2r_notes *notes)
{
    l2r_text_clear(&notes->text);
    *notes = (struct l2r_notes){0};
}

/* The number in front of `end` in ": 3 of 7 rows were skipped", or 0: the line is another one. */
static int64_t number_before(const char *line, const char *end)
{
    long long n = 0;
    size_t length = strlen(line), n_end = strlen(end);
    if (length <= n_end || strcmp(line + length - n_end, end) != 0) return 0;
    const char *colon = strrchr(line, ':');
    return colon && sscanf(colon, ": %lld ", &n) == 1 ? n : 0;
}

static int64_t rows_left_out(const char *line)
{
    return number_before(line, " rows were skipped") + number_before(line, " rows was skipped");
}

/* How many lines of rows or cells a line announces; 0: none. */
static int64_t announced(const char *line)
{
    int64_t rows = rows_left_out(line);
    if (rows > 0) return rows;
    return number_before(line, " cells hold no label and count as missing") +
           number_before(line, " cell holds no label and counts as missing");
}

/* A line may stand for several cells that are alike: "… (3 such cells, the last in line 9)". */
static int64_t cells_of(const char *line)
{
    long long n = 0;
    const char *end = strstr(line, " such cells, the last in line "), *open = NULL;
    for (const char *at = line; end && at < end; at++)
        if (*at == '(') open = at;
    return open && sscanf(open, "(%lld such", &n) == 1 && n > 1 ? n : 1;
}

/* Of n rows or cells that were announced. */
struct listing {
    int64_t n, listed;
    bool all; /* all listed lines are requested */
};

static void end_listing(const struct listing *l, void (*report)(void *context, const char *line), void *context)
{
    char line[80];
    if (l->listed >= l->n) return;
    snprintf(line, sizeof line, "and %lld more%s", (long long)(l->n - l->listed),
             l->all ? "" : "; `l2r data info` lists them");
    report(context, line);
}

/* Lines are about the file until one announces rows or cells. */
void l2r_notes_report(const struct l2r_dataset *data, int64_t most, void (*report)(void *context, const char *line),
                      void *context)
{
    char line[LONGEST + 1];
    struct listing listing = {.all = most == 0};
    for (const char *at = data->notes; at && *at;) {
        size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(length < LONGEST ? length : LONGEST), at);
        at += length + (at[length] == '\n');
        int64_t next = announced(line);
        if (next > 0) {
            end_listing(&listing, report, context);
            listing = (struct listing){.n = next, .all = most == 0};
            report(context, line);
        } else if (listing.n == 0 || most == 0 || listing.listed < most) {
            report(context, line);
            listing.listed += listing.n > 0 ? cells_of(line) : 0;
        }
    }
    end_listing(&listing, report, context);
}

int64_t l2r_notes_dropped(const struct l2r_dataset *data, int64_t i, int64_t *line, char *reason, size_t size)
{
    char text[LONGEST + 1];
    int64_t left_out = 0, at_row = 0;
    size_t prefix = 0; /* of "PATH" in "PATH:LINE: reason" */
    for (const char *at = data->notes; at && *at;) {
        size_t length = strcspn(at, "\n");
        snprintf(text, sizeof text, "%.*s", (int)(length < LONGEST ? length : LONGEST), at);
        at += length + (at[length] == '\n');
        long long number = 0;
        int end = 0;
        if (left_out > 0 && announced(text) > 0) break;
        if (left_out == 0) {
            left_out = rows_left_out(text);
            prefix = left_out > 0 ? (size_t)(strrchr(text, ':') - text) : 0;
        } else if (at_row++ == i && strlen(text) > prefix && sscanf(text + prefix, ":%lld: %n", &number, &end) == 1) {
            if (line) *line = number;
            if (reason) snprintf(reason, size, "%s", text + prefix + end);
        }
    }
    return left_out;
}
