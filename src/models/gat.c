/* SPDX-License-Identifier: MIT
 *
 * GATv2, the graph attention network with dynamic attention (Brody et al. 2022, eq. 7), K = --heads heads:
 *
 *     h'_v,k = Σ_{u ∈ N(v) ∪ {v}} α_uv,k (S h_u + b)_k
 *     α_uv,k = softmax over u of a_k · LeakyReLU(S h_u + b + T h_v + c + e_uv)_k
 *
 * Index k is the head's block of the D columns, so that heads stand side by side. Edge features e are embeddings, one
 * table a layer; a node's edge to itself has none.
 */
#include "nn/stack.h"

#include <math.h>
#include <stdio.h>

struct gat_layer {
    struct l2r_linear sender, receiver; /* S and b; T and c */
    const struct l2r_param *attention;  /* a, [1 × D] */
    struct l2r_embedding edges;
};

struct gat {
    struct l2r_stack stack;
    int64_t n_heads;
    struct gat_layer *layers;
};

static const struct l2r_option options[] = {{.name = "heads",
                                             .kind = L2R_OPTION_INT,
                                             .fallback = "4",
                                             .min = 1,
                                             .max = 1024,
                                             .group = "GAT",
                                             .help = "attention heads, each with its share of the columns"},
                                            {0}};

static struct gat_layer layer_add(const struct gat *m, const struct l2r_build *build, int64_t i)
{
    struct gat_layer layer = {0};
    int64_t dim = m->stack.hidden;
    int64_t width = dim / m->n_heads;               /* of one head */
    double bound = sqrt(6.0 / (double)(1 + width)); /* Glorot */
    char name[64];
    snprintf(name, sizeof name, "layers.%d.sender", (int)i);
    layer.sender = l2r_linear_add(build->params, dim, dim, true, name);
    snprintf(name, sizeof name, "layers.%d.receiver", (int)i);
    layer.receiver = l2r_linear_add(build->params, dim, dim, true, name);
    layer.attention = l2r_params_add(build->params, 1, dim, L2R_INIT_UNIFORM, bound, "layers.%d.attention", (int)i);
    snprintf(name, sizeof name, "layers.%d.edge_embedding", (int)i);
    if (m->stack.edge_features) layer.edges = l2r_edge_embedding_add(build, dim, name);
    return layer;
}

static int64_t gat_build(void *model, const struct l2r_build *build)
{
    struct gat *m = model;
    l2r_stack_add(&m->stack, build);
    m->n_heads = l2r_config_int(build->config, "heads");
    m->layers = l2r_params_memory(build->params, (size_t)m->stack.n_layers, sizeof *m->layers);
    for (int64_t i = 0; m->layers && i < m->stack.n_layers; i++) m->layers[i] = layer_add(m, build, i);
    return l2r_stack_readout_add(&m->stack, build, m->stack.hidden);
}

static l2r_node gat_layer(const void *model, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, int64_t i)
{
    const struct gat *m = model;
    const struct gat_layer *p = &m->layers[i];
    l2r_node sender = l2r_linear(t, h, &p->sender, L2R_LINEAR), receiver = l2r_linear(t, h, &p->receiver, L2R_LINEAR);
    l2r_node edges = l2r_embedding(t, &b->arcs, &p->edges); /* [types × D] */
    return l2r_attend(t, &b->graph, sender, receiver, l2r_use(t, p->attention), edges, m->n_heads);
}

static l2r_node gat_forward(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    return l2r_stack_forward(&((const struct gat *)model)->stack, model, t, b, gat_layer);
}

const struct l2r_model_type l2r_model_gat = {
    .name = "gat",
    .title = "Graph attention network (GATv2)",
    .paper = "Brody et al. 2022",
    .equation =
        "h'_v = sum over u in N(v) and v itself of softmax(a . LeakyReLU(S h_u + T h_v + e_uv)) S h_u, by heads",
    .unmaskable = "the attention of a node is divided among its edges, so that a weight of 0 on one does not take it "
                  "out of the sum",
    .options = options,
    .size = sizeof(struct gat),
    .build = gat_build,
    .forward = gat_forward,
};
