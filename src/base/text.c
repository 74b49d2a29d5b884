/* SPDX-License-Identifier: MIT
 * See text.h. The buffer doubles, so a text of n bytes costs O(n) copies; one byte is always kept for the NUL. */
#include "base/text.h"

#include "base/decimal.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool make_room(struct l2r_text *text, size_t more)
{
    if (!text->failed && !l2r_reserve((void **)&text->text, &text->capacity, text->length + more + 1, 1))
        text->failed = true;
    return !text->failed;
}

void l2r_text_add(struct l2r_text *text, const char *bytes, size_t n)
{
    if (!make_room(text, n)) return;
    memcpy(text->text + text->length, bytes, n);
    text->length += n;
    text->text[text->length] = '\0';
}

void l2r_text_puts(struct l2r_text *text, const char *string)
{
    l2r_text_add(text, string, strlen(string));
}

void l2r_text_vprint(struct l2r_text *text, const char *format, va_list arguments)
{
    va_list again; /* measured first, then written */
    va_copy(again, arguments);
    int length = l2r_decimal_vprint(NULL, 0, format, arguments);
    if (length >= 0 && make_room(text, (size_t)length)) {
        l2r_decimal_vprint(text->text + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void l2r_text_print(struct l2r_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    l2r_text_vprint(text, format, arguments);
    va_end(arguments);
}

void l2r_text_clear(struct l2r_text *text)
{
    l2r_free(text->text);
    *text = (struct l2r_text){0};
}

enum l2r_status l2r_text_finish(char **string, struct l2r_text *text, const char *what, struct l2r_error *error)
{
    l2r_text_add(text, "", 0); /* an empty text becomes "", not NULL */
    if (text->failed) {
        size_t needed = text->length;
        l2r_text_clear(text);
        *string = NULL;
        return l2r_fail_memory(error, needed, what);
    }
    *string = text->text;
    *text = (struct l2r_text){0};
    return L2R_OK;
}

/* Bytes of the UTF-8 character at `text`, where `left` bytes remain; 0: not a character. The first byte tells the
 * length; the second is limited further where overlong forms (e0, f0), surrogates (ed) or values beyond U+10FFFF (f4)
 * begin. */
static size_t character(const unsigned char *text, size_t left)
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
        size_t n = character(bytes + i, length - i);
        if (n == 0) return (int64_t)i;
        i += n;
    }
    return -1;
}

void l2r_text_excerpt(char *out, size_t size, const char *text)
{
    size_t length = strlen(text), used = 0;
    const unsigned char *bytes = (const unsigned char *)text;
    while (used < length) {
        size_t n = character(bytes + used, length - used);
        if (n == 0) n = 1; /* not UTF-8: byte by byte */
        if (used + n >= size) break;
        memcpy(out + used, text + used, n);
        if (bytes[used] < ' ' || bytes[used] == 127) out[used] = ' ';
        used += n;
    }
    out[used] = '\0';
}

/* Returns the character at *text and moves *text past it; a byte that begins no character stands for itself. */
static uint32_t next_character(const unsigned char **text)
{
    uint32_t c = *(*text)++;
    int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC0 ? 1 : 0;
    if (more > 0) c &= 0x3FU >> more;
    for (; more > 0 && (**text & 0xC0) == 0x80; more--) c = c << 6 | (*(*text)++ & 0x3FU);
    return c;
}

static bool is_within(uint32_t c, const uint32_t (*ranges)[2])
{
    for (; (*ranges)[1] != 0; ranges++)
        if (c >= (*ranges)[0] && c <= (*ranges)[1]) return true;
    return false;
}

int l2r_text_columns(const char *text)
{
    static const uint32_t none[][2] = {{0x300, 0x36F},   {0x200B, 0x200F}, {0x20D0, 0x20FF},
                                       {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0, 0}};
    static const uint32_t wide[][2] = {{0x1100, 0x115F},
                                       {0x2E80, 0xA4CF},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFE30, 0xFE6F},
                                       {0xFF00, 0xFF60},
                                       {0xFFE0, 0xFFE6},
                                       {0x1F300, 0x1F64F},
                                       {0x1F900, 0x1F9FF},
                                       {0x20000, 0x3FFFD},
                                       {0, 0}};
    const unsigned char *at = (const unsigned char *)text;
    int columns = 0;
    while (*at) {
        uint32_t c = next_character(&at);
        columns += is_within(c, none) ? 0 : is_within(c, wide) ? 2 : 1;
    }
    return columns;
}
