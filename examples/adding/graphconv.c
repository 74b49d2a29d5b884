/* SPDX-License-Identifier: MIT
 *
 * A backbone to copy: GraphConv (Morris et al. 2019, eq. 5),
 *
 *     h'_v = W1 h_v + W2 (h_v + Σ_{u in N(v)} h_u) + b
 *
 * (the paper sums over the neighbours alone; W1 can undo the difference). As src/models/graphconv.c it is
 * `--model graphconv`. Encoding of the features, batch norm, dropout, virtual node and readout are nn/stack.h's;
 * edge features are not used. docs/adding-a-model.md walks through it.
 */
#include "nn/stack.h"

#include <stdio.h>

struct graphconv_layer {
    struct l2r_linear self, neighbours;
};

struct graphconv {
    struct l2r_stack stack;
    bool normalised;
    struct graphconv_layer *layers;
};

static const struct l2r_option options[] = {{.name = "aggregate",
                                             .kind = L2R_OPTION_CHOICE,
                                             .choices = "sum|normalised",
                                             .fallback = "sum",
                                             .group = "GraphConv",
                                             .help = "plain sum over the neighbours, or GCN's, divided by degrees"},
                                            {0}};

static int64_t graphconv_build(void *model, const struct l2r_build *build)
{
    struct graphconv *m = model;
    struct l2r_params *params = build->params;
    l2r_stack_add(&m->stack, build);
    m->normalised = l2r_config_is(build->config, "aggregate", "normalised");
    int64_t dim = m->stack.hidden;
    m->layers = l2r_params_memory(params, (size_t)m->stack.n_layers, sizeof *m->layers);
    for (int64_t i = 0; m->layers && i < m->stack.n_layers; i++) {
        char name[64];
        snprintf(name, sizeof name, "layers.%d.self", (int)i);
        m->layers[i].self = l2r_linear_add(params, dim, dim, false, name);
        snprintf(name, sizeof name, "layers.%d.neighbours", (int)i);
        m->layers[i].neighbours = l2r_linear_add(params, dim, dim, true, name);
    }
    return l2r_stack_readout_add(&m->stack, build, dim);
}

static l2r_node graphconv_layer(const void *model, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, int64_t i)
{
    const struct graphconv *m = model;
    const struct graphconv_layer *p = &m->layers[i];
    l2r_node sum = m->normalised ? l2r_gcn_neighbours(t, &b->graph, h, L2R_NO_NODE, L2R_NO_NODE)
                                 : l2r_sum_neighbours(t, &b->graph, h, L2R_NO_NODE, L2R_NO_NODE); /* [N × D] */
    return l2r_add(t, l2r_linear(t, h, &p->self, L2R_LINEAR), l2r_linear(t, sum, &p->neighbours, L2R_LINEAR));
}

static l2r_node graphconv_forward(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    return l2r_stack_forward(&((const struct graphconv *)model)->stack, model, t, b, graphconv_layer);
}

const struct l2r_model_type l2r_model_graphconv = {
    .name = "graphconv",
    .title = "GraphConv",
    .paper = "Morris et al. 2019",
    .equation = "h'_v = W1 h_v + W2 (h_v + sum over neighbours u of h_u) + b",
    .options = options,
    .size = sizeof(struct graphconv),
    .build = graphconv_build,
    .forward = graphconv_forward,
};
