/* SPDX-License-Identifier: MIT
 *
 * All graphs of a data set at once, for readers that hold whole tables: the same data set as adding them one by one with
 * l2r_builder_add, but no row is numbered twice, no array grows, and chunks of graphs are worked on by several threads.
 */
#ifndef L2R_DATA_BUILDER_BULK_H
#define L2R_DATA_BUILDER_BULK_H

#include "base/distinct.h"
#include "data/builder.h"

/* The tables lie graph behind graph. They come from a reader that has checked them: edges within 0 .. n_nodes-1 of their
 * graph, feature rows within their vocabulary, labels that fit the task. */
struct l2r_bulk {
    int64_t n_graphs;
    const int64_t *n_nodes, *n_edges; /* [n_graphs] */
    const int32_t *edges;             /* [edges × 2] */
    /* Numbers of rows, in order of first sight. Both are moved into the builder. NULL: no node features. */
    int32_t **node_type; /* [nodes] */
    struct l2r_distinct *node_rows;
    const int32_t *edge_type; /* [edges] or NULL: no edge features */
    const struct l2r_distinct *edge_rows;
    const float *labels; /* [n_graphs × n_tasks] */
    const uint8_t *part; /* [n_graphs] */
};

/* The builder must be new. */
enum l2r_status l2r_builder_add_bulk(struct l2r_builder *b, const struct l2r_bulk *in, struct l2r_error *error);

#endif
