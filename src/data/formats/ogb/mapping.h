/* SPDX-License-Identifier: MIT
 *
 * The SMILES of graphs that are molecules, from the table mapping/mol.csv.gz (or .csv) that comes with OGB's data sets.
 * Data sets do not keep it: it is read again for the few graphs that are drawn.
 */
#ifndef L2R_DATA_FORMATS_OGB_MAPPING_H
#define L2R_DATA_FORMATS_OGB_MAPPING_H

#include "data/dataset.h"

/* smiles[i] becomes the SMILES of graph graphs[i] (l2r_free each), or NULL where `where` is a generator or has no such
 * table. After an error all are NULL. */
enum l2r_status l2r_smiles_read(char **smiles, const char *where, const int32_t *graphs, int64_t n,
                                struct l2r_error *error);

/* The same for the graphs of `data`, loaded from `where`: a data set made of a table of SMILES has kept them. */
enum l2r_status l2r_smiles_find(char **smiles, const struct l2r_dataset *data, const char *where, const int32_t *graphs,
                                int64_t n, struct l2r_error *error);

#endif
