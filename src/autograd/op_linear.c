/* SPDX-License-Identifier: MIT
 *
 * Fully connected layer,  y = act(x Wᵀ + b).
 *     d_z = d_y ∘ [y > 0] (ReLU),  d_b = Σ rows of d_z,  d_W = d_zᵀ x,  d_x = d_z W.
 * ReLU is part of the same pass, for its gradient follows from y. Any other activation is an operation of its own.
 */
#include "autograd/ops.h"
#include "kernels/linear.h"

/* The data of a value, or of a lazy one what makes it. */
struct l2r_input l2r_input_of(struct l2r_tape *t, l2r_node x)
{
    const struct l2r_value *value = l2r_value_as_is(t, x);
    return (struct l2r_input){.data = value->data, .affine = value->lazy, .cols = value->cols};
}

static void linear_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const bool *relu = out->saved;
    if (*relu) l2r_relu_backward(out->grad, out->data, out->rows * out->cols);
    struct l2r_linear_gradient g = {.d_z = out->grad,
                                    .x = l2r_input_of(t, out->input[0]),
                                    .w = l2r_value_of(t, out->input[1])->data,
                                    .rows = out->rows,
                                    .out = out->cols};
    g.d_x = l2r_grad_of(t, out->input[0], &g.beta_x);
    g.d_w = l2r_grad_of(t, out->input[1], &g.beta_w);
    g.d_b = l2r_grad_of(t, out->input[2], &g.beta_b);
    void *scratch = l2r_tape_scratch(t, l2r_linear_backward_scratch(&g), 1);
    if (scratch) l2r_linear_backward(&g, scratch);
}

static l2r_node linear(struct l2r_tape *t, l2r_node x, l2r_node weight, l2r_node bias, bool relu)
{
    if (!l2r_tape_ready_as_is(t, x) || !l2r_tape_ready(t, weight)) return L2R_NO_NODE;
    struct l2r_value *in = l2r_value_as_is(t, x), *w = l2r_value_of(t, weight);
    if (!l2r_tape_check(t, in->cols == w->cols, "linear: the weight is %lld × %lld but the input has %lld columns",
                        (long long)w->rows, (long long)w->cols, (long long)in->cols))
        return L2R_NO_NODE;
    int64_t rows = in->rows, n_out = w->rows;
    if (bias.id >= 0) {
        struct l2r_value *b = l2r_value_of(t, bias);
        if (!l2r_tape_check(t, b->rows * b->cols == n_out,
                            "linear: the bias has %lld numbers but the output %lld columns",
                            (long long)(b->rows * b->cols), (long long)n_out))
            return L2R_NO_NODE;
    }
    struct l2r_input input = l2r_input_of(t, x);
    bool *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_real *temp = l2r_tape_scratch(t, l2r_linear_temp(&input, rows, n_out), sizeof *temp);
    l2r_node node = l2r_tape_push(t, "linear", rows, n_out, linear_backward, (l2r_node[]){x, weight, bias}, 3);
    if (node.id < 0) return node;
    *saved = relu;
    l2r_value_of(t, node)->saved = saved;
    l2r_linear_forward(l2r_value_of(t, node)->data, &input, l2r_value_of(t, weight)->data,
                       bias.id >= 0 ? l2r_value_of(t, bias)->data : NULL, relu, temp, rows, n_out);
    l2r_arena_reset(&t->scratch);
    return node;
}

l2r_node l2r_linear_op(struct l2r_tape *t, l2r_node x, l2r_node weight, l2r_node bias, const struct l2r_activation *act)
{
    l2r_node y = linear(t, x, weight, bias, l2r_is_relu(act));
    return l2r_is_called(act) ? l2r_activate(t, y, act, 0) : y;
}
