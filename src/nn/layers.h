/* SPDX-License-Identifier: MIT
 *
 * The parts that models are made of. *_add declares the parameters under a name prefix, the function named after the
 * layer uses them on the tape. Initial values follow PyTorch (linear: uniform in ±1/sqrt(in); embeddings: Glorot
 * uniform).
 */
#ifndef L2R_NN_LAYERS_H
#define L2R_NN_LAYERS_H

#include "autograd/ops.h"
#include "batch/batch.h"
#include "nn/model.h"

extern const struct l2r_activation *const l2r_activations[]; /* src/nn/activations; NULL at the end */
extern const char l2r_activation_choices[];                  /* "relu|elu|…" */
/* By its name, which must be one of the choices; NULL: ReLU. */
const struct l2r_activation *l2r_activation_find(const char *name);

struct l2r_linear {
    const struct l2r_param *weight, *bias; /* [out × in], [1 × out] or NULL */
};
struct l2r_linear l2r_linear_add(struct l2r_params *params, int64_t in, int64_t out, bool bias, const char *prefix);
l2r_node l2r_linear(struct l2r_tape *t, l2r_node x, const struct l2r_linear *p, const struct l2r_activation *act);

/* --norm: batch norm makes every column of a batch alike, layer norm every row; none leaves sizes as they are. */
enum l2r_norm_kind { L2R_NORM_NONE, L2R_NORM_BATCH, L2R_NORM_LAYER };
enum l2r_norm_kind l2r_norm_kind_of(const struct l2r_config *config);

struct l2r_norm {
    enum l2r_norm_kind kind;
    const struct l2r_param *gamma, *beta;    /* NULL without a norm */
    const struct l2r_param *mean, *variance; /* running statistics of batch norm; NULL otherwise */
};
struct l2r_norm l2r_norm_add(struct l2r_params *params, enum l2r_norm_kind kind, int64_t cols, const char *prefix);
/* Norm, activation, dropout. counts: nodes that each row stands for, the batch's; NULL where rows are not nodes. */
l2r_node l2r_norm(struct l2r_tape *t, l2r_node x, const struct l2r_norm *p, const struct l2r_row_counts *counts,
                  const struct l2r_activation *act, double drop);

/* act(norm(W x + b)). */
l2r_node l2r_linear_norm(struct l2r_tape *t, l2r_node x, const struct l2r_linear *linear, const struct l2r_norm *norm,
                         const struct l2r_row_counts *counts, const struct l2r_activation *act);

/* linear – norm – activation – linear. */
struct l2r_mlp {
    struct l2r_linear first, second;
    struct l2r_norm norm;
    const struct l2r_activation *act;
};
struct l2r_mlp l2r_mlp_add(struct l2r_params *params, int64_t in, int64_t hidden, int64_t out, enum l2r_norm_kind norm,
                           const struct l2r_activation *act, const char *prefix);
l2r_node l2r_mlp(struct l2r_tape *t, l2r_node x, const struct l2r_mlp *p, const struct l2r_row_counts *counts);

/* One table per feature column; h_v is the sum of its rows, one from each table. */
struct l2r_embedding {
    int32_t n_columns;
    const struct l2r_param **tables; /* [n_columns] */
};
struct l2r_embedding l2r_embedding_add(struct l2r_params *params, const int32_t *vocabulary, int32_t n_columns,
                                       int64_t dim, const char *prefix);
/* [types × dim], or L2R_NO_NODE without columns. */
l2r_node l2r_embedding(struct l2r_tape *t, const struct l2r_batch_types *types, const struct l2r_embedding *p);

/* One graph convolution (Kipf & Welling 2017), a part of several models:
 *
 *     h'_v = W (h_v / d_v + Σ_{u in N(v)} h_u / sqrt(d_v d_u)) + b,   d = degree + 1
 *
 * With edge features (OGB's variant) W comes first, x = W h + b; a message is ReLU(x_u + e_uv) / sqrt(d_v d_u), and the
 * node's own part ReLU(x_v + root) / d_v with a learned row `root`. */
struct l2r_gcn_layer {
    struct l2r_linear linear;
    struct l2r_embedding edges;
    const struct l2r_param *root; /* NULL: without edge features */
};

/* Layer number i of a model, [N × dim] to [N × dim]; edge_features: use those of the data. */
struct l2r_gcn_layer l2r_gcn_layer_add(const struct l2r_build *build, int64_t dim, bool edge_features, int64_t i);
l2r_node l2r_gcn_layer(struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, const struct l2r_gcn_layer *p);

#endif
