/* SPDX-License-Identifier: MIT
 *
 * Several values of the same number of rows as one: side by side, or the largest of each place (then of the same shape;
 * the first of equals gets the gradient).
 */
#include "autograd/ops.h"
#include "kernels/rows.h"

#include <string.h>

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
