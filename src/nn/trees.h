/* SPDX-License-Identifier: MIT
 *
 * Boosted trees as a model (models/boost.c), and what it shares with forests (nn/forest.h): trees read the features of
 * the molecules (data/features.h) and not the graph, and grow round by round instead of following gradients.
 *
 *     outputs    F(x) = base + Σ_r tree_r(x), in floats and in this order, for each task from the graphs that have its
 *                label; of several classes one such sum for each
 *     a split    x_j < θ goes left; a number that is 0 counts as missing and goes where training sent it
 *     Z          the features themselves or, where there are more than 256, a count sketch of them:
 *                Z_k = Σ over the columns j with h(j) = k of ±x_j, which keeps distances between molecules
 *
 * XGBoost grows the trees (nn/booster.h) and is needed for nothing else: they are converted (trees_convert.c), saved
 * and predicted without it. It takes some twenty times the memory of its trees, so tasks are grown one after the other,
 * each to the last round, before the first epoch ends:
 *
 *     task k: rows ─► matrix ─► booster ─► all rounds ─► converted trees, `ahead`; the booster is freed; task k + 1 …
 *     epoch e: the next few rounds of each task move from `ahead` to the model
 *
 * so that validation, records and checkpoints are those of every run. The number of rounds of the best epoch is a
 * buffer of the model; the trees are tensors beside its parameters (nn/tree.h). Trees grown ahead are in no checkpoint:
 * a resumed run grows the same trees again, so it has the bits of a run that was never stopped.
 */
#ifndef L2R_NN_TREES_H
#define L2R_NN_TREES_H

#include "nn/booster.h"
#include "nn/model.h"
#include "nn/tree.h"

enum { L2R_TREES_WIDTH = 256 /* most columns of Z */ };

/* The numbers of a node: the value of a leaf, and the weight of the training graphs that reach it. */
enum { L2R_BOOSTED_VALUE, L2R_BOOSTED_COVER, L2R_BOOSTED_WIDTH };

struct l2r_trees {
    const struct l2r_signature *data;
    int64_t per_epoch; /* rounds */
    double rate, depth, row_share, column_share, leaf;
    uint64_t seed;
    int32_t n_boosters, n_outputs;  /* n_outputs: of each */
    struct l2r_array trees;         /* struct l2r_tree [epochs × boosters × rounds of the epoch × outputs] */
    float *base;                    /* [boosters × outputs] */
    const struct l2r_param *rounds; /* [1 × 1]: those that count */
    /* While it is trained: trees that belong to no epoch yet. */
    struct l2r_array ahead; /* struct l2r_tree [boosters × rounds × outputs] */
    int64_t n_ahead;        /* epochs that it was grown for; 0: none */
    int64_t next;           /* the epoch that comes next */
    double *loss;           /* [n_ahead]: of the training graphs */
};

/* Of the options of a run; a model that is read from a file grows no more. */
static inline uint64_t l2r_trees_seed(const struct l2r_config *config)
{
    return l2r_config_has(config, "seed") ? (uint64_t)l2r_config_int(config, "seed") : 0;
}

struct l2r_tree_shape l2r_trees_shape(const struct l2r_trees *trees);
/* Adds the n trees of a model in XGBoost's JSON. */
enum l2r_status l2r_trees_convert(struct l2r_array *trees, const char *json, size_t length, int64_t n,
                                  const struct l2r_tree_shape *shape, struct l2r_error *error);
/* Tree `round` of output c of booster k. */
const struct l2r_tree *l2r_trees_at(const struct l2r_trees *trees, int64_t round, int32_t k, int32_t c);
/* Adds to share [columns + 1] the contribution of each column to the tree's value at x (Lundberg et al. 2018), and last
 * the mean of its values. */
enum l2r_status l2r_tree_shap(double *share, const struct l2r_tree *tree, const l2r_real *x, int32_t n_columns,
                              struct l2r_error *error);
/* The child that x goes to. */
int32_t l2r_boosted_step(const struct l2r_tree_node *at, const l2r_real *x);

/* The hooks of nn/model.h. */
int64_t l2r_trees_build(void *model, const struct l2r_build *build);
l2r_node l2r_trees_forward(const void *model, struct l2r_tape *t, const struct l2r_batch *b);
l2r_node l2r_trees_output(const void *model, struct l2r_tape *t, const struct l2r_batch *b);
enum l2r_status l2r_trees_fit(void *model, double *loss, const struct l2r_fit_data *fit, struct l2r_error *error);
enum l2r_status l2r_trees_save(struct l2r_array *tensors, struct l2r_arena *arena, const void *model,
                               struct l2r_error *error);
enum l2r_status l2r_trees_load(void *model, const struct l2r_tensor *tensors, size_t n, struct l2r_error *error);
bool l2r_trees_can_predict(const void *model, int32_t output);
int64_t l2r_trees_bytes(const struct l2r_config *config, const struct l2r_dataset *data);
void l2r_trees_clear(void *model);

/* The contribution of each feature to the outputs for one graph: share [outputs × (features + 1)], the constant
 * last. */
enum l2r_status l2r_trees_contributions(float *share, const void *model, const struct l2r_dataset *data, int32_t graph,
                                        struct l2r_error *error);

/* The width of Z; fails where there are no features to read. */
int64_t l2r_trees_width(const struct l2r_build *build);
/* The label of training graph i for task k, for trees: regression targets are standardised, as for networks. NaN: there
 * is none to learn from, or only a bound (--censored). */
float l2r_trees_label(const struct l2r_signature *s, const struct l2r_fit_data *fit, int64_t i, int32_t k);

/* Fails if no training graph has an exact label of any task. */
enum l2r_status l2r_trees_check_labels(const struct l2r_signature *s, const struct l2r_fit_data *fit, const char *model,
                                       struct l2r_error *error);

#endif
