/* SPDX-License-Identifier: MIT
 *
 * GIN, the graph isomorphism network (Xu et al. 2019, eq. 4.1):
 *
 *     h'_v = MLP((1 + eps) h_v + Σ_{u in N(v)} h_u)
 *
 * eps is learned; the MLP is D → factor·D → D with batch norm. With edge features (as in OGB) a message is ReLU(h_u +
 * e_uv).
 */
#include "nn/stack.h"

#include <stdio.h>

struct gin_layer {
    const struct l2r_param *eps;
    struct l2r_embedding edges;
    struct l2r_mlp mlp;
};

struct gin {
    struct l2r_stack stack;
    struct gin_layer *layers;
};

static const struct l2r_option options[] = {{.name = "mlp-factor",
                                             .kind = L2R_OPTION_INT,
                                             .fallback = "2",
                                             .min = 1,
                                             .max = 64,
                                             .group = "GIN",
                                             .help = "hidden width of each layer's MLP, in units of `hidden`"},
                                            {0}};

static int64_t gin_build(void *model, const struct l2r_build *build)
{
    struct gin *m = model;
    struct l2r_params *params = build->params;
    l2r_stack_add(&m->stack, build);
    l2r_stack_share(&m->stack, build, false);
    int64_t dim = m->stack.hidden, wide = dim * l2r_config_int(build->config, "mlp-factor");
    m->layers = l2r_params_memory(params, (size_t)m->stack.n_layers, sizeof *m->layers);
    for (int64_t i = 0; m->layers && i < m->stack.n_layers; i++) {
        char name[64];
        struct gin_layer *layer = &m->layers[i];
        layer->eps = l2r_params_add(params, 1, 1, L2R_INIT_CONSTANT, 0, "layers.%d.eps", (int)i);
        snprintf(name, sizeof name, "layers.%d.edge_embedding", (int)i);
        if (m->stack.edge_features) layer->edges = l2r_edge_embedding_add(build, dim, name);
        snprintf(name, sizeof name, "layers.%d.mlp", (int)i);
        layer->mlp = l2r_mlp_add(params, dim, wide, dim, m->stack.norm, m->stack.act, name);
    }
    return l2r_stack_readout_add(&m->stack, build, dim);
}

static l2r_node gin_layer(const void *model, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, int64_t i)
{
    const struct gin_layer *p = &((const struct gin *)model)->layers[i];
    l2r_node edges = l2r_embedding(t, &b->arcs, &p->edges);                        /* [types × D] */
    l2r_node sum = l2r_sum_neighbours(t, &b->graph, h, l2r_use(t, p->eps), edges); /* [N × D] */
    return l2r_mlp(t, sum, &p->mlp, b->counts);
}

static l2r_node gin_forward(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    return l2r_stack_forward(&((const struct gin *)model)->stack, model, t, b, gin_layer);
}

const struct l2r_model_type l2r_model_gin = {
    .name = "gin",
    .title = "Graph isomorphism network",
    .paper = "Xu et al. 2019",
    .equation = "h'_v = MLP((1 + eps) h_v + sum over neighbours u of h_u)",
    .options = options,
    .size = sizeof(struct gin),
    .build = gin_build,
    .forward = gin_forward,
};
