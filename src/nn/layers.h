/* SPDX-License-Identifier: MIT
 *
 * The parts that models are made of. *_add declares the parameters under a name prefix, the function named after the layer
 * uses them on the tape. Initial values follow PyTorch (linear: uniform in ±1/sqrt(in); embeddings: Glorot uniform).
 */
#ifndef L2R_NN_LAYERS_H
#define L2R_NN_LAYERS_H

#include "autograd/ops.h"
#include "batch/batch.h"
#include "nn/params.h"

struct l2r_linear {
    const struct l2r_param *weight, *bias; /* [out × in], [1 × out] or NULL */
};
struct l2r_linear l2r_linear_add(struct l2r_params *params, int64_t in, int64_t out, bool bias, const char *prefix);
l2r_node l2r_linear(struct l2r_tape *t, l2r_node x, const struct l2r_linear *p, enum l2r_activation act);

struct l2r_norm {
    const struct l2r_param *gamma, *beta, *mean, *variance;
};
struct l2r_norm l2r_norm_add(struct l2r_params *params, int64_t cols, const char *prefix);
/* Batch norm, activation, dropout. counts: nodes that each row stands for, the batch's; NULL where rows are not nodes. */
l2r_node l2r_norm(struct l2r_tape *t, l2r_node x, const struct l2r_norm *p, const struct l2r_row_counts *counts,
                  enum l2r_activation act, double drop);

/* linear – norm (optional) – ReLU – linear. */
struct l2r_mlp {
    struct l2r_linear first, second;
    struct l2r_norm norm;
    bool normalise;
};
struct l2r_mlp l2r_mlp_add(struct l2r_params *params, int64_t in, int64_t hidden, int64_t out, bool normalise,
                           const char *prefix);
l2r_node l2r_mlp(struct l2r_tape *t, l2r_node x, const struct l2r_mlp *p, const struct l2r_row_counts *counts);

/* One table a feature column; the rows are summed. */
struct l2r_embedding {
    int32_t n_columns;
    const struct l2r_param **tables; /* [n_columns] */
};
struct l2r_embedding l2r_embedding_add(struct l2r_params *params, const int32_t *vocabulary, int32_t n_columns,
                                       int64_t dim, const char *prefix);
/* [types × dim], or L2R_NO_NODE without columns. */
l2r_node l2r_embedding(struct l2r_tape *t, const struct l2r_batch_types *types, const struct l2r_embedding *p);

#endif
