/* SPDX-License-Identifier: MIT
 *
 * Terminal properties (ioctl, TERM, NO_COLOR, COLUMNS) and text formats. Output is UTF-8 everywhere.
 */
#include "cli/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool cli_terminal_is_live(FILE *stream)
{
    const char *term = getenv("TERM");
    return isatty(fileno(stream)) && term != NULL && strcmp(term, "dumb") != 0;
}

int cli_terminal_width(FILE *stream, int otherwise)
{
    struct winsize size;
    if (!isatty(fileno(stream))) return otherwise;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    const char *columns = getenv("COLUMNS");
    int n = columns != NULL ? atoi(columns) : 0;
    return n > 0 ? n : otherwise;
}

static const char *style(FILE *stream, const char *sequence)
{
    const char *no_color = getenv("NO_COLOR");
    bool refused = no_color != NULL && no_color[0] != '\0';
    return !refused && cli_terminal_is_live(stream) ? sequence : "";
}

const char *cli_bold(FILE *stream)
{
    return style(stream, "\033[1m");
}

const char *cli_dim(FILE *stream)
{
    return style(stream, "\033[2m");
}

const char *cli_green(FILE *stream)
{
    return style(stream, "\033[32m");
}

const char *cli_red(FILE *stream)
{
    return style(stream, "\033[31m");
}

const char *cli_plain(FILE *stream)
{
    return style(stream, "\033[0m");
}

int cli_text_width(const char *text)
{
    int width = 0;
    for (; *text != '\0'; text++) width += ((unsigned char)*text & 0xC0) != 0x80; /* not a continuation byte */
    return width;
}

/* Columns of the first `bytes` bytes. */
static int width_of(const char *text, size_t bytes)
{
    int width = 0;
    for (size_t i = 0; i < bytes; i++) width += ((unsigned char)text[i] & 0xC0) != 0x80;
    return width;
}

void cli_print_wrapped(FILE *stream, const char *text, int column, int indent, int width)
{
    bool first = true;
    while (*text != '\0') {
        text += strspn(text, " ");
        if (*text == '\n') {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
            first = true;
            text++;
            continue;
        }
        size_t bytes = strcspn(text, " \n");
        if (bytes == 0) break;
        int needed = width_of(text, bytes);
        if (!first && column + 1 + needed > width) {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        fprintf(stream, "%s%.*s", first ? "" : " ", (int)bytes, text);
        column += needed + !first;
        first = false;
        text += bytes;
    }
    fputc('\n', stream);
}

const char *cli_format_score(char *buffer, size_t size, double value)
{
    if (isnan(value))
        snprintf(buffer, size, "–");
    else
        snprintf(buffer, size, fabs(value) < 1000 ? "%.4f" : "%.5g", value);
    return buffer;
}

const char *cli_format_duration(char *buffer, size_t size, double seconds)
{
    if (!(seconds >= 0) || seconds > 1e9) {
        snprintf(buffer, size, "–");
        return buffer;
    }
    long s = lround(seconds);
    if (s < 3600)
        snprintf(buffer, size, "%ld:%02ld", s / 60, s % 60);
    else
        snprintf(buffer, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    return buffer;
}

const char *cli_format_bar(char *buffer, size_t size, FILE *stream, double done, int columns)
{
    int full = (int)(done * columns + 0.5);
    size_t n = (size_t)snprintf(buffer, size, "%s", cli_green(stream));
    for (int i = 0; i < columns && n + 24 < size; i++) {
        if (i == full) n += (size_t)snprintf(buffer + n, size - n, "%s%s", cli_plain(stream), cli_dim(stream));
        n += (size_t)snprintf(buffer + n, size - n, i < full ? "━" : "─");
    }
    snprintf(buffer + n, size - n, "%s", cli_plain(stream));
    return buffer;
}

const char *cli_format_shell(char *buffer, size_t size, const char *word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    if (word[0] != '\0' && strspn(word, safe) == strlen(word)) {
        snprintf(buffer, size, "%s", word);
        return buffer;
    }
    size_t n = 0;
    if (size < 8) return "";
    buffer[n++] = '\'';
    for (; *word != '\0' && n + 6 < size; word++) {
        if (*word == '\'')
            n += (size_t)snprintf(buffer + n, size - n, "'\\''");
        else
            buffer[n++] = *word;
    }
    buffer[n++] = '\'';
    buffer[n] = '\0';
    return buffer;
}
