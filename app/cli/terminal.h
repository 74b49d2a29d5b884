/* SPDX-License-Identifier: MIT
 *
 * What the program knows about where its text goes: a terminal of some width, with or without colour, or a pipe.
 * Also text widths and the few number formats that people read.
 */
#ifndef L2R_CLI_TERMINAL_H
#define L2R_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

/* Columns that UTF-8 text takes (every character counts one). */
int cli_text_width(const char *text);
/* Prints words from column `column`, continuing lines at `indent`, within `width`. */
void cli_print_wrapped(FILE *stream, const char *text, int column, int indent, int width);

/* "0.7812", or "–" for NaN. */
const char *cli_format_score(char *buffer, size_t size, double value);
/* "0:07", "12:03", "1:02:03"; "–" for NaN or negative. */
const char *cli_format_duration(char *buffer, size_t size, double seconds);
/* "━━━━━───" of so many columns, coloured where the stream takes colour. */
const char *cli_format_bar(char *buffer, size_t size, FILE *stream, double done, int columns);
/* A word as a POSIX shell reads it back: quoted when it must be. */
const char *cli_format_shell(char *buffer, size_t size, const char *word);

#endif
