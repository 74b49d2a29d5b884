/* SPDX-License-Identifier: MIT
 *
 * Masks on the input of a network, for explanations and as gates (struct l2r_masks in tape.h).
 *
 *     edges      a message u → v is multiplied by m_uv, in every layer         kernels/aggregate.h has the formulas
 *     columns    what column k adds to the encoding is multiplied by f_gk      g the node's graph
 *
 * Gradients flow through x to the masks and, where a gated network trains (nn/gates.h), to the parameters of the sum;
 * explanations freeze those.
 *
 * Inputs of the masked sum: x [N × D], then eps or root, the table of edge features, the mask [n_edges × 1]. An
 * operation keeps the map from arcs to edges that holds when it is recorded, because a pooling model changes graphs on
 * the way.
 */
#include "autograd/ops.h"

#include "kernels/aggregate.h"
#include "kernels/rows.h"

#include <string.h>

enum { X, SELF, EDGES, MASK };

/* The gradient of the mask, ready to be added to; NULL: none is wanted. */
static l2r_real *mask_grad(struct l2r_tape *t, l2r_node mask)
{
    l2r_real beta, *grad = l2r_grad_of(t, mask, &beta);
    if (grad && beta == 0) memset(grad, 0, (size_t)l2r_value_of(t, mask)->rows * sizeof *grad);
    return grad;
}

/* eps gets Σ_v g_v · x_v; the table of edge features and root their sums. */
static void parameters_backward(struct l2r_tape *t, struct l2r_value *out, const struct l2r_masked_aggregation *a,
                                const l2r_real *x)
{
    l2r_real beta_self, beta_edges, *d_self = l2r_grad_of(t, out->input[SELF], &beta_self);
    l2r_real *d_edges = l2r_grad_of(t, out->input[EDGES], &beta_edges);
    int64_t types = d_edges ? l2r_value_of(t, out->input[EDGES])->rows : 0, n = out->rows * out->cols;
    l2r_real *table = d_edges ? l2r_tape_scratch(t, types * a->dim, sizeof *table) : NULL;
    l2r_real *root = d_self && a->root ? l2r_tape_scratch(t, a->dim, sizeof *root) : NULL;
    double *scratch = d_self && !a->root ? l2r_tape_scratch(t, l2r_dot_scratch(n), sizeof *scratch) : NULL;
    if (t->status != L2R_OK) return;
    if (table || root) l2r_masked_aggregate_tables(table, types, root, out->grad, x, a);
    if (table) l2r_axpby(d_edges, beta_edges, 1, table, types * a->dim);
    if (root) l2r_axpby(d_self, beta_self, 1, root, a->dim);
    if (scratch) *d_self = beta_self * *d_self + (l2r_real)l2r_dot(out->grad, x, scratch, n);
}

static void neighbours_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct l2r_masked_aggregation *a = out->saved;
    l2r_real *d_mask = mask_grad(t, out->input[MASK]);
    l2r_real *d_arc = d_mask ? l2r_tape_alloc(t, a->graph.n_arcs, sizeof *d_arc) : NULL;
    l2r_real beta, *d_x = l2r_grad_of(t, out->input[X], &beta);
    const l2r_real *x = l2r_value_of(t, out->input[X])->data;
    if (t->status != L2R_OK) return;
    l2r_masked_aggregate_backward(d_x, beta, d_arc, out->grad, x, a);
    if (d_mask) l2r_mask_collect(d_mask, d_arc, a->arc_edge, a->graph.n_arcs);
    parameters_backward(t, out, a, x);
}

/* The masks are those of this graph. */
static bool mask_fits(struct l2r_tape *t, const char *op, const struct l2r_adjacency *graph)
{
    return l2r_tape_ready(t, t->pass.masks.edges) &&
           l2r_tape_check(t, t->pass.masks.n_arcs == graph->n_arcs, "%s: a mask for %lld arcs on a graph of %lld", op,
                          (long long)t->pass.masks.n_arcs, (long long)graph->n_arcs);
}

static bool fits(struct l2r_tape *t, const char *op, const struct l2r_adjacency *graph, l2r_node x, l2r_node edges)
{
    int64_t rows = l2r_value_of(t, x)->rows, dim = l2r_value_of(t, x)->cols;
    if (!mask_fits(t, op, graph)) return false;
    if (!l2r_tape_check(t, rows == graph->n_nodes, "%s: %lld rows for a batch of %lld nodes", op, (long long)rows,
                        (long long)graph->n_nodes))
        return false;
    if (edges.id >= 0 &&
        !l2r_tape_check(t, l2r_value_of(t, edges)->cols == dim, "%s: edge features have %lld columns, nodes %lld", op,
                        (long long)l2r_value_of(t, edges)->cols, (long long)dim))
        return false;
    return true;
}

l2r_node l2r_masked_neighbours(struct l2r_tape *t, const char *op, const struct l2r_adjacency *graph, l2r_node x,
                               l2r_node self, l2r_node edges, bool symmetric)
{
    if (!l2r_tape_ready(t, x) || !fits(t, op, graph, x, edges)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, dim = l2r_value_of(t, x)->cols;
    struct l2r_masked_aggregation *a = l2r_tape_alloc(t, 1, sizeof *a);
    l2r_node node =
        l2r_tape_push(t, op, rows, dim, neighbours_backward, (l2r_node[]){x, self, edges, t->pass.masks.edges}, 4);
    if (node.id < 0 || !a) return L2R_NO_NODE;
    *a = (struct l2r_masked_aggregation){.graph = *graph,
                                         .dim = dim,
                                         .norm = symmetric ? graph->inverse_root_degree : NULL,
                                         .edge_table = edges.id >= 0 ? l2r_value_of(t, edges)->data : NULL,
                                         .self_scale = 1,
                                         .mask = l2r_value_of(t, t->pass.masks.edges)->data,
                                         .arc_edge = t->pass.masks.arc_edge};
    if (self.id >= 0 && symmetric) a->root = l2r_value_of(t, self)->data;
    if (self.id >= 0 && !symmetric) a->self_scale = 1 + l2r_value_of(t, self)->data[0];
    l2r_value_of(t, node)->saved = a;
    const l2r_real *from = l2r_value_of(t, x)->data;
    if (t->status != L2R_OK) return L2R_NO_NODE;
    l2r_masked_aggregate_forward(l2r_value_of(t, node)->data, from, a);
    return node;
}

struct arcs {
    const int32_t *arc_edge;
    int64_t n;
};

static void arcs_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct arcs *arcs = out->saved;
    const l2r_real *mask = l2r_value_of(t, out->input[1])->data, *x = l2r_value_of(t, out->input[0])->data;
    l2r_real beta, *d_x = l2r_grad_of(t, out->input[0], &beta), *d_mask = mask_grad(t, out->input[1]);
    if (t->status != L2R_OK) return;
    for (int64_t e = 0; e < out->rows; e++) {
        const l2r_real m = e < arcs->n ? mask[arcs->arc_edge[e]] : 1, *g = out->grad + e * out->cols;
        if (d_mask && e < arcs->n) d_mask[arcs->arc_edge[e]] += l2r_row_dot(g, x + e * out->cols, out->cols);
        if (d_x) l2r_axpby(d_x + e * out->cols, beta, m, g, out->cols);
    }
}

l2r_node l2r_mask_arcs(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x)
{
    if (t->pass.masks.edges.id < 0) return x;
    if (!l2r_tape_ready(t, x) || !mask_fits(t, "masked arcs", graph)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, cols = l2r_value_of(t, x)->cols;
    if (!l2r_tape_check(t, rows >= graph->n_arcs, "masked arcs: %lld rows for %lld arcs", (long long)rows,
                        (long long)graph->n_arcs))
        return L2R_NO_NODE;
    struct arcs *arcs = l2r_tape_alloc(t, 1, sizeof *arcs);
    l2r_node node = l2r_tape_push(t, "masked arcs", rows, cols, arcs_backward, (l2r_node[]){x, t->pass.masks.edges}, 2);
    if (node.id < 0 || !arcs) return L2R_NO_NODE;
    *arcs = (struct arcs){t->pass.masks.arc_edge, graph->n_arcs};
    const l2r_real *mask = l2r_value_of(t, t->pass.masks.edges)->data, *from = l2r_value_of(t, x)->data;
    l2r_real *to = l2r_value_of(t, node)->data;
    l2r_value_of(t, node)->saved = arcs;
    if (t->status != L2R_OK) return L2R_NO_NODE;
    for (int64_t e = 0; e < rows; e++) {
        l2r_real m = e < arcs->n ? mask[arcs->arc_edge[e]] : 1;
        for (int64_t k = e * cols; k < (e + 1) * cols; k++) to[k] = m * from[k];
    }
    return node;
}

/* ---- feature columns ----
 *
 * f is [B × columns], one row for each graph of the batch, so that copies of a graph with different masks can share a
 * batch. Rows belong to graphs by start [B + 1]. Tables are frozen, real features are constants: only the masks have a
 * gradient, summed over a graph's nodes in their order.
 */

struct columns {
    const l2r_node *tables; /* NULL: x is given instead */
    const int32_t *rows, *type, *start;
    int64_t n_graphs, n, first;
};

/* The table's row that column k of node v reads. */
static const l2r_real *embedded(struct l2r_tape *t, const struct columns *c, int64_t v, int64_t k)
{
    const struct l2r_value *table = l2r_value_of(t, c->tables[k]);
    return table->data + (int64_t)c->rows[c->type[v] * c->n + k] * table->cols;
}

static void columns_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct columns *c = out->saved;
    l2r_node f = out->input[0];
    int64_t width = l2r_value_of(t, f)->cols;
    l2r_real beta, *d_f = l2r_grad_of(t, f, &beta);
    if (!d_f) return;
    if (beta == 0) memset(d_f, 0, (size_t)(l2r_value_of(t, f)->rows * width) * sizeof *d_f);
    const l2r_real *x = c->tables ? NULL : l2r_value_of(t, out->input[1])->data;
    for (int64_t g = 0; g < c->n_graphs; g++)
        for (int64_t v = c->start[g]; v < c->start[g + 1]; v++)
            for (int64_t k = 0; k < c->n; k++) {
                const l2r_real *grad = out->grad + v * out->cols;
                d_f[g * width + c->first + k] +=
                    c->tables == NULL ? x[v * c->n + k] * grad[k] : l2r_row_dot(embedded(t, c, v, k), grad, out->cols);
            }
}

/* A value whose saved part is `c`; the column masks must have room for c's columns. */
static l2r_node push(struct l2r_tape *t, const char *op, const struct columns *c, int64_t cols, l2r_node x)
{
    if (!l2r_tape_ready(t, t->pass.masks.columns)) return L2R_NO_NODE;
    const struct l2r_value *f = l2r_value_of(t, t->pass.masks.columns);
    if (!l2r_tape_check(t, f->rows == c->n_graphs && f->cols >= c->first + c->n,
                        "%s: a mask of %lld × %lld for %lld graphs and columns %lld to %lld", op, (long long)f->rows,
                        (long long)f->cols, (long long)c->n_graphs, (long long)c->first,
                        (long long)(c->first + c->n - 1)))
        return L2R_NO_NODE;
    struct columns *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_node node =
        l2r_tape_push(t, op, c->start[c->n_graphs], cols, columns_backward, (l2r_node[]){t->pass.masks.columns, x}, 2);
    if (node.id < 0 || !saved) return L2R_NO_NODE;
    *saved = *c;
    l2r_value_of(t, node)->saved = saved;
    return node;
}

l2r_node l2r_masked_embedding(struct l2r_tape *t, const l2r_node *tables, int32_t n_tables, const int32_t *rows,
                              const int32_t *type, const int32_t *start, int64_t n_graphs)
{
    for (int32_t k = 0; k < n_tables; k++) {
        if (!l2r_tape_ready(t, tables[k])) return L2R_NO_NODE;
        int64_t vocabulary = l2r_value_of(t, tables[k])->rows;
        for (int64_t v = 0; v < start[n_graphs]; v++) {
            int32_t row = rows[(int64_t)type[v] * n_tables + k];
            if (!l2r_tape_check(
                    t, row >= 0 && row < vocabulary,
                    "masked embedding: value %d of feature column %d is outside 0..%lld, the model's vocabulary", row,
                    k, (long long)vocabulary - 1))
                return L2R_NO_NODE;
        }
    }
    l2r_node *copy = l2r_tape_alloc(t, n_tables, sizeof *copy);
    if (!copy) return L2R_NO_NODE;
    memcpy(copy, tables, (size_t)n_tables * sizeof *copy);
    const struct columns c = {copy, rows, type, start, n_graphs, n_tables, 0};
    int64_t dim = l2r_value_of(t, tables[0])->cols;
    l2r_node node = push(t, "masked embedding", &c, dim, L2R_NO_NODE);
    if (node.id < 0) return node;
    const struct l2r_value *f = l2r_value_of(t, t->pass.masks.columns);
    l2r_real *y = l2r_value_of(t, node)->data;
    memset(y, 0, (size_t)(start[n_graphs] * dim) * sizeof *y);
    for (int64_t g = 0; g < n_graphs; g++)
        for (int64_t v = start[g]; v < start[g + 1]; v++)
            for (int64_t k = 0; k < n_tables; k++) {
                const l2r_real *from = embedded(t, &c, v, k), m = f->data[g * f->cols + k];
                for (int64_t j = 0; j < dim; j++) y[v * dim + j] += m * from[j];
            }
    return node;
}

l2r_node l2r_mask_columns(struct l2r_tape *t, l2r_node x, int64_t first, const int32_t *start, int64_t n_graphs)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, cols = l2r_value_of(t, x)->cols;
    if (!l2r_tape_check(t, rows == start[n_graphs], "masked columns: %lld rows for graphs of %d nodes", (long long)rows,
                        start[n_graphs]))
        return L2R_NO_NODE;
    const struct columns c = {.start = start, .n_graphs = n_graphs, .n = cols, .first = first};
    l2r_node node = push(t, "masked columns", &c, cols, x);
    if (node.id < 0) return node;
    const struct l2r_value *f = l2r_value_of(t, t->pass.masks.columns);
    const l2r_real *from = l2r_value_of(t, x)->data;
    l2r_real *y = l2r_value_of(t, node)->data;
    for (int64_t g = 0; g < n_graphs; g++)
        for (int64_t v = start[g]; v < start[g + 1]; v++)
            for (int64_t k = 0; k < cols; k++) y[v * cols + k] = f->data[g * f->cols + first + k] * from[v * cols + k];
    return node;
}
