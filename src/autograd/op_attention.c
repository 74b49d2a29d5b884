/* SPDX-License-Identifier: MIT
 * See ops.h; kernels/attention.h has the formulas. */
#include "autograd/ops.h"
#include "kernels/attention.h"

#include <string.h>

struct saved {
    struct l2r_attention attention;
    l2r_real *alpha;
};

/* Where a gradient is added to, cleared before its first contribution. */
static l2r_real *added(struct l2r_tape *t, l2r_node node)
{
    l2r_real beta, *grad = node.id < 0 ? NULL : l2r_grad_of(t, node, &beta);
    if (grad && beta == 0) {
        const struct l2r_value *x = l2r_value_of(t, node);
        memset(grad, 0, (size_t)(x->rows * x->cols) * sizeof *grad);
    }
    return grad;
}

static void backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct saved *saved = out->saved;
    struct l2r_attention_gradients to = {.d_a = added(t, out->input[2]), .d_edges = added(t, out->input[3])};
    to.d_sender = l2r_grad_of(t, out->input[0], &to.beta_sender);
    to.d_receiver = l2r_grad_of(t, out->input[1], &to.beta_receiver);
    l2r_real *scratch = l2r_tape_scratch(t, l2r_attention_scratch(&saved->attention), sizeof *scratch);
    if (t->status == L2R_OK) l2r_attention_backward(&to, out->grad, saved->alpha, &saved->attention, scratch);
}

l2r_node l2r_attend(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node sender, l2r_node receiver,
                    l2r_node a, l2r_node edges, int64_t n_heads)
{
    if (!l2r_tape_ready(t, sender) || !l2r_tape_ready(t, receiver) || !l2r_tape_ready(t, a)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, sender)->rows, cols = l2r_value_of(t, sender)->cols;
    if (!l2r_tape_check(t,
                        rows == graph->n_nodes && l2r_value_of(t, receiver)->rows == rows &&
                            l2r_value_of(t, receiver)->cols == cols && l2r_value_of(t, a)->cols == cols,
                        "attention: %lld × %lld senders and %lld × %lld receivers for %lld nodes", (long long)rows,
                        (long long)cols, (long long)l2r_value_of(t, receiver)->rows,
                        (long long)l2r_value_of(t, receiver)->cols, (long long)graph->n_nodes))
        return L2R_NO_NODE;
    struct saved *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_real *alpha = l2r_tape_alloc(t, (graph->n_arcs + graph->n_nodes) * n_heads, sizeof *alpha);
    const int32_t *reverse = l2r_reverses_of(t, graph);
    l2r_node node = l2r_tape_push(t, "attention", rows, cols, backward, (l2r_node[]){sender, receiver, a, edges}, 4);
    if (node.id < 0 || t->status != L2R_OK) return L2R_NO_NODE;
    *saved = (struct saved){.attention = {.graph = *graph,
                                          .reverse = reverse,
                                          .sender = l2r_value_of(t, sender)->data,
                                          .receiver = l2r_value_of(t, receiver)->data,
                                          .a = l2r_value_of(t, a)->data,
                                          .n_heads = n_heads,
                                          .dim = cols},
                            .alpha = alpha};
    if (edges.id >= 0) {
        saved->attention.edges = l2r_value_of(t, edges)->data;
        saved->attention.n_types = l2r_value_of(t, edges)->rows;
    }
    l2r_value_of(t, node)->saved = saved;
    l2r_attention_forward(l2r_value_of(t, node)->data, alpha, &saved->attention);
    return node;
}
