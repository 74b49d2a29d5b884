/* SPDX-License-Identifier: MIT
 *
 * Text for people: a terminal of some width, with or without colour, or a pipe; the few number formats that people
 * read; and aligned tables.
 *
 *     struct cli_table table;
 *     cli_table_init(&table, "lrr");                 one letter a column: left or right
 *     cli_table_add(&table, "seed"); …               cells, row by row; the first row is the heading
 *     cli_table_print(&table, stdout, "  ");
 *     cli_table_clear(&table);
 */
#ifndef L2R_CLI_TERMINAL_H
#define L2R_CLI_TERMINAL_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Call once, before anything is printed: from then on a terminal on stdout or stderr gets only text and the few escape
 * sequences below. Text from files (names, labels, rows of a table) can then be printed as it is: a control character
 * in it appears as "?". Pipes and files get every byte. */
void cli_terminal_guard(void);

/* A terminal that can redraw a line (TERM is not "dumb"). */
bool cli_terminal_is_live(FILE *stream);
/* Columns; `otherwise` when the stream is no terminal. */
int cli_terminal_width(FILE *stream, int otherwise);

/* The escape sequence, or "" where colour is not wanted: a pipe, NO_COLOR, a dumb terminal. */
const char *cli_bold(FILE *stream);
const char *cli_dim(FILE *stream);
const char *cli_green(FILE *stream);
const char *cli_red(FILE *stream);
const char *cli_plain(FILE *stream);

/* Prints text from column `column`, continuing lines at `indent`, within `width`. */
void cli_print_wrapped(FILE *stream, const char *text, int column, int indent, int width);

/* "0.7812", or "–" for NaN. */
const char *cli_format_score(char *buffer, size_t size, double value);
/* "0:07", "12:03", "1:02:03"; "–" for NaN or negative. */
const char *cli_format_duration(char *buffer, size_t size, double seconds);
/* A progress bar "━━━━━───" of this many columns, coloured where the stream takes colour. */
const char *cli_format_bar(char *buffer, size_t size, FILE *stream, double done, int columns);
/* A word as a POSIX shell reads it back: quoted when it must be. */
const char *cli_format_shell(char *buffer, size_t size, const char *word);

/* The library names an option `lr`, or `scope=batch` with its value; on the command line these are typed --lr and
 * --scope batch. Every sentence and line of help that comes from the library passes here before it is shown. */
const char *cli_format_options(char *buffer, size_t size, const char *text);

/* ---- tables ---- */

struct cli_table {
    const char *alignment;
    char **cells;
    size_t n_cells, capacity;
    bool no_heading;
    bool failed; /* out of memory on the way: printing does nothing */
};

void cli_table_init(struct cli_table *table, const char *alignment);
void cli_table_add(struct cli_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_table_add_score(struct cli_table *table, double value); /* "0.7812", "–" */
void cli_table_print(const struct cli_table *table, FILE *stream, const char *indent);
void cli_table_clear(struct cli_table *table);

#endif
