/* SPDX-License-Identifier: MIT
 *
 * Scores of nodes and the rows that stay (kernels/top_k.h). The choice itself is piecewise constant and has no
 * gradient; scores are learned through the gate.
 *
 *     projection   y_v = x_v·p / ‖p‖       d_x_v = d_y_v p/‖p‖,   d_p = (Σ_v d_y_v x_v − (Σ_v d_y_v y_v) p/‖p‖) / ‖p‖
 *     gate         y_i = x_k tanh(s_k),  k the i-th row kept
 */
#include "autograd/op_select.h"

#include "autograd/ops.h"
#include "kernels/gemm.h"
#include "kernels/linear.h"
#include "kernels/top_k.h"

#include <math.h>

/* 1/‖p‖; 0 for p = 0, which gives every node the score 0. */
static double inverse_norm(const struct l2r_value *p)
{
    double square = 0;
    for (int64_t j = 0; j < p->cols; j++) square += (double)p->data[j] * (double)p->data[j];
    return square > 0 ? 1 / sqrt(square) : 0;
}

static void projection_backward(struct l2r_tape *t, struct l2r_value *out)
{
    struct l2r_value *x = l2r_value_of(t, out->input[0]), *p = l2r_value_of(t, out->input[1]);
    const l2r_real *unit = out->saved; /* p / ‖p‖ */
    double inverse = inverse_norm(p);
    int64_t rows = x->rows, dim = x->cols;
    l2r_real beta, *grad = l2r_grad_of(t, out->input[1], &beta);
    double *scratch = l2r_tape_alloc(t, l2r_dot_scratch(rows), sizeof *scratch);
    l2r_real *sums = l2r_tape_alloc(t, dim, sizeof *sums);
    if (!scratch || !sums) return;
    if (grad) {
        struct l2r_matrix d_y = {out->grad, 1, true}, nodes = {x->data, dim, false};
        l2r_gemm(sums, dim, 0, d_y, nodes, 1, dim, rows);
        double along = l2r_dot(out->grad, out->data, scratch, rows);
        for (int64_t j = 0; j < dim; j++) {
            double own = ((double)sums[j] - along * (double)unit[j]) * inverse;
            grad[j] = (l2r_real)(beta == 0 ? own : (double)(beta * grad[j]) + own);
        }
    }
    if ((grad = l2r_grad_of(t, out->input[0], &beta)))
        l2r_gemm(grad, dim, beta, (struct l2r_matrix){out->grad, 1, false}, (struct l2r_matrix){unit, dim, false}, rows,
                 dim, 1);
}

l2r_node l2r_projection_score(struct l2r_tape *t, l2r_node x, l2r_node p)
{
    if (!l2r_tape_ready(t, x) || !l2r_tape_ready(t, p)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, dim = l2r_value_of(t, x)->cols;
    const struct l2r_value *direction = l2r_value_of(t, p);
    if (!l2r_tape_check(t, direction->rows == 1 && direction->cols == dim,
                        "projection: the direction is %lld × %lld but the input has %lld columns",
                        (long long)direction->rows, (long long)direction->cols, (long long)dim))
        return L2R_NO_NODE;
    l2r_real *unit = l2r_tape_alloc(t, dim, sizeof *unit);
    l2r_node node = l2r_tape_push(t, "projection", rows, 1, projection_backward, (l2r_node[]){x, p}, 2);
    if (node.id < 0) return node;
    struct l2r_value *out = l2r_value_of(t, node);
    double inverse = inverse_norm(l2r_value_of(t, p));
    for (int64_t j = 0; j < dim; j++) unit[j] = (l2r_real)((double)l2r_value_of(t, p)->data[j] * inverse);
    out->saved = unit;
    const struct l2r_input nodes = {.data = l2r_value_of(t, x)->data, .cols = dim};
    l2r_linear_forward(out->data, &nodes, unit, NULL, false, NULL, rows, 1);
    return node;
}

struct gate {
    l2r_real *value; /* [n_kept] */
    const int32_t *place;
};

static void gate_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct gate *saved = out->saved;
    struct l2r_value *x = l2r_value_of(t, out->input[0]);
    l2r_real beta_x, beta_s, *d_x = l2r_grad_of(t, out->input[0], &beta_x);
    l2r_real *d_score = l2r_grad_of(t, out->input[1], &beta_s);
    if (t->status == L2R_OK)
        l2r_gate_backward(d_x, beta_x, d_score, beta_s, out->grad, x->data, saved->value, saved->place, x->rows,
                          x->cols);
}

l2r_node l2r_gate_rows(struct l2r_tape *t, l2r_node x, l2r_node score, const int32_t *keep, const int32_t *place,
                       int64_t n_kept)
{
    if (!l2r_tape_ready(t, x) || !l2r_tape_ready(t, score)) return L2R_NO_NODE;
    const struct l2r_value *in = l2r_value_of(t, x), *s = l2r_value_of(t, score);
    int64_t rows = in->rows, dim = in->cols;
    if (!l2r_tape_check(t, s->rows == rows && s->cols == 1, "gate: %lld × %lld scores for %lld rows",
                        (long long)s->rows, (long long)s->cols, (long long)rows))
        return L2R_NO_NODE;
    struct gate *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_real *value = l2r_tape_alloc(t, n_kept, sizeof *value);
    l2r_node node = l2r_tape_push(t, "gate", n_kept, dim, gate_backward, (l2r_node[]){x, score}, 2);
    if (node.id < 0) return node;
    *saved = (struct gate){value, place};
    l2r_value_of(t, node)->saved = saved;
    l2r_gate_forward(l2r_value_of(t, node)->data, value, l2r_value_of(t, x)->data, l2r_value_of(t, score)->data, keep,
                     n_kept, dim);
    return node;
}
