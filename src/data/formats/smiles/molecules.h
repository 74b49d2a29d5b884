/* SPDX-License-Identifier: MIT
 *
 * From the rows of a table to molecules, a chunk of rows at a time: the one path for training and for predicting.
 *
 *     record  --cells-->  SMILES, labels  --RDKit, all threads-->  molecule, or why there is none  --pack-->  data set
 *
 * A bad row is not an error: it stays in its place with a reason, and the caller decides. Each row is read on its own,
 * so the result does not depend on the number of threads or on where chunks begin.
 */
#ifndef L2R_DATA_FORMATS_SMILES_MOLECULES_H
#define L2R_DATA_FORMATS_SMILES_MOLECULES_H

#include "base/memory.h"
#include "chem/molecule.h"
#include "data/builder.h"
#include "data/formats/smiles/targets.h"

enum {
    L2R_CHUNK_ROWS = 4096,     /* a second of work for one thread, some megabytes of molecules */
    L2R_CHUNK_BYTES = 1 << 22, /* text after which a chunk is full */
};

struct l2r_molecule_row {
    int64_t line;    /* where its record begins, from 1 */
    const char *raw; /* [raw_length]: the record without the line's end; "" if it is longer than a record may be */
    size_t raw_length;
    const char *smiles; /* NULL: the row is bad already */
    const char *split;  /* its cell of --split-column; NULL: not asked for */
    struct l2r_molecule_graph molecule;
    char reason[160]; /* why there is no molecule; "": there is one */
};

struct l2r_molecule_chunk {
    const struct l2r_molecule_table *table;
    const struct l2r_targets *targets; /* NULL when predicting */
    struct l2r_molecule_row *rows;     /* [n], room for L2R_CHUNK_ROWS */
    int64_t n;
    float *labels;          /* [n × targets->n] */
    struct l2r_arena texts; /* what the rows point to */
};

/* With targets, for training: labels, cells to split by and scaffolds are read too. Without, for predicting: the bytes
 * of each row are kept. Table and targets must outlive the chunk. To be cleared, also after a failure. */
enum l2r_status l2r_molecule_chunk_init(struct l2r_molecule_chunk *chunk, const struct l2r_molecule_table *table,
                                        const struct l2r_targets *targets, struct l2r_error *error);
/* The next rows, in place of those before them; n is 0 at the end of the table. Fails when the rest cannot be read, or
 * for want of memory or RDKit. */
enum l2r_status l2r_molecule_chunk_read(struct l2r_molecule_chunk *chunk, struct l2r_csv *csv, struct l2r_error *error);
/* Passes over the rows that would have been read, without making molecules of them. */
enum l2r_status l2r_molecule_chunk_skip(const struct l2r_molecule_chunk *chunk, struct l2r_csv *csv,
                                        struct l2r_error *error);
/* Lets go of the molecules, which take most of the memory; texts and reasons stay. */
void l2r_molecule_chunk_drop(struct l2r_molecule_chunk *chunk);
void l2r_molecule_chunk_clear(struct l2r_molecule_chunk *chunk);

static inline bool l2r_molecule_row_is_good(const struct l2r_molecule_row *row)
{
    return row->molecule.block != NULL;
}

/* A builder of molecules, in the shape of OGB's molecule sets. */
enum l2r_status l2r_molecules_builder(struct l2r_builder **builder, const char *name, enum l2r_task task,
                                      int32_t n_tasks, struct l2r_error *error);
/* labels [n_tasks] or NULL; part: L2R_PART_*. */
enum l2r_status l2r_molecules_add(struct l2r_builder *builder, const struct l2r_molecule_row *row, const float *labels,
                                  int part, struct l2r_error *error);

/* The good rows of a chunk as a data set of one task without labels, in their order; NULL when no row is good. */
enum l2r_status l2r_molecule_chunk_pack(struct l2r_dataset **data, const struct l2r_molecule_chunk *chunk,
                                        struct l2r_error *error);

#endif
