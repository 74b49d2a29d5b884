/* SPDX-License-Identifier: MIT
 *
 * Builds a data set graph by graph. Readers, generators and programs that hold graphs in memory all come
 * through here, so that edges are made symmetric, duplicates dropped and feature rows made distinct in one place.
 */
#ifndef L2R_DATA_BUILDER_H
#define L2R_DATA_BUILDER_H

#include "data/dataset.h"

struct l2r_builder;

struct l2r_schema {
    const char *name;
    enum l2r_task task;
    int32_t n_tasks;
    int32_t n_node_columns, n_edge_columns, n_node_reals;
    const int32_t *node_vocabulary; /* [n_node_columns], or NULL: largest value seen + 1 */
    const int32_t *edge_vocabulary; /* [n_edge_columns], or NULL */
    const int64_t *node_value;      /* [sum of node_vocabulary], or NULL: what each category is called in the source */
    const int64_t *edge_value;      /* [sum of edge_vocabulary], or NULL */
    int32_t n_classes;              /* with class_value */
    const int64_t *class_value;     /* [n_classes], ascending: labels are class numbers already; or NULL: found here */
    bool has_marks;                 /* node_mark is given */
    bool degree_as_feature;         /* no node features in the source: the degree becomes the one categorical column */
};

/* One graph; arrays are copied. Edges may come once or twice, in either direction, with self loops: each counts
 * once. When the same edge comes with different features the first row wins. */
struct l2r_graph_view {
    int64_t n_nodes, n_edges;
    const int32_t *edges;     /* [n_edges × 2]: node indices within the graph */
    const int32_t *node_rows; /* [n_nodes × n_node_columns] */
    const int32_t *edge_rows; /* [n_edges × n_edge_columns] */
    const float *node_real;   /* [n_nodes × n_node_reals] */
    const uint8_t *node_mark; /* [n_nodes] */
    const float *labels;      /* [n_tasks]; NaN: missing. Multi-class: the source's integer */
    int part;                 /* L2R_PART_*; L2R_PART_NONE everywhere: no official split */
};

enum l2r_status l2r_builder_new(struct l2r_builder **builder, const struct l2r_schema *schema, struct l2r_error *error);
enum l2r_status l2r_builder_add(struct l2r_builder *builder, const struct l2r_graph_view *graph,
                                struct l2r_error *error);
/* Packs everything into one block; the builder is empty afterwards and still to be freed. */
enum l2r_status l2r_builder_finish(struct l2r_dataset **data, struct l2r_builder *builder, struct l2r_error *error);
void l2r_builder_free(struct l2r_builder *builder);

#endif
