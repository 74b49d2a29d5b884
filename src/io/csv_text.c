/* SPDX-License-Identifier: MIT
 * See csv_text.h. */
#include "io/csv_text.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

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

bool l2r_csv_text_split(struct l2r_csv_text *text, const char *raw, size_t length, char delimiter)
{
    const char *at = raw, *stop = raw + length;
    text->n = 0;
    /* A field takes no more than its own bytes, and a 0 in the place of the delimiter. */
    if (!l2r_reserve((void **)&text->text, &text->capacity, length + 1, 1)) return false;
    for (char *out = text->text;; at++) {
        if (!l2r_reserve((void **)&text->fields, &text->fields_capacity, (size_t)text->n + 1, sizeof *text->fields))
            return false;
        struct l2r_csv_field *field = &text->fields[text->n++];
        field->text = out;
        out = copy_field(out, &at, stop, delimiter);
        field->length = (size_t)(out - field->text);
        *out++ = '\0';
        if (at == stop) return true;
    }
}

void l2r_csv_text_clear(struct l2r_csv_text *text)
{
    l2r_free(text->text);
    l2r_free(text->fields);
    *text = (struct l2r_csv_text){0};
}

char l2r_csv_guess_delimiter(const char *text, const char *stop)
{
    static const char known[] = {'\t', ',', ';'};
    int64_t count[sizeof known] = {0};
    bool quoted = false;
    size_t best = 1;
    while (text < stop && (*text == '\n' || *text == '\r')) text++;
    for (; text < stop && (quoted || *text != '\n'); text++) {
        if (*text == '"') quoted = !quoted;
        for (size_t k = 0; k < sizeof known; k++) count[k] += *text == known[k] && !quoted;
    }
    for (size_t k = 0; k < sizeof known; k++)
        if (count[k] > count[best]) best = k;
    return known[best];
}

/* Bytes of the letter at `text`, of which at most `left` are there; 0: it is none. Overlong forms, halves of surrogate
 * pairs and what lies beyond U+10FFFF are none. */
static size_t letter(const unsigned char *text, size_t left)
{
    unsigned char first = text[0], low = 0x80, high = 0xbf;
    size_t n = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : 4;
    if (n == 1) return 1;
    if (first < 0xc2 || first > 0xf4 || n > left) return 0;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
    if (text[1] < low || text[1] > high) return 0;
    for (size_t i = 2; i < n; i++)
        if (text[i] < 0x80 || text[i] > 0xbf) return 0;
    return n;
}

int64_t l2r_utf8_check(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t i = 0; i < length;) {
        size_t n = letter(bytes + i, length - i);
        if (n == 0) return (int64_t)i;
        i += n;
    }
    return -1;
}

void l2r_csv_check(char *problem, size_t size, const char *raw, size_t length)
{
    if (memchr(raw, '\0', length)) {
        snprintf(problem, size, "it holds a zero byte");
        return;
    }
    int64_t at = l2r_utf8_check(raw, length);
    if (at >= 0)
        snprintf(problem, size, "its byte %lld (0x%02x) is not UTF-8", (long long)at + 1, (unsigned char)raw[at]);
}

void l2r_csv_excerpt(char *out, size_t size, const char *text)
{
    size_t length = strlen(text), used = 0;
    const unsigned char *bytes = (const unsigned char *)text;
    while (used < length) {
        size_t n = letter(bytes + used, length - used);
        if (n == 0) n = 1;
        if (used + n >= size) break;
        memcpy(out + used, text + used, n);
        if (bytes[used] < ' ' || bytes[used] == 127) out[used] = ' ';
        used += n;
    }
    out[used] = '\0';
}
