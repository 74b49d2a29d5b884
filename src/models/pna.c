/* SPDX-License-Identifier: MIT
 *
 * PNA, principal neighbourhood aggregation (Corso et al. 2020, eq. 8), with one tower:
 *
 *     m_uv = A h_u + B h_v + e_uv + b                     a linear message (e_uv: an embedding)
 *     h'_v = U h_v + V [scaler(d_v) · aggregate of m_uv over N(v), for all scalers and aggregators] + c
 *
 *     aggregators   mean, max, min, std
 *     scalers       identity 1, amplification log(d+1)/delta, attenuation delta/log(d+1); delta is the mean of log(d+1)
 *                   over the nodes of the TRAINING graphs and is saved with the model
 *
 * Because messages are linear, A h and B h are computed per node, not per arc; B h_v + b moves mean, max and min alone,
 * and without these it is left out. --residual is on by default, as in the paper.
 */
#include "nn/stack.h"

#include <stdio.h>

struct pna_layer {
    struct l2r_linear source, target; /* A; B and b */
    struct l2r_embedding edges;
    struct l2r_linear self, neighbours; /* U and c; V */
};

struct pna {
    struct l2r_stack stack;
    struct l2r_statistics which;
    struct pna_layer *layers;
};

/* In the order of enum l2r_aggregator and enum l2r_scaler. */
static const struct l2r_option options[] = {{.name = "aggregators",
                                             .kind = L2R_OPTION_LIST,
                                             .fallback = "mean,max,min,std",
                                             .choices = "mean|max|min|std",
                                             .group = "PNA",
                                             .help = "aggregators of the neighbours' messages"},
                                            {.name = "scalers",
                                             .kind = L2R_OPTION_LIST,
                                             .fallback = "identity,amplification,attenuation",
                                             .choices = "identity|amplification|attenuation",
                                             .help = "degree scalers applied to each aggregator"},
                                            {0}};

static const struct l2r_default defaults[] = {{"residual", "true"}, {0}};

static struct l2r_statistics statistics_of(const struct l2r_build *build)
{
    struct l2r_statistics which = {l2r_config_list(build->config, "aggregators"),
                                   l2r_config_list(build->config, "scalers"), build->data->mean_log_degree};
    if (which.delta < 0 && which.scalers != L2R_IDENTITY)
        l2r_params_fail(build->params, L2R_ERR_FORMAT,
                        "the model's file does not hold the mean log degree of its training graphs, which `scalers=%s` "
                        "needs; train it again",
                        l2r_config_text(build->config, "scalers"));
    if (which.delta <= 0) which.delta = 1; /* no edges in training, or not used */
    return which;
}

static struct pna_layer layer_add(const struct pna *m, const struct l2r_build *build, int64_t i)
{
    struct pna_layer layer = {0};
    int64_t dim = m->stack.hidden;
    int64_t wide = dim * __builtin_popcount(m->which.aggregators) * __builtin_popcount(m->which.scalers);
    char name[64];
    snprintf(name, sizeof name, "layers.%d.source", (int)i);
    layer.source = l2r_linear_add(build->params, dim, dim, false, name);
    snprintf(name, sizeof name, "layers.%d.target", (int)i);
    if (m->which.aggregators != L2R_STD) layer.target = l2r_linear_add(build->params, dim, dim, true, name);
    snprintf(name, sizeof name, "layers.%d.edge_embedding", (int)i);
    if (m->stack.edge_features)
        layer.edges =
            l2r_embedding_add(build->params, build->data->edge_vocabulary, build->data->n_edge_columns, dim, name);
    snprintf(name, sizeof name, "layers.%d.self", (int)i);
    layer.self = l2r_linear_add(build->params, dim, dim, true, name);
    snprintf(name, sizeof name, "layers.%d.neighbours", (int)i);
    layer.neighbours = l2r_linear_add(build->params, wide, dim, false, name);
    return layer;
}

static int64_t pna_build(void *model, const struct l2r_build *build)
{
    struct pna *m = model;
    l2r_stack_add(&m->stack, build);
    m->which = statistics_of(build);
    m->layers = l2r_params_memory(build->params, (size_t)m->stack.n_layers, sizeof *m->layers);
    for (int64_t i = 0; m->layers && i < m->stack.n_layers; i++) m->layers[i] = layer_add(m, build, i);
    return l2r_stack_readout_add(&m->stack, build, m->stack.hidden);
}

static l2r_node pna_layer(const void *model, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, int64_t i)
{
    const struct pna *m = model;
    const struct pna_layer *p = &m->layers[i];
    l2r_node source = l2r_linear(t, h, &p->source, L2R_LINEAR), target = L2R_NO_NODE; /* [N × D] */
    if (p->target.weight) target = l2r_linear(t, h, &p->target, L2R_LINEAR);
    l2r_node edges = l2r_embedding(t, &b->arcs, &p->edges); /* [types × D] */
    l2r_node neighbours = l2r_multi_aggregate_linear(t, &b->graph, source, target, edges,
                                                     l2r_use(t, p->neighbours.weight), &m->which); /* V [...] */
    return l2r_add(t, l2r_linear(t, h, &p->self, L2R_LINEAR), neighbours);
}

static l2r_node pna_forward(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    return l2r_stack_forward(&((const struct pna *)model)->stack, model, t, b, pna_layer);
}

const struct l2r_model_type l2r_model_pna = {
    .name = "pna",
    .title = "Principal neighbourhood aggregation",
    .paper = "Corso et al. 2020",
    .equation = "h'_v = U h_v + V [scaler(d_v) * (mean, max, min, std) of A h_u + B h_v + e_uv + b] + c",
    .unmaskable = "maximum, minimum and standard deviation of messages have no weighted form in which a weight of 0 "
                  "removes an edge",
    .options = options,
    .defaults = defaults,
    .size = sizeof(struct pna),
    .build = pna_build,
    .forward = pna_forward,
};
