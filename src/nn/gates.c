/* SPDX-License-Identifier: MIT
 * See gates.h. The first layer's two halves are applied to nodes, of which there are fewer than arcs, and added arc by
 * arc. */
#include "nn/gates.h"

#include <stdio.h>
#include <string.h>

const struct l2r_option l2r_gates_option_table[] = {
    {.name = "gates",
     .kind = L2R_OPTION_CHOICE,
     .choices = "edges|none",
     .fallback = "edges",
     .group = "Gates",
     .help = "a factor on every edge, made of the representations of its nodes; none: ERM"},
    {.name = "gates-dropout",
     .needs = "gates=edges",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.5",
     .min = 0,
     .max = 0.99,
     .help = "dropout in the layers that make the gates"},
    {.name = "gates-backbone",
     .needs = "gates=edges",
     .kind = L2R_OPTION_CHOICE,
     .choices = "shared|own",
     .fallback = "shared",
     .help = "whose nodes make the gates: those of the backbone that predicts, or of a second one"},
    {.name = "edge-budget",
     .needs = "gates=edges",
     .kind = L2R_OPTION_REAL,
     .fallback = "0",
     .min = 0,
     .max = 1,
     .help = "what the mean gate of a graph should be; 0: whatever it becomes"},
    {.name = "edge-budget-weight",
     .needs = "gates=edges|edge-budget!=0",
     .kind = L2R_OPTION_REAL,
     .fallback = "10",
     .min = 0,
     .max = 1e6,
     .help = "weight of the squared distance from `edge-budget`"},
    {0}};

bool l2r_gates_are_enabled(const struct l2r_config *config)
{
    return l2r_config_has(config, "gates") && !l2r_config_is(config, "gates", "none");
}

/* Another backbone like it. */
static const void *second_backbone(const struct l2r_build *build, const struct l2r_model_type *type)
{
    struct l2r_params *params = build->params;
    void *model = l2r_params_memory(params, 1, type->size);
    size_t length = strlen(params->prefix);
    snprintf(params->prefix + length, sizeof params->prefix - length, "gates.");
    if (model) type->build(model, build);
    params->prefix[length] = '\0';
    return model;
}

struct l2r_gates l2r_gates_add(const struct l2r_build *build, const struct l2r_model_type *type, const void *model)
{
    struct l2r_params *params = build->params;
    const struct l2r_config *config = build->config;
    if (!l2r_gates_are_enabled(config)) return (struct l2r_gates){0};
    if (type->unmaskable) {
        l2r_params_fail(params, L2R_ERR_ARGUMENT, "`gates`: model %s cannot have gates on its edges: %s", type->name,
                        type->unmaskable);
        return (struct l2r_gates){0};
    }
    if (l2r_config_is(config, "gates-backbone", "own")) model = second_backbone(build, type);
    int64_t dim = *build->node_width;
    return (struct l2r_gates){.on = true,
                              .model = model,
                              .dropout = l2r_config_real(config, "gates-dropout"),
                              .budget = l2r_config_real(config, "edge-budget"),
                              .budget_weight = l2r_config_real(config, "edge-budget-weight"),
                              .sender = l2r_linear_add(params, dim, 4 * dim, false, "gates.sender"),
                              .receiver = l2r_linear_add(params, dim, 4 * dim, true, "gates.receiver"),
                              .second = l2r_linear_add(params, 4 * dim, dim, true, "gates.second"),
                              .last = l2r_linear_add(params, dim, 1, true, "gates.last")};
}

/* Further arrays for a batch: the receiver of each arc, its edge, and the first arc and edge of each graph. */
struct arcs {
    int32_t *receiver, *edge;    /* [n_arcs] */
    int32_t *start, *edge_start; /* [n_graphs + 1] */
    int64_t n_edges;
};

static bool list_arcs(struct arcs *arcs, struct l2r_tape *t, const struct l2r_batch *b)
{
    const struct l2r_adjacency *g = &b->graph;
    int32_t *cursor = l2r_tape_alloc(t, g->n_nodes, sizeof *cursor);
    *arcs = (struct arcs){.receiver = l2r_tape_alloc(t, g->n_arcs, sizeof *arcs->receiver),
                          .edge = l2r_tape_alloc(t, g->n_arcs, sizeof *arcs->edge),
                          .start = l2r_tape_alloc(t, b->n_graphs + 1, sizeof *arcs->start),
                          .edge_start = l2r_tape_alloc(t, b->n_graphs + 1, sizeof *arcs->edge_start)};
    if (!cursor || !arcs->receiver || !arcs->edge || !arcs->start || !arcs->edge_start) return false;
    for (int64_t v = 0; v < g->n_nodes; v++)
        for (int64_t a = g->arc_start[v]; a < g->arc_start[v + 1]; a++) arcs->receiver[a] = (int32_t)v;
    for (int64_t i = 0; i <= b->n_graphs; i++) arcs->start[i] = g->arc_start[b->node_start[i]];
    arcs->n_edges = l2r_number_edges(arcs->edge, g, cursor);
    /* They are numbered as they first appear, so those of a graph follow those of the graph before it. */
    arcs->edge_start[0] = 0;
    for (int64_t i = 0; i < b->n_graphs; i++) {
        int32_t next = arcs->edge_start[i];
        for (int64_t a = arcs->start[i]; a < arcs->start[i + 1]; a++)
            if (arcs->edge[a] >= next) next = arcs->edge[a] + 1;
        arcs->edge_start[i + 1] = next;
    }
    return true;
}

/* dropout(ReLU(norm(x))), row by row of the arcs. */
static l2r_node normed(struct l2r_tape *t, l2r_node x, const struct arcs *arcs, const struct l2r_batch *b, double drop)
{
    return l2r_activate(t, l2r_instance_norm(t, x, arcs->start, b->n_graphs), L2R_RELU, drop);
}

void l2r_gates_put(const struct l2r_gates *gates, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h)
{
    struct arcs arcs;
    int64_t n = b->graph.n_arcs;
    size_t first = t->count;
    if (!l2r_tape_ready(t, h) || !list_arcs(&arcs, t, b)) return;
    l2r_node from = l2r_linear(t, h, &gates->sender, L2R_LINEAR), to = l2r_linear(t, h, &gates->receiver, L2R_LINEAR);
    l2r_tape_at(t, L2R_AT_ARCS);
    l2r_node x = l2r_add(t, l2r_take_rows(t, from, b->graph.neighbour, n), l2r_take_rows(t, to, arcs.receiver, n));
    x = l2r_linear(t, normed(t, x, &arcs, b, gates->dropout), &gates->second, L2R_LINEAR);
    x = l2r_linear(t, normed(t, x, &arcs, b, gates->dropout), &gates->last, L2R_LINEAR);
    t->gates.arcs = l2r_concrete(t, x);
    l2r_tape_at(t, L2R_AT_NODES);
    t->gates.edges = l2r_edge_means(t, t->gates.arcs, arcs.edge, arcs.n_edges, t->pass.masks.edges);
    t->gates.start = arcs.edge_start;
    t->gates.n_graphs = b->n_graphs;
    if (gates->budget > 0 && t->pass.record)
        l2r_tape_add_loss(
            t, l2r_scale(t,
                         l2r_weighted_mean(
                             t, l2r_budget(t, t->gates.edges, arcs.edge_start, b->n_graphs, gates->budget), NULL),
                         gates->budget_weight));
    t->pass.masks.edges = t->gates.edges;
    t->pass.masks.arc_edge = arcs.edge;
    t->pass.masks.n_arcs = n;
    l2r_tape_release(t, first, (l2r_node[]){t->gates.arcs, t->gates.edges}, 2);
}
