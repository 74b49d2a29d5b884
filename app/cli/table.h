/* SPDX-License-Identifier: MIT
 *
 * Aligned tables:
 *
 *     struct cli_table table;
 *     cli_table_init(&table, "lrr");                 one letter a column: left or right
 *     cli_table_add(&table, "seed"); …               cells, row by row; the first row is the heading
 *     cli_table_print(&table, stdout, "  ");
 *     cli_table_clear(&table);
 */
#ifndef L2R_CLI_TABLE_H
#define L2R_CLI_TABLE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>

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
