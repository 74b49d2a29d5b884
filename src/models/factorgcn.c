/* SPDX-License-Identifier: MIT
 *
 * FactorGCN (Yang et al. 2020): each layer splits the graph into K weighted graphs on the same nodes, its factors. With
 * x = W h + b,
 *
 *     g_uv,k = sigmoid(a_k·x_u + c_k·x_v + bond term)                              weight of the arc in factor k
 *     h'_v   = [y_v,1 ‖ … ‖ y_v,K],   y_v,k = Σ_{u in N(v) and v} g_uv,k x_u,k / sqrt(d_v d_u)
 *
 * where x_v,k is block k of the columns of x. A loss keeps the factors different: in every layer a classifier predicts
 * the number of a factor from its graph,
 *
 *     f_g,k = mean over v of ReLU(Σ_u g_uv,k (V x_u) / sqrt(d_v d_u)),   CE(linear(f_g,k), k)
 *
 * V x is the same for all factors, so only the weights distinguish them. --factor-loss times its mean over graphs and
 * factors is added for each layer while training. Bond features act in the weights, one number per bond type and
 * factor; the paper has none.
 */
#include "autograd/ops.h"
#include "nn/stack.h"

#include <math.h>
#include <stdio.h>

struct factorgcn_layer {
    struct l2r_linear linear, gates; /* [D × D], [2K × D]: a, then c */
    struct l2r_embedding bonds;
    struct l2r_linear encode, classify; /* V [m × D], [K × m]; declared when the loss counts */
};

struct factorgcn {
    struct l2r_stack stack;
    int64_t n_factors;
    double loss;
    struct factorgcn_layer *layers;
};

static const struct l2r_option options[] = {{.name = "factors",
                                             .kind = L2R_OPTION_INT,
                                             .fallback = "4",
                                             .min = 1,
                                             .max = 1000,
                                             .group = "FactorGCN",
                                             .help = "factor graphs per layer; at most `hidden`"},
                                            {.name = "factor-loss",
                                             .kind = L2R_OPTION_REAL,
                                             .fallback = "0.5",
                                             .min = 0,
                                             .max = 1e6,
                                             .help = "weight of the loss that keeps the factors different; 0: off"},
                                            {0}};

static void layer_add(struct factorgcn_layer *layer, const struct factorgcn *m, const struct l2r_build *build, int i)
{
    char name[64];
    struct l2r_params *params = build->params;
    int64_t dim = m->stack.hidden, narrow = dim / m->n_factors;
    snprintf(name, sizeof name, "layers.%d.linear", i);
    layer->linear = l2r_linear_add(params, dim, dim, true, name);
    snprintf(name, sizeof name, "layers.%d.gates", i);
    layer->gates = l2r_linear_add(params, dim, 2 * m->n_factors, true, name);
    snprintf(name, sizeof name, "layers.%d.edge_embedding", i);
    if (m->stack.edge_features) layer->bonds = l2r_edge_embedding_add(build, m->n_factors, name);
    if (m->loss == 0) return;
    snprintf(name, sizeof name, "layers.%d.encode", i);
    layer->encode = l2r_linear_add(params, dim, narrow, true, name);
    snprintf(name, sizeof name, "layers.%d.classify", i);
    layer->classify = l2r_linear_add(params, narrow, m->n_factors, true, name);
}

static int64_t factorgcn_build(void *model, const struct l2r_build *build)
{
    struct factorgcn *m = model;
    l2r_stack_add(&m->stack, build);
    m->n_factors = l2r_config_int(build->config, "factors");
    m->loss = m->n_factors > 1 ? l2r_config_real(build->config, "factor-loss") : 0; /* one factor is easy to tell */
    if (m->n_factors > m->stack.hidden)
        l2r_params_fail(build->params, L2R_ERR_ARGUMENT, "`factors`: %lld factors do not fit into `hidden=%lld`",
                        (long long)m->n_factors, (long long)m->stack.hidden);
    m->layers = l2r_params_memory(build->params, (size_t)m->stack.n_layers, sizeof *m->layers);
    for (int64_t i = 0; m->layers && i < m->stack.n_layers; i++) layer_add(&m->layers[i], m, build, (int)i);
    return l2r_stack_readout_add(&m->stack, build, m->stack.hidden);
}

/* What the layers of one pass share: the model, and the batch's factors. */
struct pass {
    const struct factorgcn *model;
    const struct l2r_factors *factors;
};

/* (weight / B) Σ_g (1/K) Σ_k CE(classify(f_g,k), k); graphs without nodes have no factors to tell apart. */
static void add_factor_loss(const struct pass *pass, struct l2r_tape *t, const struct l2r_batch *b, l2r_node x,
                            l2r_node gates, const struct factorgcn_layer *p)
{
    int64_t n = pass->model->n_factors, rows = b->n_graphs * n, narrow = p->encode.weight->rows;
    float *labels = l2r_tape_alloc(t, rows, sizeof *labels);
    l2r_real *weights = l2r_tape_alloc(t, rows, sizeof *weights);
    if (!labels || !weights) return;
    for (int64_t i = 0; i < rows; i++) {
        bool empty = b->node_start[i / n] == b->node_start[i / n + 1];
        labels[i] = empty ? NAN : (float)(i % n);
        weights[i] = (l2r_real)pass->model->loss;
    }
    l2r_node each = l2r_factor_neighbours(t, pass->factors, l2r_linear(t, x, &p->encode, L2R_LINEAR), gates, true);
    l2r_node f = l2r_reduce_graphs(t, l2r_activate(t, each, L2R_RELU, 0), b->node_start, b->n_graphs, L2R_REDUCE_MEAN);
    l2r_node logits = l2r_linear(t, l2r_reshape(t, f, rows, narrow), &p->classify, L2R_LINEAR);
    l2r_tape_add_loss(t, l2r_weighted_mean(t, l2r_cross_entropy(t, logits, labels, NULL), weights));
}

static l2r_node factorgcn_layer(const void *context, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h,
                                int64_t i)
{
    const struct pass *pass = context;
    const struct factorgcn_layer *p = &pass->model->layers[i];
    l2r_node x = l2r_linear(t, h, &p->linear, L2R_LINEAR);     /* [N × D] */
    l2r_node scores = l2r_linear(t, x, &p->gates, L2R_LINEAR); /* [N × 2K] */
    l2r_node gates = l2r_edge_gates(t, pass->factors, scores, l2r_embedding(t, &b->arcs, &p->bonds));
    gates = l2r_mask_arcs(t, &b->graph, gates);
    if (t->pass.record && !t->pass.frozen && pass->model->loss > 0) add_factor_loss(pass, t, b, x, gates, p);
    return l2r_factor_neighbours(t, pass->factors, x, gates, false);
}

static l2r_node factorgcn_forward(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    const struct factorgcn *m = model;
    struct pass pass = {m, l2r_factors_of(t, &b->graph, m->n_factors)};
    return l2r_stack_forward(&m->stack, &pass, t, b, factorgcn_layer);
}

const struct l2r_model_type l2r_model_factorgcn = {
    .name = "factorgcn",
    .title = "Factorizable graph convolutional network",
    .paper = "Yang et al. 2020",
    .equation = "h'_v = for each factor k: sum over u in N(v) and v itself of sigmoid(a_k x_u + c_k x_v) x_u,k / "
                "sqrt(d_v d_u), x = W h + b",
    .options = options,
    .space = L2R_COMMON_SPACE ",factors=2|4|8",
    .size = sizeof(struct factorgcn),
    .build = factorgcn_build,
    .forward = factorgcn_forward,
};
