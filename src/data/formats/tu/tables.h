/* SPDX-License-Identifier: MIT
 *
 * The tables of a TU data set that have one row per graph or per node, read into memory. (The edge table, which can be
 * a hundred times larger, is streamed: edges.h.)
 *
 *     NAME_graph_labels.txt      one integer per graph: its class           or
 *     NAME_graph_attributes.txt  reals per graph: regression targets
 *     NAME_graph_indicator.txt   node i belongs to graph …, counted from 1
 *     NAME_node_labels.txt       optional: integers per node
 *     NAME_node_attributes.txt   optional: reals per node
 *     NAME_node_marks.txt        optional, ours: 0..255 per node, its planted motif
 *     NAME_split.txt             optional, ours: train, valid or test per graph
 */
#ifndef L2R_DATA_FORMATS_TU_TABLES_H
#define L2R_DATA_FORMATS_TU_TABLES_H

#include "data/dataset.h"
#include "data/formats/tu/label_columns.h"

struct l2r_tu_tables {
    const struct l2r_source *source;
    char prefix[4096]; /* "PROTEINS/PROTEINS" */
    const char *name;  /* "PROTEINS" */

    enum l2r_task task;
    int32_t n_tasks;
    int64_t n_graphs, n_nodes;
    float *labels; /* [n_graphs × n_tasks]; classes as numbers 0 .. */
    struct l2r_vocabulary classes;
    uint8_t *part; /* [n_graphs] */

    int32_t *graph_of;   /* [n_nodes] by the source's node number - 1 */
    int32_t *local;      /* [n_nodes]: index within the graph */
    int64_t *node_start; /* [n_graphs + 1] */
    /* The rest in the order of the graphs: node v of graph g at node_start[g] + v. */
    struct l2r_label_columns node_labels;
    int32_t *node_rows; /* [n_nodes × node_labels.n_columns] */
    int32_t n_reals;
    float *node_real;   /* [n_nodes × n_reals] */
    uint8_t *node_mark; /* [n_nodes] or NULL */
};

/* `prefix` as found in the source. To be cleared, also after a failure. */
enum l2r_status l2r_tu_tables_read(struct l2r_tu_tables *tables, const struct l2r_source *source, const char *prefix,
                                   struct l2r_error *error);
void l2r_tu_tables_clear(struct l2r_tu_tables *tables);

/* The file PREFIX + suffix; an error when it is not there. */
enum l2r_status l2r_tu_open(struct l2r_lines *lines, const struct l2r_source *source, const char *prefix,
                            const char *suffix, struct l2r_error *error);

#endif
