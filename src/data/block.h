/* SPDX-License-Identifier: MIT
 *
 * How a data set lies in its one block of memory: all arrays in a fixed order, each on a 64-byte boundary.
 *
 *     [node_start|arc_start|…|neighbour|arc type|node type|…|labels|…|SMILES|task names|notes|…]
 *
 * Places follow from the counts (the shape) alone, so a cache file stores the counts and the block, and no offsets that
 * would have to be checked.
 */
#ifndef L2R_DATA_BLOCK_H
#define L2R_DATA_BLOCK_H

#include "data/dataset.h"

/* All counts of a data set, in types of fixed size: this is also the cache file's description. */
struct l2r_shape {
    char name[64];
    int32_t task, n_tasks, n_classes, n_node_reals;
    int32_t node_columns, node_types, arc_columns, arc_types;
    int32_t has_marks, has_official;
    int64_t n_graphs, n_nodes, n_arcs, n_self_loops;
    int64_t node_values, arc_values;
    int32_t has_scaffold, has_rank, has_line, has_smiles;
    int64_t n_smiles, n_task_names, n_notes;     /* bytes */
    int64_t n_environments, n_environment_names; /* names, and their bytes */
    int64_t n_class_names;                       /* bytes */
    int32_t has_molecule, has_weight, has_bound, arc_reals;
    int64_t n_graph_reals, n_graph_real_names; /* columns, and bytes of their names */
};

/* Bytes of the block; false when a count is negative or absurd. */
bool l2r_block_size(size_t *bytes, const struct l2r_shape *shape);

/* Fills all counts and points all arrays into `base` (64-byte aligned, l2r_block_size bytes). Leaves block alone. */
void l2r_block_bind(struct l2r_dataset *data, const struct l2r_shape *shape, void *base);

/* The counts of a data set. */
struct l2r_shape l2r_block_shape(const struct l2r_dataset *data);

/* A data set of this shape, and in it every array that is as long in `from`; the others are zeroed, to be filled. */
enum l2r_status l2r_block_remake(struct l2r_dataset **data, const struct l2r_shape *shape,
                                 const struct l2r_dataset *from, struct l2r_error *error);
/* An array of a data set under construction. */
void *l2r_block_array(const void *array);

/* Bytes [*begin, *end) of the block that are known to be zero (arc types without arc features); empty: none. */
void l2r_block_zeros(size_t *begin, size_t *end, const struct l2r_shape *shape);

/* Zeroes the bytes between the arrays, which nothing else writes. */
void l2r_block_clear_gaps(void *base, const struct l2r_shape *shape);

#endif
