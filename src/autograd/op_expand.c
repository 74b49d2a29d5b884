/* SPDX-License-Identifier: MIT
 *
 * From rows that stand for several equal nodes to the nodes, with dropout (kernels/expand.h). The lists that the gradient is
 * summed over are made on the way back.
 */
#include "autograd/dropout.h"
#include "autograd/ops.h"
#include "kernels/expand.h"

struct expansion {
    const int32_t *index; /* [n] */
    bool drops;
    struct l2r_dropout dropout;
};

static void expand_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct expansion *saved = out->saved;
    int64_t n_rows = l2r_value_of(t, out->input[0])->rows;
    l2r_real beta, *d_x = l2r_grad_of(t, out->input[0], &beta);
    if (!d_x) return;
    int32_t *start = l2r_tape_scratch(t, n_rows + 1, sizeof *start);
    int32_t *node = l2r_tape_scratch(t, out->rows, sizeof *node);
    if (!start || !node) return;
    l2r_row_lists(start, node, saved->index, out->rows, n_rows);
    l2r_expand_backward(d_x, beta, out->grad, start, node, saved->drops ? &saved->dropout : NULL, n_rows, out->cols);
}

l2r_node l2r_expand_rows(struct l2r_tape *t, l2r_node x, const int32_t *index, int64_t n, double drop)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t dim = l2r_value_of(t, x)->cols;
    struct expansion *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_node node = l2r_tape_push(t, "expand rows", n, dim, expand_backward, &x, 1);
    if (node.id < 0) return node;
    *saved = (struct expansion){.index = index, .drops = t->dropout && drop > 0};
    if (saved->drops) saved->dropout = l2r_dropout_draw(t, drop);
    struct l2r_value *out = l2r_value_of(t, node);
    out->saved = saved;
    l2r_expand_forward(out->data, l2r_value_of(t, x)->data, index, saved->drops ? &saved->dropout : NULL, n, dim);
    return node;
}
