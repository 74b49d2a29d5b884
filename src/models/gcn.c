/* SPDX-License-Identifier: MIT
 *
 * GCN, the graph convolutional network (Kipf & Welling 2017, eq. 2):
 *
 *     h'_v = W (h_v / d_v + Σ_{u in N(v)} h_u / sqrt(d_v d_u)) + b,   d = degree + 1
 *
 * (the sum is linear, so it may come before W). With edge features (OGB's variant) W comes first, x = W h + b; a message
 * is ReLU(x_u + e_uv) / sqrt(d_v d_u), and the node's own part ReLU(x_v + root) / d_v with a learned row `root`.
 */
#include "nn/stack.h"

#include <math.h>
#include <stdio.h>

struct gcn_layer {
    struct l2r_linear linear;
    struct l2r_embedding edges;
    const struct l2r_param *root;
};

struct gcn {
    struct l2r_stack stack;
    struct gcn_layer *layers;
};

static const struct l2r_option options[] = {{0}};

static int64_t gcn_build(void *model, const struct l2r_build *build)
{
    struct gcn *m = model;
    struct l2r_params *params = build->params;
    l2r_stack_add(&m->stack, build);
    int64_t dim = m->stack.hidden;
    m->layers = l2r_params_memory(params, (size_t)m->stack.n_layers, sizeof *m->layers);
    for (int64_t i = 0; m->layers && i < m->stack.n_layers; i++) {
        char name[64];
        struct gcn_layer *layer = &m->layers[i];
        snprintf(name, sizeof name, "layers.%d.linear", (int)i);
        layer->linear = l2r_linear_add(params, dim, dim, true, name);
        if (!m->stack.edge_features) continue;
        snprintf(name, sizeof name, "layers.%d.edge_embedding", (int)i);
        layer->edges = l2r_embedding_add(params, build->data->edge_vocabulary, build->data->n_edge_columns, dim, name);
        double bound = sqrt(6.0 / (double)(1 + dim));
        layer->root = l2r_params_add(params, 1, dim, L2R_INIT_UNIFORM, bound, "layers.%d.root.weight", (int)i);
    }
    return dim;
}

static l2r_node gcn_layer(const void *model, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, int64_t i)
{
    const struct gcn_layer *p = &((const struct gcn *)model)->layers[i];
    if (!p->root) {
        l2r_node mean = l2r_gcn_neighbours(t, &b->graph, h, L2R_NO_NODE, L2R_NO_NODE);
        return l2r_linear(t, mean, &p->linear, L2R_LINEAR);
    }
    l2r_node x = l2r_linear(t, h, &p->linear, L2R_LINEAR);
    return l2r_gcn_neighbours(t, &b->graph, x, l2r_embedding(t, &b->arcs, &p->edges), l2r_use(t, p->root));
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
