/* SPDX-License-Identifier: MIT
 *
 * SGC, simple graph convolution (Wu et al. 2019, eq. 8), with K = --layers:
 *
 *     h' = S^K h W + b,   S = D^-1/2 (A + I) D^-1/2          one linear layer after K steps of smoothing
 *
 * Nothing lies between the K products, so they are one operation, and bond features have no place in it: the model
 * ignores them. Around it stand the encoder, one batch norm with dropout (no ReLU) and the readout, as everywhere.
 *
 * The encoder is linear, too: h = F T, with F [N × t] one column per distinct feature row (all zeros but one) or per
 * real attribute, and T its embeddings, so S^K h W = (S^K F) (T W). F is constant and usually much narrower than h
 * (some dozens of atoms against --hidden): smoothing it is cheap, has no gradient, and W meets the t rows of T instead
 * of all N nodes. That form is used where F is narrower; --residual and --virtual-node need h itself.
 */
#include "nn/stack.h"

#include <string.h>

struct sgc {
    struct l2r_stack stack; /* of one layer */
    int64_t n_hops;
    struct l2r_linear linear;
};

static const struct l2r_option options[] = {{0}};

static int64_t sgc_build(void *model, const struct l2r_build *build)
{
    struct sgc *m = model;
    m->n_hops = l2r_config_int(build->config, "layers");
    l2r_stack_add_layers(&m->stack, build, 1);
    m->linear = l2r_linear_add(build->params, m->stack.hidden, m->stack.hidden, true, "linear");
    return l2r_stack_readout_add(&m->stack, build, m->stack.hidden);
}

static l2r_node sgc_layer(const void *model, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, int64_t i)
{
    const struct sgc *m = model;
    (void)i;
    return l2r_linear(t, l2r_propagate(t, &b->graph, h, m->n_hops), &m->linear, L2R_LINEAR);
}

/* [N × types]: 1 at the type of each node. */
static l2r_node indicators(struct l2r_tape *t, const struct l2r_batch *b)
{
    int64_t types = b->nodes.n;
    l2r_real *f = l2r_tape_alloc(t, b->n_nodes * types, sizeof *f);
    if (!f) return L2R_NO_NODE;
    memset(f, 0, (size_t)(b->n_nodes * types) * sizeof *f);
    for (int64_t v = 0; v < b->n_nodes; v++) f[v * types + b->nodes.type[v]] = 1;
    return l2r_constant(t, f, b->n_nodes, types);
}

/* T of the real attributes, [n × D]: the encoder's answer to each unit vector. */
static l2r_node unit_answers(struct l2r_tape *t, const struct l2r_linear *encoder)
{
    int64_t n = encoder->weight->cols;
    l2r_real *unit = l2r_tape_alloc(t, n * n, sizeof *unit);
    if (!unit) return L2R_NO_NODE;
    memset(unit, 0, (size_t)(n * n) * sizeof *unit);
    for (int64_t k = 0; k < n; k++) unit[k * (n + 1)] = 1;
    return l2r_linear(t, l2r_constant(t, unit, n, n), encoder, L2R_LINEAR);
}

/* S^K F (W Tᵀ)ᵀ + b, for columns F [N × t] with embeddings T [t × D]. */
static l2r_node narrow(const struct sgc *m, struct l2r_tape *t, const struct l2r_batch *b, l2r_node f, l2r_node table,
                       l2r_node bias)
{
    l2r_node weight = l2r_linear_op(t, l2r_use(t, m->linear.weight), table, L2R_NO_NODE, L2R_LINEAR); /* [D × t] */
    return l2r_linear_op(t, l2r_propagate(t, &b->graph, f, m->n_hops), weight, bias, L2R_LINEAR);
}

static l2r_node sgc_narrow(const struct sgc *m, struct l2r_tape *t, const struct l2r_batch *b)
{
    const struct l2r_stack *s = &m->stack;
    l2r_node bias = l2r_use(t, m->linear.bias), out = L2R_NO_NODE, reals;
    if (s->node_embedding.n_columns > 0)
        out = narrow(m, t, b, indicators(t, b), l2r_embedding(t, &b->nodes, &s->node_embedding), bias);
    if (!s->node_linear.weight) return out;
    reals =
        narrow(m, t, b, l2r_stack_reals(s, t, b), unit_answers(t, &s->node_linear), out.id < 0 ? bias : L2R_NO_NODE);
    return out.id < 0 ? reals : l2r_add(t, out, reals);
}

static l2r_node sgc_forward(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    const struct sgc *m = model;
    const struct l2r_stack *s = &m->stack;
    int64_t columns = s->node_embedding.n_columns > 0 ? b->nodes.n : 0;
    if (s->node_linear.weight) columns += s->node_linear.weight->cols;
    bool masked = t->pass.masks.columns.id >= 0; /* columns of F have no masks of their own */
    if (s->residual || s->virtual_node || masked || columns > s->hidden)
        return l2r_stack_forward(s, model, t, b, sgc_layer);
    l2r_node out = sgc_narrow(m, t, b);
    return l2r_stack_readout(s, t, b, l2r_stack_after_layer(s, t, out, out, 0));
}

const struct l2r_model_type l2r_model_sgc = {
    .name = "sgc",
    .title = "Simple graph convolution",
    .paper = "Wu et al. 2019",
    .equation = "h' = S^K h W + b with S = D^-1/2 (A + I) D^-1/2 and K = --layers; bond features are ignored",
    .options = options,
    .size = sizeof(struct sgc),
    .build = sgc_build,
    .forward = sgc_forward,
};
