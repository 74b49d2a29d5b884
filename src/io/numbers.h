/* SPDX-License-Identifier: MIT
 *
 * Strict, fast, locale-free number parsing for comma-separated text. A parser skips blanks, reads one number and more
 * blanks, and succeeds only if it then stands at a comma or at the end; *at is left there:
 *
 *     " 12 ,7"  ->  12, *at on the comma          "12x,7"  ->  false          ""  ->  false
 *
 * The text needs no terminator. base/config.h has parsers for whole strings, as users type them.
 */
#ifndef L2R_IO_NUMBERS_H
#define L2R_IO_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

static inline const char *l2r_skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    return at;
}

/* Up to 18 digits with an optional sign. */
static inline bool l2r_field_int(const char **at, const char *end, int64_t *value)
{
    const char *p = l2r_skip_blanks(*at, end);
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    const char *first = p;
    int64_t number = 0;
    while (p < end && (unsigned char)(*p - '0') < 10 && p - first < 18) number = number * 10 + (*p++ - '0');
    if (p == first) return false;
    *value = negative ? -number : number;
    *at = p = l2r_skip_blanks(p, end);
    return p == end || *p == ',';
}

/* Decimal with optional fraction and exponent; also nan and inf in any case. */
bool l2r_field_real(const char **at, const char *end, double *value);

#endif
