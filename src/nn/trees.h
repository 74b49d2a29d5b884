/* SPDX-License-Identifier: MIT
 *
 * Boosted trees as a model (models/boost.c), and what it shares with forests (nn/forest.h): trees read the features of
 * the molecules (data/features.h) and not the graph, and grow round by round instead of following gradients.
 *
 *     outputs    a booster for each task (nn/booster.h), trained on the graphs that have its label; of several classes
 *                one booster with an output for each
 *     Z          the features themselves or, where there are more than 256, a count sketch of them:
 *                Z_k = Σ over the columns j with h(j) = k of ±x_j, which keeps distances between molecules
 *
 * An epoch is a few rounds, so that validation, records and checkpoints are those of every run. The number of rounds of
 * the best epoch is a buffer of the model; the trees are bytes beside its parameters.
 */
#ifndef L2R_NN_TREES_H
#define L2R_NN_TREES_H

#include "nn/booster.h"
#include "nn/model.h"

enum { L2R_TREES_WIDTH = 256 /* most columns of Z */ };

struct l2r_trees {
    const struct l2r_signature *data;
    int64_t per_epoch; /* rounds */
    double rate, depth, row_share, column_share, leaf;
    uint64_t seed;
    int32_t n_boosters, n_outputs;  /* n_outputs: of each */
    struct l2r_booster **boosters;  /* [n_boosters]; NULL before the first round */
    struct l2r_matrix **matrices;   /* [n_boosters]: the training graphs of each, while it is trained */
    const struct l2r_param *rounds; /* [1 × 1]: what is asked of each booster */
};

/* The hooks of nn/model.h. */
int64_t l2r_trees_build(void *model, const struct l2r_build *build);
l2r_node l2r_trees_forward(const void *model, struct l2r_tape *t, const struct l2r_batch *b);
l2r_node l2r_trees_output(const void *model, struct l2r_tape *t, const struct l2r_batch *b);
enum l2r_status l2r_trees_fit(void *model, double *loss, const struct l2r_fit *fit, struct l2r_error *error);
enum l2r_status l2r_trees_save(void **bytes, size_t *length, const void *model, struct l2r_error *error);
enum l2r_status l2r_trees_load(void *model, const void *bytes, size_t length, struct l2r_error *error);
void l2r_trees_clear(void *model);

/* What each feature contributes to the outputs for one graph: share [outputs × (features + 1)], the constant last. */
enum l2r_status l2r_trees_contributions(float *share, const void *model, const struct l2r_dataset *data, int32_t graph,
                                        struct l2r_error *error);

/* The width of Z; fails where there are no features to read. */
int64_t l2r_trees_width(const struct l2r_build *build);
/* The label of training graph i for task k as trees see it: regression targets are standardised, as for networks. NaN:
 * there is none to learn from, or only a bound (--censored). */
float l2r_trees_label(const struct l2r_signature *s, const struct l2r_fit *fit, int64_t i, int32_t k);

#endif
