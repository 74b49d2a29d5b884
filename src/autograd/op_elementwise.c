/* SPDX-License-Identifier: MIT
 *
 * Sums of matrices, repetition of a row, and activation with dropout where no batch norm precedes it.
 */
#include "autograd/dropout.h"
#include "autograd/ops.h"
#include "kernels/activation.h"
#include "kernels/linear.h"

#include <string.h>

static void add_backward(struct l2r_tape *t, struct l2r_value *out)
{
    for (int i = 0; i < 2; i++) {
        l2r_real beta, *grad = l2r_grad_of(t, out->input[i], &beta);
        if (grad) l2r_axpby(grad, beta, 1, out->grad, out->rows * out->cols);
    }
}

l2r_node l2r_add(struct l2r_tape *t, l2r_node a, l2r_node b)
{
    if (!l2r_tape_ready(t, a) || !l2r_tape_ready(t, b)) return L2R_NO_NODE;
    struct l2r_value *x = l2r_value_of(t, a), *y = l2r_value_of(t, b);
    int64_t rows = x->rows, cols = x->cols;
    if (!l2r_tape_check(t, rows == y->rows && cols == y->cols, "add: %lld × %lld and %lld × %lld do not match",
                        (long long)rows, (long long)cols, (long long)y->rows, (long long)y->cols))
        return L2R_NO_NODE;
    l2r_node node = l2r_tape_push(t, "add", rows, cols, add_backward, (l2r_node[]){a, b}, 2);
    if (node.id < 0) return node;
    l2r_sum_of_two(l2r_value_of(t, node)->data, l2r_value_of(t, a)->data, l2r_value_of(t, b)->data, rows * cols);
    return node;
}

void l2r_tape_add_loss(struct l2r_tape *t, l2r_node loss)
{
    if (!l2r_tape_ready(t, loss)) return;
    const struct l2r_value *x = l2r_value_of(t, loss);
    l2r_tape_check(t, x->rows == 1 && x->cols == 1, "model loss: given %lld × %lld, not one number", (long long)x->rows,
                   (long long)x->cols);
    t->model_loss = t->model_loss.id < 0 ? loss : l2r_add(t, t->model_loss, loss);
}

static void repeat_backward(struct l2r_tape *t, struct l2r_value *out)
{
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    double *scratch = l2r_tape_scratch(t, l2r_column_sums_scratch(out->rows, out->cols), sizeof *scratch);
    if (grad && scratch) l2r_column_sums(grad, beta, out->grad, scratch, out->rows, out->cols);
}

l2r_node l2r_repeat_row(struct l2r_tape *t, l2r_node x, int64_t n)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t cols = l2r_value_of(t, x)->cols;
    if (!l2r_tape_check(t, l2r_value_of(t, x)->rows == 1, "repeat row: given %lld rows",
                        (long long)l2r_value_of(t, x)->rows))
        return L2R_NO_NODE;
    l2r_node node = l2r_tape_push(t, "repeat row", n, cols, repeat_backward, &x, 1);
    for (int64_t i = 0; node.id >= 0 && i < n; i++)
        memcpy(l2r_value_of(t, node)->data + i * cols, l2r_value_of(t, x)->data, (size_t)cols * sizeof(l2r_real));
    return node;
}

struct activation {
    const struct l2r_activation *act;
    bool drops;
    struct l2r_dropout dropout;
};

static void activate_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct activation *saved = out->saved;
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    if (grad)
        l2r_activate_backward(grad, beta, out->grad, l2r_value_of(t, out->input[0])->data, saved->act,
                              saved->drops ? &saved->dropout : NULL, out->rows * out->cols);
}

l2r_node l2r_activate(struct l2r_tape *t, l2r_node x, const struct l2r_activation *act, double drop)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    bool drops = t->pass.dropout && drop > 0;
    if (act == L2R_LINEAR && !drops) return x;
    int64_t rows = l2r_value_of(t, x)->rows, cols = l2r_value_of(t, x)->cols;
    struct activation *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_node node = l2r_tape_push(t, "activate", rows, cols, activate_backward, &x, 1);
    if (node.id < 0) return node;
    *saved = (struct activation){.act = act, .drops = drops};
    if (drops) saved->dropout = l2r_dropout_draw(t, drop, rows, cols);
    l2r_value_of(t, node)->saved = saved;
    l2r_activate_forward(l2r_value_of(t, node)->data, l2r_value_of(t, x)->data, act, drops ? &saved->dropout : NULL,
                         rows * cols);
    return node;
}
