/* SPDX-License-Identifier: MIT
 *
 * From rows that stand for several equal nodes to the nodes, with dropout (kernels/rows.h), or to the readout over the
 * nodes at once. The lists that the gradient is summed over are made by backward.
 */
#include "autograd/dropout.h"
#include "autograd/ops.h"
#include "kernels/rows.h"

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

struct readout {
    const int32_t *row, *start;
    int32_t *argmax;
    int64_t n;
    enum l2r_reduction kind;
};

static void readout_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct readout *r = out->saved;
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
    struct readout *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    int32_t *argmax = kind == L2R_REDUCE_MAX ? l2r_tape_alloc(t, n_graphs * dim, sizeof *argmax) : NULL;
    l2r_node node = l2r_tape_push(t, "readout", n_graphs, dim, readout_backward, &x, 1);
    if (node.id < 0) return node;
    *saved = (struct readout){row, start, argmax, n, kind};
    struct l2r_value *out = l2r_value_of(t, node);
    out->saved = saved;
    l2r_segment_forward_rows(out->data, argmax, l2r_value_of(t, x)->data, row, start, kind, n_graphs, dim);
    return node;
}
