/* SPDX-License-Identifier: MIT
 *
 * JKNet, jumping knowledge (Xu et al. 2018, section 4): GCN layers h^1 … h^L (gcn.c has the equation, with bond
 * features as there), combined in one of three ways:
 *
 *     concat    W [h^1 ‖ … ‖ h^L] + b       a linear layer back to D columns, as in the paper
 *     max       the largest of h^1 … h^L, number by number
 *     last      h^L alone: GCN
 *
 * With concat and max every layer ends in its activation, the last one too (it is one of many). The paper's third way,
 * an LSTM with attention over the layers, is not here.
 */
#include "nn/stack.h"

struct jknet {
    struct l2r_stack stack;
    struct l2r_gcn_layer *layers;
    bool last, concat;
    struct l2r_linear join;
};

static const struct l2r_option options[] = {
    {.name = "jk",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "concat",
     .choices = "concat|max|last",
     .group = "JKNet",
     .help = "how a node's layers are combined: concatenation and a linear layer, the maximum, or only the last"},
    {0}};

static int64_t jknet_build(void *model, const struct l2r_build *build)
{
    struct jknet *m = model;
    l2r_stack_add(&m->stack, build);
    l2r_stack_share(&m->stack, build, true);
    m->last = l2r_config_is(build->config, "jk", "last");
    m->concat = l2r_config_is(build->config, "jk", "concat");
    m->stack.activate_last = !m->last;
    int64_t dim = m->stack.hidden;
    m->layers = l2r_params_memory(build->params, (size_t)m->stack.n_layers, sizeof *m->layers);
    for (int64_t i = 0; m->layers && i < m->stack.n_layers; i++)
        m->layers[i] = l2r_gcn_layer_add(build, dim, m->stack.edge_features, i);
    if (m->concat) m->join = l2r_linear_add(build->params, m->stack.n_layers * dim, dim, true, "join");
    return l2r_stack_readout_add(&m->stack, build, dim);
}

static l2r_node jknet_layer(const void *model, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, int64_t i)
{
    return l2r_gcn_layer(t, b, h, &((const struct jknet *)model)->layers[i]);
}

static l2r_node jknet_forward(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    const struct jknet *m = model;
    int64_t n = m->stack.n_layers;
    l2r_node *each = l2r_tape_alloc(t, n, sizeof *each);
    if (!each) return L2R_NO_NODE;
    l2r_node h = l2r_stack_layers(&m->stack, model, t, b, jknet_layer, each);
    if (m->concat)
        h = l2r_linear(t, l2r_side_by_side(t, each, n), &m->join, L2R_LINEAR);
    else if (!m->last)
        h = l2r_largest(t, each, n);
    return l2r_stack_readout(&m->stack, t, b, h);
}

const struct l2r_model_type l2r_model_jknet = {
    .name = "jknet",
    .title = "Jumping knowledge network",
    .paper = "Xu et al. 2018",
    .equation = "h_v = W [h^1_v, ..., h^L_v] + b over the layers of a GCN",
    .options = options,
    .space = L2R_COMMON_SPACE ",jk=concat|max|last",
    .size = sizeof(struct jknet),
    .build = jknet_build,
    .forward = jknet_forward,
};
