/* SPDX-License-Identifier: MIT
 *
 * The common part of message passing models around their layers, so that a model file has little more than its own
 * equation:
 *
 *     h = encode(features)                                       [N × D]
 *     for each layer:   h' = dropout(act(norm(layer(h))))        (no activation after the last; residual: + h)
 *                       with a virtual node: h += v before, v = MLP(v + Σ h) after
 *     Z = readout(h)                                             [B × D], or [B × K·D] for diffpool's K clusters
 */
#ifndef L2R_NN_STACK_H
#define L2R_NN_STACK_H

#include "nn/readout.h"

struct l2r_stack_layer {
    struct l2r_norm norm;
    struct l2r_linear virtual_first, virtual_second; /* the virtual node's MLP after this layer */
    struct l2r_norm virtual_norm_first, virtual_norm_second;
};

struct l2r_stack {
    int64_t hidden, n_layers;
    double dropout;
    enum l2r_norm_kind norm;
    bool residual, virtual_node, edge_features;
    bool bare;          /* nodes without any feature: a constant 1 takes their place */
    bool shares;        /* equal neighbourhoods are computed once */
    bool activate_last; /* set by a model that reads more than the last layer: activation after the last, too */
    const struct l2r_activation *act;
    const struct l2r_readout *readout;
    void *readout_own;                   /* its parameters; NULL: it has none */
    struct l2r_embedding node_embedding; /* categorical features */
    struct l2r_linear node_linear;       /* real attributes, or a constant 1 when there are no features at all */
    const struct l2r_param *virtual_embedding;
    struct l2r_stack_layer *layers;
};

/* One layer of the model: h [N × D] to [N × D]. */
typedef l2r_node l2r_layer_fn(const void *model, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h,
                              int64_t layer);

/* Reads the shared options and declares the shared parameters. */
void l2r_stack_add(struct l2r_stack *stack, const struct l2r_build *build);
/* The same for a model with n_layers layers, whatever --layers is. */
void l2r_stack_add_layers(struct l2r_stack *stack, const struct l2r_build *build, int64_t n_layers);
/* For models whose layers see of a node its own row and those of its neighbours, by l2r_sum_neighbours or
 * l2r_gcn_neighbours (`degrees`: the latter) on the graph given, and norms with the counts given: equal neighbourhoods
 * may be computed once, unless an option or the data forbids. */
void l2r_stack_share(struct l2r_stack *stack, const struct l2r_build *build, bool degrees);
/* For models whose states belong to arcs, n_steps of them with the one to nodes: the same for directed neighbourhoods
 * (batch/arc_levels.h). */
void l2r_stack_share_lines(struct l2r_stack *stack, const struct l2r_build *build, int64_t n_steps);
/* Declares what the readout of nodes of `dim` columns needs (a model's last declaration) and returns the width of Z,
 * which is what the model's build returns. */
int64_t l2r_stack_readout_add(struct l2r_stack *stack, const struct l2r_build *build, int64_t dim);
l2r_node l2r_stack_forward(const struct l2r_stack *stack, const void *model, struct l2r_tape *t,
                           const struct l2r_batch *b, l2r_layer_fn *layer);

/* The single steps, for models with other operations in between: features to [N × D]; all layers, each[i] (NULL: not
 * wanted) what comes out of layer i, the last of which is returned; what follows layer i (norm, activation, dropout,
 * residual); nodes to graphs. */
l2r_node l2r_stack_encode(const struct l2r_stack *stack, struct l2r_tape *t, const struct l2r_batch *b);
/* The same for each distinct row of features, [types × D]: nodes without real attributes. */
l2r_node l2r_stack_encode_types(const struct l2r_stack *stack, struct l2r_tape *t, const struct l2r_batch *b);
/* What node_linear is applied to: real attributes, or ones. */
l2r_node l2r_stack_reals(const struct l2r_stack *stack, struct l2r_tape *t, const struct l2r_batch *b);
/* S^n_hops h W + b of the encoded features h, [N × D], without forming h where that is cheaper (smoothing.c). */
l2r_node l2r_stack_smooth(const struct l2r_stack *stack, struct l2r_tape *t, const struct l2r_batch *b, int64_t n_hops,
                          const struct l2r_linear *linear);
l2r_node l2r_stack_layers(const struct l2r_stack *stack, const void *model, struct l2r_tape *t,
                          const struct l2r_batch *b, l2r_layer_fn *layer, l2r_node *each);
l2r_node l2r_stack_after_layer(const struct l2r_stack *stack, struct l2r_tape *t, l2r_node out, l2r_node in, int64_t i);
l2r_node l2r_stack_readout(const struct l2r_stack *stack, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h);
/* The same where the row of node v is h[row[v]]. */
l2r_node l2r_stack_readout_rows(const struct l2r_stack *stack, struct l2r_tape *t, const struct l2r_batch *b,
                                l2r_node h, const int32_t *row);
/* One layer with all that surrounds it, for models whose graph changes between layers; *v, the rows of the virtual node
 * (L2R_NO_NODE without), starts as l2r_stack_virtual. */
l2r_node l2r_stack_virtual(const struct l2r_stack *stack, struct l2r_tape *t, const struct l2r_batch *b);
l2r_node l2r_stack_layer(const struct l2r_stack *stack, const void *model, struct l2r_tape *t,
                         const struct l2r_batch *b, l2r_layer_fn *layer, l2r_node h, l2r_node *v, int64_t i);

#endif
