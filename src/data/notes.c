/* SPDX-License-Identifier: MIT
 * See notes.h. Lines of rows are those that come after the line "… rows were skipped". */
#include "data/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 10000, LONGEST = 600 };

bool l2r_notes_add(struct l2r_notes *notes, const char *format, ...)
{
    char line[LONGEST];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
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

/* The number in front of " of N rows were skipped", or 0: the line is another one. */
static int64_t rows_left_out(const char *line)
{
    long long n = 0;
    static const char end[] = " rows were skipped";
    size_t length = strlen(line);
    if (length <= sizeof end || strcmp(line + length - sizeof end + 1, end) != 0) return 0;
    const char *colon = strrchr(line, ':');
    return colon && sscanf(colon, ": %lld of", &n) == 1 ? n : 0;
}

void l2r_notes_tell(const struct l2r_dataset *data, int64_t most, void (*tell)(void *context, const char *line),
                    void *context)
{
    char line[LONGEST + 1];
    int64_t left_out = 0, told = 0;
    for (const char *at = data->notes; at && *at;) {
        size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(length < LONGEST ? length : LONGEST), at);
        at += length + (at[length] == '\n');
        if (left_out > 0 && most > 0 && told == most) break;
        tell(context, line);
        told += left_out > 0;
        if (left_out == 0) left_out = rows_left_out(line);
    }
    if (told >= left_out) return;
    snprintf(line, sizeof line, "and %lld more%s", (long long)(left_out - told),
             most > 0 ? "; `l2r data info` lists them" : "");
    tell(context, line);
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
