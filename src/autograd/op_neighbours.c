/* SPDX-License-Identifier: MIT
 *
 * Sums over neighbours (kernels/aggregate.h has the formulas):
 *
 *     l2r_sum_neighbours      (1 + eps) x_v + Σ φ(x_u + e_uv)              GIN
 *     l2r_gcn_neighbours      s_v² ψ(x_v) + Σ s_v s_u φ(x_u + e_uv)        GCN, s = 1/sqrt(degree + 1)
 *     l2r_propagate           S^K x                                        SGC, K such sums in a row
 *
 * The first two are one operation with different settings. Its inputs: x [N × D], then eps or root, then the table of
 * edge features [types × D], then a bias [1 × D]. The graph may be a level of a batch (batch/levels.h): then x has the
 * rows of the level before and y those of this one.
 *
 * With a mask on the edges, everything here calls op_masked.c.
 */
#include "autograd/ops.h"
#include "kernels/aggregate.h"
#include "kernels/linear.h"

enum { X, SELF, EDGES, BIAS };

/* Copies the sums that the kernel wrote into the gradient of a parameter-like input. */
static void add_sums(struct l2r_tape *t, l2r_node node, const l2r_real *sums, int64_t n)
{
    l2r_real beta, *grad = l2r_grad_of(t, node, &beta);
    if (grad) l2r_axpby(grad, beta, 1, sums, n);
}

/* Each node's own row of x. */
static const l2r_real *own_rows(struct l2r_tape *t, const struct l2r_value *out, const struct l2r_aggregation *a)
{
    const l2r_real *x = l2r_value_of(t, out->input[X])->data;
    if (!a->graph.map) return x;
    l2r_real *own = l2r_tape_scratch(t, out->rows * out->cols, sizeof *own);
    if (own) l2r_rows_gather(own, x, a->graph.map->self, out->rows, out->cols);
    return own;
}

static void eps_backward(struct l2r_tape *t, struct l2r_value *out, const struct l2r_aggregation *a)
{
    int64_t n = out->rows * out->cols;
    l2r_real beta, *grad = l2r_grad_of(t, out->input[SELF], &beta);
    double *scratch = grad ? l2r_tape_scratch(t, l2r_dot_scratch(n), sizeof *scratch) : NULL;
    const l2r_real *x = scratch ? own_rows(t, out, a) : NULL;
    if (x) *grad = beta * *grad + (l2r_real)l2r_dot(out->grad, x, scratch, n);
}

static void bias_backward(struct l2r_tape *t, struct l2r_value *out)
{
    l2r_real beta, *grad = l2r_grad_of(t, out->input[BIAS], &beta);
    double *scratch = grad ? l2r_tape_scratch(t, l2r_column_sums_scratch(out->rows, out->cols), sizeof *scratch) : NULL;
    if (scratch) l2r_column_sums(grad, beta, out->grad, scratch, out->rows, out->cols);
}

static void neighbours_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct l2r_aggregation *a = out->saved;
    int64_t types = a->n_types;
    l2r_real *scratch = l2r_tape_scratch(t, l2r_aggregate_scratch(a), sizeof *scratch);
    l2r_real *d_table = a->edge_table ? l2r_tape_alloc(t, types * a->dim, sizeof *d_table) : NULL;
    l2r_real *d_root = a->root ? l2r_tape_alloc(t, a->dim, sizeof *d_root) : NULL;
    int64_t numbers = l2r_value_of(t, out->input[X])->rows * out->cols;
    if (!a->norm) eps_backward(t, out, a);
    bias_backward(t, out);
    l2r_real beta, *d_x = l2r_grad_of(t, out->input[X], &beta);
    if (!d_x) d_x = l2r_tape_alloc(t, numbers, sizeof *d_x); /* the edges' gradient needs the same walk */
    if (t->status != L2R_OK) return;
    l2r_aggregate_backward(d_x, beta, d_table, d_root, out->grad, l2r_value_of(t, out->input[X])->data, a, scratch);
    if (d_table) add_sums(t, out->input[EDGES], d_table, types * a->dim);
    if (d_root) add_sums(t, out->input[SELF], d_root, a->dim);
}

static l2r_node aggregate(struct l2r_tape *t, const char *op, const struct l2r_adjacency *graph, l2r_node x,
                          l2r_node self, l2r_node edges, l2r_node bias, bool symmetric)
{
    if (t->pass.masks.edges.id >= 0) return l2r_masked_neighbours(t, op, graph, x, self, edges, symmetric);
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    struct l2r_value *in = l2r_value_of(t, x);
    int64_t rows = graph->n_nodes, dim = in->cols, expected = graph->map ? graph->map->n_sources : rows;
    if (!l2r_tape_check(t, in->rows == expected, "%s: %lld rows for a batch of %lld nodes", op, (long long)in->rows,
                        (long long)expected) ||
        !l2r_tape_check(t, !symmetric || !graph->map || graph->map->arc_norm,
                        "%s: the batch was shared without regard to degrees", op))
        return L2R_NO_NODE;
    if (edges.id >= 0 &&
        !l2r_tape_check(t, l2r_value_of(t, edges)->cols == dim, "%s: edge features have %lld columns, nodes %lld", op,
                        (long long)l2r_value_of(t, edges)->cols, (long long)dim))
        return L2R_NO_NODE;
    struct l2r_aggregation *a = l2r_tape_alloc(t, 1, sizeof *a);
    l2r_node node = l2r_tape_push(t, op, rows, dim, neighbours_backward, (l2r_node[]){x, self, edges, bias}, 4);
    if (node.id < 0) return node;
    *a = (struct l2r_aggregation){.graph = *graph, .dim = dim, .self_scale = 1};
    if (edges.id >= 0) {
        a->edge_table = l2r_value_of(t, edges)->data;
        a->n_types = l2r_value_of(t, edges)->rows;
    }
    if (bias.id >= 0) a->bias = l2r_value_of(t, bias)->data;
    if (symmetric) {
        a->norm = graph->inverse_root_degree;
        if (self.id >= 0) a->root = l2r_value_of(t, self)->data;
    } else if (self.id >= 0) {
        a->self_scale = 1 + l2r_value_of(t, self)->data[0];
    }
    struct l2r_value *out = l2r_value_of(t, node);
    out->saved = a;
    l2r_aggregate_forward(out->data, l2r_value_of(t, x)->data, a);
    return node;
}

l2r_node l2r_sum_neighbours(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x, l2r_node eps,
                            l2r_node edges)
{
    return aggregate(t, "sum over neighbours", graph, x, eps, edges, L2R_NO_NODE, false);
}

l2r_node l2r_gcn_neighbours(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x, l2r_node edges,
                            l2r_node root)
{
    return aggregate(t, "normalised sum over neighbours", graph, x, root, edges, L2R_NO_NODE, true);
}

l2r_node l2r_gcn_neighbours_biased(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x, l2r_node bias)
{
    return aggregate(t, "normalised sum over neighbours", graph, x, L2R_NO_NODE, L2R_NO_NODE, bias, true);
}

/* ---- K steps at once ----
 *
 * S^K x for S = D^-1/2 (A + I) D^-1/2, with no parameters in between, as one operation: two arrays alternate and no
 * intermediate step is kept. S is symmetric, so the gradient is S^K of the gradient; a constant x needs none, and
 * backward costs nothing. With a mask on the edges every step becomes a separate operation.
 */

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
