/* SPDX-License-Identifier: MIT
 * See ops.h; kernels/factor.h has the formulas. */
#include "autograd/ops.h"

#include <string.h>

const struct l2r_factors *l2r_factors_of(struct l2r_tape *t, const struct l2r_adjacency *graph, int64_t n_factors)
{
    struct l2r_factors *f = l2r_tape_alloc(t, 1, sizeof *f);
    const int32_t *reverse = l2r_reverses_of(t, graph);
    if (!f || !reverse) return NULL;
    *f = (struct l2r_factors){*graph, reverse, n_factors};
    return f;
}

static void gates_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct l2r_factors *f = out->saved;
    bool bonds = out->input[1].id >= 0;
    int64_t types = bonds ? l2r_value_of(t, out->input[1])->rows : 0, nodes = f->graph.n_nodes;
    l2r_real *scratch = l2r_tape_alloc(t, l2r_gates_scratch(f, types), sizeof *scratch);
    l2r_real *d_bonds = bonds ? l2r_tape_alloc(t, types * f->n, sizeof *d_bonds) : NULL;
    l2r_real beta, *d_scores = l2r_grad_of(t, out->input[0], &beta);
    if (!d_scores) d_scores = l2r_tape_alloc(t, nodes * 2 * f->n, sizeof *d_scores); /* the bonds need the same walk */
    if (t->status != L2R_OK) return;
    l2r_gates_backward(d_scores, beta, d_bonds, out->grad, out->data, f, scratch, types);
    l2r_real *grad = bonds ? l2r_grad_of(t, out->input[1], &beta) : NULL;
    if (grad) l2r_axpby(grad, beta, 1, d_bonds, types * f->n);
}

l2r_node l2r_edge_gates(struct l2r_tape *t, const struct l2r_factors *f, l2r_node scores, l2r_node bonds)
{
    if (!f || !l2r_tape_ready(t, scores)) return L2R_NO_NODE;
    const struct l2r_value *s = l2r_value_of(t, scores);
    if (!l2r_tape_check(t, s->rows == f->graph.n_nodes && s->cols == 2 * f->n,
                        "edge gates: %lld × %lld scores for %lld nodes and %lld factors", (long long)s->rows,
                        (long long)s->cols, (long long)f->graph.n_nodes, (long long)f->n))
        return L2R_NO_NODE;
    if (bonds.id >= 0 &&
        !l2r_tape_check(t, l2r_value_of(t, bonds)->cols == f->n, "edge gates: bonds have %lld columns for %lld factors",
                        (long long)l2r_value_of(t, bonds)->cols, (long long)f->n))
        return L2R_NO_NODE;
    l2r_node node = l2r_tape_push(t, "edge gates", f->graph.n_arcs + f->graph.n_nodes, f->n, gates_backward,
                                  (l2r_node[]){scores, bonds}, 2);
    if (node.id < 0) return node;
    struct l2r_value *out = l2r_value_of(t, node);
    out->saved = l2r_tape_alloc(t, 1, sizeof *f);
    if (!out->saved) return L2R_NO_NODE;
    memcpy(out->saved, f, sizeof *f);
    l2r_gates_forward(out->data, l2r_value_of(t, scores)->data, bonds.id >= 0 ? l2r_value_of(t, bonds)->data : NULL, f);
    return node;
}

struct sums {
    struct l2r_factors factors;
    bool shared;
};

static void factor_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct sums *saved = out->saved;
    const struct l2r_value *x = l2r_value_of(t, out->input[0]), *gates = l2r_value_of(t, out->input[1]);
    l2r_real beta_x, beta_g, *d_x = l2r_grad_of(t, out->input[0], &beta_x);
    l2r_real *d_gates = l2r_grad_of(t, out->input[1], &beta_g);
    if (t->status == L2R_OK && (d_x || d_gates))
        l2r_factor_backward(d_x, beta_x, d_gates, beta_g, out->grad, x->data, gates->data, &saved->factors, out->cols,
                            saved->shared);
}

l2r_node l2r_factor_neighbours(struct l2r_tape *t, const struct l2r_factors *f, l2r_node x, l2r_node gates, bool shared)
{
    if (!f || !l2r_tape_ready(t, x) || !l2r_tape_ready(t, gates)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, dim = l2r_value_of(t, x)->cols, width = shared ? dim * f->n : dim;
    const struct l2r_value *g = l2r_value_of(t, gates);
    if (!l2r_tape_check(t, rows == f->graph.n_nodes && g->rows == f->graph.n_arcs + rows && g->cols == f->n,
                        "sum over factors: %lld rows and %lld × %lld gates for %lld nodes, %lld arcs and %lld factors",
                        (long long)rows, (long long)g->rows, (long long)g->cols, (long long)f->graph.n_nodes,
                        (long long)f->graph.n_arcs, (long long)f->n))
        return L2R_NO_NODE;
    struct sums *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_node node = l2r_tape_push(t, "sum over factors", rows, width, factor_backward, (l2r_node[]){x, gates}, 2);
    if (node.id < 0) return node;
    *saved = (struct sums){*f, shared};
    l2r_value_of(t, node)->saved = saved;
    l2r_factor_forward(l2r_value_of(t, node)->data, l2r_value_of(t, x)->data, l2r_value_of(t, gates)->data, f, width,
                       shared);
    return node;
}

static void reshape_backward(struct l2r_tape *t, struct l2r_value *out)
{
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    if (grad) l2r_axpby(grad, beta, 1, out->grad, out->rows * out->cols);
}

l2r_node l2r_reshape(struct l2r_tape *t, l2r_node x, int64_t rows, int64_t cols)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    const struct l2r_value *in = l2r_value_of(t, x);
    if (!l2r_tape_check(t, in->rows * in->cols == rows * cols, "reshape: %lld × %lld numbers are not %lld × %lld",
                        (long long)in->rows, (long long)in->cols, (long long)rows, (long long)cols))
        return L2R_NO_NODE;
    l2r_node node = l2r_tape_push(t, "reshape", rows, cols, reshape_backward, &x, 1);
    if (node.id >= 0)
        memcpy(l2r_value_of(t, node)->data, l2r_value_of(t, x)->data, (size_t)(rows * cols) * sizeof(l2r_real));
    return node;
}
