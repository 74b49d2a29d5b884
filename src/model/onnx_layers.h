/* SPDX-License-Identifier: MIT
 * The steps of which networks are written as ONNX (onnx.h), and the backbones. */
#ifndef L2R_MODEL_ONNX_LAYERS_H
#define L2R_MODEL_ONNX_LAYERS_H

#include "model/onnx_graph.h"
#include "nn/network.h"

/* One member on its way. */
struct l2r_onnx_writer {
    struct l2r_onnx *o;
    const struct l2r_network *network;
    const struct l2r_config *config;
    const struct l2r_signature *s;
    char prefix[16]; /* of its parameters: "1." */
    int64_t hidden;
    bool edges;
    const char *missing; /* a parameter that the network does not have: a mistake here; NULL: none */
};

/* Z; its name is "" where the backbone cannot be written. The inputs, and what is made of them once (onnx.c), have
 * fixed
 * names. */
struct l2r_onnx_name l2r_onnx_represent(struct l2r_onnx_writer *w);
/* x Wᵀ + b of the parameters PREFIX.weight and PREFIX.bias, which may be missing. */
struct l2r_onnx_name l2r_onnx_linear(struct l2r_onnx_writer *w, struct l2r_onnx_name x, const char *prefix);
struct l2r_onnx_name l2r_onnx_activate(struct l2r_onnx_writer *w, struct l2r_onnx_name x);
/* Row index[k] of the result is the sum (or the largest) of rows k of x, [n × cols]. */
struct l2r_onnx_name l2r_onnx_gather_into(struct l2r_onnx_writer *w, struct l2r_onnx_name x, struct l2r_onnx_name index,
                                          struct l2r_onnx_name n, int64_t cols, bool largest);

#endif
