/* SPDX-License-Identifier: MIT
 *
 * Layers with a weight matrix: fully connected, and the whole graph convolution.
 *
 *     l2r_linear_op            y = act(x Wᵀ + b)          x [rows × in], W [out × in] (PyTorch's layout), b [1 × out]
 *     l2r_graph_convolution    y = S x Wᵀ + b             S = D^-1/2 (A + I) D^-1/2 of the batch
 *
 * Inputs are x, W, b in this order. x may be lazy (a batch norm that has not been written out): the kernels make its
 * rows block by block when they need them, forwards and backwards, so the normalised matrix never goes to memory.
 */
#include "autograd/ops.h"
#include "kernels/graph_linear.h"
#include "kernels/linear.h"

/* The data of a value, or of a lazy one what makes it. */
struct l2r_input l2r_input_of(struct l2r_tape *t, l2r_node x)
{
    const struct l2r_value *value = l2r_value_as_is(t, x);
    return (struct l2r_input){.data = value->data, .affine = value->lazy, .cols = value->cols};
}

/* ---- fully connected ----
 *
 *     d_z = d_y ∘ [y > 0] (ReLU),   d_b = Σ rows of d_z,   d_W = d_zᵀ x,   d_x = d_z W
 *
 * ReLU is part of the same pass, because its gradient follows from y. Any other activation is a separate operation. */

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

/* ---- graph convolution without edge features ----
 *
 * The sum over neighbours is linear, so it may come before W, after W, or go along with it. Which is cheapest depends
 * on the rows and is decided here:
 *
 *     rows in = rows out       block by block in the cache (kernels/graph_linear.h), x Wᵀ never goes to memory
 *     fewer rows in than out   W first, on the few rows, then the sum (a level of a batch: batch/levels.h)
 *     otherwise                the sum first; also under a mask on the edges, which only the sum supports
 */

struct convolution { /* lives in the tape's arena until backward; the kernels point into it */
    struct l2r_adjacency graph;
    struct l2r_graph_blocks blocks;
    struct l2r_graph_linear layer;
};

static void graph_linear_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct convolution *saved = out->saved;
    struct l2r_graph_linear_gradient d = {.d_y = out->grad};
    d.d_x = l2r_grad_of(t, out->input[0], &d.beta_x);
    d.d_w = l2r_grad_of(t, out->input[1], &d.beta_w);
    d.d_b = l2r_grad_of(t, out->input[2], &d.beta_b);
    void *scratch = l2r_tape_scratch(t, l2r_graph_linear_scratch(&saved->layer), 1);
    if (scratch) l2r_graph_linear_backward(&d, &saved->layer, scratch);
}

static l2r_node in_blocks(struct l2r_tape *t, const struct l2r_adjacency *graph, const int32_t *node_start,
                          int64_t n_graphs, l2r_node x, l2r_node weight, l2r_node bias)
{
    if (!l2r_tape_ready_as_is(t, x) || !l2r_tape_ready(t, weight) || !l2r_tape_ready(t, bias)) return L2R_NO_NODE;
    struct l2r_value *in = l2r_value_as_is(t, x), *w = l2r_value_of(t, weight), *b = l2r_value_of(t, bias);
    int64_t rows = in->rows, n_in = in->cols, n_out = w->rows;
    if (!l2r_tape_check(
            t, rows == graph->n_nodes && rows == node_start[n_graphs] && w->cols == n_in && b->rows * b->cols == n_out,
            "graph convolution: the weight is %lld × %lld, the bias has %lld numbers, the input is %lld × "
            "%lld for a batch of %lld nodes",
            (long long)w->rows, (long long)w->cols, (long long)(b->rows * b->cols), (long long)rows, (long long)n_in,
            (long long)graph->n_nodes))
        return L2R_NO_NODE;
    struct convolution *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    int64_t *lists = l2r_tape_alloc(t, l2r_graph_blocks_size(rows, n_graphs), sizeof *lists);
    l2r_node node =
        l2r_tape_push(t, "graph convolution", rows, n_out, graph_linear_backward, (l2r_node[]){x, weight, bias}, 3);
    if (node.id < 0) return node;
    *saved = (struct convolution){.graph = *graph};
    l2r_graph_blocks_plan(&saved->blocks, lists, node_start, n_graphs);
    saved->layer = (struct l2r_graph_linear){.graph = &saved->graph,
                                             .blocks = &saved->blocks,
                                             .x = l2r_input_of(t, x),
                                             .w = l2r_value_of(t, weight)->data,
                                             .b = l2r_value_of(t, bias)->data,
                                             .out = n_out};
    l2r_real *temp = l2r_tape_scratch(t, l2r_graph_linear_temp(&saved->layer), sizeof *temp);
    if (!temp) return L2R_NO_NODE;
    struct l2r_value *out = l2r_value_of(t, node);
    out->saved = saved;
    l2r_graph_linear_forward(out->data, &saved->layer, temp);
    l2r_arena_reset(&t->scratch);
    return node;
}

l2r_node l2r_graph_convolution(struct l2r_tape *t, const struct l2r_adjacency *graph, const int32_t *node_start,
                               int64_t n_graphs, l2r_node x, l2r_node weight, l2r_node bias)
{
    bool masked = t->pass.masks.edges.id >= 0;
    if (graph->map && graph->map->n_sources < graph->n_nodes)
        return l2r_gcn_neighbours_biased(t, graph, l2r_linear_op(t, x, weight, L2R_NO_NODE, L2R_LINEAR), bias);
    if (!graph->map && !masked) return in_blocks(t, graph, node_start, n_graphs, x, weight, bias);
    l2r_node sum = l2r_gcn_neighbours(t, graph, x, L2R_NO_NODE, L2R_NO_NODE);
    return l2r_linear_op(t, sum, weight, bias, L2R_LINEAR);
}
