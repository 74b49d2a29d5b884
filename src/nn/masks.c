/* SPDX-License-Identifier: MIT
 * See masks.h. */
#include "nn/masks.h"

#include "autograd/op_masked.h"

int64_t l2r_masks_columns(const struct l2r_signature *signature)
{
    return signature->n_node_columns + signature->n_node_reals;
}

l2r_node l2r_masked_encode(const struct l2r_stack *s, struct l2r_tape *t, const struct l2r_batch *b)
{
    int32_t n = s->node_embedding.n_columns;
    l2r_node h = L2R_NO_NODE;
    l2r_node *tables = l2r_tape_alloc(t, n, sizeof *tables);
    if (!tables) return L2R_NO_NODE;
    for (int32_t k = 0; k < n; k++) tables[k] = l2r_use(t, s->node_embedding.tables[k]);
    if (n > 0) h = l2r_masked_embedding(t, tables, n, b->nodes.rows, b->nodes.type, b->node_start, b->n_graphs);
    if (!s->node_linear.weight) return h;
    l2r_node kept = l2r_mask_columns(t, l2r_stack_reals(s, t, b), n, b->node_start, b->n_graphs);
    l2r_node reals = l2r_linear(t, kept, &s->node_linear, L2R_LINEAR);
    return n > 0 ? l2r_add(t, h, reals) : reals;
}

void l2r_masks_reduce(struct l2r_tape *t, const struct l2r_adjacency *graph, const int32_t *keep, const int32_t *place,
                      int64_t n_kept, int64_t n_arcs)
{
    if (t->masks.edges.id < 0) return;
    int32_t *arc_edge = l2r_tape_alloc(t, n_arcs, sizeof *arc_edge);
    if (!arc_edge) return;
    int64_t at = 0;
    for (int64_t i = 0; i < n_kept; i++) /* the order of kernels/top_k.c: that of the old lists */
        for (int64_t e = graph->arc_start[keep[i]]; e < graph->arc_start[keep[i] + 1]; e++)
            if (place[graph->neighbour[e]] >= 0) arc_edge[at++] = t->masks.arc_edge[e];
    if (!l2r_tape_check(t, at == n_arcs, "masks: %lld arcs stay where %lld were expected", (long long)at,
                        (long long)n_arcs))
        return;
    t->masks.arc_edge = arc_edge;
    t->masks.n_arcs = n_arcs;
}
