/* SPDX-License-Identifier: MIT
 *
 * See explainer.h, "a graph under masks". The batch of copies is made once for a graph; every evaluation resets the
 * tape and reads the masks again. Edges are numbered by l2r_number_edges, so that both arcs of an edge share one mask.
 */
#include "explain/explainer.h"

#include "kernels/aggregate.h"
#include "nn/network.h"

#include <math.h>
#include <string.h>

/* The ends of the first copy's edges; its nodes are rows 0 .. n_nodes-1. */
static void list_ends(struct l2r_masked_graph *g)
{
    for (int64_t v = 0; v < g->n_nodes; v++)
        for (int64_t e = g->batch.graph.arc_start[v]; e < g->batch.graph.arc_start[v + 1]; e++) {
            int32_t u = g->batch.graph.neighbour[e], *ends = g->ends + 2 * (int64_t)g->arc_edge[e];
            if (u >= v) ends[0] = (int32_t)v, ends[1] = u;
        }
}

static bool allocate(struct l2r_masked_graph *g, int64_t n_tasks)
{
    int64_t numbers = g->copies * (g->n_edges + g->n_columns);
    g->ends = l2r_arena_alloc(&g->arena, (size_t)(2 * g->n_edges), sizeof *g->ends);
    g->target = l2r_arena_alloc(&g->arena, (size_t)(g->copies * n_tasks), sizeof *g->target);
    g->one = l2r_arena_alloc(&g->arena, (size_t)g->copies, sizeof *g->one);
    g->masks = l2r_arena_alloc(&g->arena, (size_t)numbers, sizeof *g->masks);
    g->d_masks = l2r_arena_alloc(&g->arena, (size_t)numbers, sizeof *g->d_masks);
    if (!g->ends || !g->target || !g->one || !g->masks || !g->d_masks) return false;
    for (int64_t i = 0; i < g->copies * n_tasks; i++) g->target[i] = NAN;
    for (int64_t i = 0; i < g->copies; i++) g->one[i] = 1;
    return true;
}

enum l2r_status l2r_masked_graph_init(struct l2r_masked_graph *g, const struct l2r_network *network,
                                      const struct l2r_dataset *data, int32_t graph, int64_t copies,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *g = (struct l2r_masked_graph){.network = network, .graph = graph, .copies = copies};
    l2r_arena_init(&g->arena);
    l2r_tape_init(&g->tape);
    int32_t *graphs = l2r_arena_alloc(&g->arena, (size_t)copies, sizeof *graphs);
    if (!graphs) return l2r_fail_memory(error, (size_t)copies * sizeof *graphs, "an explanation");
    for (int64_t i = 0; i < copies; i++) graphs[i] = graph;
    L2R_TRY(l2r_features_fill(data, graphs, copies, error));
    L2R_TRY(l2r_batch_make(&g->batch, &g->arena, data, graphs, copies, error));
    g->n_nodes = g->batch.node_start[1];
    g->n_columns = l2r_signature_columns(&network->signature);
    g->arc_edge = l2r_arena_alloc(&g->arena, (size_t)g->batch.graph.n_arcs, sizeof *g->arc_edge);
    int32_t *cursor = l2r_arena_alloc(&g->arena, (size_t)g->batch.n_nodes, sizeof *cursor);
    if (g->arc_edge && cursor) g->n_edges = l2r_number_edges(g->arc_edge, &g->batch.graph, cursor) / copies;
    if (!g->arc_edge || !cursor || !allocate(g, network->signature.n_tasks)) {
        status = l2r_fail_memory(error, (size_t)g->batch.graph.n_arcs * 32, "an explanation");
        goto done;
    }
    list_ends(g);
    g->batch.labels = g->target;
done:
    return status;
}

void l2r_masked_graph_clear(struct l2r_masked_graph *g)
{
    l2r_tape_clear(&g->tape);
    l2r_arena_clear(&g->arena);
}

enum l2r_status l2r_masked_graph_losses(double *losses, float *output, struct l2r_masked_graph *g, bool gradient,
                                        struct l2r_error *error)
{
    struct l2r_tape *t = &g->tape;
    int64_t edges = g->copies * g->n_edges, all = edges + g->copies * g->n_columns;
    memset(g->d_masks, 0, (size_t)all * sizeof *g->d_masks);
    l2r_tape_reset(t);
    l2r_tape_mode_explain(t);
    t->pass.record = gradient;
    t->pass.masks.edges = l2r_leaf(t, g->masks, g->d_masks, edges, 1);
    t->pass.masks.arc_edge = g->arc_edge;
    t->pass.masks.n_arcs = g->batch.graph.n_arcs;
    if (g->n_columns > 0)
        t->pass.masks.columns = l2r_leaf(t, g->masks + edges, g->d_masks + edges, g->copies, g->n_columns);
    l2r_node z = l2r_network_represent(g->network, t, &g->batch);
    l2r_node out = l2r_network_unweighted(g->network, t, l2r_network_output(g->network, t, &g->batch, z));
    l2r_node each = l2r_network_losses(g->network, t, &g->batch, out);
    if (gradient) l2r_tape_backward_from(t, each, g->one);
    if (t->status != L2R_OK) return l2r_fail(error, t->status, "graph %d: %s", (int)g->graph, t->error.message);
    for (int64_t i = 0; i < g->copies; i++) losses[i] = (double)l2r_value_of(t, each)->data[i];
    for (int64_t k = 0; output && k < l2r_value_of(t, out)->cols; k++) output[k] = (float)l2r_value_of(t, out)->data[k];
    return L2R_OK;
}

static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* size·Σ m + entropy·mean H(m), added to the value; the slopes by m(1−m), since logits are what moves. With z the
 * logit: −log m = softplus(−z), −log(1−m) = softplus(z), dH/dm = −z. */
static double edge_terms(l2r_real *d_logits, const l2r_real *d_masks, const l2r_real *masks, const l2r_real *logits,
                         int64_t n, const struct l2r_explain_settings *s)
{
    double sum = 0, entropy = 0;
    for (int64_t e = 0; e < n; e++) {
        double z = (double)logits[e], m = (double)masks[e];
        sum += m;
        entropy += m * softplus(-z) + (1 - m) * softplus(z);
        d_logits[e] = (l2r_real)(((double)d_masks[e] + s->edge_size - s->edge_entropy * z / (double)n) * m * (1 - m));
    }
    return n > 0 ? s->edge_size * sum + s->edge_entropy * entropy / (double)n : 0;
}

static double column_terms(l2r_real *d_logits, const l2r_real *d_masks, const l2r_real *masks, int64_t n,
                           const struct l2r_explain_settings *s)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++) {
        double f = (double)masks[k];
        sum += f;
        d_logits[k] = (l2r_real)(((double)d_masks[k] + s->feature_size / (double)n) * f * (1 - f));
    }
    return n > 0 ? s->feature_size * sum / (double)n : 0;
}

enum l2r_status l2r_mask_objective(double *values, l2r_real *d_logits, const l2r_real *logits,
                                   struct l2r_masked_graph *g, const struct l2r_explain_settings *settings,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t edges = g->copies * g->n_edges, all = edges + g->copies * g->n_columns;
    for (int64_t i = 0; i < all; i++) g->masks[i] = (l2r_real)(1 / (1 + exp(-(double)logits[i])));
    L2R_TRY(l2r_masked_graph_losses(values, NULL, g, true, error));
    for (int64_t c = 0; c < g->copies; c++) {
        int64_t e = c * g->n_edges, k = edges + c * g->n_columns;
        values[c] += edge_terms(d_logits + e, g->d_masks + e, g->masks + e, logits + e, g->n_edges, settings);
        values[c] += column_terms(d_logits + k, g->d_masks + k, g->masks + k, g->n_columns, settings);
        if (!isfinite(values[c]))
            L2R_FAIL(L2R_ERR_DIVERGED, "graph %d: the loss under a mask is not finite", (int)g->graph);
    }
done:
    return status;
}
