/* SPDX-License-Identifier: MIT
 *
 * Adds the valid rows of a table to a data set, with everything that is kept about them, and notes about the others:
 *
 *     chunk  ──►  molecule seen before?  ──►  builder ──►  data set with notes
 *                 keep | drop | mean
 */
#ifndef L2R_DATA_FORMATS_SMILES_ROWS_H
#define L2R_DATA_FORMATS_SMILES_ROWS_H

#include "data/formats/smiles/smiles.h"

enum l2r_duplicates { L2R_DUPLICATES_KEEP, L2R_DUPLICATES_DROP, L2R_DUPLICATES_MEAN };

struct l2r_rows {
    const struct l2r_molecule_table *table;
    const struct l2r_targets *targets;
    bool fail; /* the first bad row is an error */
    enum l2r_duplicates duplicates;
    double max_skipped; /* the share of rows that may be skipped */
    struct l2r_builder *builder;
    struct l2r_notes skipped; /* rows */
    const struct l2r_notes *cells;
    struct l2r_distinct_texts scaffolds, molecules; /* molecules: canonical SMILES, first those that are excluded */
    int32_t n_excluded;                             /* of them */
    int64_t n_left_out;                             /* rows of these molecules */
    struct l2r_distinct_texts values, places;       /* of --split-column and --environment-column */
    int64_t n;
    /* For each graph: int32, int32, int32, int32, int64, float [n × targets->n] */
    struct l2r_array scaffold, value, place, molecule, line, labels;
    struct l2r_described_rows described;
    struct l2r_array first; /* int32: the first graph of each molecule */
    struct l2r_array again; /* labels of rows whose molecule was seen before, for their mean */
    int64_t n_repeated, n_conflicts, repeated_line, repeated_of;
    int64_t n_mixtures, mixture_line, n_unlabelled;
};

/* The builder is made here, too. Options: l2r_data_options. */
enum l2r_status l2r_rows_init(struct l2r_rows *rows, const char *name, const struct l2r_molecule_table *table,
                              const struct l2r_targets *targets, const struct l2r_config *options,
                              struct l2r_error *error);
/* Leaves the molecules of these tables ("a.csv,b.csv"; NULL: none) out; before any row is added (excluded.c). */
enum l2r_status l2r_rows_exclude(struct l2r_rows *rows, const char *list, struct l2r_error *error);
/* The rows of a chunk in their order. */
enum l2r_status l2r_rows_add(struct l2r_rows *rows, const struct l2r_molecule_chunk *chunk, struct l2r_error *error);
enum l2r_status l2r_rows_finish(struct l2r_dataset **data, struct l2r_rows *rows, struct l2r_error *error);
void l2r_rows_clear(struct l2r_rows *rows);

/* All notes in their order: what was understood, what is doubtful, which rows and cells were passed over (row_notes.c).
 * False: out of memory. */
bool l2r_rows_note(struct l2r_notes *notes, const struct l2r_rows *rows);

#endif
