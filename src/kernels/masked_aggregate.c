/* SPDX-License-Identifier: MIT
 * See the end of aggregate.h. Graphs are explained one by one, so rows are few and plain
 * loops over a row are enough. */
#include "kernels/aggregate.h"

#include "base/threads.h"

enum { NODES_A_CHUNK = 128 };

struct work {
    l2r_real *out, *d_arc;
    l2r_real beta;
    const l2r_real *d_y, *x;
    const struct l2r_masked_aggregation *a;
};

/* s_v s_u; GCN leaves self loops of the data out, for the node's own part is there already. */
L2R_INLINE l2r_real coefficient(const struct l2r_masked_aggregation *a, int64_t v, int64_t u)
{
    if (!a->norm) return 1;
    return u == v ? 0 : a->norm[v] * a->norm[u];
}

L2R_INLINE l2r_real self_coefficient(const struct l2r_masked_aggregation *a, int64_t v)
{
    return a->norm ? a->norm[v] * a->norm[v] : a->self_scale;
}

/* NaN stays NaN, so that it shows. */
L2R_INLINE l2r_real positive(l2r_real x)
{
    return x < 0 ? 0 : x;
}

L2R_INLINE const l2r_real *edge_row(const struct l2r_masked_aggregation *a, int64_t e)
{
    return a->edge_table ? a->edge_table + (int64_t)a->graph.arc_type[e] * a->dim : NULL;
}

L2R_CLONES(static, forward_nodes,
           (l2r_real * y, const l2r_real *x, const struct l2r_masked_aggregation *a, int64_t begin, int64_t end),
           (y, x, a, begin, end))
{
    int64_t dim = a->dim;
    for (int64_t v = begin; v < end; v++) {
        l2r_real *restrict out = y + v * dim, self = self_coefficient(a, v);
        const l2r_real *own = x + v * dim;
        if (a->root)
            for (int64_t j = 0; j < dim; j++) out[j] = self * positive(own[j] + a->root[j]);
        else
            for (int64_t j = 0; j < dim; j++) out[j] = self * own[j];
        for (int64_t e = a->graph.arc_start[v]; e < a->graph.arc_start[v + 1]; e++) {
            int64_t u = a->graph.neighbour[e];
            l2r_real c = coefficient(a, v, u) * a->mask[a->arc_edge[e]];
            const l2r_real *from = x + u * dim, *edge = edge_row(a, e);
            if (edge)
                for (int64_t j = 0; j < dim; j++) out[j] += c * positive(from[j] + edge[j]);
            else
                for (int64_t j = 0; j < dim; j++) out[j] += c * from[j];
        }
    }
}

static void forward_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->a->graph.n_nodes, NODES_A_CHUNK, chunk);
    forward_nodes(w->out, w->x, w->a, begin, end);
}

void l2r_masked_aggregate_forward(l2r_real *y, const l2r_real *x, const struct l2r_masked_aggregation *a)
{
    struct work w = {.out = y, .x = x, .a = a};
    l2r_parallel(l2r_chunk_count(a->graph.n_nodes, NODES_A_CHUNK), forward_chunk, &w);
}

L2R_CLONES(static, backward_rows,
           (l2r_real * d_x, l2r_real beta, const l2r_real *d_y, const l2r_real *x,
            const struct l2r_masked_aggregation *a, int64_t begin, int64_t end),
           (d_x, beta, d_y, x, a, begin, end))
{
    int64_t dim = a->dim;
    for (int64_t v = begin; v < end; v++) {
        l2r_real *restrict out = d_x + v * dim, self = self_coefficient(a, v);
        const l2r_real *own = x + v * dim, *g = d_y + v * dim;
        for (int64_t j = 0; j < dim; j++) {
            l2r_real through = !a->root || own[j] + a->root[j] > 0 ? self * g[j] : 0;
            out[j] = beta == 0 ? through : beta * out[j] + through;
        }
        for (int64_t e = a->graph.arc_start[v]; e < a->graph.arc_start[v + 1]; e++) {
            int64_t u = a->graph.neighbour[e];
            l2r_real c = coefficient(a, v, u) * a->mask[a->arc_edge[e]];
            const l2r_real *from = d_y + u * dim, *edge = edge_row(a, e);
            if (edge)
                for (int64_t j = 0; j < dim; j++) out[j] += own[j] + edge[j] > 0 ? c * from[j] : 0;
            else
                for (int64_t j = 0; j < dim; j++) out[j] += c * from[j];
        }
    }
}

/* Σ_j φ(x_j + e_j) g_j. */
L2R_INLINE l2r_real message_dot(const l2r_real *x, const l2r_real *edge, const l2r_real *g, int64_t n)
{
    if (!edge) return l2r_row_dot(x, g, n);
    l2r_vec sums = {0};
    l2r_real sum = 0;
    int64_t j = 0;
    for (; j + L2R_LANES <= n; j += L2R_LANES)
        sums += l2r_vec_positive(*(const l2r_vec *)(x + j) + *(const l2r_vec *)(edge + j)) * *(const l2r_vec *)(g + j);
    for (; j < n; j++) sum += positive(x[j] + edge[j]) * g[j];
    for (int k = 0; k < (int)L2R_LANES; k++) sum += sums[k];
    return sum;
}

L2R_CLONES(static, backward_arcs,
           (l2r_real * d_arc, const l2r_real *d_y, const l2r_real *x, const struct l2r_masked_aggregation *a,
            int64_t begin, int64_t end),
           (d_arc, d_y, x, a, begin, end))
{
    for (int64_t v = begin; v < end; v++)
        for (int64_t e = a->graph.arc_start[v]; e < a->graph.arc_start[v + 1]; e++) {
            int64_t u = a->graph.neighbour[e];
            d_arc[e] = coefficient(a, v, u) * message_dot(x + u * a->dim, edge_row(a, e), d_y + v * a->dim, a->dim);
        }
}

static void backward_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->a->graph.n_nodes, NODES_A_CHUNK, chunk);
    if (w->out) backward_rows(w->out, w->beta, w->d_y, w->x, w->a, begin, end);
    if (w->d_arc) backward_arcs(w->d_arc, w->d_y, w->x, w->a, begin, end);
}

void l2r_masked_aggregate_backward(l2r_real *d_x, l2r_real beta, l2r_real *d_arc, const l2r_real *d_y,
                                   const l2r_real *x, const struct l2r_masked_aggregation *a)
{
    struct work w = {.out = d_x, .d_arc = d_arc, .beta = beta, .d_y = d_y, .x = x, .a = a};
    l2r_parallel(l2r_chunk_count(a->graph.n_nodes, NODES_A_CHUNK), backward_chunk, &w);
}

void l2r_masked_aggregate_tables(l2r_real *d_table, int64_t n_types, l2r_real *d_root, const l2r_real *d_y,
                                 const l2r_real *x, const struct l2r_masked_aggregation *a)
{
    int64_t dim = a->dim;
    for (int64_t i = 0; d_table && i < n_types * dim; i++) d_table[i] = 0;
    for (int64_t j = 0; d_root && j < dim; j++) d_root[j] = 0;
    for (int64_t v = 0; v < a->graph.n_nodes; v++) {
        const l2r_real *g = d_y + v * dim, *own = x + v * dim, self = self_coefficient(a, v);
        for (int64_t j = 0; d_root && j < dim; j++) d_root[j] += own[j] + a->root[j] > 0 ? self * g[j] : 0;
        for (int64_t e = a->graph.arc_start[v]; d_table && e < a->graph.arc_start[v + 1]; e++) {
            int64_t u = a->graph.neighbour[e];
            l2r_real c = coefficient(a, v, u) * a->mask[a->arc_edge[e]];
            const l2r_real *from = x + u * dim, *edge = edge_row(a, e);
            l2r_real *to = d_table + (edge - a->edge_table);
            for (int64_t j = 0; j < dim; j++) to[j] += from[j] + edge[j] > 0 ? c * g[j] : 0;
        }
    }
}

void l2r_mask_collect(l2r_real *d_mask, const l2r_real *d_arc, const int32_t *arc_edge, int64_t n_arcs)
{
    for (int64_t e = 0; e < n_arcs; e++) d_mask[arc_edge[e]] += d_arc[e];
}

int64_t l2r_number_edges(int32_t *arc_edge, const struct l2r_adjacency *graph, int32_t *cursor)
{
    int32_t n = 0;
    for (int64_t v = 0; v < graph->n_nodes; v++) cursor[v] = graph->arc_start[v];
    /* v rises, and so do the neighbours in each list: the next unused arc of u is the one that names v. */
    for (int64_t v = 0; v < graph->n_nodes; v++)
        for (int64_t e = graph->arc_start[v]; e < graph->arc_start[v + 1]; e++) {
            int64_t u = graph->neighbour[e], back = cursor[u]++;
            arc_edge[e] = u >= v ? n++ : arc_edge[back];
        }
    return n;
}
