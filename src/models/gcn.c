/* SPDX-License-Identifier: MIT
 *
 * GCN, the graph convolutional network (Kipf & Welling 2017, eq. 2):
 *
 *     h'_v = W (h_v / d_v + Σ_{u in N(v)} h_u / sqrt(d_v d_u)) + b,   d = degree + 1
 *
 * The layer (nn/layers.h) also has OGB's variant for edge features.
 */
#include "nn/stack.h"

struct gcn {
    struct l2r_stack stack;
    struct l2r_gcn_layer *layers;
};

static const struct l2r_option options[] = {{0}};

static int64_t gcn_build(void *model, const struct l2r_build *build)
{
    struct gcn *m = model;
    l2r_stack_add(&m->stack, build);
    l2r_stack_share(&m->stack, build, true);
    m->layers = l2r_params_memory(build->params, (size_t)m->stack.n_layers, sizeof *m->layers);
    for (int64_t i = 0; m->layers && i < m->stack.n_layers; i++)
        m->layers[i] = l2r_gcn_layer_add(build, m->stack.hidden, m->stack.edge_features, i);
    return l2r_stack_readout_add(&m->stack, build, m->stack.hidden);
}

static l2r_node gcn_layer(const void *model, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, int64_t i)
{
    return l2r_gcn_layer(t, b, h, &((const struct gcn *)model)->layers[i]);
}

static l2r_node gcn_forward(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    return l2r_stack_forward(&((const struct gcn *)model)->stack, model, t, b, gcn_layer);
}

const struct l2r_model_type l2r_model_gcn = {
    .name = "gcn",
    .title = "Graph convolutional network",
    .paper = "Kipf and Welling 2017",
    .equation = "h'_v = W (sum over u in N(v) and v itself of h_u / sqrt(d_v d_u)) + b",
    .options = options,
    .size = sizeof(struct gcn),
    .build = gcn_build,
    .forward = gcn_forward,
};
