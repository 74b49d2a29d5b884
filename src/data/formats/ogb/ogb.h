/* SPDX-License-Identifier: MIT
 *
 * The OGB layout (Hu et al. 2020): csv tables, mostly gzipped, in raw/, split/ and mapping/. Its sources:
 *
 *     tables.c    a row per graph           num-node-list, num-edge-list, graph-label, split/…
 *     rows.c      a row per node or bond    edge, node-feat, edge-feat
 *     ogb.c       the reader                both of the above, in bulk into a builder
 *     mapping.c   the SMILES                mapping/mol
 *
 * Every table may also be unpacked, as .csv.
 */
#ifndef L2R_DATA_FORMATS_OGB_OGB_H
#define L2R_DATA_FORMATS_OGB_OGB_H

#include "base/array.h"
#include "data/dataset.h"
#include "io/lines.h"

/* Tables with one row per graph, whole in memory:
 *
 *     raw/num-node-list.csv.gz, raw/num-edge-list.csv.gz   one integer per graph
 *     raw/graph-label.csv.gz                               labels per graph; an empty field is a missing label
 *     split/scaffold/{train,valid,test}.csv.gz             graph numbers, counted from 0
 */
struct l2r_ogb_tables {
    const struct l2r_source *source;
    char root[4096]; /* "" or "bace/": what comes before "raw/" */
    char name[64];

    int64_t n_graphs;
    int64_t *n_nodes, *n_edges; /* [n_graphs] */
    enum l2r_task task;
    int32_t n_tasks;
    float *labels;                         /* [n_graphs × n_tasks]; NaN: missing */
    uint8_t *part;                         /* [n_graphs] */
    struct l2r_array smiles, smiles_start; /* char, int64_t [n_graphs + 1]; empty: there is no mapping/mol */
    char notes[420];                       /* what is wrong with it; "": nothing */
};

/* The folder that holds raw/; false when there is none. *n_found counts them. */
bool l2r_ogb_find_root(char *root, size_t size, int *n_found, const struct l2r_source *source);

/* Clear it after a failure too. */
enum l2r_status l2r_ogb_tables_read(struct l2r_ogb_tables *tables, const struct l2r_source *source, const char *root,
                                    struct l2r_error *error);
void l2r_ogb_tables_clear(struct l2r_ogb_tables *tables);

/* "edge" -> ROOT/raw/edge.csv.gz or .csv; NULL when neither is there. */
const struct l2r_entry *l2r_ogb_find(const struct l2r_ogb_tables *tables, const char *folder, const char *table);
/* The same for a table of raw/ that a data set cannot do without. */
enum l2r_status l2r_ogb_need(const struct l2r_entry **entry, const struct l2r_ogb_tables *tables, const char *table,
                             struct l2r_error *error);

/* Numbers for rows of text. A table of a million atoms has a few hundred different rows, so almost every row has been
 * seen before, character by character: its number is found by its text and not one digit is parsed. A new text is
 * parsed by the caller, which gets its number from the set of distinct rows and adds it.
 *
 *     "6,0,4,5,3,0,2,0,0"  --hash of its bytes-->  slot: the same text?  -->  number
 *
 * A slot holds one text, the latest. Overwriting one costs time and never changes a number. */
struct l2r_row_text;

struct l2r_row_numbers {
    struct l2r_distinct rows; /* the distinct rows, numbered in order of first appearance */
    struct l2r_row_text *texts;
};

/* False when out of memory. Zeroed memory may be cleared. */
bool l2r_row_numbers_init(struct l2r_row_numbers *numbers, int32_t width);
void l2r_row_numbers_clear(struct l2r_row_numbers *numbers);

/* Numbers up to n rows whose texts are known and lie whole in the buffer, into number[0 ..]. Returns how many; the row
 * that stopped it is the next one to read. */
int64_t l2r_row_numbers_quick(const struct l2r_row_numbers *numbers, struct l2r_lines *lines, int32_t *number,
                              int64_t n);
/* Adds a text from l2r_lines_peek that holds a valid row, unless it is too long for a slot. */
void l2r_row_numbers_add(struct l2r_row_numbers *numbers, const char *text, size_t length, int32_t number);

/* Tables with one row per node or bond, read side by side, one thread each:
 *
 *     raw/edge.csv.gz        two nodes of its graph      kept as they are, [rows × 2]
 *     raw/node-feat.csv.gz   categories                  kept as numbers of distinct rows, [rows]
 *     raw/edge-feat.csv.gz   categories                  kept as numbers of distinct rows, [rows]
 */
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

/* num-node-list and num-edge-list announce the number of rows of each graph; memory is allocated for rows that arrive,
 * not for announced rows. When several tables are wrong, the error reported is the one that reading graph by graph
 * (nodes, bonds, features of bonds) would meet first, however the threads were scheduled. Clear it after a failure
 * too. */
enum l2r_status l2r_ogb_rows_read(struct l2r_ogb_all_rows *all, const struct l2r_ogb_tables *t,
                                  struct l2r_error *error);
void l2r_ogb_rows_clear(struct l2r_ogb_all_rows *all);

/* The SMILES of all graphs from mapping/mol, for pictures and for molecule features. A table that is missing, or does
 * not name a molecule for each graph, leaves the data set without; only lack of memory is an error. To be called after
 * the counts. */
enum l2r_status l2r_ogb_smiles_read(struct l2r_ogb_tables *tables, struct l2r_error *error);

#endif
