/* SPDX-License-Identifier: MIT
 * See text.h. */
#include "base/text.h"

#include "base/memory.h"

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
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && make_room(text, (size_t)length)) {
        vsnprintf(text->text + text->length, (size_t)length + 1, format, again);
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
    l2r_text_add(text, "", 0);
    if (text->failed) {
        size_t asked = text->length;
        l2r_text_clear(text);
        *string = NULL;
        return l2r_fail_memory(error, asked, what);
    }
    *string = text->text;
    *text = (struct l2r_text){0};
    return L2R_OK;
}
