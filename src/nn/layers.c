/* SPDX-License-Identifier: MIT
 * See layers.h. */
#include "nn/layers.h"

#include <math.h>
#include <stdio.h>

struct l2r_linear l2r_linear_add(struct l2r_params *params, int64_t in, int64_t out, bool bias, const char *prefix)
{
    double bound = 1 / sqrt((double)(in > 0 ? in : 1));
    struct l2r_linear p = {.weight = l2r_params_add(params, out, in, L2R_INIT_UNIFORM, bound, "%s.weight", prefix)};
    if (bias) p.bias = l2r_params_add(params, 1, out, L2R_INIT_UNIFORM, bound, "%s.bias", prefix);
    return p;
}

l2r_node l2r_linear(struct l2r_tape *t, l2r_node x, const struct l2r_linear *p, const struct l2r_activation *act)
{
    return l2r_linear_op(t, x, l2r_use(t, p->weight), p->bias ? l2r_use(t, p->bias) : L2R_NO_NODE, act);
}

enum l2r_norm_kind l2r_norm_kind_of(const struct l2r_config *config)
{
    if (!l2r_config_text(config, "norm")) return l2r_config_flag(config, "batch-norm") ? L2R_NORM_BATCH : L2R_NORM_NONE;
    if (l2r_config_is(config, "norm", "batch")) return L2R_NORM_BATCH;
    return l2r_config_is(config, "norm", "layer") ? L2R_NORM_LAYER : L2R_NORM_NONE;
}

struct l2r_norm l2r_norm_add(struct l2r_params *params, enum l2r_norm_kind kind, int64_t cols, const char *prefix)
{
    struct l2r_norm p = {.kind = kind};
    if (kind == L2R_NORM_NONE) return p;
    p.gamma = l2r_params_add(params, 1, cols, L2R_INIT_CONSTANT, 1, "%s.weight", prefix);
    p.beta = l2r_params_add(params, 1, cols, L2R_INIT_CONSTANT, 0, "%s.bias", prefix);
    if (kind == L2R_NORM_LAYER) return p;
    p.mean = l2r_params_add_buffer(params, cols, 0, "%s.running_mean", prefix);
    p.variance = l2r_params_add_buffer(params, cols, 1, "%s.running_var", prefix);
    return p;
}

l2r_node l2r_norm(struct l2r_tape *t, l2r_node x, const struct l2r_norm *p, const struct l2r_row_counts *counts,
                  const struct l2r_activation *act, double drop)
{
    if (p->kind == L2R_NORM_NONE) return l2r_activate(t, x, act, drop);
    if (p->kind == L2R_NORM_LAYER) /* row by row: it does not matter how many nodes a row stands for */
        return l2r_activate(t, l2r_layer_norm(t, x, l2r_use(t, p->gamma), l2r_use(t, p->beta)), act, drop);
    struct l2r_norm_state state = {p->mean->value, p->variance->value, .momentum = 0.1, .epsilon = 1e-5};
    return l2r_batch_norm_counted(t, x, l2r_use(t, p->gamma), l2r_use(t, p->beta), &state, counts, act, drop);
}

l2r_node l2r_linear_norm(struct l2r_tape *t, l2r_node x, const struct l2r_linear *linear, const struct l2r_norm *norm,
                         const struct l2r_row_counts *counts, const struct l2r_activation *act)
{
    if (norm->kind == L2R_NORM_NONE) return l2r_linear(t, x, linear, act); /* in one operation */
    return l2r_norm(t, l2r_linear(t, x, linear, L2R_LINEAR), norm, counts, act, 0);
}

struct l2r_mlp l2r_mlp_add(struct l2r_params *params, int64_t in, int64_t hidden, int64_t out, enum l2r_norm_kind norm,
                           const struct l2r_activation *act, const char *prefix)
{
    char name[80];
    struct l2r_mlp p = {.act = act};
    snprintf(name, sizeof name, "%s.0", prefix);
    p.first = l2r_linear_add(params, in, hidden, true, name);
    snprintf(name, sizeof name, "%s.1", prefix);
    p.norm = l2r_norm_add(params, norm, hidden, name);
    snprintf(name, sizeof name, "%s.3", prefix);
    p.second = l2r_linear_add(params, hidden, out, true, name);
    return p;
}

l2r_node l2r_mlp(struct l2r_tape *t, l2r_node x, const struct l2r_mlp *p, const struct l2r_row_counts *counts)
{
    return l2r_linear(t, l2r_linear_norm(t, x, &p->first, &p->norm, counts, p->act), &p->second, L2R_LINEAR);
}

struct l2r_embedding l2r_embedding_add(struct l2r_params *params, const int32_t *vocabulary, int32_t n_columns,
                                       int64_t dim, const char *prefix)
{
    struct l2r_embedding p = {.n_columns = n_columns};
    p.tables = l2r_params_memory(params, (size_t)n_columns, sizeof *p.tables);
    for (int32_t k = 0; p.tables && k < n_columns; k++) {
        double bound = sqrt(6.0 / (double)(vocabulary[k] + dim));
        p.tables[k] = l2r_params_add(params, vocabulary[k], dim, L2R_INIT_UNIFORM, bound, "%s.%d.weight", prefix, k);
    }
    return p;
}

l2r_node l2r_embedding(struct l2r_tape *t, const struct l2r_batch_types *types, const struct l2r_embedding *p)
{
    if (p->n_columns == 0) return L2R_NO_NODE;
    l2r_node *tables = l2r_tape_alloc(t, p->n_columns, sizeof *tables);
    for (int32_t k = 0; tables && k < p->n_columns; k++) tables[k] = l2r_use(t, p->tables[k]);
    return tables ? l2r_embedding_sum(t, tables, p->n_columns, types->rows, types->n) : L2R_NO_NODE;
}

struct l2r_gcn_layer l2r_gcn_layer_add(const struct l2r_build *build, int64_t dim, bool edge_features, int64_t i)
{
    char name[64];
    struct l2r_gcn_layer layer = {0};
    struct l2r_params *params = build->params;
    snprintf(name, sizeof name, "layers.%d.linear", (int)i);
    layer.linear = l2r_linear_add(params, dim, dim, true, name);
    if (!edge_features) return layer;
    snprintf(name, sizeof name, "layers.%d.edge_embedding", (int)i);
    layer.edges = l2r_embedding_add(params, build->data->edge_vocabulary, build->data->n_edge_columns, dim, name);
    double bound = sqrt(6.0 / (double)(1 + dim));
    layer.root = l2r_params_add(params, 1, dim, L2R_INIT_UNIFORM, bound, "layers.%d.root.weight", (int)i);
    return layer;
}

l2r_node l2r_gcn_layer(struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, const struct l2r_gcn_layer *p)
{
    if (!p->root)
        return l2r_graph_convolution(t, &b->graph, b->node_start, b->n_graphs, h, l2r_use(t, p->linear.weight),
                                     l2r_use(t, p->linear.bias));
    l2r_node x = l2r_linear(t, h, &p->linear, L2R_LINEAR);
    return l2r_gcn_neighbours(t, &b->graph, x, l2r_embedding(t, &b->arcs, &p->edges), l2r_use(t, p->root));
}
