/* SPDX-License-Identifier: MIT
 *
 * Layer norm (kernels/layer_norm.h) of each row: it does not depend on the other rows, so a batch that is divided among
 * ranks, or whose rows stand for several nodes, is no special case.
 */
#include "autograd/ops.h"
#include "kernels/layer_norm.h"

static void backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct l2r_layer_norm *saved = out->saved;
    l2r_real ignored, beta;
    l2r_real *d_gamma = l2r_grad_of(t, out->input[1], &ignored), *d_beta = l2r_grad_of(t, out->input[2], &ignored);
    l2r_real *d_y = out->grad, *d_x = l2r_grad_in_place(t, out->input[0], out, &beta);
    double *scratch = l2r_tape_scratch(t, l2r_layer_norm_scratch(out->rows, out->cols), sizeof *scratch);
    if (t->status != L2R_OK) return;
    l2r_layer_norm_backward(d_x, beta, d_gamma, d_beta, d_y, saved, scratch);
}

l2r_node l2r_layer_norm(struct l2r_tape *t, l2r_node x, l2r_node gamma, l2r_node beta)
{
    if (!l2r_tape_ready(t, x) || !l2r_tape_ready(t, gamma) || !l2r_tape_ready(t, beta)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, cols = l2r_value_of(t, x)->cols;
    if (!l2r_tape_check(t, l2r_value_of(t, gamma)->cols == cols && l2r_value_of(t, beta)->cols == cols,
                        "layer norm: made for %lld columns, given %lld", (long long)l2r_value_of(t, gamma)->cols,
                        (long long)cols))
        return L2R_NO_NODE;
    struct l2r_layer_norm *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_real *of_rows = l2r_tape_alloc(t, 2 * rows, sizeof *of_rows);
    l2r_node node = l2r_tape_push(t, "layer norm", rows, cols, backward, (l2r_node[]){x, gamma, beta}, 3);
    if (node.id < 0) return node;
    *saved = (struct l2r_layer_norm){.x = l2r_value_of(t, x)->data,
                                     .gamma = l2r_value_of(t, gamma)->data,
                                     .mean = of_rows,
                                     .inverse_sd = of_rows + rows,
                                     .rows = rows,
                                     .cols = cols};
    l2r_value_of(t, node)->saved = saved;
    l2r_layer_norm_forward(l2r_value_of(t, node)->data, saved, l2r_value_of(t, beta)->data);
    return node;
}
