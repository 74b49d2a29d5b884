/* SPDX-License-Identifier: MIT
 * See numbers.h.
 *
 * Most reals have few digits: m × 10^k with m < 2^53 and |k| <= 22 is exact in double after one rounding (Clinger
 * 1990), because both factors are exact. The rest goes to strtod in the C locale. */
#include "io/numbers.h"

#include "base/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

struct decimal {
    bool negative;
    uint64_t mantissa;
    int digits;   /* significant digits in mantissa */
    int exponent; /* of ten */
};

/* Digits before the point (step 0) or after it (step -1: each one lowers the exponent). Leading zeros are not
 * significant; beyond 19 digits the mantissa is no longer kept, and the number goes the slow way. */
static const char *scan_digits(struct decimal *d, const char *p, const char *end, int step)
{
    for (; p < end && (unsigned char)(*p - '0') < 10; p++) {
        if (d->digits > 0 || *p != '0') d->digits++;
        if (d->digits <= 19) d->mantissa = d->mantissa * 10 + (uint64_t)(*p - '0');
        d->exponent += step;
    }
    return p;
}

/* The end of a well-formed decimal that starts at p, or NULL. */
static const char *scan(struct decimal *d, const char *p, const char *end)
{
    const char *first;
    int dot = 0;
    d->negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    first = p;
    p = scan_digits(d, p, end, 0);
    if (p < end && *p == '.') {
        dot = 1;
        p = scan_digits(d, p + 1, end, -1);
    }
    if (p - first == dot) return NULL; /* no digit */
    if (p < end && (*p == 'e' || *p == 'E')) {
        bool negative = ++p < end && *p == '-';
        int exponent = 0;
        if (p < end && (*p == '-' || *p == '+')) p++;
        first = p;
        for (; p < end && (unsigned char)(*p - '0') < 10; p++)
            if (exponent < 100000) exponent = exponent * 10 + (*p - '0');
        if (p == first) return NULL;
        d->exponent += negative ? -exponent : exponent;
    }
    return p;
}

/* l2r_decimal_read on a copy, since the text has no terminator. */
static bool slow_real(const char *p, const char *stop, double *value)
{
    char copy[512];
    size_t length = (size_t)(stop - p);
    if (length >= sizeof copy) return false;
    memcpy(copy, p, length);
    copy[length] = '\0';
    *value = l2r_decimal_read(copy, NULL);
    return true;
}

static const char *scan_word(const char *p, const char *end, double *value)
{
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (end - p < 3) return NULL;
    if (strncasecmp(p, "nan", 3) == 0)
        *value = (double)NAN;
    else if (strncasecmp(p, "inf", 3) == 0)
        *value = negative ? -(double)INFINITY : (double)INFINITY;
    else
        return NULL;
    return p + 3;
}

bool l2r_field_real(const char **at, const char *end, double *value)
{
    struct decimal d = {0};
    const char *p = l2r_skip_blanks(*at, end);
    const char *stop = scan(&d, p, end);
    if (!stop) {
        stop = scan_word(p, end, value);
        if (!stop) return false;
    } else if (d.digits <= 19 && d.mantissa < (UINT64_C(1) << 53) && d.exponent >= -22 && d.exponent <= 22) {
        double m = (double)d.mantissa;
        m = d.exponent < 0 ? m / powers[-d.exponent] : m * powers[d.exponent];
        *value = d.negative ? -m : m;
    } else if (!slow_real(p, stop, value)) {
        return false;
    }
    *at = l2r_skip_blanks(stop, end);
    return *at == end || **at == ',';
}
