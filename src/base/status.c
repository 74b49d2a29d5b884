/* SPDX-License-Identifier: MIT
 * See status.h. The function names are in parentheses because macros of the same names exist for the static
 * analyser. */
#include "base/status.h"

#include "base/decimal.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A message may quote an untrusted file, so control characters, which a terminal would interpret, become '?'. Line
 * breaks survive only if the format itself has some. */
static void make_plain(char *text, bool lines)
{
    for (; *text; text++)
        if (((unsigned char)*text < ' ' && !(lines && *text == '\n')) || *text == 127) *text = '?';
}

const char *l2r_status_name(enum l2r_status status)
{
    static const char *const names[] = {"ok",       "argument",    "io",      "format", "memory",
                                        "diverged", "interrupted", "network", "missing"};
    return (size_t)status < sizeof names / sizeof *names ? names[(size_t)status] : "unknown";
}

enum l2r_status(l2r_fail)(struct l2r_error *error, enum l2r_status status, const char *format, ...)
{
    if (error) {
        va_list args;
        va_start(args, format);
        error->status = status;
        l2r_decimal_vprint(error->message, sizeof error->message, format, args);
        va_end(args);
        make_plain(error->message, strchr(format, '\n') != NULL);
    }
    return status;
}

enum l2r_status(l2r_fail_memory)(struct l2r_error *error, size_t bytes, const char *what)
{
    if (bytes == 0) return l2r_fail(error, L2R_ERR_MEMORY, "out of memory for %s", what);
    return l2r_fail(error, L2R_ERR_MEMORY, "out of memory: %zu bytes were needed for %s", bytes, what);
}
