/* SPDX-License-Identifier: MIT
 *
 * The inside of a builder (builder.h), shared by its sources only. builder_check.c checks the input:
 *
 *     builder.c        one graph at a time    ┐                                      ┌─────────────┐
 *     builder_bulk.c   whole tables at once   ┴─► struct l2r_builder ─builder_pack.c─► one block   │ block.h
 *                      arc_lists.c: edges to                                         └─────────────┘
 *                      sorted neighbour lists
 */
#ifndef L2R_DATA_BUILDER_STATE_H
#define L2R_DATA_BUILDER_STATE_H

#include "base/array.h"
#include "data/block.h"
#include "data/builder.h"

/* From a list of edges, in any order, once or twice, with self loops, to sorted neighbour lists without repetition. */
struct l2r_arc_lists {
    int64_t n_nodes, n_arcs, n_self_loops;
    int64_t *start;     /* [n_nodes + 1] */
    int32_t *neighbour; /* [n_arcs], ascending for each node */
    int32_t *edge;      /* [n_arcs]: the first input edge that gave this arc; NULL unless requested */

    int64_t *cursor; /* scratch */
    int32_t *scattered, *scattered_edge;
    size_t node_capacity, arc_capacity, edge_capacity;
};

/* edges [n_edges × 2] must be within 0 .. n_nodes-1. False when out of memory. The object is reused from call to call;
 * zeroed memory is a valid empty one. */
bool l2r_arc_lists_build(struct l2r_arc_lists *adjacency, int64_t n_nodes, const int32_t *edges, int64_t n_edges,
                         bool with_edge);
void l2r_arc_lists_clear(struct l2r_arc_lists *adjacency);

/* Categorical features of nodes, or of edges. */
struct l2r_builder_side {
    int32_t n_columns;
    int32_t n_reals;     /* edges: real features, in a row's last places as they lie in memory */
    bool fixed;          /* the vocabulary was given; otherwise it grows */
    int32_t *vocabulary; /* [2 × n_columns]: as it is, and as it was before the graph under way */
    struct l2r_array value;
    struct l2r_distinct rows;
};

struct l2r_builder {
    struct l2r_schema schema; /* its pointers are not followed after l2r_builder_new */
    char name[64];
    struct l2r_builder_side node, edge;
    int64_t n_graphs, n_nodes, n_arcs, n_self_loops;
    bool has_official;
    bool finished; /* packed: nothing more can be added */
    /* int64_t node_start, arc_start, class_value; int32_t neighbour, arc_type, node_type; float node_real, labels,
     * weight; uint8_t node_mark, official; int8_t bound */
    struct l2r_array node_start, arc_start, class_value, neighbour, arc_type, node_type, node_real, labels, node_mark,
        official, weight, bound;
    int32_t n_graph_reals;
    struct l2r_array graph_real, graph_real_names;
    struct l2r_array environment, environment_names; /* int32_t, char: as in the data set */
    int32_t n_environments;
    bool has_weight, has_bound; /* some graph has one */
    /* l2r_builder_set_origin */
    struct l2r_array scaffold, molecule, rank, source_line, smiles_start, smiles, task_names, class_names, notes;
    struct l2r_vocabulary classes; /* labels seen, when the classes were not given */
    struct l2r_arc_lists adjacency;
    int32_t *edge_type; /* scratch: type of each edge of the current graph */
    size_t edge_type_capacity;
    int32_t *edge_row; /* scratch: one row, categories and reals */
    /* NULL, or the block that the data set will have, in which builder_bulk.c has already placed node_start, arc_start,
     * neighbour and arc_type: these are then neither grown nor freed. */
    void *block;
    size_t block_room;
};

/* Checks the caller's input; the error names the first invalid value. */
enum l2r_status l2r_builder_check_schema(const struct l2r_schema *schema, struct l2r_error *error);
enum l2r_status l2r_builder_check_graph(const struct l2r_builder *b, const struct l2r_graph_view *g,
                                        struct l2r_error *error);

/* Numbers in a row of features: categories and reals. */
static inline int32_t l2r_builder_width(const struct l2r_builder_side *side)
{
    return side->n_columns + side->n_reals;
}

/* Numbers n feature rows: type[i] for each. `first` is the number of rows[0] in messages. */
enum l2r_status l2r_builder_number(struct l2r_builder_side *side, int32_t *type, const int32_t *rows, int64_t n,
                                   int64_t first, const char *what, struct l2r_error *error);
/* The labels of one graph; NULL: a graph without labels, as in prediction. False when out of memory. */
bool l2r_builder_add_labels(struct l2r_builder *b, const float *labels);
/* The current counts. */
struct l2r_shape l2r_builder_shape(const struct l2r_builder *b);
/* Drops the pointers to arrays that lie in a block and are not freed on their own. */
void l2r_builder_drop_placed(struct l2r_builder *b);

#endif
