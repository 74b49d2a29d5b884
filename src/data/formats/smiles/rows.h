/* SPDX-License-Identifier: MIT
 *
 * The rows of a table of molecules on their way into a data set: chunk by chunk from the records, bad ones noted, good ones
 * added in their order with everything that is kept about them.
 */
#ifndef L2R_DATA_FORMATS_SMILES_ROWS_H
#define L2R_DATA_FORMATS_SMILES_ROWS_H

#include "data/formats/smiles/table.h"
#include "data/formats/smiles/targets.h"

struct l2r_molecule_rows;

/* The table and the targets must outlive it. fail: the first bad row is an error. */
enum l2r_status l2r_molecule_rows_new(struct l2r_molecule_rows **rows, const char *name,
                                      const struct l2r_molecule_table *table, const struct l2r_targets *targets,
                                      bool fail, struct l2r_error *error);
/* The next chunk of records; *more is false when there are none left. */
enum l2r_status l2r_molecule_rows_read(bool *more, struct l2r_molecule_rows *rows, struct l2r_csv *csv,
                                       struct l2r_error *error);
/* Fails when no row was good. */
enum l2r_status l2r_molecule_rows_finish(struct l2r_dataset **data, struct l2r_molecule_rows *rows,
                                         struct l2r_error *error);
void l2r_molecule_rows_free(struct l2r_molecule_rows *rows);

#endif
