/* SPDX-License-Identifier: MIT
 *
 * See stack.h. The file has three parts: parameters and the encoder; one layer with what follows it (norm, activation,
 * dropout, residual, virtual node); and the short cut that computes equal neighbourhoods once.
 *
 * The virtual node follows OGB: one learned row (initially 0) for every graph, updated between layers. l2r_tape_at
 * distinguishes rows of graphs from rows of nodes, because a batch divided among ranks holds another share of each.
 */
#include "nn/stack.h"

#include "autograd/ops.h"

#include <stdio.h>

static void virtual_add(struct l2r_stack *s, struct l2r_params *params, int64_t i)
{
    char name[64];
    struct l2r_stack_layer *layer = &s->layers[i];
    snprintf(name, sizeof name, "virtual.%d.0", (int)i);
    layer->virtual_first = l2r_linear_add(params, s->hidden, 2 * s->hidden, true, name);
    snprintf(name, sizeof name, "virtual.%d.1", (int)i);
    layer->virtual_norm_first = l2r_norm_add(params, s->norm, 2 * s->hidden, name);
    snprintf(name, sizeof name, "virtual.%d.3", (int)i);
    layer->virtual_second = l2r_linear_add(params, 2 * s->hidden, s->hidden, true, name);
    snprintf(name, sizeof name, "virtual.%d.4", (int)i);
    layer->virtual_norm_second = l2r_norm_add(params, s->norm, s->hidden, name);
}

void l2r_stack_add(struct l2r_stack *s, const struct l2r_build *build)
{
    l2r_stack_add_layers(s, build, l2r_config_int(build->config, "layers"));
}

void l2r_stack_add_layers(struct l2r_stack *s, const struct l2r_build *build, int64_t n_layers)
{
    const struct l2r_config *config = build->config;
    struct l2r_params *params = build->params;
    *s = (struct l2r_stack){.hidden = l2r_config_int(config, "hidden"),
                            .n_layers = n_layers,
                            .dropout = l2r_config_real(config, "dropout"),
                            .norm = l2r_norm_kind_of(config),
                            .residual = l2r_config_flag(config, "residual"),
                            .virtual_node = l2r_config_flag(config, "virtual-node"),
                            .edge_features =
                                l2r_config_flag(config, "edge-features") && l2r_signature_has_edges(build->data),
                            .act = l2r_activation_find(l2r_config_text(config, "activation")),
                            .readout = l2r_readout_find(l2r_config_text(config, "readout"))};
    const struct l2r_signature *data = build->data;
    s->node_embedding =
        l2r_embedding_add(params, data->node_vocabulary, data->n_node_columns, s->hidden, "node_embedding");
    s->bare = data->n_node_columns + data->n_node_reals == 0;
    if (s->bare || data->n_node_reals > 0)
        s->node_linear = l2r_linear_add(params, s->bare ? 1 : data->n_node_reals, s->hidden, false, "node_linear");
    if (s->virtual_node)
        s->virtual_embedding = l2r_params_add(params, 1, s->hidden, L2R_INIT_CONSTANT, 0, "virtual.embedding.weight");
    s->layers = l2r_params_memory(params, (size_t)s->n_layers, sizeof *s->layers);
    for (int64_t i = 0; s->layers && i < s->n_layers; i++) {
        char name[64];
        snprintf(name, sizeof name, "norms.%d", (int)i);
        s->layers[i].norm = l2r_norm_add(params, s->norm, s->hidden, name);
        if (s->virtual_node && i + 1 < s->n_layers) virtual_add(s, params, i);
    }
}

void l2r_stack_share(struct l2r_stack *s, const struct l2r_build *build, bool degrees)
{
    s->shares = l2r_config_flag(build->config, "share") && !s->virtual_node && build->data->n_node_reals == 0;
    if (s->shares)
        *build->sharing =
            (struct l2r_sharing){.depth = s->n_layers, .train_depth = 1, .arcs = s->edge_features, .degrees = degrees};
}

void l2r_stack_share_lines(struct l2r_stack *s, const struct l2r_build *build, int64_t n_steps)
{
    s->shares = l2r_config_flag(build->config, "share") && !s->virtual_node && build->data->n_node_reals == 0 &&
                build->data->n_edge_reals == 0;
    if (!s->shares) return;
    *build->sharing = (struct l2r_sharing){.depth = n_steps, .arcs = s->edge_features, .directed = true};
    if (s->dropout == 0) build->sharing->train_depth = n_steps; /* all layers or none: no level consists of nodes */
}

static l2r_real *ones(struct l2r_tape *t, int64_t n)
{
    l2r_real *column = l2r_tape_alloc(t, n, sizeof *column);
    for (int64_t i = 0; column && i < n; i++) column[i] = 1;
    return column;
}

l2r_node l2r_stack_reals(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b)
{
    l2r_real *values = s->bare ? ones(t, b->n_nodes) : b->node_real;
    return l2r_constant(t, values, b->n_nodes, s->node_linear.weight->cols);
}

/* l2r_stack_encode with every column's contribution times its mask: Σ_k f_k Embedding_k[x_vk] + W (f' ∘ x'_v). */
static l2r_node masked_encode(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b)
{
    int32_t n = s->node_embedding.n_columns;
    l2r_node h = L2R_NO_NODE;
    l2r_node *tables = l2r_tape_alloc(t, n, sizeof *tables);
    if (!tables) return L2R_NO_NODE;
    for (int32_t k = 0; k < n; k++) tables[k] = l2r_use(t, s->node_embedding.tables[k]);
    if (n > 0) h = l2r_masked_embedding(t, tables, n, b->nodes.rows, b->nodes.type, b->node_start, b->n_graphs);
    if (!s->node_linear.weight) return h;
    l2r_node kept = l2r_mask_columns(t, l2r_stack_reals(s, t, b), n, b->node_start, b->n_graphs);
    l2r_node reals = l2r_linear(t, kept, &s->node_linear, L2R_LINEAR);
    return n > 0 ? l2r_add(t, h, reals) : reals;
}

l2r_node l2r_stack_encode(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b)
{
    l2r_node h = L2R_NO_NODE;
    if (t->pass.masks.columns.id >= 0) return masked_encode(s, t, b);
    if (s->node_embedding.n_columns > 0)
        h = l2r_take_rows(t, l2r_embedding(t, &b->nodes, &s->node_embedding), b->nodes.type, b->n_nodes);
    if (!s->node_linear.weight) return h;
    l2r_node reals = l2r_linear(t, l2r_stack_reals(s, t, b), &s->node_linear, L2R_LINEAR);
    return s->node_embedding.n_columns > 0 ? l2r_add(t, h, reals) : reals;
}

/* None after the last layer, unless the model reads more than that. */
static const struct l2r_activation *activation_after(const struct l2r_stack *s, int64_t layer)
{
    return layer + 1 < s->n_layers || s->activate_last ? s->act : L2R_LINEAR;
}

l2r_node l2r_stack_after_layer(const struct l2r_stack *s, struct l2r_tape *t, l2r_node out, l2r_node in, int64_t i)
{
    out = l2r_norm(t, out, &s->layers[i].norm, NULL, activation_after(s, i), s->dropout);
    return s->residual ? l2r_add(t, out, in) : out;
}

/* v = dropout(act(norm(W2 act(norm(W1 (v + Σ_nodes h)))))). */
static l2r_node update_virtual(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b, l2r_node v,
                               l2r_node h, int64_t i)
{
    const struct l2r_stack_layer *p = &s->layers[i];
    l2r_tape_at(t, L2R_AT_GRAPHS);
    l2r_node sum = l2r_reduce_graphs(t, h, b->node_start, b->n_graphs, L2R_REDUCE_SUM);
    l2r_node x = l2r_linear_norm(t, l2r_add(t, sum, v), &p->virtual_first, &p->virtual_norm_first, NULL, s->act);
    x = l2r_linear(t, x, &p->virtual_second, L2R_LINEAR);
    x = l2r_norm(t, x, &p->virtual_norm_second, NULL, s->act, s->dropout);
    l2r_tape_at(t, L2R_AT_NODES);
    return s->residual ? l2r_add(t, x, v) : x;
}

l2r_node l2r_stack_virtual(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b)
{
    return s->virtual_node ? l2r_repeat_row(t, l2r_use(t, s->virtual_embedding), b->n_graphs) : L2R_NO_NODE;
}

l2r_node l2r_stack_layer(const struct l2r_stack *s, const void *model, struct l2r_tape *t, const struct l2r_batch *b,
                         l2r_layer_fn *layer, l2r_node h, l2r_node *v, int64_t i)
{
    if (s->virtual_node) h = l2r_add_to_nodes(t, h, *v, b->node_start, b->n_graphs);
    l2r_node out = l2r_stack_after_layer(s, t, layer(model, t, b, h, i), h, i);
    if (s->virtual_node && i + 1 < s->n_layers) *v = update_virtual(s, t, b, *v, h, i);
    return out;
}

/* ---- equal neighbourhoods, computed once (batch/levels.h) ----
 *
 *     types ── layer 1 ── norm, act ── colours of depth 1 ── layer 2 ── norm, act ── … ── expand ── nodes
 *
 * A level takes the place of the graph: the model's layer sees a batch whose graph leads from the rows of one level to
 * those of the next, and norms count each row once for every node that it stands for. Without dropout and without
 * gradients that goes on to the readout. In training it ends with the first one: dropout, which is different for every
 * node, acts where the rows become nodes. The encoded features are never written out node by node: the first layer
 * reads them type by type. */

l2r_node l2r_stack_encode_types(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b)
{
    if (s->node_embedding.n_columns > 0) return l2r_embedding(t, &b->nodes, &s->node_embedding);
    struct l2r_batch types = {.n_nodes = b->nodes.n}; /* no features: the one type is a constant */
    return l2r_linear(t, l2r_stack_reals(s, t, &types), &s->node_linear, L2R_LINEAR);
}

/* How many layers may work on shared rows. Backward through more than the first would cost more than it saves. */
static int64_t shared_depth(const struct l2r_stack *s, const struct l2r_tape *t, const struct l2r_batch *b)
{
    bool masked = t->pass.masks.edges.id >= 0 || t->pass.masks.columns.id >= 0;
    if (!s->shares || !b->levels || masked) return 0;
    int64_t most = t->pass.record || (t->pass.dropout && s->dropout > 0) ? 1 : s->n_layers;
    return b->levels->n < most ? b->levels->n : most;
}

/* Layer i on its level, with all that follows, dropout aside. in: rows of the level before. */
static l2r_node level_layer(const struct l2r_stack *s, const void *model, struct l2r_tape *t, const struct l2r_batch *b,
                            const struct l2r_level *level, l2r_layer_fn *layer, l2r_node in, int64_t i)
{
    struct l2r_batch view = *b;
    const struct l2r_activation *act = activation_after(s, i);
    double drop = level->row ? 0 : s->dropout; /* where the rows are nodes, dropout is as everywhere */
    view.graph = level->graph;
    view.n_nodes = level->graph.n_nodes;
    view.counts = level->row ? &level->counts : NULL;
    l2r_node out = layer(model, t, &view, in, i);
    return l2r_norm(t, out, &s->layers[i].norm, view.counts, act, drop);
}

/* Node by node from row by row: dropout, then the layer's input where there is a residual. */
static l2r_node to_nodes(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b,
                         const struct l2r_level *level, l2r_node out, l2r_node residual)
{
    bool drops = t->pass.dropout && s->dropout > 0;
    if (level->row && residual.id >= 0 && !drops) { /* the sum of rows is a row */
        out = l2r_add(t, out, l2r_take_rows(t, residual, level->map.self, level->graph.n_nodes));
        residual = L2R_NO_NODE;
    }
    if (level->row) out = l2r_expand_rows(t, out, level->row, b->n_nodes, s->dropout);
    if (residual.id < 0) return out;
    const int32_t *self = level->row ? b->nodes.type : level->map.self; /* with dropout this is the first layer */
    return l2r_add(t, out, l2r_take_rows(t, residual, self, b->n_nodes));
}

/* The first layers on rows that stand for several nodes each, as far as the batch and the tape's mode allow: *done of
 * them, h [N × D] after them. *done = 0: none, h is the encoded features. row, if not NULL: when all layers were done
 * so, h may stay as it is, and *row is the row of each node; otherwise *row is NULL. */
static l2r_node shared_layers(const struct l2r_stack *s, const void *model, struct l2r_tape *t,
                              const struct l2r_batch *b, l2r_layer_fn *layer, l2r_node *each, int64_t *done,
                              const int32_t **row)
{
    int64_t depth = *done = shared_depth(s, t, b);
    if (row) *row = depth > 0 && depth == s->n_layers ? b->levels->level[depth - 1].row : NULL;
    if (depth == 0) return l2r_stack_encode(s, t, b);
    size_t first = t->count;
    l2r_node h = l2r_stack_encode_types(s, t, b);
    for (int64_t i = 0; i < depth; i++) {
        const struct l2r_level *level = &b->levels->level[i];
        l2r_node out = level_layer(s, model, t, b, level, layer, h, i), residual = s->residual ? h : L2R_NO_NODE;
        if (each) each[i] = to_nodes(s, t, b, level, out, residual);
        if (i + 1 == depth && !(row && *row))
            h = each ? each[i] : to_nodes(s, t, b, level, out, residual);
        else
            h = s->residual ? l2r_add(t, out, l2r_take_rows(t, h, level->map.self, level->graph.n_nodes)) : out;
        if (!each) l2r_tape_release(t, first, &h, 1);
    }
    return h;
}

/* ---- all layers ---- */

/* row: see shared_layers. */
static l2r_node run_layers(const struct l2r_stack *s, const void *model, struct l2r_tape *t, const struct l2r_batch *b,
                           l2r_layer_fn *layer, l2r_node *each, const int32_t **row)
{
    int64_t done;
    size_t first = t->count;
    t->most_rows = each ? 0 : b->n_nodes;
    l2r_node h = shared_layers(s, model, t, b, layer, each, &done, row), v = l2r_stack_virtual(s, t, b);
    for (int64_t i = done; i < s->n_layers; i++) {
        h = l2r_stack_layer(s, model, t, b, layer, h, &v, i);
        if (each)
            each[i] = h;
        else
            l2r_tape_release(t, first, (l2r_node[]){h, v}, 2);
    }
    t->most_rows = 0;
    return h;
}

l2r_node l2r_stack_layers(const struct l2r_stack *s, const void *model, struct l2r_tape *t, const struct l2r_batch *b,
                          l2r_layer_fn *layer, l2r_node *each)
{
    return run_layers(s, model, t, b, layer, each, NULL);
}

int64_t l2r_stack_readout_add(struct l2r_stack *s, const struct l2r_build *build, int64_t dim)
{
    *build->node_width = dim;
    if (!s->readout->build) return dim;
    s->readout_own = l2r_params_memory(build->params, 1, s->readout->size);
    return s->readout_own ? s->readout->build(s->readout_own, build, dim) : dim;
}

l2r_node l2r_stack_readout(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h)
{
    t->nodes = h;
    return s->readout->forward(s->readout_own, t, b, h, NULL);
}

l2r_node l2r_stack_readout_rows(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h,
                                const int32_t *row)
{
    t->nodes = L2R_NO_NODE;
    if (s->readout->by_row) return s->readout->forward(s->readout_own, t, b, h, row);
    return l2r_stack_readout(s, t, b, l2r_take_rows(t, h, row, b->n_nodes));
}

l2r_node l2r_stack_forward(const struct l2r_stack *s, const void *model, struct l2r_tape *t, const struct l2r_batch *b,
                           l2r_layer_fn *layer)
{
    const int32_t *row = NULL;
    l2r_node h = run_layers(s, model, t, b, layer, NULL, s->readout->by_row ? &row : NULL);
    t->nodes = row ? L2R_NO_NODE : h;
    return s->readout->forward(s->readout_own, t, b, h, row);
}
