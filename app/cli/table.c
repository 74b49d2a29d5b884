/* SPDX-License-Identifier: MIT
 *
 * Tables: cells are kept as text; printing measures every column first. Trailing blanks are never printed.
 */
#include "cli/table.h"

#include "base/memory.h"
#include "cli/terminal.h"

#include <stdarg.h>
#include <string.h>

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
        int width = cli_text_width(cell);
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
        int width = cli_text_width(table->cells[i]);
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
