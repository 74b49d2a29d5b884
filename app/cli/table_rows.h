/* SPDX-License-Identifier: MIT
 *
 * Rows of a table passed on as they are, with columns of our own behind them:
 *
 *     smiles,name            ->  smiles,name,p,distance,applicability,problem
 *     CCO,"ethanol, dry"     ->  CCO,"ethanol, dry",0.91,0.8,0.7,
 *     C(C,carbon             ->  C(C,carbon,,,,this is not a SMILES
 *
 * Every byte of a row is kept. A row with too few fields is filled up with empty ones and a quote that is never closed
 * is closed, so that what follows stands in its columns; in place of a record that was too long to be kept stand empty
 * fields.
 */
#ifndef L2R_CLI_TABLE_ROWS_H
#define L2R_CLI_TABLE_ROWS_H

#include "predict/table_chunks.h"

#include <stdio.h>

/* A prefix for names of our own, so that the table has none of them yet: "", "l2r_", "l2r_2_", … `names` writes them
 * with a prefix, each behind a line feed. */
enum { CLI_PREFIX = 24 };
typedef void cli_names_fn(FILE *out, const void *context, char delimiter, const char *prefix);
void cli_table_prefix(char prefix[CLI_PREFIX], const struct l2r_molecule_table *table, cli_names_fn *names,
                      const void *context);

/* The row itself, filled up to the table's columns, without the line's end. */
void cli_table_row(FILE *out, const struct l2r_molecule_table *table, const char *raw, size_t length);

#endif
