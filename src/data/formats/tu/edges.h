/* SPDX-License-Identifier: MIT
 *
 * The edges of a TU data set, from NAME_A.txt (and NAME_edge_labels.txt) to a builder. The table can be a hundred times larger
 * than all others, so it is streamed: what is held are the edges of the current graph, or, if the lines do not come
 * graph by graph, all edges (collect).
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
    bool has_edge_labels;

    /* Edges not yet given to the builder, and their labels. */
    int32_t *edges, *edge_rows, *edge_graph;
    size_t edge_room, row_room, graph_room, n_edges;
    int64_t *label_values;
    int32_t batch[2 * L2R_TU_BATCH]; /* rows of NAME_A.txt, as they stand there */
    int64_t next_graph;              /* graphs before this one have gone to the builder */
    bool collect;                    /* keep edges until the end: they do not come graph by graph */
};

/* One pass over the edges; *in_order false: stopped at a line that leads back to a finished graph. */
enum l2r_status l2r_tu_edges_read(struct l2r_tu *tu, bool *in_order, struct l2r_error *error);

/* All graphs before `graph` are complete and go to the builder. */
enum l2r_status l2r_tu_flush(struct l2r_tu *tu, int64_t graph, struct l2r_error *error);
/* Gives graph g with edges [first, first + n) of the buffer to the builder. */
enum l2r_status l2r_tu_add_graph(struct l2r_tu *tu, int64_t g, size_t first, size_t n, struct l2r_error *error);

#endif
