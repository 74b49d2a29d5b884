/* SPDX-License-Identifier: MIT
 *
 * The tables of an OGB data set that have a row for each node or bond, read into memory at the same time, each by one
 * thread:
 *
 *     raw/edge.csv.gz        two nodes of its graph      kept unchanged, [rows × 2]
 *     raw/node-feat.csv.gz   categories                  kept as numbers of distinct rows, [rows]
 *     raw/edge-feat.csv.gz   categories                  kept as numbers of distinct rows, [rows]
 *
 * How many rows each graph has was promised by num-node-list and num-edge-list; memory is taken for rows that arrive,
 * not for rows that are promised. When several tables are wrong, the error told is the one that reading graph by graph
 * (nodes, bonds, features of bonds) would meet first, whatever the threads did.
 */
#ifndef L2R_DATA_FORMATS_OGB_ROWS_H
#define L2R_DATA_FORMATS_OGB_ROWS_H

#include "data/formats/ogb/row_numbers.h"
#include "data/formats/ogb/tables.h"

struct l2r_ogb_rows {
    struct l2r_lines lines;
    bool present, pairs;       /* pairs: the edge table */
    int32_t n_columns;         /* 0: not there, or empty */
    const int32_t *vocabulary; /* [n_columns]; NULL: not fixed */
    int32_t *values;           /* [n_rows × 2] or [n_rows] */
    int64_t n_rows;
    size_t capacity;
    struct l2r_row_numbers numbers; /* unless pairs */

    int64_t stopped; /* the graph whose rows went wrong */
    enum l2r_status status;
    struct l2r_error error;
};

struct l2r_ogb_all_rows {
    const struct l2r_ogb_tables *tables;
    struct l2r_ogb_rows node, edge, feature;
};

/* To be cleared, also after a failure. */
enum l2r_status l2r_ogb_rows_read(struct l2r_ogb_all_rows *all, const struct l2r_ogb_tables *t,
                                  struct l2r_error *error);
void l2r_ogb_rows_clear(struct l2r_ogb_all_rows *all);

#endif
