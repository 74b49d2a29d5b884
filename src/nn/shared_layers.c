/* SPDX-License-Identifier: MIT
 *
 * The layers that a batch's equal neighbourhoods pass once (data/levels.h):
 *
 *     types ── layer 1 ── norm, ReLU ── colours of depth 1 ── layer 2 ── norm, ReLU ── … ── expand ── nodes
 *
 * A level takes the place of the graph: the model's layer sees a batch whose graph leads from the rows of one level to those of the next, and
 * norms count each row as often as there are nodes behind it. Without dropout and without gradients that goes on to the readout. In
 * training it ends with the first one: dropout, which is different for every node, acts where the rows become nodes. The encoded features
 * are never written out node by node: the first layer reads them type by type.
 */
#include "nn/stack.h"

/* [types × D] */
static l2r_node encode_types(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b)
{
    if (s->node_embedding.n_columns > 0) return l2r_embedding(t, &b->nodes, &s->node_embedding);
    struct l2r_batch types = {.n_nodes = b->nodes.n}; /* no features: the one type is a constant */
    return l2r_linear(t, l2r_stack_reals(s, t, &types), &s->node_linear, L2R_LINEAR);
}

/* How many layers may work on shared rows. Backward through more than the first would cost more than it saves. */
static int64_t shared_depth(const struct l2r_stack *s, const struct l2r_tape *t, const struct l2r_batch *b)
{
    bool masked = t->masks.edges.id >= 0 || t->masks.columns.id >= 0;
    if (!s->shares || !b->levels || masked) return 0;
    int64_t most = t->record || (t->dropout && s->dropout > 0) ? 1 : s->n_layers;
    return b->levels->n < most ? b->levels->n : most;
}

/* Layer i on its level, with all that follows, dropout aside. in: rows of the level before. */
static l2r_node level_layer(const struct l2r_stack *s, const void *model, struct l2r_tape *t, const struct l2r_batch *b,
                            const struct l2r_level *level, l2r_layer_fn *layer, l2r_node in, int64_t i)
{
    struct l2r_batch view = *b;
    enum l2r_activation act = i + 1 < s->n_layers || s->last_relu ? L2R_RELU : L2R_LINEAR;
    double drop = level->row ? 0 : s->dropout; /* where the rows are nodes, dropout is as everywhere */
    view.graph = level->graph;
    view.n_nodes = level->graph.n_nodes;
    view.counts = level->row ? &level->counts : NULL;
    l2r_node out = layer(model, t, &view, in, i);
    if (s->normalise) return l2r_norm(t, out, &s->layers[i].norm, view.counts, act, drop);
    return l2r_activate(t, out, act, drop);
}

/* Node by node from row by row: dropout, then the layer's input where there is a residual. */
static l2r_node to_nodes(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b,
                         const struct l2r_level *level, l2r_node out, l2r_node residual)
{
    bool drops = t->dropout && s->dropout > 0;
    if (level->row && residual.id >= 0 && !drops) { /* the sum of rows is a row */
        out = l2r_add(t, out, l2r_take_rows(t, residual, level->map.self, level->graph.n_nodes));
        residual = L2R_NO_NODE;
    }
    if (level->row) out = l2r_expand_rows(t, out, level->row, b->n_nodes, s->dropout);
    if (residual.id < 0) return out;
    const int32_t *self = level->row ? b->nodes.type : level->map.self; /* with dropout this is the first layer */
    return l2r_add(t, out, l2r_take_rows(t, residual, self, b->n_nodes));
}

l2r_node l2r_stack_shared_layers(const struct l2r_stack *s, const void *model, struct l2r_tape *t,
                                 const struct l2r_batch *b, l2r_layer_fn *layer, l2r_node *each, int64_t *done,
                                 const int32_t **row)
{
    int64_t depth = *done = shared_depth(s, t, b);
    if (row) *row = depth > 0 && depth == s->n_layers ? b->levels->level[depth - 1].row : NULL;
    if (depth == 0) return l2r_stack_encode(s, t, b);
    size_t first = t->count;
    l2r_node h = encode_types(s, t, b);
    for (int64_t i = 0; i < depth; i++) {
        const struct l2r_level *level = &b->levels->level[i];
        l2r_node out = level_layer(s, model, t, b, level, layer, h, i), residual = s->residual ? h : L2R_NO_NODE;
        if (each) each[i] = to_nodes(s, t, b, level, out, residual);
        if (i + 1 == depth && !(row && *row))
            h = each ? each[i] : to_nodes(s, t, b, level, out, residual);
        else
            h = s->residual ? l2r_add(t, out, l2r_take_rows(t, h, level->map.self, level->graph.n_nodes)) : out;
        if (!each) l2r_tape_forget(t, first, &h, 1);
    }
    return h;
}
