/* SPDX-License-Identifier: MIT
 *
 * Many SMILES at once: read by all threads in chunks, then packed into a data set that looks like OGB's molecule sets.
 */
#ifndef L2R_DATA_FORMATS_SMILES_MOLECULES_H
#define L2R_DATA_FORMATS_SMILES_MOLECULES_H

#include "chem/molecule.h"
#include "data/builder.h"

struct l2r_molecule_row {
    const char *smiles; /* given; NULL: the row is bad already */
    struct l2r_molecule_graph molecule;
    char reason[160]; /* why there is no molecule; "": there is one */
};

/* Fills molecule or reason of every row that has a SMILES. Fails only for want of memory or of RDKit; what was read is
 * still to be cleared then. */
enum l2r_status l2r_molecules_read(struct l2r_molecule_row *rows, int64_t n, bool scaffolds, struct l2r_error *error);
/* Frees the molecules and forgets the reasons; the rows may be used again. */
void l2r_molecules_clear(struct l2r_molecule_row *rows, int64_t n);

static inline bool l2r_molecule_row_is_good(const struct l2r_molecule_row *row)
{
    return row->molecule.block != NULL;
}

/* A builder of molecules; labels of all graphs come with l2r_molecules_add. */
enum l2r_status l2r_molecules_builder(struct l2r_builder **builder, const char *name, enum l2r_task task,
                                      int32_t n_tasks, struct l2r_error *error);
/* labels [n_tasks] or NULL; part: L2R_PART_*. */
enum l2r_status l2r_molecules_add(struct l2r_builder *builder, const struct l2r_molecule_row *row, const float *labels,
                                  int part, struct l2r_error *error);

/* The good rows as a data set of one task without labels, in their order: graph[i] is the graph of row i, -1 for a bad one.
 * *data is NULL when no row is good. For predictions, chunk by chunk. */
enum l2r_status l2r_molecules_pack(struct l2r_dataset **data, int32_t *graph, const struct l2r_molecule_row *rows,
                                   int64_t n, struct l2r_error *error);

#endif
