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

/* ---- where it stands, as the sentence says it ---- */

static void cut(char *out, size_t size, const char *text, size_t length)
{
    if (length >= size) length = size - 1;
    memcpy(out, text, length);
    out[length] = '\0';
}

/* "`lr` …", "`scope=batch`: …" */
static void find_option(struct l2r_error *e)
{
    size_t length = e->message[0] == '`' ? strspn(e->message + 1, "abcdefghijklmnopqrstuvwxyz0123456789-") : 0;
    char after = e->message[0] == '`' ? e->message[1 + length] : 0;
    if (length > 0 && (after == '`' || after == '=')) cut(e->option, sizeof e->option, e->message + 1, length);
}

/* "data/x.csv:12: …", "runs/a: …"; what is no file has neither a slash nor a point. */
static void find_place(struct l2r_error *e)
{
    const char *end = strstr(e->message, ": "), *digits = end;
    if (!end) return;
    while (digits > e->message && digits[-1] >= '0' && digits[-1] <= '9') digits--;
    bool line = digits < end && end - digits < 18 && digits > e->message + 1 && digits[-1] == ':';
    size_t length = (size_t)((line ? digits - 1 : end) - e->message);
    bool named = memchr(e->message, '/', length) || memchr(e->message, '.', length);
    if (!line && (!named || (e->status != L2R_ERR_IO && e->status != L2R_ERR_FORMAT))) return;
    cut(e->path, sizeof e->path, e->message, length);
    for (; line && digits < end; digits++) e->line = 10 * e->line + (*digits - '0');
}

/* "graph 12 has …" */
static void find_graph(struct l2r_error *e)
{
    static const char word[] = "graph ";
    const char *at = strstr(e->message, word);
    bool begins = at && (at == e->message || at[-1] == ' ');
    const char *digits = begins ? at + sizeof word - 1 : "";
    size_t length = strspn(digits, "0123456789");
    if (length == 0 || length > 17) return;
    for (e->graph = 0; length-- > 0; digits++) e->graph = 10 * e->graph + (*digits - '0');
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
        error->option[0] = error->path[0] = '\0';
        error->line = 0;
        error->graph = -1;
        find_option(error);
        find_place(error);
        find_graph(error);
    }
    return status;
}

enum l2r_status(l2r_fail_memory)(struct l2r_error *error, size_t bytes, const char *what)
{
    if (bytes == 0) return l2r_fail(error, L2R_ERR_MEMORY, "out of memory for %s", what);
    return l2r_fail(error, L2R_ERR_MEMORY, "out of memory: %zu bytes were needed for %s", bytes, what);
}
