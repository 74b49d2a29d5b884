/* SPDX-License-Identifier: MIT
 *
 * Sums over lists of rows, and messages between directed arcs (kernels/lists.h): what a network needs whose states
 * belong to arcs, not to nodes.
 */
#include "autograd/ops.h"
#include "kernels/lists.h"

static void sums_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct l2r_lists *lists = out->saved;
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    if (grad) l2r_list_sums(grad, beta, out->grad, lists->back_start, lists->back_item, lists->n_sources, out->cols);
}

l2r_node l2r_sum_lists(struct l2r_tape *t, const struct l2r_lists *lists, l2r_node x)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, cols = l2r_value_of(t, x)->cols;
    if (!l2r_tape_check(t, rows == lists->n_sources, "sum over lists: %lld rows, but the lists are of %lld",
                        (long long)rows, (long long)lists->n_sources))
        return L2R_NO_NODE;
    struct l2r_lists *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_node node = l2r_tape_push(t, "sum over lists", lists->n_rows, cols, sums_backward, &x, 1);
    if (node.id < 0) return node;
    *saved = *lists;
    l2r_value_of(t, node)->saved = saved;
    l2r_list_sums(l2r_value_of(t, node)->data, 0, l2r_value_of(t, x)->data, lists->start, lists->item, lists->n_rows,
                  cols);
    return node;
}

struct messages {
    struct l2r_adjacency graph;
    const int32_t *reverse;
};

static void messages_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct messages *m = out->saved;
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    if (grad) l2r_arc_messages_backward(grad, beta, out->grad, &m->graph, m->reverse, out->cols);
}

const int32_t *l2r_reverses_of(struct l2r_tape *t, const struct l2r_adjacency *graph)
{
    int32_t *reverse = l2r_tape_alloc(t, graph->n_arcs, sizeof *reverse);
    int32_t *cursor = l2r_tape_alloc(t, graph->n_nodes, sizeof *cursor);
    if (!reverse || !cursor) return NULL;
    l2r_reverse_arcs(reverse, graph, cursor);
    return reverse;
}

l2r_node l2r_arc_messages(struct l2r_tape *t, const struct l2r_adjacency *graph, const int32_t *reverse, l2r_node x)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, cols = l2r_value_of(t, x)->cols;
    if (!l2r_tape_check(t, rows == graph->n_arcs, "messages between arcs: %lld rows for %lld arcs", (long long)rows,
                        (long long)graph->n_arcs))
        return L2R_NO_NODE;
    struct messages *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_node node = l2r_tape_push(t, "messages between arcs", rows, cols, messages_backward, &x, 1);
    if (node.id < 0) return node;
    *saved = (struct messages){*graph, reverse};
    l2r_value_of(t, node)->saved = saved;
    l2r_arc_messages_forward(l2r_value_of(t, node)->data, l2r_value_of(t, x)->data, graph, reverse, cols);
    return node;
}
