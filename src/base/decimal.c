/* SPDX-License-Identifier: MIT
 * See decimal.h. glibc's C locale is one object that newlocale returns and freelocale leaves alone, so none is kept. */
#include "base/decimal.h"

#include <stdlib.h>

locale_t l2r_decimal_begin(void)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return plain ? uselocale(plain) : (locale_t)0;
}

void l2r_decimal_end(locale_t before)
{
    if (!before) return;
    locale_t plain = uselocale(before);
    freelocale(plain);
}

int l2r_decimal_vprint(char *out, size_t size, const char *format, va_list arguments)
{
    locale_t before = l2r_decimal_begin();
    int length = vsnprintf(out, size, format, arguments);
    l2r_decimal_end(before);
    return length;
}

int l2r_decimal_print(char *out, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = l2r_decimal_vprint(out, size, format, arguments);
    va_end(arguments);
    return length;
}

int l2r_decimal_write(FILE *out, const char *format, ...)
{
    va_list arguments;
    locale_t before = l2r_decimal_begin();
    va_start(arguments, format);
    int length = vfprintf(out, format, arguments);
    va_end(arguments);
    l2r_decimal_end(before);
    return length;
}

double l2r_decimal_read(const char *text, char **end)
{
    locale_t before = l2r_decimal_begin();
    double value = strtod(text, end);
    l2r_decimal_end(before);
    return value;
}
