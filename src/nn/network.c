/* SPDX-License-Identifier: MIT
 * See network.h. */
#include "nn/network.h"

#include "autograd/ops.h"
#include "batch/batch.h"
#include "kernels/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Behind a backbone of width `in`; a model that computes its outputs itself has none. */
static struct l2r_head head_add(const struct l2r_build *build, const struct l2r_model_type *type, int64_t in)
{
    if (type->output) return (struct l2r_head){0};
    if (!type->reads_features) in += build->data->features.n;
    struct l2r_params *params = build->params;
    const struct l2r_config *config = build->config;
    int64_t width = l2r_config_int(config, "head-hidden");
    struct l2r_head head = {.n_hidden = l2r_config_int(config, "head-layers"),
                            .act = l2r_activation_find(l2r_config_text(config, "activation")),
                            .dropout = l2r_config_real(config, "dropout")};
    if (width == 0) width = l2r_config_int(config, "hidden");
    head.hidden = l2r_params_memory(params, (size_t)head.n_hidden, sizeof *head.hidden);
    for (int64_t i = 0; head.hidden && i < head.n_hidden; i++, in = width) {
        char name[64];
        snprintf(name, sizeof name, "head.hidden.%d", (int)i);
        head.hidden[i] = l2r_linear_add(params, in, width, true, name);
    }
    head.output = l2r_linear_add(params, in, l2r_signature_outputs(build->data), true, "head");
    return head;
}

const struct l2r_option l2r_copies_option_table[] = {{.name = "copies",
                                                      .kind = L2R_OPTION_INT,
                                                      .fallback = "2",
                                                      .min = 1,
                                                      .max = L2R_MOST_COPIES,
                                                      .group = "Copies",
                                                      .help = "networks that train side by side"},
                                                     {0}};

/* Backbones and gates of all copies first, then their heads. The first copy has the names of a single
 * network. */
static void declare(struct l2r_network *network, const struct l2r_config *config)
{
    struct l2r_params *params = &network->params;
    const struct l2r_model_type *type = network->type;
    int64_t node_width = 0;
    const struct l2r_build build = {params, config, &network->signature, &node_width, &network->sharing};
    bool several = l2r_gates_are_enabled(config) && l2r_config_has(config, "copies");
    network->n_copies = several ? (int32_t)l2r_config_int(config, "copies") : 1;
    network->copies = l2r_params_memory(params, (size_t)network->n_copies, sizeof *network->copies);
    for (int32_t k = 0; network->copies && k < network->n_copies; k++) {
        struct l2r_copy *copy = &network->copies[k];
        if (k > 0) snprintf(params->prefix, sizeof params->prefix, "copy.%d.", (int)k);
        copy->model = l2r_params_memory(params, 1, type->size);
        if (!copy->model) return;
        network->width = type->build(copy->model, &build);
        copy->gates = l2r_gates_add(&build, type, copy->model);
        if (copy->gates.on) network->sharing = (struct l2r_sharing){0}; /* no two edges are alike */
    }
    network->n_backbone = params->n_trainable;
    for (int32_t k = 0; network->copies && k < network->n_copies; k++) {
        params->prefix[0] = '\0';
        if (k > 0) snprintf(params->prefix, sizeof params->prefix, "head.copy.%d.", (int)k);
        network->copies[k].head = head_add(&build, type, network->width);
    }
    params->prefix[0] = '\0';
    network->masking = l2r_masking_add(&build, type);
    if (network->n_copies > 1) network->chosen = l2r_params_add_buffer(params, 1, 0, "copy");
}

enum l2r_status l2r_network_init(struct l2r_network *network, const struct l2r_model_type *type,
                                 const struct l2r_config *config, const struct l2r_signature *signature, uint64_t seed,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *network = (struct l2r_network){.type = type};
    l2r_params_init(&network->params);
    L2R_TRY(l2r_vector_check(error));
    L2R_TRY(l2r_signature_copy(&network->signature, &network->params.arena, signature, error));
    declare(network, config);
    L2R_TRY(l2r_params_finish(&network->params, seed, error));
done:
    return status;
}

int64_t l2r_network_size(const struct l2r_model_type *type, const struct l2r_config *config,
                         const struct l2r_signature *signature)
{
    struct l2r_network network = {.type = type, .signature = *signature};
    l2r_params_init(&network.params);
    declare(&network, config);
    int64_t size = network.params.status == L2R_OK ? network.params.n_trainable : -1;
    l2r_params_clear(&network.params);
    return size;
}

void l2r_network_clear(struct l2r_network *network)
{
    for (int32_t k = 0; network->copies && network->type->clear && k < network->n_copies; k++)
        if (network->copies[k].model) network->type->clear(network->copies[k].model);
    l2r_params_clear(&network->params);
    *network = (struct l2r_network){0};
}

/* Sets the tape up for a batch that is divided among ranks. */
static struct l2r_share share_of(const struct l2r_batch *b)
{
    const struct l2r_division *d = b->division;
    if (!d) return (struct l2r_share){0};
    return (struct l2r_share){.comm = d->comm,
                              .rows = {[L2R_AT_NODES] = {b->n_nodes, d->first_node, d->n_nodes},
                                       [L2R_AT_GRAPHS] = {b->n_graphs, l2r_division_first(d), d->n_graphs},
                                       [L2R_AT_ARCS] = {b->graph.n_arcs, d->first_arc, d->n_arcs}}};
}

l2r_node l2r_network_represent(const struct l2r_network *network, struct l2r_tape *t, const struct l2r_batch *b)
{
    const struct l2r_copy *copy = l2r_network_copy(network);
    t->pass.share = share_of(b);
    if (!copy->gates.on) return network->type->forward(copy->model, t, b);
    /* Twice: once for the nodes that the gates are made of. Masks belong to explanations; pooling changes masks and
     * share. */
    const struct l2r_masks before = t->pass.masks;
    l2r_node own_loss = t->model_loss;
    network->type->forward(copy->gates.model, t, b);
    t->pass.masks = before;
    t->pass.share = share_of(b);
    t->model_loss = own_loss;
    l2r_gates_put(&copy->gates, t, b, t->nodes);
    l2r_node z = network->type->forward(copy->model, t, b);
    t->pass.masks = before;
    return z;
}

/* [Z ‖ features]: what the head reads. */
static l2r_node beside_features(const struct l2r_network *network, struct l2r_tape *t, const struct l2r_batch *b,
                                l2r_node z)
{
    int64_t n = network->signature.features.n;
    if (n == 0 || network->type->reads_features || !l2r_tape_ready(t, z)) return z;
    int64_t rows = l2r_value_of(t, z)->rows;
    l2r_real *features = b ? b->features : l2r_tape_alloc(t, rows * n, sizeof *features);
    if (!features) return L2R_NO_NODE;
    if (!b) memset(features, 0, (size_t)(rows * n) * sizeof *features);
    const l2r_node parts[] = {z, l2r_constant(t, features, rows, n)};
    return l2r_side_by_side(t, parts, 2);
}

l2r_node l2r_network_head_input(const struct l2r_network *network, struct l2r_tape *t, const struct l2r_batch *b,
                                l2r_node z)
{
    const struct l2r_head *head = &l2r_network_copy(network)->head;
    z = beside_features(network, t, b, z);
    l2r_tape_at(t, L2R_AT_GRAPHS);
    for (int64_t i = 0; i < head->n_hidden; i++)
        z = l2r_activate(t, l2r_linear(t, z, &head->hidden[i], L2R_LINEAR), head->act, head->dropout);
    l2r_tape_at(t, L2R_AT_NODES);
    return z;
}

l2r_node l2r_network_output(const struct l2r_network *network, struct l2r_tape *t, const struct l2r_batch *b,
                            l2r_node z)
{
    const struct l2r_copy *copy = l2r_network_copy(network);
    if (network->type->output) {
        t->pass.share = share_of(b); /* such a model does without Z */
        return network->type->output(copy->model, t, b);
    }
    return l2r_linear(t, l2r_network_head_input(network, t, b, z), &copy->head.output, L2R_LINEAR);
}

l2r_node l2r_network_unweighted(const struct l2r_network *network, struct l2r_tape *t, l2r_node output)
{
    const double *weight = network->signature.class_weight;
    if (!weight || !l2r_tape_ready(t, output)) return output;
    int64_t rows = l2r_value_of(t, output)->rows, cols = l2r_value_of(t, output)->cols;
    l2r_real *shift = l2r_tape_alloc(t, cols, sizeof *shift);
    if (!shift) return L2R_NO_NODE;
    for (int64_t k = 0; k < cols; k++) shift[k] = (l2r_real)-log(weight[k]);
    return l2r_add(t, output, l2r_repeat_row(t, l2r_constant(t, shift, 1, cols), rows));
}

static l2r_node task_losses(const struct l2r_network *network, struct l2r_tape *t, const struct l2r_batch *b,
                            l2r_node output)
{
    const struct l2r_signature *s = &network->signature;
    switch (s->task) {
    case L2R_TASK_MULTICLASS:
        return l2r_cross_entropy(t, output, b->labels, network->class_weight);
    case L2R_TASK_BINARY:
        return l2r_binary_cross_entropy(t, output, b->labels, network->class_weight);
    case L2R_TASK_REGRESSION:
        return l2r_regression_error(t, output, b->labels, b->bound, &s->target, network->distance);
    }
    return L2R_NO_NODE;
}

l2r_node l2r_network_losses(const struct l2r_network *network, struct l2r_tape *t, const struct l2r_batch *b,
                            l2r_node output)
{
    l2r_node losses = task_losses(network, t, b, output);
    bool trains = t->pass.record || t->pass.batch_statistics; /* scores are not weighted */
    if (!b->weight || network->weight_scale == 0 || !trains) return losses;
    return l2r_scale_rows(t, losses, b->weight, network->weight_scale);
}
