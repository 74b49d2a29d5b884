/* SPDX-License-Identifier: MIT
 *
 * Moving whole rows between tables, nodes and graphs:
 *
 *     feature values ──embedding sum──► types ──take, expand──► nodes ──readout──► graphs ──add to nodes──► nodes
 *
 * A batch computes one row for all nodes that look alike (batch/levels.h); expanding gives every node its own row, and
 * its own dropout mask, again. Row numbers come from the batch, which has checked them; the tables' sizes are checked
 * here.
 */
#include "autograd/ops.h"
#include "kernels/rows.h"

#include <string.h>

struct embedding {
    const l2r_node *tables;
    int32_t n_tables;
    const int32_t *rows; /* [n × n_tables] */
};

static void add_row(l2r_real *y, const l2r_real *x, int64_t n)
{
    for (int64_t j = 0; j < n; j++) y[j] += x[j];
}

/* The rows are distinct feature rows of a batch, a few dozen: a plain loop in order is enough. */
static void embedding_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct embedding *e = out->saved;
    int64_t dim = out->cols;
    for (int32_t k = 0; k < e->n_tables; k++) {
        l2r_real beta, *grad = l2r_grad_of(t, e->tables[k], &beta);
        if (!grad) continue;
        if (beta == 0) memset(grad, 0, (size_t)(l2r_value_of(t, e->tables[k])->rows * dim) * sizeof *grad);
        for (int64_t i = 0; i < out->rows; i++) {
            int32_t row = e->rows[i * e->n_tables + k];
            if (row != L2R_HIDDEN) add_row(grad + row * dim, out->grad + i * dim, dim);
        }
    }
}

l2r_node l2r_embedding_sum(struct l2r_tape *t, const l2r_node *tables, int32_t n_tables, const int32_t *rows, int64_t n)
{
    if (!l2r_tape_check(t, n_tables > 0, "embedding sum: no tables") || !l2r_tape_ready(t, tables[0]))
        return L2R_NO_NODE;
    int64_t dim = l2r_value_of(t, tables[0])->cols;
    for (int32_t k = 0; k < n_tables; k++)
        for (int64_t i = 0; i < n; i++) {
            int32_t row = rows[i * n_tables + k];
            int64_t vocabulary = l2r_value_of(t, tables[k])->rows;
            if (!l2r_tape_check(
                    t, row == L2R_HIDDEN || (row >= 0 && row < vocabulary),
                    "embedding sum: value %d of feature column %d is outside 0..%lld, the model's vocabulary", row, k,
                    (long long)vocabulary - 1))
                return L2R_NO_NODE;
        }
    struct embedding *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_node *copy = l2r_tape_alloc(t, n_tables, sizeof *copy);
    l2r_node node = l2r_tape_push(t, "embedding sum", n, dim, embedding_backward, tables, 1);
    if (node.id < 0) return node;
    memcpy(copy, tables, (size_t)n_tables * sizeof *copy);
    *saved = (struct embedding){copy, n_tables, rows};
    struct l2r_value *out = l2r_value_of(t, node);
    out->saved = saved;
    memset(out->data, 0, (size_t)(n * dim) * sizeof *out->data);
    for (int64_t i = 0; i < n; i++)
        for (int32_t k = 0; k < n_tables; k++) {
            int32_t row = rows[i * n_tables + k];
            if (row != L2R_HIDDEN) add_row(out->data + i * dim, l2r_value_of(t, tables[k])->data + row * dim, dim);
        }
    return node;
}

static void take_backward(struct l2r_tape *t, struct l2r_value *out)
{
    struct l2r_value *x = l2r_value_of(t, out->input[0]);
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    l2r_real *scratch = l2r_tape_alloc(t, l2r_rows_scratch(x->rows, x->cols), sizeof *scratch);
    if (!grad || !scratch) return;
    if (beta == 0) memset(grad, 0, (size_t)(x->rows * x->cols) * sizeof *grad);
    l2r_rows_scatter_add(grad, out->grad, out->saved, scratch, out->rows, x->rows, x->cols);
}

l2r_node l2r_take_rows(struct l2r_tape *t, l2r_node x, const int32_t *index, int64_t n)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t dim = l2r_value_of(t, x)->cols;
    l2r_node node = l2r_tape_push(t, "take rows", n, dim, take_backward, &x, 1);
    if (node.id < 0) return node;
    struct l2r_value *out = l2r_value_of(t, node);
    int32_t *copy = l2r_tape_alloc(t, n, sizeof *copy);
    if (!copy) return L2R_NO_NODE;
    memcpy(copy, index, (size_t)n * sizeof *copy);
    out->saved = copy;
    l2r_rows_gather(out->data, l2r_value_of(t, x)->data, index, n, dim);
    return node;
}

struct readout {
    const int32_t *start;
    int32_t *argmax;
    enum l2r_reduction kind;
};

static void readout_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct readout *r = out->saved;
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    if (grad) l2r_segment_backward(grad, beta, out->grad, r->argmax, r->start, r->kind, out->rows, out->cols);
}

l2r_node l2r_reduce_graphs(struct l2r_tape *t, l2r_node x, const int32_t *start, int64_t n_graphs,
                           enum l2r_reduction kind)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, dim = l2r_value_of(t, x)->cols;
    if (!l2r_tape_check(t, rows == start[n_graphs], "readout: %lld rows for graphs of %d nodes", (long long)rows,
                        start[n_graphs]))
        return L2R_NO_NODE;
    struct readout *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    int32_t *argmax = kind == L2R_REDUCE_MAX ? l2r_tape_alloc(t, n_graphs * dim, sizeof *argmax) : NULL;
    l2r_node node = l2r_tape_push(t, "readout", n_graphs, dim, readout_backward, &x, 1);
    if (node.id < 0) return node;
    *saved = (struct readout){start, argmax, kind};
    struct l2r_value *out = l2r_value_of(t, node);
    out->saved = saved;
    l2r_segment_forward(out->data, argmax, l2r_value_of(t, x)->data, start, kind, n_graphs, dim);
    return node;
}

static void add_to_nodes_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct readout *r = out->saved;
    struct l2r_value *z = l2r_value_of(t, out->input[1]);
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    if (grad) l2r_axpby(grad, beta, 1, out->grad, out->rows * out->cols);
    grad = l2r_grad_of(t, out->input[1], &beta);
    l2r_real *sums = grad ? l2r_tape_alloc(t, z->rows * z->cols, sizeof *sums) : NULL;
    if (!sums) return;
    l2r_segment_forward(sums, NULL, out->grad, r->start, L2R_REDUCE_SUM, z->rows, z->cols);
    l2r_axpby(grad, beta, 1, sums, z->rows * z->cols);
}

l2r_node l2r_add_to_nodes(struct l2r_tape *t, l2r_node x, l2r_node z, const int32_t *start, int64_t n_graphs)
{
    if (!l2r_tape_ready(t, x) || !l2r_tape_ready(t, z)) return L2R_NO_NODE;
    struct l2r_value *nodes = l2r_value_of(t, x), *graphs = l2r_value_of(t, z);
    int64_t rows = nodes->rows, dim = nodes->cols;
    if (!l2r_tape_check(t, rows == start[n_graphs] && graphs->rows == n_graphs && graphs->cols == dim,
                        "add to nodes: %lld × %lld for graphs of %d nodes, graph rows %lld × %lld", (long long)rows,
                        (long long)dim, start[n_graphs], (long long)graphs->rows, (long long)graphs->cols))
        return L2R_NO_NODE;
    struct readout *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_node node = l2r_tape_push(t, "add to nodes", rows, dim, add_to_nodes_backward, (l2r_node[]){x, z}, 2);
    if (node.id < 0) return node;
    *saved = (struct readout){.start = start};
    l2r_value_of(t, node)->saved = saved;
    l2r_segment_add(l2r_value_of(t, node)->data, l2r_value_of(t, x)->data, l2r_value_of(t, z)->data, start, n_graphs,
                    dim);
    return node;
}

/* ---- rows that stand for several equal nodes ----
 *
 * They go to the nodes, with dropout (kernels/rows.h), or straight to the readout over the nodes. The gradient of a row
 * is summed over a list of its nodes, ascending, by one thread: backward makes these lists, as predictions never need
 * them.
 */

struct expansion {
    const int32_t *index; /* [n] */
    bool drops;
    struct l2r_dropout dropout;
};

/* d_x of the rows from d_y of the nodes. */
static void sum_by_row(struct l2r_tape *t, const struct l2r_value *out, const int32_t *index, const l2r_real *d_y,
                       const struct l2r_dropout *dropout, int64_t n)
{
    int64_t n_rows = l2r_value_of(t, out->input[0])->rows;
    l2r_real beta, *d_x = l2r_grad_of(t, out->input[0], &beta);
    int32_t *start = d_x ? l2r_tape_scratch(t, n_rows + 1, sizeof *start) : NULL;
    int32_t *node = start ? l2r_tape_scratch(t, n, sizeof *node) : NULL;
    if (!node) return;
    l2r_row_lists(start, node, index, n, n_rows);
    l2r_expand_backward(d_x, beta, d_y, start, node, dropout, n_rows, out->cols);
}

static void expand_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct expansion *saved = out->saved;
    sum_by_row(t, out, saved->index, out->grad, saved->drops ? &saved->dropout : NULL, out->rows);
}

l2r_node l2r_expand_rows(struct l2r_tape *t, l2r_node x, const int32_t *index, int64_t n, double drop)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t dim = l2r_value_of(t, x)->cols;
    struct expansion *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_node node = l2r_tape_push(t, "expand rows", n, dim, expand_backward, &x, 1);
    if (node.id < 0) return node;
    *saved = (struct expansion){.index = index, .drops = t->pass.dropout && drop > 0};
    if (saved->drops) saved->dropout = l2r_dropout_draw(t, drop, n, dim);
    struct l2r_value *out = l2r_value_of(t, node);
    out->saved = saved;
    l2r_expand_forward(out->data, l2r_value_of(t, x)->data, index, saved->drops ? &saved->dropout : NULL, n, dim);
    return node;
}

struct shared_readout {
    const int32_t *row, *start;
    int32_t *argmax;
    int64_t n;
    enum l2r_reduction kind;
};

static void shared_readout_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct shared_readout *r = out->saved;
    l2r_real *d_nodes = l2r_tape_scratch(t, r->n * out->cols, sizeof *d_nodes);
    if (!d_nodes) return;
    l2r_segment_backward(d_nodes, 0, out->grad, r->argmax, r->start, r->kind, out->rows, out->cols);
    sum_by_row(t, out, r->row, d_nodes, NULL, r->n);
}

l2r_node l2r_reduce_graphs_rows(struct l2r_tape *t, l2r_node x, const int32_t *row, int64_t n, const int32_t *start,
                                int64_t n_graphs, enum l2r_reduction kind)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    if (!l2r_tape_check(t, n == start[n_graphs], "readout: %lld nodes for graphs of %d nodes", (long long)n,
                        start[n_graphs]))
        return L2R_NO_NODE;
    int64_t dim = l2r_value_of(t, x)->cols;
    struct shared_readout *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    int32_t *argmax = kind == L2R_REDUCE_MAX ? l2r_tape_alloc(t, n_graphs * dim, sizeof *argmax) : NULL;
    l2r_node node = l2r_tape_push(t, "readout", n_graphs, dim, shared_readout_backward, &x, 1);
    if (node.id < 0) return node;
    *saved = (struct shared_readout){row, start, argmax, n, kind};
    struct l2r_value *out = l2r_value_of(t, node);
    out->saved = saved;
    l2r_segment_forward_rows(out->data, argmax, l2r_value_of(t, x)->data, row, start, kind, n_graphs, dim);
    return node;
}
