/* SPDX-License-Identifier: MIT
 *
 * A random forest (Breiman 2001) on the features of the molecules (data/features.h). Each tree is grown on as many
 * training graphs as there are, drawn with replacement; each split is the best of a few columns drawn at random:
 *
 *     split      of n graphs into L and R by x_j ≤ θ, the largest  |Σ_L y|² / n_L + |Σ_R y|² / n_R
 *     leaf       the mean of its labels;   forest: the mean over the trees
 *
 * y is a value, 0 or 1, or the unit vector of a class, for which the gain is that of Gini's index. Thresholds lie
 * between at most 64 bins of a column's values, so that a split is found in one pass over the graphs and no sorting
 * (forest_bins.c). Trees are grown side by side (forest_grow.c), each with a random stream of its own, so their bits do
 * not depend on the number of threads.
 */
#ifndef L2R_NN_FOREST_H
#define L2R_NN_FOREST_H

#include "base/array.h"
#include "nn/model.h"
#include "nn/tree.h"

enum { L2R_FOREST_BINS = 64 };

/* The features of the training graphs as numbers of bins. */
struct l2r_bins {
    int64_t n_rows;
    int32_t n_columns;
    uint8_t *code;   /* [columns × rows] */
    float *edge;     /* [columns × L2R_FOREST_BINS]: bin b holds edge[b-1] < x ≤ edge[b] */
    int32_t *n_bins; /* [columns]; 1: constant */
};
enum l2r_status l2r_bins_make(struct l2r_bins *bins, const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                              struct l2r_error *error);
void l2r_bins_clear(struct l2r_bins *bins);

/* The training data of the trees of one task. */
struct l2r_forest_labels {
    const struct l2r_bins *bins;
    const int32_t *rows; /* [n]: of the bins, those that have a label */
    const float *label;  /* [n] */
    const double *until; /* [n]: how much of the weight the graphs up to this one have; NULL: all have the same */
    int64_t n;
    int32_t n_outputs;    /* 1, or classes */
    int32_t leaf, depth;  /* least graphs in a leaf, most splits above one */
    int32_t n_tried;      /* columns that a split is chosen among */
    uint64_t seed, place; /* of the first tree's random stream */
};
/* trees [n]: empty ones, whose values are the means of their graphs at each node: x ≤ threshold goes left. */
enum l2r_status l2r_forest_grow(struct l2r_tree *trees, int64_t n, const struct l2r_forest_labels *from,
                                struct l2r_error *error);

struct l2r_forest {
    const struct l2r_signature *data;
    int64_t n_trees, n_epochs; /* for each task, in all; an epoch grows its share of them */
    int32_t depth, leaf;
    double column_share; /* 0: by the task */
    uint64_t seed;
    int32_t n_groups, n_outputs;    /* tasks that have trees of their own; outputs of each */
    struct l2r_bins bins;           /* while it is trained */
    struct l2r_array trees;         /* struct l2r_tree [epochs so far × groups × trees of that epoch] */
    const struct l2r_param *rounds; /* [1 × 1]: epochs that count */
};

/* The hooks of nn/model.h; Z is that of other trees (l2r_trees_forward). */
int64_t l2r_forest_build(void *model, const struct l2r_build *build);
l2r_node l2r_forest_output(const void *model, struct l2r_tape *t, const struct l2r_batch *b);
enum l2r_status l2r_forest_fit(void *model, double *loss, const struct l2r_fit_data *fit, struct l2r_error *error);
enum l2r_status l2r_forest_save(struct l2r_array *tensors, struct l2r_arena *arena, const void *model,
                                struct l2r_error *error);
enum l2r_status l2r_forest_load(void *model, const struct l2r_tensor *tensors, size_t n, struct l2r_error *error);
bool l2r_forest_can_predict(const void *model, int32_t output);
/* Along the path to the leaf (Saabas 2014): a split adds the change of the mean to its column. */
enum l2r_status l2r_forest_contributions(float *share, const void *model, const struct l2r_dataset *data, int32_t graph,
                                         struct l2r_error *error);
int64_t l2r_forest_bytes(const struct l2r_config *config, const struct l2r_dataset *data);
void l2r_forest_clear(void *model);

#endif
