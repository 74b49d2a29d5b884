/* SPDX-License-Identifier: MIT
 *
 * Text that grows. A failed allocation sticks: further additions do nothing, and l2r_text_finish reports it once, so
 * that code which writes pages, drawings, tables or notes has no error handling between its lines.
 *
 *     struct l2r_text text = {0};
 *     l2r_text_print(&text, "%d graphs", n);
 *     status = l2r_text_finish(&string, &text, "the page", error);
 *
 * Texts are UTF-8. Text from files is checked with l2r_utf8_check; l2r_text_excerpt makes any text safe to quote in a
 * message.
 */
#ifndef L2R_BASE_TEXT_H
#define L2R_BASE_TEXT_H

#include "base/status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct l2r_text {
    char *text; /* always NUL-terminated; NULL while nothing was added */
    size_t length, capacity;
    bool failed; /* memory ran out; the text is as before the failed addition */
};

void l2r_text_add(struct l2r_text *text, const char *bytes, size_t n);
void l2r_text_puts(struct l2r_text *text, const char *string);
void l2r_text_print(struct l2r_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void l2r_text_vprint(struct l2r_text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void l2r_text_clear(struct l2r_text *text);

/* Hands the string over (l2r_free; "" if nothing was added) and leaves the text empty; `what` names it when memory ran
 * out. */
enum l2r_status l2r_text_finish(char **string, struct l2r_text *text, const char *what, struct l2r_error *error);

/* The position of the first byte that is not UTF-8; -1: all are. */
int64_t l2r_utf8_check(const char *text, size_t length);

/* The beginning of a text, for a message of one line: whole characters that fit, blanks in place of control characters.
 * */
void l2r_text_excerpt(char *out, size_t size, const char *text);

/* Columns that a text takes on a terminal: 2 for each wide character (CJK, emoji), 0 for marks that join the one before
 * them. */
int l2r_text_columns(const char *text);

#endif
