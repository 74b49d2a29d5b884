/* SPDX-License-Identifier: MIT
 *
 * Integer labels of nodes or edges, in columns. Each column's values are numbered in ascending order of the source's
 * integers, which is known only at the end of the table. The table is read once all the same: a value gets a
 * provisional number when it is first seen, and finishing replaces all provisional numbers.
 *
 *     7, 9, 7, -1   --read-->   0 1 0 2   --finish-->   1 2 1 0       (values: -1, 7, 9)
 */
#ifndef L2R_DATA_FORMATS_TU_LABEL_COLUMNS_H
#define L2R_DATA_FORMATS_TU_LABEL_COLUMNS_H

#include "base/array.h"
#include "io/lines.h"

enum { L2R_MOST_LABEL_COLUMNS = 1024 };

struct l2r_label_columns {
    int32_t n_columns;
    struct l2r_vocabulary *columns; /* [n_columns] */
    int32_t *sizes;                 /* [n_columns]: different values; after finishing */
    int64_t *values;                /* [sum of sizes]: ascending within each column; after finishing */
};

/* Counts the columns of the table's first row. To be cleared, also after a failure. */
enum l2r_status l2r_label_columns_begin(struct l2r_label_columns *labels, struct l2r_lines *lines,
                                        struct l2r_error *error);
/* The provisional numbers of the next row, into row [n_columns]; *more is false at the end of the table. */
enum l2r_status l2r_label_columns_read(int32_t *row, bool *more, struct l2r_label_columns *labels,
                                       struct l2r_lines *lines, struct l2r_error *error);
/* Makes the numbers of rows [n_rows × n_columns] final. */
enum l2r_status l2r_label_columns_finish(struct l2r_label_columns *labels, int32_t *rows, int64_t n_rows,
                                         struct l2r_error *error);
void l2r_label_columns_clear(struct l2r_label_columns *labels);

#endif
