/* SPDX-License-Identifier: MIT
 *
 * Decision trees as forests and boosted trees hold them, and the tensors of a model file that they are kept in:
 *
 *     node      column j and threshold θ with two children, which follow each other, or column -1: a leaf
 *     tree      nodes, the root first and children after their parent; `width` floats at each node
 *     file      trees.size [trees] nodes of each tree; one after the other for all nodes: trees.column, trees.left,
 *               trees.threshold, trees.value [nodes × width] and, of boosted trees, trees.zero_left
 *
 * Files are untrusted, so all of a file is checked before any of it is used: each node but the root has one parent,
 * which comes before it, so every path ends; no path is longer than the model's `depth`; columns are those of the
 * model; thresholds and values are finite.
 */
#ifndef L2R_NN_TREE_H
#define L2R_NN_TREE_H

#include "base/array.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "io/safetensors.h"
#include "nn/params.h"

enum { L2R_TREES_BLOCK = 8 /* graphs that go down a tree side by side */ };

struct l2r_tree_node {
    int32_t column; /* -1: a leaf */
    int32_t left;   /* within the tree; the right child follows it */
    float threshold;
    int32_t zero_left; /* boosted trees: where an x_j of 0 goes */
};

struct l2r_tree {
    struct l2r_array nodes;  /* struct l2r_tree_node; none: a task without labels */
    struct l2r_array values; /* float [nodes × width] */
};

/* The common properties of all trees of a model. */
struct l2r_tree_shape {
    int32_t n_columns, width;
    int64_t depth; /* most splits above a leaf */
    bool boosted;  /* has zero_left */
};

/* Frees the unused memory of a finished tree. */
void l2r_tree_trim(struct l2r_tree *tree);

/* For estimates of memory: about the bytes of a tree; how many groups of trees a data set needs, and how many exact
 * labels task k has, *rare (if not NULL) of them of the rarer of two classes. */
double l2r_tree_size(double nodes, int32_t width);
int32_t l2r_tree_groups(const struct l2r_dataset *data);
int64_t l2r_tree_labels(int64_t *rare, const struct l2r_dataset *data, int32_t k);

/* trees: struct l2r_tree. Cut: only the first n stay. */
void l2r_trees_cut(struct l2r_array *trees, size_t n);
void l2r_trees_release(struct l2r_array *trees);

enum l2r_status l2r_tree_check(const struct l2r_tree *tree, const struct l2r_tree_shape *shape,
                               struct l2r_error *error);

/* Adds the tensors, whose data are in the arena. */
enum l2r_status l2r_trees_to_tensors(struct l2r_array *tensors /* struct l2r_tensor */, struct l2r_arena *arena,
                                     const struct l2r_array *trees, const struct l2r_tree_shape *shape,
                                     struct l2r_error *error);
/* trees: an empty array, to be released whatever the status. */
enum l2r_status l2r_trees_from_tensors(struct l2r_array *trees, const struct l2r_tensor *tensors, size_t n,
                                       const struct l2r_tree_shape *shape, struct l2r_error *error);
/* The tensor of this name and type with one dimension, of `count` numbers unless that is -1; NULL: there is none. */
const struct l2r_tensor *l2r_tensor_among(const struct l2r_tensor *tensors, size_t n, const char *name,
                                          enum l2r_dtype dtype, int64_t count);
/* A copy of `data` in the arena as one more tensor. */
bool l2r_tensor_keep(struct l2r_array *tensors, struct l2r_arena *arena, const char *name, enum l2r_dtype dtype,
                     const void *data, int64_t count);

/* Rounds or epochs that count, which a model keeps in a buffer: false unless it holds a whole number, 0 … most. */
bool l2r_trees_rounds(int64_t *rounds, const struct l2r_param *buffer, int64_t most);

#endif
