/* SPDX-License-Identifier: MIT
 * See gcn_layer.h. */
#include "nn/gcn_layer.h"

#include <math.h>
#include <stdio.h>

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
    if (!p->root && b->graph.map && b->graph.map->n_sources < b->graph.n_nodes) { /* fewer rows come in than go out */
        l2r_node x = l2r_linear_op(t, h, l2r_use(t, p->linear.weight), L2R_NO_NODE, L2R_LINEAR);
        return l2r_gcn_neighbours_biased(t, &b->graph, x, l2r_use(t, p->linear.bias));
    }
    if (!p->root && !b->graph.map && t->masks.edges.id < 0)
        return l2r_gcn_linear(t, &b->graph, b->node_start, b->n_graphs, h, l2r_use(t, p->linear.weight),
                              l2r_use(t, p->linear.bias));
    if (!p->root) {
        l2r_node mean = l2r_gcn_neighbours(t, &b->graph, h, L2R_NO_NODE, L2R_NO_NODE);
        return l2r_linear(t, mean, &p->linear, L2R_LINEAR);
    }
    l2r_node x = l2r_linear(t, h, &p->linear, L2R_LINEAR);
    return l2r_gcn_neighbours(t, &b->graph, x, l2r_embedding(t, &b->arcs, &p->edges), l2r_use(t, p->root));
}
