/* SPDX-License-Identifier: MIT
 *
 * Terminal properties (ioctl, TERM, NO_COLOR, COLUMNS), text formats and tables. Output is UTF-8 everywhere. The cells
 * of a table are kept as text; printing measures every column first. Trailing blanks are never printed.
 */
#include "cli/terminal.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A guarded stream has no descriptor of its own. */
static int descriptor(FILE *stream)
{
    return stream == stdout ? STDOUT_FILENO : stream == stderr ? STDERR_FILENO : fileno(stream);
}

bool cli_terminal_is_live(FILE *stream)
{
    const char *term = getenv("TERM");
    return isatty(descriptor(stream)) && term != NULL && strcmp(term, "dumb") != 0;
}

int cli_terminal_width(FILE *stream, int otherwise)
{
    struct winsize size;
    if (!isatty(descriptor(stream))) return otherwise;
    if (ioctl(descriptor(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
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
        snprintf(buffer, size,
                 value != 0 && fabs(value) < 0.00095 ? "%.3g"
                 : fabs(value) < 1000                ? "%.4f"
                                                     : "%.5g",
                 value);
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

/* The length of "`name`" or "`name=value`" at the beginning of a text; 0: there is neither. *name and *value count the
 * letters. */
static size_t option_length(size_t *name, size_t *value, const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    if (text[0] != '`' || text[1] < 'a' || text[1] > 'z') return 0;
    *name = strspn(text + 1, letters);
    *value = text[1 + *name] == '=' ? strcspn(text + 2 + *name, "`") : 0;
    size_t end = 1 + *name + (*value > 0 ? 1 + *value : 0);
    return text[end] == '`' ? end + 1 : 0;
}

const char *cli_format_options(char *buffer, size_t size, const char *text)
{
    size_t used = 0, name = 0, value = 0, length;
    buffer[0] = '\0';
    while (*text != '\0' && used + 1 < size) {
        if ((length = option_length(&name, &value, text)) == 0) {
            buffer[used++] = *text++;
            buffer[used] = '\0';
            continue;
        }
        const char *rest = text + 2 + name;
        bool off = value == 5 && strncmp(rest, "false", 5) == 0, on = value == 4 && strncmp(rest, "true", 4) == 0;
        char word[512], quoted[1024];
        snprintf(word, sizeof word, "%.*s", (int)value, rest);
        const char *typed = strpbrk(word, " ()[]&;'\"#$<>|*?!") ? cli_format_shell(quoted, sizeof quoted, word) : word;
        int n = snprintf(buffer + used, size - used, "--%s%.*s%s%s", off ? "no-" : "", (int)name, text + 1,
                         value > 0 && !off && !on ? " " : "", off || on ? "" : typed);
        used += n > 0 ? (size_t)n : 0;
        text += length;
    }
    return buffer;
}

/* ---- tables ---- */

enum { MAX_COLUMNS = 32, MAX_CELL = 512, GAP = 2 };

void cli_table_init(struct cli_table *table, const char *alignment)
{
    *table = (struct cli_table){.alignment = alignment};
}

void cli_table_add(struct cli_table *table, const char *format, ...)
{
    char text[MAX_CELL];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    char *copy = l2r_strdup(text);
    if (copy == NULL ||
        !l2r_reserve((void **)&table->cells, &table->capacity, table->n_cells + 1, sizeof *table->cells)) {
        l2r_free(copy);
        table->failed = true;
        return;
    }
    table->cells[table->n_cells++] = copy;
}

void cli_table_add_score(struct cli_table *table, double value)
{
    char text[32];
    cli_table_add(table, "%s", cli_format_score(text, sizeof text, value));
}

static void print_row(const struct cli_table *table, const int *widths, size_t row, FILE *stream)
{
    size_t n_columns = strlen(table->alignment);
    int owed = 0; /* blanks to print before the next text */
    for (size_t c = 0; c < n_columns && row * n_columns + c < table->n_cells; c++) {
        const char *cell = table->cells[row * n_columns + c];
        int width = l2r_text_columns(cell);
        int blanks = widths[c] - width;
        bool right = table->alignment[c] == 'r';
        if (width > 0) {
            fprintf(stream, "%*s%s", owed + (right ? blanks : 0), "", cell);
            owed = right ? 0 : blanks;
        } else {
            owed += blanks;
        }
        owed += GAP;
    }
}

void cli_table_print(const struct cli_table *table, FILE *stream, const char *indent)
{
    int widths[MAX_COLUMNS] = {0};
    size_t n_columns = strlen(table->alignment);
    if (table->failed || n_columns == 0 || n_columns > MAX_COLUMNS) return;
    for (size_t i = 0; i < table->n_cells; i++) {
        int width = l2r_text_columns(table->cells[i]);
        if (width > widths[i % n_columns]) widths[i % n_columns] = width;
    }
    size_t n_rows = (table->n_cells + n_columns - 1) / n_columns;
    for (size_t row = 0; row < n_rows; row++) {
        bool heading = row == 0 && !table->no_heading;
        fprintf(stream, "%s%s", indent, heading ? cli_bold(stream) : "");
        print_row(table, widths, row, stream);
        fprintf(stream, "%s\n", heading ? cli_plain(stream) : "");
    }
}

void cli_table_clear(struct cli_table *table)
{
    for (size_t i = 0; i < table->n_cells; i++) l2r_free(table->cells[i]);
    l2r_free(table->cells);
    *table = (struct cli_table){0};
}
