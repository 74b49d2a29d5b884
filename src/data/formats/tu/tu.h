/* SPDX-License-Identifier: MIT
 *
 * The TU layout (Morris et al. 2020): text tables NAME_*.txt, whose line k belongs to graph, node or edge k, counted
 * from 1 over the whole set. Its sources:
 *
 *     NAME_A.txt                 "u, v" a line: an edge                                       edges.c, streamed
 *     NAME_edge_labels.txt       optional: integers for each line of NAME_A.txt               labels.c
 *     NAME_edge_attributes.txt   optional: reals for each line of NAME_A.txt                  tables.c
 *     NAME_node_labels.txt       optional: integers per node                                  labels.c
 *     NAME_graph_labels.txt      one integer per graph: its class           or                tables.c
 *     NAME_graph_attributes.txt  reals per graph: regression targets                          tables.c
 *     NAME_graph_indicator.txt   node i belongs to graph …, counted from 1                    tables.c
 *     NAME_node_attributes.txt   optional: reals per node                                     tables.c
 *     NAME_node_marks.txt        optional, ours: 0..255 per node, its planted motif           tables.c
 *     NAME_environments.txt      optional, ours: the name of each graph's environment         environments.c
 *     NAME_split.txt             optional, ours: the part of each graph (l2r_part_name)       tables.c
 *     NAME_graph_weights.txt     optional, ours: what each graph's loss is multiplied by      tables.c
 *
 * tu.c is the reader, writer.c writes such a folder. A graph may have no node.
 */
#ifndef L2R_DATA_FORMATS_TU_TU_H
#define L2R_DATA_FORMATS_TU_TU_H

#include "base/array.h"
#include "data/builder.h"
#include "io/lines.h"

/* Integer labels of nodes or edges, in columns. Each column's values are numbered in ascending order of the source's
 * integers, which is known only at the end of the table. The table is read once all the same: a value gets a
 * provisional number when it is first seen, and finishing replaces all provisional numbers.
 *
 *     7, 9, 7, -1   --read-->   0 1 0 2   --finish-->   1 2 1 0       (values: -1, 7, 9)
 */
struct l2r_label_columns {
    int32_t n_columns;
    struct l2r_vocabulary *columns; /* [n_columns] */
    int32_t *sizes;                 /* [n_columns]: different values; after finishing */
    int64_t *values;                /* [sum of sizes]: ascending within each column; after finishing */
};
void l2r_label_columns_clear(struct l2r_label_columns *labels);

/* The tables with one row per graph or per node, whole in memory. */
struct l2r_tu_tables {
    const struct l2r_source *source;
    char prefix[4096]; /* "PROTEINS/PROTEINS" */
    const char *name;  /* "PROTEINS" */

    enum l2r_task task;
    int32_t n_tasks;
    int64_t n_graphs, n_nodes;
    float *labels; /* [n_graphs × n_tasks]; classes as numbers 0 .. */
    struct l2r_vocabulary classes;
    uint8_t *part;        /* [n_graphs] */
    int32_t *environment; /* [n_graphs] or NULL */
    struct l2r_distinct_texts environment_names;
    float *weight;                /* [n_graphs] or NULL */
    int64_t n_empty, first_empty; /* graphs without nodes; the first, from 1 */

    int32_t *graph_of;   /* [n_nodes] by the source's node number - 1 */
    int32_t *local;      /* [n_nodes]: index within the graph */
    int64_t *node_start; /* [n_graphs + 1] */
    /* The rest in the order of the graphs: node v of graph g at node_start[g] + v (l2r_tu_place). */
    struct l2r_label_columns node_labels;
    int32_t *node_rows; /* [n_nodes × node_labels.n_columns] */
    int32_t n_reals;
    float *node_real;   /* [n_nodes × n_reals] */
    uint8_t *node_mark; /* [n_nodes] or NULL */
};

/* Where the source's node (its number - 1) goes: files may list nodes in any order of graphs. */
static inline int64_t l2r_tu_place(const struct l2r_tu_tables *t, int64_t node)
{
    return t->node_start[t->graph_of[node]] + t->local[node];
}

/* `prefix` as found in the source. Clear it after a failure too. */
enum l2r_status l2r_tu_tables_read(struct l2r_tu_tables *tables, const struct l2r_source *source, const char *prefix,
                                   struct l2r_error *error);
void l2r_tu_tables_clear(struct l2r_tu_tables *tables);

/* The file PREFIX + suffix; an error when it is not there. */
enum l2r_status l2r_tu_open(struct l2r_lines *lines, const struct l2r_source *source, const char *prefix,
                            const char *suffix, struct l2r_error *error);
/* The error of a table that has not one row per node. */
enum l2r_status l2r_tu_wrong_nodes(const struct l2r_tu_tables *t, const struct l2r_lines *lines,
                                   struct l2r_error *error);

enum { L2R_TU_BATCH = 1024 };

/* The edges on their way from NAME_A.txt to a builder. The table can be a hundred times larger than all others (362 MB
 * for COLLAB), so it is streamed. Usually its lines come graph by graph; then only the edges of the current graph are
 * held, and each graph goes to the builder when the next one begins. If a line leads back to an earlier graph, reading
 * starts again and collects all edges first. */
struct l2r_tu {
    struct l2r_tu_tables tables;
    struct l2r_builder *builder;

    struct l2r_label_columns edge_labels;
    struct l2r_lines edge_label_lines; /* closed; the path of the table for messages. No entry: there is no table */
    int32_t *edge_rows;                /* [n_edge_rows × edge_labels.n_columns] */
    int64_t n_edge_rows;               /* of both tables: they must agree */
    int32_t n_edge_reals;
    float *edge_real; /* [n_edge_rows × n_edge_reals]; NULL: there is no table of attributes */

    /* Edges not yet given to the builder. Edge i is line first_row + i of NAME_A.txt, counted from 0. */
    int32_t *edges, *edge_graph;
    size_t edge_room, graph_room, n_edges;
    int64_t first_row;
    int64_t next_graph;              /* graphs before this one have gone to the builder */
    bool collect;                    /* keep edges until the end: they do not come graph by graph */
    int32_t batch[2 * L2R_TU_BATCH]; /* rows of NAME_A.txt, unchanged */
};

/* NAME_node_labels.txt into node_labels and node_rows. */
enum l2r_status l2r_tu_node_labels_read(struct l2r_tu_tables *t, struct l2r_error *error);
/* NAME_environments.txt, if it is there. */
enum l2r_status l2r_tu_environments_read(struct l2r_tu_tables *t, struct l2r_error *error);
/* NAME_edge_labels.txt, if it is there. Before the edges: each line of NAME_A.txt needs its row. */
enum l2r_status l2r_tu_edge_labels_read(struct l2r_tu *tu, struct l2r_error *error);

/* NAME_edge_attributes.txt, if it is there, after the labels. */
enum l2r_status l2r_tu_edge_reals_read(struct l2r_tu *tu, struct l2r_error *error);

/* One pass over the edges, by which all graphs go to the builder. *in_order false: it stopped at a line that leads back
 * to a finished graph; call it again with a new builder and `collect`. */
enum l2r_status l2r_tu_edges_read(struct l2r_tu *tu, bool *in_order, struct l2r_error *error);

/* Writes a data set as a folder in TU layout, readable by this project and by the common graph learning libraries. dir
 * must not exist, or be an empty folder; it appears with all files or not at all. */
enum l2r_status l2r_tu_write(const struct l2r_dataset *data, const char *dir, struct l2r_error *error);

#endif
