/* SPDX-License-Identifier: MIT
 *
 * See cli_terminal_guard in terminal.h. Between stdio and the terminal stands a filter:
 *
 *     text, \n, \t, \r, our own sequences     pass
 *     other control characters, of one byte (C0, DEL) or of two (C1), and bytes that are no UTF-8     become "?"
 *
 * A sequence may be cut by the end of a buffer, so the filter keeps its state between calls.
 */
#include "cli/terminal.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { HELD = 8, OUT = 1024 };

struct guard {
    int fd;
    char held[HELD]; /* the beginning of a sequence or a letter that is not complete yet */
    size_t n_held;
    char out[OUT];
    size_t n_out;
};

/* The escape sequences of terminal.c and the displays. */
static const char *const sequences[] = {"\033[0m", "\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[K"};

/* 1: a whole sequence of ours, 0: the beginning of one, -1: neither. */
static int check_sequence(const char *held, size_t n)
{
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        if (n <= strlen(sequences[i]) && memcmp(sequences[i], held, n) == 0) return n == strlen(sequences[i]);
    return -1;
}

/* The same for a letter of UTF-8; the control characters U+0080 to U+009F are none. */
static int check_letter(const char *held, size_t n)
{
    const unsigned char *b = (const unsigned char *)held;
    size_t length = b[0] < 0xC2 ? 0 : b[0] < 0xE0 ? 2 : b[0] < 0xF0 ? 3 : b[0] < 0xF5 ? 4 : 0;
    if (length == 0 || (n > 1 && (b[n - 1] & 0xC0) != 0x80) || (n > 1 && b[0] == 0xC2 && b[1] < 0xA0)) return -1;
    return n == length;
}

static bool flush_out(struct guard *g)
{
    for (size_t done = 0; done < g->n_out;) {
        ssize_t n = write(g->fd, g->out + done, g->n_out - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    g->n_out = 0;
    return true;
}

static void put(struct guard *g, const char *bytes, size_t n)
{
    memcpy(g->out + g->n_out, bytes, n); /* room for HELD + 1 is always there */
    g->n_out += n;
}

/* One byte that begins something. */
static void begin(struct guard *g, char byte)
{
    unsigned char c = (unsigned char)byte;
    bool text = (c >= ' ' && c < 127) || c == '\n' || c == '\t' || c == '\r';
    if (text)
        put(g, &byte, 1);
    else if (c == 27 || c >= 0x80)
        g->held[g->n_held++] = byte;
    else
        put(g, "?", 1);
    if (g->n_held == 1 && c >= 0x80 && check_letter(g->held, 1) < 0) {
        put(g, "?", 1);
        g->n_held = 0;
    }
}

static void take(struct guard *g, char byte)
{
    if (g->n_held == 0) {
        begin(g, byte);
        return;
    }
    g->held[g->n_held++] = byte;
    int verdict = g->held[0] == 27 ? check_sequence(g->held, g->n_held) : check_letter(g->held, g->n_held);
    if (verdict == 0) return;
    if (verdict > 0) {
        put(g, g->held, g->n_held);
        g->n_held = 0;
        return;
    }
    /* It is none of our sequences: its first byte is replaced, the rest is ordinary text. */
    char rest[HELD];
    size_t n = g->n_held - 1;
    memcpy(rest, g->held + 1, n);
    put(g, "?", 1);
    g->n_held = 0;
    for (size_t i = 0; i < n; i++) take(g, rest[i]);
}

static ssize_t guarded_write(void *cookie, const char *bytes, size_t size)
{
    struct guard *g = cookie;
    for (size_t i = 0; i < size; i++) {
        take(g, bytes[i]);
        if (g->n_out > OUT - 4 * HELD && !flush_out(g)) return 0;
    }
    return flush_out(g) ? (ssize_t)size : 0;
}

void cli_terminal_guard(void)
{
    static struct guard guards[2] = {{.fd = STDOUT_FILENO}, {.fd = STDERR_FILENO}};
    for (int i = 0; i < 2; i++) {
        if (!isatty(guards[i].fd)) continue;
        FILE *stream = fopencookie(&guards[i], "w", (cookie_io_functions_t){.write = guarded_write});
        if (stream == NULL) continue;
        (void)setvbuf(stream, NULL, i == 0 ? _IOLBF : _IONBF, i == 0 ? BUFSIZ : 0);
        *(i == 0 ? &stdout : &stderr) = stream;
    }
}
