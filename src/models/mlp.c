/* SPDX-License-Identifier: MIT
 *
 * A multilayer perceptron on the features of the molecules, which does not use their graphs:
 *
 *     x⁰ = features,   xⁱ = dropout(act(W_i xⁱ⁻¹ + b_i)) for i = 1 … --layers,   Z = xⁿ
 *
 * As a baseline it shows the value of the graph; in a committee its errors differ from those of graph networks.
 */
#include "autograd/ops.h"
#include "batch/batch.h"
#include "nn/layers.h"
#include "nn/model.h"

#include <stdio.h>

struct mlp {
    int64_t n_layers;
    struct l2r_linear *layers; /* [n_layers] */
    const struct l2r_activation *act;
    double dropout;
};

static int64_t build(void *model, const struct l2r_build *b)
{
    struct mlp *m = model;
    int64_t in = b->data->features.n, width = l2r_config_int(b->config, "hidden");
    if (in == 0)
        l2r_params_fail(b->params, L2R_ERR_ARGUMENT,
                        "model mlp reads numbers about whole molecules, but none are chosen; `features` or "
                        "`feature-columns` chooses some");
    *m = (struct mlp){.n_layers = l2r_config_int(b->config, "layers"),
                      .act = l2r_activation_find(l2r_config_text(b->config, "activation")),
                      .dropout = l2r_config_real(b->config, "dropout")};
    m->layers = l2r_params_memory(b->params, (size_t)m->n_layers, sizeof *m->layers);
    for (int64_t i = 0; m->layers && i < m->n_layers; i++, in = width) {
        char name[32];
        snprintf(name, sizeof name, "layers.%d", (int)i);
        m->layers[i] = l2r_linear_add(b->params, in, width, true, name);
    }
    return width;
}

static l2r_node forward(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    const struct mlp *m = model;
    l2r_node x = l2r_constant(t, b->features, b->n_graphs, b->n_features);
    l2r_tape_at(t, L2R_AT_GRAPHS);
    for (int64_t i = 0; i < m->n_layers; i++)
        x = l2r_activate(t, l2r_linear(t, x, &m->layers[i], L2R_LINEAR), m->act, m->dropout);
    l2r_tape_at(t, L2R_AT_NODES);
    return x;
}

static const struct l2r_option options[] = {{0}};

static const struct l2r_default defaults[] = {{"features", "morgan,pairs,torsion,descriptors"},
                                              {"layers", "1"},
                                              {"hidden", "300"},
                                              {"dropout", "0.3"},
                                              {"epochs", "30"},
                                              {"weight-decay", "0.01"},
                                              {"optimiser", "adamw"},
                                              {0}};

const struct l2r_model_type l2r_model_mlp = {
    .name = "mlp",
    .title = "Multilayer perceptron on molecule features",
    .paper = "Rumelhart et al. 1986",
    .equation = "x' = act(W x + b), x: features of the molecule",
    .options = options,
    .defaults = defaults,
    .unmaskable = "it reads features of the whole molecule and no edges",
    .reads_features = true,
    .size = sizeof(struct mlp),
    .build = build,
    .forward = forward,
};
