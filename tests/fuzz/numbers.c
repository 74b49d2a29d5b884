/* SPDX-License-Identifier: MIT
 *
 * Any text as a field with a number: refused, or the same bits that strtod gives.
 */
#include "io/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_real(const char *text, const char *end)
{
    const char *at = text;
    char *stop;
    double value = 0;
    if (!l2r_field_real(&at, end, &value)) return;
    double expected = strtod(text, &stop);
    if (isnan(value) ? !isnan(expected) : value != expected) abort();
    if (at < text || at > end || (at < end && *at != ',')) abort();
}

static void check_int(const char *text, const char *end)
{
    const char *at = text;
    int64_t value = 0;
    if (l2r_field_int(&at, end, &value) && value != strtoll(text, NULL, 10)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    check_real(text, text + size);
    check_int(text, text + size);
    free(text);
    return 0;
}
