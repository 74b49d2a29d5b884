/* SPDX-License-Identifier: MIT
 *
 * Builds a data set graph by graph. Readers, generators and programs with graphs in memory all use it, so that edges
 * are made symmetric, duplicates dropped and feature rows made distinct in one place.
 *
 *     l2r_builder_new(schema)          properties of all graphs: tasks, feature columns, vocabularies
 *     l2r_builder_add(graph) …         or l2r_builder_add_bulk, once, for whole tables
 *     l2r_builder_set_origin           optional: scaffolds, lines, SMILES, notes
 *     l2r_builder_finish               one block of memory, which the data set owns
 *
 * Input is checked and copied; no pointer of the caller is kept.
 */
#ifndef L2R_DATA_BUILDER_H
#define L2R_DATA_BUILDER_H

#include "base/array.h"
#include "data/dataset.h" /* and with it l2r/data.h, where the public calls are declared */

/* Where the graphs come from (dataset.h has the shapes); NULL where it is not known. */
struct l2r_origin {
    const int32_t *scaffold, *molecule, *rank; /* [n_graphs] */
    const int64_t *source_line;                /* [n_graphs] */
    const int64_t *smiles_start;               /* [n_graphs + 1] */
    const char *smiles;                        /* [smiles_start[n_graphs]] */
    const char *task_names;                    /* [n_task_names]: n_tasks names, each ending with 0 */
    size_t n_task_names;
    const int32_t *environment; /* [n_graphs], for graphs that were added without one */
    int32_t n_environments;
    const char *environment_names; /* [n_environment_names]: n_environments names, each ending with 0 */
    size_t n_environment_names;
    const char *class_names; /* [n_class_names], as in dataset.h */
    size_t n_class_names;
    const char *notes;   /* ends with 0 */
    const float *labels; /* [n_graphs × n_tasks]: instead of those that came with the graphs */
    int32_t n_graph_reals;
    const float *graph_real;      /* [n_graphs × n_graph_reals] */
    const char *graph_real_names; /* [n_graph_real_names]: n_graph_reals names, each ending with 0 */
    size_t n_graph_real_names;
};

/* After the last graph, at most once; everything is copied. */
enum l2r_status l2r_builder_set_origin(struct l2r_builder *builder, const struct l2r_origin *origin,
                                       struct l2r_error *error);

/* All graphs of a data set at once, for readers that hold whole tables: the same data set as adding them one by one,
 * but no row is numbered twice, no array grows, and several threads work on chunks of graphs. The tables list one graph
 * after the other. They come from a reader that has checked them: edges within 0 .. n_nodes-1 of their graph, feature
 * rows within their vocabulary, labels that fit the task. */
struct l2r_bulk {
    int64_t n_graphs;
    const int64_t *n_nodes, *n_edges; /* [n_graphs] */
    const int32_t *edges;             /* [edges × 2] */
    /* Numbers of rows, in order of first occurrence. Both are moved into the builder. NULL: no node features. */
    int32_t **node_type; /* [nodes] */
    struct l2r_distinct *node_rows;
    const int32_t *edge_type; /* [edges] or NULL: no edge features */
    const struct l2r_distinct *edge_rows;
    const float *labels;             /* [n_graphs × n_tasks] */
    const uint8_t *part;             /* [n_graphs] */
    const struct l2r_origin *origin; /* or NULL */
};

/* The builder must be new. */
enum l2r_status l2r_builder_add_bulk(struct l2r_builder *b, const struct l2r_bulk *in, struct l2r_error *error);

#endif
