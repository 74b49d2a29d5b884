/* SPDX-License-Identifier: MIT
 *
 * A small network of any registered model on any data set, for tests that hold for all of them. VARIANTS are the
 * settings that every such test goes through.
 */
#ifndef L2R_TESTS_MODEL_TRIAL_H
#define L2R_TESTS_MODEL_TRIAL_H

#include "nn/network.h"
#include "nn/readout.h"
#include "store/run.h"

#include "support/random_graphs.h"

#include <stdio.h>

struct variant {
    const char *name;
    const char *options[6][2]; /* name and value; the rest is NULL */
};

static const struct variant variants[] = {
    {"as it comes", {{0}}},
    {"virtual node, sum", {{"virtual-node", "true"}, {"readout", "sum"}}},
    {"residual, max", {{"residual", "true"}, {"readout", "max"}}},
    {"without batch norm, sum", {{"batch-norm", "false"}, {"readout", "sum"}}},
    {"virtual node, residual, without batch norm",
     {{"virtual-node", "true"}, {"residual", "true"}, {"batch-norm", "false"}}},
    {"virtual node, residual, max, no edge features",
     {{"virtual-node", "true"}, {"residual", "true"}, {"readout", "max"}, {"edge-features", "false"}}},
    {"layer norm, hidden layers in the head, scaled sum",
     {{"norm", "layer"}, {"head-layers", "2"}, {"head-hidden", "5"}, {"readout", "scaled"}}},
    {"diffpool", {{"readout", "diffpool"}, {"pool-clusters", "3"}, {"pool-loss", "0.7"}}},
};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

/* Calls body(model, variant, kind) for all combinations; `where` names the one at hand in failures. */
static char where[256];
typedef void trial_body(const struct l2r_model_type *type, const struct variant *variant, enum graph_kind kind);
static inline void for_all_models(trial_body *body)
{
    size_t n = 0;
    for (; l2r_models[n]; n++)
        for (int v = 0; !l2r_models[n]->reads_features && v < N_VARIANTS; v++) /* these graphs have no features */
            for (int kind = 0; kind < GRAPH_KINDS; kind++) {
                snprintf(where, sizeof where, "%s, %s, %s data", l2r_models[n]->name, variants[v].name,
                         graph_schemas[kind].name);
                body(l2r_models[n], &variants[v], (enum graph_kind)kind);
            }
    assert_true(n >= 1);
}

/* The same for every registered readout and activation, under a model with an MLP and under one that pools. */
static inline void for_all_parts(trial_body *body)
{
    static const char *const models[] = {"gin", "sagpool"};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        const struct l2r_model_type *type = l2r_model_find(models[m]);
        for (size_t i = 0; l2r_readouts[i]; i++) {
            const struct variant part = {l2r_readouts[i]->name, {{"readout", l2r_readouts[i]->name}}};
            snprintf(where, sizeof where, "%s, readout %s", models[m], part.name);
            body(type, &part, (enum graph_kind)0);
        }
        for (size_t i = 0; l2r_activations[i]; i++) {
            const char *name = l2r_activations[i]->name;
            const struct variant norm = {name, {{"activation", name}}},
                                 none = {name,
                                         {{"activation", name}, {"batch-norm", "false"}, {"virtual-node", "true"}}};
            snprintf(where, sizeof where, "%s, activation %s", models[m], name);
            body(type, &norm, (enum graph_kind)0);
            snprintf(where, sizeof where, "%s, activation %s without batch norm", models[m], name);
            body(type, &none, (enum graph_kind)0);
        }
    }
}

static inline void must(enum l2r_status status, const struct l2r_error *error)
{
    if (status != L2R_OK) fail_msg("%s: %s", where, error->message);
}

static const char *trial_method = "erm"; /* whose options the network knows, too */

static inline struct l2r_config *config_of(const struct l2r_model_type *type, const struct variant *variant,
                                           const char *hidden, const char *dropout)
{
    struct l2r_config *config;
    struct l2r_error error;
    must(l2r_config_new(&config, &error), &error);
    must(l2r_run_declare(config, type->name, trial_method, &error), &error);
    must(l2r_config_set(config, "hidden", hidden, &error), &error);
    must(l2r_config_set(config, "layers", "3", &error), &error);
    must(l2r_config_set(config, "dropout", dropout, &error), &error);
    for (size_t i = 0; i < 6 && variant->options[i][0]; i++)
        must(l2r_config_set(config, variant->options[i][0], variant->options[i][1], &error), &error);
    return config;
}

struct trial {
    struct l2r_config *config;
    struct l2r_arena arena;
    struct l2r_network network;
    struct l2r_tape tape;
    int32_t *graphs; /* 0 … n-1 */
};

/* Nothing keeps a special value such as 0 or 1: neither parameters nor running statistics. */
static inline void randomise(struct l2r_params *params, struct l2r_rng *rng)
{
    for (int64_t i = 0; i < params->n_trainable; i++) params->value[i] += (l2r_real)(0.2 * l2r_rng_normal(rng));
    for (int64_t i = 0; i < params->n_buffer; i++)
        params->buffer[i] = (l2r_real)((double)params->buffer[i] + 0.5 * l2r_rng_uniform(rng));
}

static inline struct trial trial_open(const struct l2r_model_type *type, const struct variant *variant,
                                      const struct l2r_dataset *data, const char *hidden, const char *dropout)
{
    struct trial t = {.config = config_of(type, variant, hidden, dropout)};
    struct l2r_error error;
    struct l2r_signature signature;
    struct l2r_rng rng = l2r_rng_at(17, L2R_RANDOM_TEST, 0);
    l2r_arena_init(&t.arena);
    l2r_tape_init(&t.tape);
    t.graphs = l2r_arena_alloc(&t.arena, (size_t)data->n_graphs, sizeof *t.graphs);
    for (int32_t i = 0; i < data->n_graphs; i++) t.graphs[i] = i;
    must(l2r_signature_make(&signature, &t.arena, data, t.graphs, data->n_graphs, &error), &error);
    must(l2r_network_init(&t.network, type, t.config, &signature, 3, &error), &error);
    randomise(&t.network.params, &rng);
    return t;
}

static inline void trial_close(struct trial *t)
{
    l2r_network_clear(&t->network);
    l2r_tape_clear(&t->tape);
    l2r_arena_clear(&t->arena);
    l2r_config_free(t->config);
}

/* Loss of n graphs in training mode, with the dropout masks of the given step; backward leaves the gradients in
 * params.grad. */
static inline double trial_loss(struct trial *t, const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                const l2r_real *weights, uint64_t step, bool backward)
{
    struct l2r_batch batch;
    struct l2r_error error;
    l2r_tape_reset(&t->tape);
    must(l2r_batch_make(&batch, &t->tape.arena, data, graphs, n, &error), &error);
    l2r_tape_mode_train(&t->tape, 5, step);
    l2r_node output =
        l2r_network_output(&t->network, &t->tape, &batch, l2r_network_represent(&t->network, &t->tape, &batch));
    l2r_node loss = l2r_weighted_mean(&t->tape, l2r_network_losses(&t->network, &t->tape, &batch, output), weights);
    l2r_masking_loss(&t->network, &t->tape, &batch, 5, step);
    if (t->tape.model_loss.id >= 0) loss = l2r_add(&t->tape, loss, t->tape.model_loss);
    l2r_params_zero_grad(&t->network.params);
    if (backward) l2r_tape_backward(&t->tape, loss);
    must(t->tape.status, &t->tape.error);
    assert_true(loss.id >= 0);
    return (double)l2r_value_of(&t->tape, loss)->data[0];
}

#endif
