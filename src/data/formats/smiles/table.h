/* SPDX-License-Identifier: MIT
 *
 * A table whose rows are molecules: how it is written and which column holds the SMILES, from the user's options or,
 * where they leave it open, from the first rows.
 *
 *     delimiter   comma, semicolon or tab: whichever the first line has most of     --delimiter
 *     header      the first line names a known column, or has words where others     --header
 *                 have numbers or molecules
 *     SMILES      the column called smiles, …, mol; or the one with most molecules   --smiles-column
 */
#ifndef L2R_DATA_FORMATS_SMILES_TABLE_H
#define L2R_DATA_FORMATS_SMILES_TABLE_H

#include "base/config.h"
#include "io/csv.h"

struct l2r_molecule_table {
    const struct l2r_source *source;
    const struct l2r_entry *entry;
    char delimiter;
    bool has_header;
    int32_t n_columns;
    char **names;   /* [n_columns]: from the header, or "1", "2", … */
    int32_t smiles; /* the column, from 0 */
};

/* The table is the only entry of the source, which must outlive it. Options: l2r_data_options. */
enum l2r_status l2r_molecule_table_find(struct l2r_molecule_table *table, const struct l2r_source *source,
                                        const struct l2r_config *options, struct l2r_error *error);
void l2r_molecule_table_clear(struct l2r_molecule_table *table);

/* The records after the header. *header, if asked for, is the header's record until the next is read; NULL: there is
 * none. */
enum l2r_status l2r_molecule_table_open(struct l2r_csv **csv, const struct l2r_csv_record **header,
                                        const struct l2r_molecule_table *table, struct l2r_error *error);

bool l2r_molecule_table_has(const struct l2r_molecule_table *table, const char *word);
/* The column called `word`, or number `word` (from 1); an error that lists the columns when there is none. `option` is
 * where the word comes from. */
enum l2r_status l2r_molecule_table_column(int32_t *column, const struct l2r_molecule_table *table, const char *word,
                                          const char *option, struct l2r_error *error);

/* What a cell holds. Blanks around it do not count; na, n/a, nan, null and none in any letters are missing too. */
enum l2r_cell { L2R_CELL_MISSING, L2R_CELL_NUMBER, L2R_CELL_TEXT };
enum l2r_cell l2r_cell_read(double *number, const char *text);

#endif
