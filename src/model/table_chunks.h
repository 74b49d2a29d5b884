/* SPDX-License-Identifier: MIT
 *
 * A table of molecules of any length, some thousand rows at a time: each row's bytes as they stand, and the molecules
 * of the chunk as a data set that models can score. While the caller works on one chunk, a thread reads the next and
 * RDKit's work is done by all cores; memory is that of two chunks.
 *
 *     caller    [ chunk 0 ][ predict …        ][ predict …
 *     thread               [ chunk 1 ]           [ chunk 2 ]
 */
#ifndef L2R_MODEL_TABLE_CHUNKS_H
#define L2R_MODEL_TABLE_CHUNKS_H

#include "data/formats/smiles/smiles.h"

struct l2r_table_row {
    const char *raw; /* [raw_length]: the record without the line's end; empty if it is longer than a record may be */
    size_t raw_length;
    int64_t line;        /* where it begins, from 1 */
    int32_t graph;       /* its number in `data`; -1: there is no molecule */
    const char *problem; /* why it has no prediction; NULL: no problem so far */
};

struct l2r_table_chunk {
    struct l2r_table_row *rows; /* [n]; a later failure of a molecule is recorded in its row */
    int64_t n;
    const struct l2r_dataset *data; /* without labels; NULL: no row of the chunk has a molecule */
    int64_t n_graphs;
    const int32_t *graphs; /* [n_graphs]: 0, 1, … */
};

struct l2r_table_chunks;

/* The table and its source must outlive it. */
enum l2r_status l2r_table_chunks_open(struct l2r_table_chunks **chunks, const struct l2r_molecule_table *table,
                                      struct l2r_error *error);
void l2r_table_chunks_free(struct l2r_table_chunks *chunks);

/* Blocks of molecule features that will be read (l2r_committee_features): they are computed with the molecules. To be
 * called before the first chunk. */
void l2r_table_chunks_describe(struct l2r_table_chunks *chunks, unsigned blocks);

/* Several readers of the same table take turns: this one gets chunks `turn`, turn + turns, … To be called before the
 * first chunk. */
void l2r_table_chunks_turns(struct l2r_table_chunks *chunks, int turns, int turn);

/* The first line as it stands; NULL when the table has no header. */
const char *l2r_table_chunks_header(const struct l2r_table_chunks *chunks, size_t *length);

/* The next chunk, valid until the next call; NULL at the end. An invalid record is a row with a problem; an error means
 * that the rest cannot be read. */
enum l2r_status l2r_table_chunks_next(const struct l2r_table_chunk **chunk, struct l2r_table_chunks *chunks,
                                      struct l2r_error *error);

#endif
