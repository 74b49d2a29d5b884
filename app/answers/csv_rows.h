/* SPDX-License-Identifier: MIT
 *
 * Rows of the CSV that commands write: those of the user's own table, passed on unchanged with new columns after them.
 * Single fields are written by io/csv.h.
 *
 *     smiles,name            ->  smiles,name,p,distance,applicability,unseen,problem
 *     CCO,"ethanol, dry"     ->  CCO,"ethanol, dry",0.91,0.8,0.7,
 *     C(C,carbon             ->  C(C,carbon,,,,not a valid SMILES
 *
 * Every byte of a row is kept. A row with too few fields is padded with empty ones and an open quote is closed, so that
 * what follows lands in its columns; where it has too many, the last column takes all that is left, as one quoted
 * field. A record too long to be kept is replaced by empty fields.
 */
#ifndef L2R_ANSWERS_CSV_ROWS_H
#define L2R_ANSWERS_CSV_ROWS_H

#include "base/json.h"
#include "data/dataset.h"
#include "io/csv.h"
#include "model/table_chunks.h"

#include <stdio.h>

/* A graph's label as its source writes it, preceded by a comma; a missing label is an empty field. */
void l2r_csv_label(FILE *out, const struct l2r_dataset *data, int64_t graph, int32_t task);
/* The head of these columns: label, or label_NAME for each of several tasks. */
void l2r_csv_label_names(FILE *out, const struct l2r_dataset *data);

/* The same as members of `row`; a missing label is null. */
void l2r_json_labels(json_t *row, const struct l2r_dataset *data, int64_t graph);

/* Identifies the row of a graph in a table, because graph numbers skip rows without a molecule: the columns
 * ",line,name,smiles" and their values; nothing if the data is no table. */
void l2r_csv_place_names(FILE *out, const struct l2r_dataset *data);
void l2r_csv_place(FILE *out, const struct l2r_dataset *data, int64_t graph);
void l2r_json_place(json_t *row, const struct l2r_dataset *data, int64_t graph);

/* Writes the names of the new columns, each preceded by the delimiter and with `prefix` in front. */
typedef void l2r_names_fn(FILE *out, const void *context, char delimiter, const char *prefix);

/* The table's header [length] with the new names after it; NULL: the table has none and gets none. Names that the table
 * already has are made new by a prefix. */
void l2r_csv_header(FILE *out, const struct l2r_molecule_table *table, const char *header, size_t length,
                    l2r_names_fn *names, const void *context);

/* What names the table already has make new: "", "l2r_", "l2r_2_", … Written to prefix [L2R_CSV_PREFIX]. */
enum { L2R_CSV_PREFIX = 24 };
void l2r_csv_prefix(char prefix[L2R_CSV_PREFIX], const struct l2r_molecule_table *table, l2r_names_fn *names,
                    const void *context);

/* The columns of a row by their names; those of a table without header are called smiles, name, 2, 3, …  fields: room,
 * for many rows; NULL: out of memory. */
json_t *l2r_json_row(struct l2r_csv_fields *fields, const struct l2r_molecule_table *table, const char *raw,
                     size_t length);

/* The row itself, padded to the table's columns, without a newline. */
void l2r_csv_row(FILE *out, const struct l2r_molecule_table *table, const char *raw, size_t length);

#endif
