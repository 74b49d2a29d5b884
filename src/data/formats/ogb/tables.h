/* SPDX-License-Identifier: MIT
 *
 * The tables of an OGB data set that have one row per graph, read into memory. (Tables with a row per node or bond:
 * rows.h.)
 *
 *     raw/num-node-list.csv.gz, raw/num-edge-list.csv.gz   one integer per graph
 *     raw/graph-label.csv.gz                               labels per graph; an empty field is a missing label
 *     split/scaffold/{train,valid,test}.csv.gz             graph numbers, counted from 0
 *
 * Files may also be unpacked, as .csv.
 */
#ifndef L2R_DATA_FORMATS_OGB_TABLES_H
#define L2R_DATA_FORMATS_OGB_TABLES_H

#include "data/dataset.h"
#include "io/lines.h"

struct l2r_ogb_tables {
    const struct l2r_source *source;
    char root[4096]; /* "" or "bace/": what comes before "raw/" */
    char name[64];

    int64_t n_graphs;
    int64_t *n_nodes, *n_edges; /* [n_graphs] */
    enum l2r_task task;
    int32_t n_tasks;
    float *labels; /* [n_graphs × n_tasks]; NaN: missing */
    uint8_t *part; /* [n_graphs] */
};

/* The folder that holds raw/; false when there is none. *n_found counts them. */
bool l2r_ogb_find_root(char *root, size_t size, int *n_found, const struct l2r_source *source);

/* To be cleared, also after a failure. */
enum l2r_status l2r_ogb_tables_read(struct l2r_ogb_tables *tables, const struct l2r_source *source, const char *root,
                                    struct l2r_error *error);
void l2r_ogb_tables_clear(struct l2r_ogb_tables *tables);

/* "edge" -> ROOT/raw/edge.csv.gz or .csv; NULL when neither is there. */
const struct l2r_entry *l2r_ogb_find(const struct l2r_ogb_tables *tables, const char *folder, const char *table);
/* A table of raw/ that must be there. */
enum l2r_status l2r_ogb_need(const struct l2r_entry **entry, const struct l2r_ogb_tables *tables, const char *table,
                             struct l2r_error *error);

#endif
