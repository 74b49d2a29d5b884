/* SPDX-License-Identifier: MIT
 *
 * Networks that shrink the graph from layer to layer (TopKPool, SAGPool):
 *
 *     h = encode(features)
 *     for each layer i:   h = act(norm(GCN_i(h)))                         on the graph of this level
 *                         s = score_i(h)                                  [N_i × 1], the model's own equation
 *                         keep the ⌈ratio·n⌉ highest of every graph:      h = h ∘ tanh(s), arcs between nodes that stay
 *                         z += [max ‖ mean] over the nodes that stay      [B × 2D]
 *
 * Every graph that has nodes keeps at least one. With another --readout than mean the second half is that readout's;
 * with max there is only the first; a readout that has parameters (diffpool) reads the last level alone. Virtual node,
 * residual and bond features work as in other models, on the graph of each level. Dropout does not: before a score or a
 * maximum it changes what is chosen, so that training and evaluation see different networks. It acts on Z instead,
 * where the originals have it, too.
 */
#ifndef L2R_NN_TOP_K_POOL_H
#define L2R_NN_TOP_K_POOL_H

#include "nn/stack.h"

struct l2r_pooling {
    struct l2r_stack stack;
    struct l2r_gcn_layer *layers;
    double ratio, dropout; /* dropout of Z */
};

/* Scores of the nodes after layer i, [N × 1]. */
typedef l2r_node l2r_score_fn(const void *model, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, int64_t i);

/* Reads --pool-ratio and declares all but the scores' parameters. Returns the width of Z. */
int64_t l2r_pooling_add(struct l2r_pooling *p, const struct l2r_build *build);
l2r_node l2r_pooling_forward(const struct l2r_pooling *p, const void *model, struct l2r_tape *t,
                             const struct l2r_batch *b, l2r_score_fn *score);

/* One pooling step: the rows of x that stay, gated, and in *level the batch's graphs reduced to them. The node features
 * of *level are gone: they have been encoded. level may not be b. */
l2r_node l2r_top_k_pool(struct l2r_tape *t, struct l2r_batch *level, const struct l2r_batch *b, l2r_node x,
                        l2r_node score, double ratio);

#endif
