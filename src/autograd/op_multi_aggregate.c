/* SPDX-License-Identifier: MIT
 *
 * PNA's statistics of the neighbours (kernels/multi_aggregate.h has the formulas), in two forms:
 *
 *     l2r_multi_aggregate         mean, max, min, deviation under every degree scaler   [N × scalers · aggregators · D]
 *     l2r_multi_aggregate_linear  the same through a linear layer V                     [N × out]
 *
 * The model uses the second form. Where degrees repeat it never forms the wide matrix: it takes the statistics without
 * scalers, groups rows by degree, and multiplies each group by its own mixture of V's blocks. Both ways compute the
 * same function, in another order of summation; l2r_degrees_repeat chooses by the batch's degrees alone, so that a run
 * repeats bit for bit.
 *
 * Inputs of the statistics: x [N × D], own [N × D], the table of edge features [types × D].
 */
#include "autograd/ops.h"
#include "kernels/multi_aggregate.h"

#include <string.h>

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

/* ---- a linear layer after the scalers, rows grouped by degree ----
 *
 * Inputs: x [N × K] and the weight [out × scalers · K]. The same as the scaled copies of x side by side through a
 * linear layer, with a fraction of the work.
 */

static int64_t degree_of(const struct l2r_adjacency *graph, int64_t v)
{
    return graph->arc_start[v + 1] - graph->arc_start[v];
}

/* [largest degree + 2]: where each degree begins when rows are sorted by it. */
static int64_t *degree_places(struct l2r_tape *t, const struct l2r_adjacency *graph, int64_t *largest)
{
    *largest = 0;
    for (int64_t v = 0; v < graph->n_nodes; v++)
        if (degree_of(graph, v) > *largest) *largest = degree_of(graph, v);
    int64_t *place = l2r_tape_alloc(t, *largest + 2, sizeof *place);
    if (!place) return NULL;
    memset(place, 0, (size_t)(*largest + 2) * sizeof *place);
    for (int64_t v = 0; v < graph->n_nodes; v++) place[degree_of(graph, v) + 1]++;
    for (int64_t d = 0; d <= *largest; d++) place[d + 1] += place[d];
    return place;
}

bool l2r_degrees_repeat(struct l2r_tape *t, const struct l2r_adjacency *graph, unsigned scalers)
{
    int64_t largest, groups = 0, scales = __builtin_popcount(scalers);
    const int64_t *place = degree_places(t, graph, &largest);
    for (int64_t d = 1; place && d <= largest; d++) groups += place[d + 1] > place[d];
    /* Making a group's weight costs about as much as eight rows per scaler. */
    return graph->n_nodes + 8 * groups * scales < graph->n_nodes * scales;
}

/* False when out of memory. */
static bool group(struct l2r_degree_groups *groups, struct l2r_tape *t, const struct l2r_adjacency *graph,
                  const struct l2r_statistics *which)
{
    int64_t largest, n = graph->n_nodes, *place = degree_places(t, graph, &largest), n_scales = 0;
    int32_t *order = l2r_tape_alloc(t, n, sizeof *order);
    int64_t *start = l2r_tape_alloc(t, largest + 2, sizeof *start);
    l2r_real *scale = l2r_tape_alloc(t, 3 * (largest + 1), sizeof *scale);
    if (!place || !order || !start || !scale) return false;
    n_scales = __builtin_popcount(which->scalers);
    const struct l2r_multi_aggregation scaling = {.graph = *graph, .scalers = which->scalers, .delta = which->delta};
    *groups =
        (struct l2r_degree_groups){.n_rows = n, .n_scales = n_scales, .order = order, .start = start, .scale = scale};
    start[0] = place[1];
    int64_t *next = place; /* from here on: where the next row of a degree goes */
    for (int64_t v = 0; v < n; v++) {
        int64_t d = degree_of(graph, v);
        order[next[d]++] = (int32_t)v;
    }
    for (int64_t d = 1; d <= largest; d++) { /* now next[d] is where degree d ends */
        if (next[d] == next[d - 1]) continue;
        l2r_real here[3];
        l2r_multi_aggregate_scales(here, &scaling, order[next[d - 1]]);
        memcpy(scale + groups->n_groups * n_scales, here, (size_t)n_scales * sizeof *scale);
        start[++groups->n_groups] = next[d];
    }
    return true;
}

static void degree_linear_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct l2r_value *x = l2r_value_of(t, out->input[0]), *v = l2r_value_of(t, out->input[1]);
    l2r_real *scratch =
        l2r_tape_alloc(t, l2r_degree_linear_scratch(x->rows, x->cols, out->cols, true), sizeof *scratch);
    l2r_real beta_x, *d_x = l2r_grad_of(t, out->input[0], &beta_x);
    l2r_real beta_v, *d_v = l2r_grad_of(t, out->input[1], &beta_v);
    if (t->status == L2R_OK)
        l2r_degree_linear_backward(d_x, beta_x, d_v, beta_v, out->grad, x->data, v->data, out->saved, scratch, x->cols,
                                   out->cols);
}

l2r_node l2r_degree_linear(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x, l2r_node weight,
                           const struct l2r_statistics *which)
{
    if (!l2r_tape_ready(t, x) || !l2r_tape_ready(t, weight)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, n_in = l2r_value_of(t, x)->cols, n_out = l2r_value_of(t, weight)->rows;
    int64_t n_scales = __builtin_popcount(which->scalers), wide = l2r_value_of(t, weight)->cols;
    if (!l2r_tape_check(t, rows == graph->n_nodes, "degree linear: %lld rows for a batch of %lld nodes",
                        (long long)rows, (long long)graph->n_nodes) ||
        !l2r_tape_check(t, n_scales > 0 && wide == n_scales * n_in,
                        "degree linear: the weight has %lld columns for %lld scalers and an input of %lld",
                        (long long)wide, (long long)n_scales, (long long)n_in) ||
        !l2r_tape_check(t, which->delta > 0, "degree linear: delta is %g, but must be positive", which->delta))
        return L2R_NO_NODE;
    struct l2r_degree_groups *groups = l2r_tape_alloc(t, 1, sizeof *groups);
    l2r_real *scratch = l2r_tape_alloc(t, l2r_degree_linear_scratch(rows, n_in, n_out, false), sizeof *scratch);
    l2r_node node = l2r_tape_push(t, "degree linear", rows, n_out, degree_linear_backward, (l2r_node[]){x, weight}, 2);
    if (node.id < 0 || !group(groups, t, graph, which)) return L2R_NO_NODE;
    l2r_value_of(t, node)->saved = groups;
    l2r_degree_linear_forward(l2r_value_of(t, node)->data, l2r_value_of(t, x)->data, l2r_value_of(t, weight)->data,
                              groups, scratch, n_in, n_out);
    return node;
}

l2r_node l2r_multi_aggregate_linear(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x, l2r_node own,
                                    l2r_node edges, l2r_node weight, const struct l2r_statistics *which)
{
    if (!l2r_degrees_repeat(t, graph, which->scalers)) {
        l2r_node wide = l2r_multi_aggregate(t, graph, x, own, edges, which); /* [N × scalers · aggregators · D] */
        return l2r_linear_op(t, wide, weight, L2R_NO_NODE, L2R_LINEAR);
    }
    /* Few degrees occur often: the scalers go into V, once a degree, instead of into wide copies. */
    struct l2r_statistics once = {which->aggregators, L2R_IDENTITY, which->delta};
    return l2r_degree_linear(t, graph, l2r_multi_aggregate(t, graph, x, own, edges, &once), weight, which);
}
