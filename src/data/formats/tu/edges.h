/* SPDX-License-Identifier: MIT
 *
 * The edges of a TU data set, from NAME_A.txt to a builder. The table can be a hundred times larger than all others
 * (362 MB for COLLAB), so it is streamed. Usually its lines come graph by graph; then only the edges of the current
 * graph are held, and each graph goes to the builder when the next one begins. If a line leads back to an earlier
 * graph, reading starts again and collects all edges first.
 *
 * NAME_edge_labels.txt, one row for each line of NAME_A.txt, is read into memory before.
 */
#ifndef L2R_DATA_FORMATS_TU_EDGES_H
#define L2R_DATA_FORMATS_TU_EDGES_H

#include "data/builder.h"
#include "data/formats/tu/tables.h"

enum { L2R_TU_BATCH = 1024 };

struct l2r_tu {
    struct l2r_tu_tables tables;
    struct l2r_builder *builder;

    struct l2r_label_columns edge_labels;
    struct l2r_lines edge_label_lines; /* closed; says where the table is, for messages. No entry: there is no table */
    int32_t *edge_rows;                /* [n_edge_rows × edge_labels.n_columns] */
    int64_t n_edge_rows;

    /* Edges not yet given to the builder. Edge i is line first_row + i of NAME_A.txt, counted from 0. */
    int32_t *edges, *edge_graph;
    size_t edge_room, graph_room, n_edges;
    int64_t first_row;
    int64_t next_graph;              /* graphs before this one have gone to the builder */
    bool collect;                    /* keep edges until the end: they do not come graph by graph */
    int32_t batch[2 * L2R_TU_BATCH]; /* rows of NAME_A.txt, unchanged */
};

/* Reads NAME_edge_labels.txt, if it is there. */
enum l2r_status l2r_tu_edge_labels_read(struct l2r_tu *tu, struct l2r_error *error);

/* One pass over the edges, by which all graphs go to the builder. *in_order false: it stopped at a line that leads back
 * to a finished graph; to be called again with a new builder and `collect`. */
enum l2r_status l2r_tu_edges_read(struct l2r_tu *tu, bool *in_order, struct l2r_error *error);

#endif
