/* SPDX-License-Identifier: MIT
 * See top_k_pool.h. What a level's graph needs lies in the tape's arena, for its arcs depend on the scores. */
#include "nn/top_k_pool.h"

#include "autograd/ops.h"
#include "kernels/top_k.h"

/* Which rows stay, graph by graph. */
struct choice {
    int32_t *start; /* [n_graphs + 1] */
    int32_t *keep;  /* [start[n_graphs]] */
    int32_t *place; /* [n_nodes] */
};

static bool choose(struct choice *c, struct l2r_tape *t, const struct l2r_batch *b, const l2r_real *score, double ratio)
{
    c->start = l2r_tape_alloc(t, b->n_graphs + 1, sizeof *c->start);
    c->place = l2r_tape_alloc(t, b->n_nodes, sizeof *c->place);
    l2r_real *scratch = l2r_tape_alloc(t, b->n_nodes, sizeof *scratch);
    if (!c->start || !c->place || !scratch) return false;
    c->start[0] = 0;
    for (int64_t g = 0; g < b->n_graphs; g++)
        c->start[g + 1] = c->start[g] + (int32_t)l2r_keep_count(ratio, b->node_start[g + 1] - b->node_start[g]);
    c->keep = l2r_tape_alloc(t, c->start[b->n_graphs], sizeof *c->keep);
    if (!c->keep) return false;
    l2r_top_k(c->keep, c->place, score, b->node_start, c->start, scratch, b->n_graphs);
    return true;
}

/* The masks' map from arcs to edges, for the graph between the nodes that stay. Nothing happens without masks. */
static void reduce_masks(struct l2r_tape *t, const struct l2r_adjacency *graph, const int32_t *keep,
                         const int32_t *place, int64_t n_kept, int64_t n_arcs)
{
    if (t->pass.masks.edges.id < 0) return;
    int32_t *arc_edge = l2r_tape_alloc(t, n_arcs, sizeof *arc_edge);
    if (!arc_edge) return;
    int64_t at = 0;
    for (int64_t i = 0; i < n_kept; i++) /* the order of kernels/top_k.c: that of the old lists */
        for (int64_t e = graph->arc_start[keep[i]]; e < graph->arc_start[keep[i] + 1]; e++)
            if (place[graph->neighbour[e]] >= 0) arc_edge[at++] = t->pass.masks.arc_edge[e];
    if (!l2r_tape_check(t, at == n_arcs, "masks: %lld arcs stay where %lld were expected", (long long)at,
                        (long long)n_arcs))
        return;
    t->pass.masks.arc_edge = arc_edge;
    t->pass.masks.n_arcs = n_arcs;
}

static bool reduce(struct l2r_batch *level, struct l2r_tape *t, const struct l2r_batch *b, const struct choice *c)
{
    int64_t nodes = c->start[b->n_graphs];
    int32_t *arc_start = l2r_tape_alloc(t, nodes + 1, sizeof *arc_start);
    l2r_real *norm = l2r_tape_alloc(t, nodes, sizeof *norm);
    if (!arc_start || !norm) return false;
    int64_t arcs = l2r_subgraph_arcs(arc_start, &b->graph, c->keep, c->place, nodes);
    int32_t *neighbour = l2r_tape_alloc(t, arcs, sizeof *neighbour), *type = l2r_tape_alloc(t, arcs, sizeof *type);
    if (!neighbour || !type) return false;
    l2r_subgraph_fill(neighbour, type, norm, arc_start, &b->graph, c->keep, c->place, nodes);
    reduce_masks(t, &b->graph, c->keep, c->place, nodes, arcs);
    *level = (struct l2r_batch){.n_graphs = b->n_graphs,
                                .n_nodes = nodes,
                                .graph = {nodes, arcs, arc_start, neighbour, type, norm, NULL},
                                .node_start = c->start,
                                .arcs = {b->arcs.n, b->arcs.rows, type, b->arcs.n_reals, b->arcs.real},
                                .labels = b->labels,
                                .graphs = b->graphs};
    return true;
}

/* Where the rows that stay stand among those of all ranks. */
static void place_rows(struct l2r_tape *t, int64_t here)
{
    struct l2r_comm *comm = t->pass.share.comm;
    double *counts = l2r_tape_alloc(t, comm->size, sizeof *counts);
    if (!counts) return;
    for (int r = 0; r < comm->size; r++) counts[r] = r == comm->rank ? (double)here : 0;
    l2r_comm_sum(comm, counts, comm->size, sizeof *counts);
    t->pass.share.rows[L2R_AT_NODES] = (struct l2r_rows){.here = here};
    for (int r = 0; r < comm->size; r++) {
        if (r < comm->rank) t->pass.share.rows[L2R_AT_NODES].first += (int64_t)counts[r];
        t->pass.share.rows[L2R_AT_NODES].total += (int64_t)counts[r];
    }
}

l2r_node l2r_top_k_pool(struct l2r_tape *t, struct l2r_batch *level, const struct l2r_batch *b, l2r_node x,
                        l2r_node score, double ratio)
{
    struct choice c;
    *level = *b;
    if (!l2r_tape_ready(t, x) || !l2r_tape_ready(t, score)) return L2R_NO_NODE;
    const struct l2r_value *s = l2r_value_of(t, score);
    if (!l2r_tape_check(t, s->rows == b->n_nodes && s->cols == 1, "top-k pool: %lld × %lld scores for %lld nodes",
                        (long long)s->rows, (long long)s->cols, (long long)b->n_nodes))
        return L2R_NO_NODE;
    if (!choose(&c, t, b, s->data, ratio) || !reduce(level, t, b, &c)) return L2R_NO_NODE;
    if (t->pass.share.comm) place_rows(t, level->n_nodes);
    return l2r_gate_rows(t, x, score, c.keep, c.place, level->n_nodes);
}

int64_t l2r_pooling_add(struct l2r_pooling *p, const struct l2r_build *build)
{
    l2r_stack_add(&p->stack, build);
    p->stack.activate_last = true;
    p->dropout = p->stack.dropout;
    p->stack.dropout = 0;
    p->ratio = l2r_config_real(build->config, "pool-ratio");
    p->layers = l2r_params_memory(build->params, (size_t)p->stack.n_layers, sizeof *p->layers);
    for (int64_t i = 0; p->layers && i < p->stack.n_layers; i++)
        p->layers[i] = l2r_gcn_layer_add(build, p->stack.hidden, p->stack.edge_features, i);
    *build->node_width = p->stack.hidden;
    if (p->stack.readout->build) return l2r_stack_readout_add(&p->stack, build, p->stack.hidden);
    return p->stack.readout == &l2r_readout_max ? p->stack.hidden : 2 * p->stack.hidden;
}

static l2r_node convolve(const void *pooling, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, int64_t i)
{
    return l2r_gcn_layer(t, b, h, &((const struct l2r_pooling *)pooling)->layers[i]);
}

/* Adds the readout of a level to that of the levels before. */
static l2r_node accumulate(struct l2r_tape *t, const struct l2r_batch *level, l2r_node h,
                           const struct l2r_readout *readout, l2r_node sum)
{
    l2r_node z = readout->forward(NULL, t, level, h, NULL);
    return sum.id < 0 ? z : l2r_add(t, sum, z);
}

l2r_node l2r_pooling_forward(const struct l2r_pooling *p, const void *model, struct l2r_tape *t,
                             const struct l2r_batch *b, l2r_score_fn *score)
{
    struct l2r_batch level[2] = {*b}; /* this one and the next, alternating */
    l2r_node h = l2r_stack_encode(&p->stack, t, b), v = l2r_stack_virtual(&p->stack, t, b);
    l2r_node halves[2] = {L2R_NO_NODE, L2R_NO_NODE}, all = L2R_NO_NODE;
    bool last_alone = p->stack.readout->build != NULL, max_alone = p->stack.readout == &l2r_readout_max;
    for (int64_t i = 0; i < p->stack.n_layers && t->status == L2R_OK; i++) {
        const struct l2r_batch *now = &level[i % 2];
        struct l2r_batch *next = &level[(i + 1) % 2];
        h = l2r_stack_layer(&p->stack, p, t, now, convolve, h, &v, i);
        if (i == 0) all = h; /* later layers have fewer nodes */
        h = l2r_top_k_pool(t, next, now, h, score(model, t, now, h, i), p->ratio);
        if (last_alone) continue;
        halves[0] = accumulate(t, next, h, &l2r_readout_max, halves[0]);
        if (!max_alone) halves[1] = accumulate(t, next, h, p->stack.readout, halves[1]);
    }
    l2r_node z = halves[0];
    if (halves[1].id >= 0) z = l2r_side_by_side(t, halves, 2);
    if (last_alone) z = l2r_stack_readout(&p->stack, t, &level[p->stack.n_layers % 2], h);
    t->nodes = all;
    l2r_tape_at(t, L2R_AT_GRAPHS);
    z = l2r_activate(t, z, L2R_LINEAR, p->dropout);
    l2r_tape_at(t, L2R_AT_NODES);
    return z;
}
