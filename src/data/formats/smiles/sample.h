/* SPDX-License-Identifier: MIT
 *
 * The first sound rows of a table, cell by cell, to guess from. Cells are cut to a few hundred letters.
 */
#ifndef L2R_DATA_FORMATS_SMILES_SAMPLE_H
#define L2R_DATA_FORMATS_SMILES_SAMPLE_H

#include "io/csv.h"

struct l2r_table_sample {
    int64_t n_rows;
    int32_t n_columns;
    char **cells; /* [n_rows × n_columns] */
    size_t n_cells, capacity;
};

/* Fails when the table has no row at all, or more columns than a table of molecules can have. */
enum l2r_status l2r_table_sample_read(struct l2r_table_sample *sample, struct l2r_csv *csv, struct l2r_error *error);
void l2r_table_sample_clear(struct l2r_table_sample *sample);

static inline const char *l2r_table_sample_cell(const struct l2r_table_sample *sample, int64_t row, int32_t column)
{
    return sample->cells[row * sample->n_columns + column];
}

#endif
