/* SPDX-License-Identifier: MIT
 *
 * One graph convolution (Kipf & Welling 2017), a part of several models:
 *
 *     h'_v = W (h_v / d_v + Σ_{u in N(v)} h_u / sqrt(d_v d_u)) + b,   d = degree + 1
 *
 * (the sum is linear, so it comes before W, or after it where that means fewer rows to multiply). With edge features (OGB's variant) W comes first, x = W h + b; a message
 * is ReLU(x_u + e_uv) / sqrt(d_v d_u), and the node's own part ReLU(x_v + root) / d_v with a learned row `root`.
 */
#ifndef L2R_NN_GCN_LAYER_H
#define L2R_NN_GCN_LAYER_H

#include "nn/layers.h"
#include "nn/model.h"

struct l2r_gcn_layer {
    struct l2r_linear linear;
    struct l2r_embedding edges;
    const struct l2r_param *root; /* NULL: without edge features */
};

/* Layer number i of a model, [N × dim] to [N × dim]; edge_features: use those of the data. */
struct l2r_gcn_layer l2r_gcn_layer_add(const struct l2r_build *build, int64_t dim, bool edge_features, int64_t i);
l2r_node l2r_gcn_layer(struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, const struct l2r_gcn_layer *p);

#endif
