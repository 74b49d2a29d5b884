/* SPDX-License-Identifier: MIT
 *
 * printf and strtod with a decimal point, whatever locale the calling program has set. Every number with a fraction
 * that is written or read, in a file, a message or an option of another library, passes through here: in a German
 * locale plain snprintf writes "0,5", and plain strtod reads "0.5" as 0.
 *
 * The locale is set for the calling thread alone (uselocale); other threads are not affected.
 */
#ifndef L2R_BASE_DECIMAL_H
#define L2R_BASE_DECIMAL_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Between these two calls the calling thread has the C locale; `before` is what l2r_decimal_begin returned. */
locale_t l2r_decimal_begin(void);
void l2r_decimal_end(locale_t before);

/* snprintf, vsnprintf, fprintf. */
int l2r_decimal_print(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int l2r_decimal_vprint(char *out, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
int l2r_decimal_write(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* strtod; end may be NULL. */
double l2r_decimal_read(const char *text, char **end);

#endif
