/* SPDX-License-Identifier: MIT
 *
 * D-MPNN, directed message passing (Yang et al. 2019, eqs. 4–8): states belong to directed arcs, so that no message
 * returns over the bond it came from. With x_v the encoded features of a node and K = --layers,
 *
 *     p_{vw} = x_v + e_{vw}                                       W_i of features and bond, as embeddings
 *     h¹     = act(p),   h^{k+1}_{vw} = dropout(act(p_{vw} + W Σ_{u ∈ N(v), u ≠ w} h^k_{uv}))
 *     h_v    = dropout(act(norm(U x_v + V Σ_{u ∈ N(v)} h^K_{uv} + b)))
 *
 * With --self-features the atom's own part U x_v is a second embedding of its features, as in chemprop.
 *
 * W is the same in every step. The defaults are the usual ones of D-MPNNs: three steps, no norm, no dropout, sums over
 * a hundred, a hidden layer in the head. Without dropout arcs with equal neighbourhoods are computed once
 * (batch/arc_levels.h).
 */
#include "batch/arc_levels.h"
#include "nn/stack.h"

struct dmpnn {
    struct l2r_stack stack; /* of one layer, the step from arcs to nodes */
    int64_t n_steps;        /* K */
    struct l2r_embedding edges;
    struct l2r_linear message, self, neighbours; /* W; U and b; V */
    bool self_features;
    struct l2r_stack own; /* with self_features, in place of U: an encoder and nothing else */
};

static const struct l2r_option options[] = {
    {.name = "self-features",
     .kind = L2R_OPTION_FLAG,
     .fallback = "false",
     .group = "D-MPNN",
     .help = "the last step reads the features of the node by an embedding of its own instead of the first step's"},
    {.name = "message-bias", .kind = L2R_OPTION_FLAG, .fallback = "false", .help = "a bias in the steps between arcs"},
    {0}};

static const struct l2r_default defaults[] = {{"layers", "3"},       {"dropout", "0"},     {"batch-norm", "false"},
                                              {"readout", "scaled"}, {"head-layers", "1"}, {0}};

/* A second encoder of the nodes' features, in place of U and b: tables of categories have a bias in them. */
static void own_add(struct dmpnn *m, const struct l2r_build *build)
{
    const struct l2r_signature *data = build->data;
    int64_t dim = m->stack.hidden, reals = m->stack.bare ? 1 : data->n_node_reals;
    m->own.bare = m->stack.bare;
    m->own.node_embedding =
        l2r_embedding_add(build->params, data->node_vocabulary, data->n_node_columns, dim, "self_embedding");
    if (reals > 0) m->own.node_linear = l2r_linear_add(build->params, reals, dim, false, "self_linear");
}

static int64_t dmpnn_build(void *model, const struct l2r_build *build)
{
    struct dmpnn *m = model;
    m->n_steps = l2r_config_int(build->config, "layers");
    l2r_stack_add_layers(&m->stack, build, 1);
    m->stack.activate_last = true;
    l2r_stack_share_lines(&m->stack, build, m->n_steps);
    int64_t dim = m->stack.hidden;
    if (m->stack.edge_features) m->edges = l2r_edge_embedding_add(build, dim, "edge_embedding");
    if (m->n_steps > 1)
        m->message = l2r_linear_add(build->params, dim, dim, l2r_config_flag(build->config, "message-bias"), "message");
    m->self_features = l2r_config_flag(build->config, "self-features");
    if (m->self_features)
        own_add(m, build);
    else
        m->self = l2r_linear_add(build->params, dim, dim, true, "self");
    m->neighbours = l2r_linear_add(build->params, dim, dim, false, "neighbours");
    return l2r_stack_readout_add(&m->stack, build, dim);
}

/* p: x_source + e_type for n arcs. */
static l2r_node initial(const struct dmpnn *m, struct l2r_tape *t, const struct l2r_batch *b, l2r_node x,
                        const int32_t *source, const int32_t *type, int64_t n)
{
    l2r_node p = l2r_take_rows(t, x, source, n), edges = l2r_embedding(t, &b->arcs, &m->edges);
    return edges.id < 0 ? p : l2r_add(t, p, l2r_take_rows(t, edges, type, n));
}

/* U x_v + V Σ_u h_uv + b, arc by arc. */
static l2r_node dmpnn_layer(const void *model, struct l2r_tape *t, const struct l2r_batch *b, l2r_node x, int64_t i)
{
    const struct dmpnn *m = model;
    const struct l2r_adjacency *g = &b->graph;
    const int32_t *reverse = l2r_reverses_of(t, g);
    (void)i;
    l2r_node p = initial(m, t, b, x, g->neighbour, g->arc_type, g->n_arcs);
    l2r_node h = l2r_activate(t, p, m->stack.act, 0);
    l2r_tape_at(t, L2R_AT_ARCS);
    for (int64_t k = 1; k < m->n_steps && reverse; k++) {
        l2r_node sum = l2r_arc_messages(t, g, reverse, l2r_mask_arcs(t, g, h));
        h = l2r_add(t, p, l2r_linear(t, sum, &m->message, L2R_LINEAR));
        h = l2r_activate(t, h, m->stack.act, m->stack.dropout);
    }
    l2r_tape_at(t, L2R_AT_NODES);
    l2r_node sum = l2r_reduce_graphs(t, l2r_mask_arcs(t, g, h), g->arc_start, g->n_nodes, L2R_REDUCE_SUM);
    l2r_node self = m->self_features ? l2r_stack_encode(&m->own, t, b) : l2r_linear(t, x, &m->self, L2R_LINEAR);
    return l2r_add(t, self, l2r_linear(t, sum, &m->neighbours, L2R_LINEAR));
}

/* The same once for all arcs and nodes that look alike; the row of node v is levels->row[v]. */
static l2r_node shared_rows(const struct dmpnn *m, struct l2r_tape *t, const struct l2r_batch *b)
{
    const struct l2r_arc_levels *levels = b->arc_levels;
    const struct l2r_arc_level *level = levels->level, *nodes = &level[levels->n - 1];
    l2r_node x = l2r_stack_encode_types(&m->stack, t, b); /* [types × D] */
    l2r_node p = initial(m, t, b, x, levels->node_type, levels->arc_type, levels->n_pairs);
    l2r_node h = l2r_activate(t, p, m->stack.act, 0);
    for (; level < nodes; level++) {
        l2r_node sum = l2r_linear(t, l2r_sum_lists(t, &level->lists, h), &m->message, L2R_LINEAR);
        h = l2r_activate(t, l2r_add(t, l2r_take_rows(t, p, level->origin, level->lists.n_rows), sum), m->stack.act, 0);
    }
    int64_t rows = nodes->lists.n_rows;
    l2r_node sum = l2r_linear(t, l2r_sum_lists(t, &nodes->lists, h), &m->neighbours, L2R_LINEAR);
    l2r_node self = m->self_features ? l2r_stack_encode_types(&m->own, t, b) : l2r_linear(t, x, &m->self, L2R_LINEAR);
    self = l2r_take_rows(t, self, nodes->origin, rows);
    l2r_node out = l2r_norm(t, l2r_add(t, self, sum), &m->stack.layers[0].norm, &levels->counts, m->stack.act, 0);
    return m->stack.residual ? l2r_add(t, out, l2r_take_rows(t, x, nodes->origin, rows)) : out;
}

static l2r_node dmpnn_forward(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    const struct dmpnn *m = model;
    const struct l2r_stack *s = &m->stack;
    bool masked = t->pass.masks.edges.id >= 0 || t->pass.masks.columns.id >= 0;
    bool drops = t->pass.dropout && s->dropout > 0;
    if (!s->shares || !b->arc_levels || b->arc_levels->n != m->n_steps || masked || drops)
        return l2r_stack_forward(s, model, t, b, dmpnn_layer);
    return l2r_stack_readout_rows(s, t, b, shared_rows(m, t, b), b->arc_levels->row);
}

const struct l2r_model_type l2r_model_dmpnn = {
    .name = "dmpnn",
    .title = "Directed message passing network",
    .paper = "Yang et al. 2019",
    .equation =
        "h_vw = act(x_v + e_vw + W (sum over u in N(v) but w of h_uv)), h_v = act(U x_v + V (sum over u of h_uv) + b)",
    .options = options,
    .defaults = defaults,
    .size = sizeof(struct dmpnn),
    .build = dmpnn_build,
    .forward = dmpnn_forward,
};
