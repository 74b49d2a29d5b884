/* SPDX-License-Identifier: MIT
 *
 * The columns of a table of molecules that are to be learned, and what kind of labels they hold. Found by one pass over
 * the table, before any molecule is read.
 *
 *     which   --target-columns, or all columns of numbers and missing cells, except those called id, index, …
 *     task    --task-type, or  binary      all values are 0 or 1
 *                              multiclass  one column of 2 to 10 different whole numbers close to each other
 *                              regression  otherwise
 */
#ifndef L2R_DATA_FORMATS_SMILES_TARGETS_H
#define L2R_DATA_FORMATS_SMILES_TARGETS_H

#include "data/dataset.h"
#include "data/formats/smiles/table.h"

struct l2r_targets {
    int32_t n;       /* 0: there are no labels */
    int32_t *column; /* [n] */
    enum l2r_task task;
    int32_t split;       /* column of --split-column; -1: none */
    bool split_is_parts; /* its cells are train, valid, test or missing */
    int64_t n_rows;      /* records after the header */
};

enum l2r_status l2r_targets_find(struct l2r_targets *targets, const struct l2r_molecule_table *table,
                                 const struct l2r_config *options, struct l2r_error *error);
void l2r_targets_clear(struct l2r_targets *targets);

/* The labels of one record into values [n]; false, and a reason, when a cell holds no label of the task. */
bool l2r_targets_read(float *values, char *reason, size_t size, const struct l2r_targets *targets,
                      const struct l2r_molecule_table *table, const struct l2r_csv_record *record);

/* L2R_PART_* of "train", "valid", "test" and their other names; L2R_PART_NONE when missing; -1: it is no part. */
int l2r_part_of(const char *cell);

#endif
