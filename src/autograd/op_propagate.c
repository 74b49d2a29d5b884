/* SPDX-License-Identifier: MIT
 *
 * S^K x for S = D^-1/2 (A + I) D^-1/2, K steps of smoothing with no parameters in between, as one operation: two arrays
 * take turns and nothing of the steps in between is kept. S is symmetric, so the gradient is S^K of the gradient. A
 * constant x has none, and the whole way back is free. With a mask on the edges every step is an operation of its own.
 */
#include "autograd/op_masked.h"
#include "autograd/ops.h"

static struct l2r_aggregation smoothing(const struct l2r_adjacency *graph, int64_t dim)
{
    return (struct l2r_aggregation){.graph = *graph, .dim = dim, .norm = graph->inverse_root_degree};
}

struct hops {
    struct l2r_adjacency graph;
    int64_t n;
};

static void propagate_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct hops *hops = out->saved;
    struct l2r_aggregation a = smoothing(&hops->graph, out->cols);
    l2r_real beta, *d_x = l2r_grad_of(t, out->input[0], &beta), *from = out->grad, *to = NULL;
    if (d_x && hops->n > 1) to = l2r_tape_alloc(t, out->rows * out->cols, sizeof *to);
    if (!d_x || t->status != L2R_OK) return;
    for (int64_t k = 1; k < hops->n; k++) {
        l2r_aggregate_forward(to, from, &a);
        l2r_real *other = from;
        from = to, to = other;
    }
    l2r_aggregate_backward(d_x, beta, NULL, NULL, from, NULL, &a, NULL);
}

l2r_node l2r_propagate(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x, int64_t n_hops)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, cols = l2r_value_of(t, x)->cols;
    if (!l2r_tape_check(t, rows == graph->n_nodes, "propagate: %lld rows for a batch of %lld nodes", (long long)rows,
                        (long long)graph->n_nodes) ||
        !l2r_tape_check(t, n_hops >= 1, "propagate: %lld steps, expected at least 1", (long long)n_hops))
        return L2R_NO_NODE;
    if (t->pass.masks.edges.id >= 0) {
        for (int64_t k = 0; k < n_hops; k++)
            x = l2r_masked_neighbours(t, "propagate", graph, x, L2R_NO_NODE, L2R_NO_NODE, true);
        return x;
    }
    struct hops *hops = l2r_tape_alloc(t, 1, sizeof *hops);
    l2r_real *other = n_hops > 1 ? l2r_tape_alloc(t, rows * cols, sizeof *other) : NULL;
    l2r_node node = l2r_tape_push(t, "propagate", rows, cols, propagate_backward, &x, 1);
    if (node.id < 0) return node;
    *hops = (struct hops){*graph, n_hops};
    struct l2r_value *out = l2r_value_of(t, node);
    out->saved = hops;
    struct l2r_aggregation a = smoothing(graph, cols);
    const l2r_real *from = l2r_value_of(t, x)->data;
    for (int64_t k = 0; k < n_hops; k++) { /* the last step must end in out */
        l2r_real *to = (n_hops - k) % 2 == 1 ? out->data : other;
        l2r_aggregate_forward(to, from, &a);
        from = to;
    }
    return node;
}
