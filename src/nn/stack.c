/* SPDX-License-Identifier: MIT
 * See stack.h. The virtual node follows OGB: one learned row (initially 0) for every graph, updated between layers. */
#include "nn/stack.h"

#include "nn/masks.h"

#include <stdio.h>

const struct l2r_option l2r_model_options[] = {
    {.name = "hidden",
     .kind = L2R_OPTION_INT,
     .fallback = "300",
     .min = 1,
     .max = 65536,
     .group = "Model",
     .help = "width of the node representations"},
    {.name = "layers",
     .kind = L2R_OPTION_INT,
     .fallback = "5",
     .min = 1,
     .max = 1000,
     .help = "message passing layers"},
    {.name = "dropout",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.5",
     .min = 0,
     .max = 0.99,
     .help = "dropout probability after each layer"},
    {.name = "readout",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "mean",
     .choices = "mean|sum|max|diffpool",
     .help = "how the nodes of a graph are pooled; diffpool: one block for each soft cluster of nodes"},
    {.name = "pool-clusters",
     .kind = L2R_OPTION_INT,
     .fallback = "7",
     .min = 1,
     .max = 1000,
     .help = "diffpool: number of clusters"},
    {.name = "pool-loss",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.1",
     .min = 0,
     .max = 1e6,
     .help = "diffpool: weight of its link-prediction and entropy losses; 0: off"},
    {.name = "batch-norm", .kind = L2R_OPTION_FLAG, .fallback = "true", .help = "batch normalisation after each layer"},
    {.name = "residual", .kind = L2R_OPTION_FLAG, .fallback = "false", .help = "add each layer's input to its output"},
    {.name = "virtual-node",
     .kind = L2R_OPTION_FLAG,
     .fallback = "false",
     .help = "add a virtual node joined to all nodes of a graph"},
    {.name = "edge-features",
     .kind = L2R_OPTION_FLAG,
     .fallback = "true",
     .help = "use edge features where the data has them"},
    {.name = "share",
     .kind = L2R_OPTION_FLAG,
     .fallback = "true",
     .help = "gcn, gin, jknet: compute equal neighbourhoods of a batch once; changes speed and rounding only"},
    {0}};

static enum l2r_reduction readout_of(const struct l2r_config *config)
{
    if (l2r_config_is(config, "readout", "sum")) return L2R_REDUCE_SUM;
    return l2r_config_is(config, "readout", "max") ? L2R_REDUCE_MAX : L2R_REDUCE_MEAN;
}

static void virtual_add(struct l2r_stack *s, struct l2r_params *params, int64_t i)
{
    char name[64];
    struct l2r_stack_layer *layer = &s->layers[i];
    snprintf(name, sizeof name, "virtual.%d.0", (int)i);
    layer->virtual_first = l2r_linear_add(params, s->hidden, 2 * s->hidden, true, name);
    snprintf(name, sizeof name, "virtual.%d.1", (int)i);
    if (s->normalise) layer->virtual_norm_first = l2r_norm_add(params, 2 * s->hidden, name);
    snprintf(name, sizeof name, "virtual.%d.3", (int)i);
    layer->virtual_second = l2r_linear_add(params, 2 * s->hidden, s->hidden, true, name);
    snprintf(name, sizeof name, "virtual.%d.4", (int)i);
    if (s->normalise) layer->virtual_norm_second = l2r_norm_add(params, s->hidden, name);
}

void l2r_stack_add(struct l2r_stack *s, const struct l2r_build *build)
{
    l2r_stack_add_layers(s, build, l2r_config_int(build->config, "layers"));
}

void l2r_stack_add_layers(struct l2r_stack *s, const struct l2r_build *build, int64_t n_layers)
{
    const struct l2r_config *config = build->config;
    struct l2r_params *params = build->params;
    *s =
        (struct l2r_stack){.hidden = l2r_config_int(config, "hidden"),
                           .n_layers = n_layers,
                           .dropout = l2r_config_real(config, "dropout"),
                           .normalise = l2r_config_flag(config, "batch-norm"),
                           .residual = l2r_config_flag(config, "residual"),
                           .virtual_node = l2r_config_flag(config, "virtual-node"),
                           .edge_features = l2r_config_flag(config, "edge-features") && build->data->n_edge_columns > 0,
                           .readout = readout_of(config)};
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
        if (s->normalise) s->layers[i].norm = l2r_norm_add(params, s->hidden, name);
        if (s->virtual_node && i + 1 < s->n_layers) virtual_add(s, params, i);
    }
}

void l2r_stack_share(struct l2r_stack *s, const struct l2r_build *build, bool degrees)
{
    s->shares = l2r_config_flag(build->config, "share") && !s->virtual_node && build->data->n_node_reals == 0;
    if (s->shares) *build->sharing = (struct l2r_sharing){s->n_layers, s->edge_features, degrees};
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

l2r_node l2r_stack_encode(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b)
{
    l2r_node h = L2R_NO_NODE;
    if (t->masks.columns.id >= 0) return l2r_masked_encode(s, t, b);
    if (s->node_embedding.n_columns > 0)
        h = l2r_take_rows(t, l2r_embedding(t, &b->nodes, &s->node_embedding), b->nodes.type, b->n_nodes);
    if (!s->node_linear.weight) return h;
    l2r_node reals = l2r_linear(t, l2r_stack_reals(s, t, b), &s->node_linear, L2R_LINEAR);
    return s->node_embedding.n_columns > 0 ? l2r_add(t, h, reals) : reals;
}

l2r_node l2r_stack_after_layer(const struct l2r_stack *s, struct l2r_tape *t, l2r_node out, l2r_node in, int64_t i)
{
    enum l2r_activation act = i + 1 < s->n_layers || s->last_relu ? L2R_RELU : L2R_LINEAR;
    out = s->normalise ? l2r_norm(t, out, &s->layers[i].norm, NULL, act, s->dropout)
                       : l2r_activate(t, out, act, s->dropout);
    return s->residual ? l2r_add(t, out, in) : out;
}

/* v = dropout(ReLU(norm(W2 ReLU(norm(W1 (v + Σ_nodes h)))))). */
static l2r_node update_virtual(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b, l2r_node v,
                               l2r_node h, int64_t i)
{
    const struct l2r_stack_layer *p = &s->layers[i];
    l2r_tape_at_graphs(t, true);
    l2r_node sum = l2r_reduce_graphs(t, h, b->node_start, b->n_graphs, L2R_REDUCE_SUM);
    l2r_node x = l2r_linear(t, l2r_add(t, sum, v), &p->virtual_first, s->normalise ? L2R_LINEAR : L2R_RELU);
    if (s->normalise) x = l2r_norm(t, x, &p->virtual_norm_first, NULL, L2R_RELU, 0);
    x = l2r_linear(t, x, &p->virtual_second, L2R_LINEAR);
    x = s->normalise ? l2r_norm(t, x, &p->virtual_norm_second, NULL, L2R_RELU, s->dropout)
                     : l2r_activate(t, x, L2R_RELU, s->dropout);
    l2r_tape_at_graphs(t, false);
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

/* row: see l2r_stack_shared_layers. */
static l2r_node run_layers(const struct l2r_stack *s, const void *model, struct l2r_tape *t, const struct l2r_batch *b,
                           l2r_layer_fn *layer, l2r_node *each, const int32_t **row)
{
    int64_t done;
    size_t first = t->count;
    t->most_rows = each ? 0 : b->n_nodes;
    l2r_node h = l2r_stack_shared_layers(s, model, t, b, layer, each, &done, row), v = l2r_stack_virtual(s, t, b);
    for (int64_t i = done; i < s->n_layers; i++) {
        h = l2r_stack_layer(s, model, t, b, layer, h, &v, i);
        if (each)
            each[i] = h;
        else
            l2r_tape_forget(t, first, (l2r_node[]){h, v}, 2);
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
    if (!l2r_config_is(build->config, "readout", "diffpool")) return dim;
    s->pool = l2r_diffpool_add(build, dim);
    return dim * l2r_config_int(build->config, "pool-clusters");
}

l2r_node l2r_stack_readout(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h)
{
    if (s->pool.assign.weight) return l2r_diffpool(t, b, h, &s->pool);
    return l2r_reduce_graphs(t, h, b->node_start, b->n_graphs, s->readout);
}

l2r_node l2r_stack_forward(const struct l2r_stack *s, const void *model, struct l2r_tape *t, const struct l2r_batch *b,
                           l2r_layer_fn *layer)
{
    const int32_t *row = NULL;
    bool by_row = !s->pool.assign.weight; /* diffpool looks at nodes */
    l2r_node h = run_layers(s, model, t, b, layer, NULL, by_row ? &row : NULL);
    if (!row) return l2r_stack_readout(s, t, b, h);
    return l2r_reduce_graphs_rows(t, h, row, b->n_nodes, b->node_start, b->n_graphs, s->readout);
}
