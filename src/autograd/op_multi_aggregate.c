/* SPDX-License-Identifier: MIT
 *
 * Mean, max, min and standard deviation over the neighbours under PNA's degree scalers, as one operation
 * (kernels/multi_aggregate.h has the formulas). Inputs: x [N × D], own [N × D], the table of edge features [types × D].
 */
#include "autograd/ops.h"

enum { X, OWN, EDGES };

static void multi_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct l2r_multi_aggregation *a = out->saved;
    int64_t n = a->graph.n_nodes * a->dim, table = a->n_types * a->dim, blocks = __builtin_popcount(a->aggregators);
    l2r_real *g = l2r_tape_alloc(t, n * blocks, sizeof *g);
    l2r_real *scratch = l2r_tape_alloc(t, l2r_multi_aggregate_scratch(a), sizeof *scratch);
    l2r_real *d_table = a->edge_table ? l2r_tape_alloc(t, table, sizeof *d_table) : NULL;
    l2r_real beta_own, *d_own = l2r_grad_of(t, out->input[OWN], &beta_own);
    l2r_real beta, *d_x = l2r_grad_of(t, out->input[X], &beta);
    if (!d_x) d_x = l2r_tape_alloc(t, n, sizeof *d_x); /* the edges' gradient needs the same walk */
    if (t->status != L2R_OK) return;
    l2r_multi_aggregate_fold(g, d_own, beta_own, out->grad, a);
    l2r_multi_aggregate_backward(d_x, beta, d_table, g, l2r_value_of(t, out->input[X])->data, a, scratch);
    l2r_real beta_edges, *d_edges = l2r_grad_of(t, out->input[EDGES], &beta_edges);
    if (d_table && d_edges) l2r_axpby(d_edges, beta_edges, 1, d_table, table);
}

/* What backward needs; nothing where there will be none. */
static void keep(struct l2r_tape *t, struct l2r_multi_aggregation *a)
{
    int64_t n = a->graph.n_nodes * a->dim;
    if (a->aggregators & L2R_STD) {
        a->mean = l2r_tape_alloc(t, n, sizeof *a->mean);
        a->deviation = l2r_tape_alloc(t, n, sizeof *a->deviation);
    }
    if (a->aggregators & L2R_MAX) a->arg_max = l2r_tape_alloc(t, n, sizeof *a->arg_max);
    if (a->aggregators & L2R_MIN) a->arg_min = l2r_tape_alloc(t, n, sizeof *a->arg_min);
}

static bool fits(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x, l2r_node own, l2r_node edges)
{
    const struct l2r_value *in = l2r_value_of(t, x), *o = own.id >= 0 ? l2r_value_of(t, own) : in;
    if (!l2r_tape_check(t, in->rows == graph->n_nodes, "multi-aggregation: %lld rows for a batch of %lld nodes",
                        (long long)in->rows, (long long)graph->n_nodes))
        return false;
    if (!l2r_tape_check(t, o->rows == in->rows && o->cols == in->cols,
                        "multi-aggregation: own part is %lld × %lld, messages %lld × %lld", (long long)o->rows,
                        (long long)o->cols, (long long)in->rows, (long long)in->cols))
        return false;
    return edges.id < 0 || l2r_tape_check(t, l2r_value_of(t, edges)->cols == in->cols,
                                          "multi-aggregation: edge features have %lld columns, messages %lld",
                                          (long long)l2r_value_of(t, edges)->cols, (long long)in->cols);
}

l2r_node l2r_multi_aggregate(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x, l2r_node own,
                             l2r_node edges, const struct l2r_statistics *which)
{
    bool sets = which->aggregators > 0 && which->aggregators <= L2R_ALL_AGGREGATORS && which->scalers > 0 &&
                which->scalers <= L2R_ALL_SCALERS;
    if (!l2r_tape_ready(t, x) || !fits(t, graph, x, own, edges)) return L2R_NO_NODE;
    if (!l2r_tape_check(t, sets, "multi-aggregation: no such set of aggregators and scalers (%u, %u)",
                        which->aggregators, which->scalers))
        return L2R_NO_NODE;
    if (!l2r_tape_check(t, which->delta > 0, "multi-aggregation: delta is %g, but must be positive", which->delta))
        return L2R_NO_NODE;
    int64_t dim = l2r_value_of(t, x)->cols;
    struct l2r_multi_aggregation *a = l2r_tape_alloc(t, 1, sizeof *a);
    if (!a) return L2R_NO_NODE;
    *a = (struct l2r_multi_aggregation){.graph = *graph,
                                        .dim = dim,
                                        .aggregators = which->aggregators,
                                        .scalers = which->scalers,
                                        .delta = which->delta,
                                        .own = own.id >= 0 ? l2r_value_of(t, own)->data : NULL};
    if (edges.id >= 0) {
        a->edge_table = l2r_value_of(t, edges)->data;
        a->n_types = l2r_value_of(t, edges)->rows;
    }
    l2r_node node = l2r_tape_push(t, "multi-aggregation", graph->n_nodes, l2r_multi_aggregate_width(a), multi_backward,
                                  (l2r_node[]){x, own, edges}, 3);
    if (node.id >= 0 && l2r_value_of(t, node)->needs_grad) keep(t, a);
    if (t->status != L2R_OK) return L2R_NO_NODE;
    l2r_value_of(t, node)->saved = a;
    l2r_multi_aggregate_forward(l2r_value_of(t, node)->data, l2r_value_of(t, x)->data, a);
    return node;
}
