/* SPDX-License-Identifier: MIT
 *
 * Sums of matrices, repetition of a row, activation with dropout where no batch norm precedes it, and joining several
 * values of equally many rows into one:
 *
 *     l2r_side_by_side    [a ‖ b ‖ …]          [N × D_1], [N × D_2], … ──► [N × ΣD_i]
 *     l2r_largest         max(a, b, …)         the first of equals gets the gradient
 */
#include "autograd/ops.h"
#include "kernels/activation.h"
#include "kernels/linear.h"
#include "kernels/rows.h"

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

static void scale_backward(struct l2r_tape *t, struct l2r_value *out)
{
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    if (grad) l2r_axpby(grad, beta, (l2r_real) * (const double *)out->saved, out->grad, out->rows * out->cols);
}

l2r_node l2r_scale(struct l2r_tape *t, l2r_node x, double factor)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, cols = l2r_value_of(t, x)->cols;
    double *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_node node = l2r_tape_push(t, "scale", rows, cols, scale_backward, &x, 1);
    if (node.id < 0) return node;
    *saved = factor;
    l2r_value_of(t, node)->saved = saved;
    l2r_axpby(l2r_value_of(t, node)->data, 0, (l2r_real)factor, l2r_value_of(t, x)->data, rows * cols);
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

struct l2r_dropout l2r_dropout_draw(struct l2r_tape *t, double drop, int64_t rows, int64_t cols)
{
    double threshold = drop * 0x1p32; /* of a 32-bit hash; 2³² itself would not fit */
    struct l2r_dropout d = {.threshold = threshold >= 4294967295.0 ? UINT32_MAX : (uint32_t)threshold,
                            .scale = (l2r_real)(1 / (1 - drop))};
    d.key[0] = l2r_rng_u32(&t->pass.random);
    d.key[1] = l2r_rng_u32(&t->pass.random);
    if (t->pass.share.comm) d.key[0] += (uint32_t)(l2r_tape_rows(t, rows, "dropout").first * cols);
    return d;
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

/* ---- joining ---- */

struct joined {
    const l2r_node *parts;
    int64_t n;
    int32_t *argmax; /* largest only */
};

/* A value made of `n` parts, or L2R_NO_NODE when they do not fit. There may be more than a value has inputs for. */
static l2r_node push(struct l2r_tape *t, const char *op, const l2r_node *parts, int64_t n, bool beside,
                     l2r_backward_fn *backward)
{
    int64_t cols = 0;
    bool needs_grad = false;
    if (!l2r_tape_check(t, n > 0, "%s: nothing to join", op) || !l2r_tape_ready(t, parts[0])) return L2R_NO_NODE;
    for (int64_t i = 0; i < n; i++) {
        if (!l2r_tape_ready(t, parts[i])) return L2R_NO_NODE;
        const struct l2r_value *first = l2r_value_of(t, parts[0]), *part = l2r_value_of(t, parts[i]);
        if (!l2r_tape_check(t, part->rows == first->rows && (beside || part->cols == first->cols),
                            "%s: %lld × %lld and %lld × %lld do not match", op, (long long)first->rows,
                            (long long)first->cols, (long long)part->rows, (long long)part->cols))
            return L2R_NO_NODE;
        cols = beside ? cols + part->cols : part->cols;
        needs_grad = needs_grad || part->needs_grad;
    }
    struct joined *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_node *copy = l2r_tape_alloc(t, n, sizeof *copy);
    l2r_node node = l2r_tape_push(t, op, l2r_value_of(t, parts[0])->rows, cols, backward, NULL, 0);
    if (node.id < 0) return node;
    memcpy(copy, parts, (size_t)n * sizeof *copy);
    *saved = (struct joined){.parts = copy, .n = n};
    l2r_value_of(t, node)->saved = saved;
    l2r_value_of(t, node)->needs_grad = t->pass.record && needs_grad;
    return node;
}

static void beside_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct joined *joined = out->saved;
    int64_t at = 0;
    for (int64_t i = 0; i < joined->n; i++) {
        int64_t cols = l2r_value_of(t, joined->parts[i])->cols;
        l2r_real beta, *grad = l2r_grad_of(t, joined->parts[i], &beta);
        if (grad) l2r_block_copy(grad, cols, beta, out->grad + at, out->cols, out->rows, cols);
        at += cols;
    }
}

l2r_node l2r_side_by_side(struct l2r_tape *t, const l2r_node *parts, int64_t n)
{
    l2r_node node = push(t, "side by side", parts, n, true, beside_backward);
    if (node.id < 0) return node;
    struct l2r_value *out = l2r_value_of(t, node);
    for (int64_t i = 0, at = 0; i < n; i++) {
        const struct l2r_value *part = l2r_value_of(t, parts[i]);
        l2r_block_copy(out->data + at, out->cols, 0, part->data, part->cols, out->rows, part->cols);
        at += part->cols;
    }
    return node;
}

static void largest_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct joined *joined = out->saved;
    for (int64_t i = 0; i < joined->n; i++) {
        l2r_real beta, *grad = l2r_grad_of(t, joined->parts[i], &beta);
        if (grad) l2r_largest_backward(grad, beta, out->grad, joined->argmax, (int32_t)i, out->rows * out->cols);
    }
}

l2r_node l2r_largest(struct l2r_tape *t, const l2r_node *parts, int64_t n)
{
    l2r_node node = push(t, "largest", parts, n, false, largest_backward);
    if (node.id < 0) return node;
    struct l2r_value *out = l2r_value_of(t, node);
    int64_t size = out->rows * out->cols;
    int32_t *argmax = l2r_tape_alloc(t, size, sizeof *argmax);
    if (!argmax) return L2R_NO_NODE;
    ((struct joined *)out->saved)->argmax = argmax;
    for (int64_t i = 0; i < n; i++)
        l2r_largest_take(out->data, argmax, l2r_value_of(t, parts[i])->data, (int32_t)i, size);
    return node;
}
