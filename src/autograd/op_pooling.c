/* SPDX-License-Identifier: MIT
 *
 * Operations of the pooling models, which make a graph smaller on its way to the readout:
 *
 *     DiffPool         every node belongs to K clusters by shares that sum to 1; a cluster's row is a weighted sum
 *     top-k, SAGPool   nodes have scores, the best stay, and their rows are multiplied by a gate made of the score
 *
 * kernels/segments.h and kernels/top_k.h have the formulas. nn/top_k_pool.c chooses the nodes that stay and makes the
 * graph between them.
 */
#include "autograd/ops.h"
#include "kernels/gemm.h"
#include "kernels/linear.h"
#include "kernels/segments.h"
#include "kernels/top_k.h"

#include <math.h>

/* ---- soft clusters ----
 *
 * The softmax of every row, the clusters' sums, and the two losses that train the assignment. Losses keep their slope
 * from the forward pass, where it falls out on the way: backward only scales it. */

static void softmax_backward(struct l2r_tape *t, struct l2r_value *out)
{
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    if (grad) l2r_softmax_backward(grad, beta, out->grad, out->data, out->rows, out->cols);
}

l2r_node l2r_softmax_rows(struct l2r_tape *t, l2r_node x)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, cols = l2r_value_of(t, x)->cols;
    if (!l2r_tape_check(t, cols > 0, "softmax: of rows without columns")) return L2R_NO_NODE;
    l2r_node node = l2r_tape_push(t, "softmax", rows, cols, softmax_backward, &x, 1);
    if (node.id >= 0) l2r_softmax_forward(l2r_value_of(t, node)->data, l2r_value_of(t, x)->data, rows, cols);
    return node;
}

static void sums_backward(struct l2r_tape *t, struct l2r_value *out)
{
    l2r_real beta_s, beta_h, *d_s = l2r_grad_of(t, out->input[0], &beta_s),
                             *d_h = l2r_grad_of(t, out->input[1], &beta_h);
    if (t->status == L2R_OK) l2r_soft_clusters_backward(d_s, beta_s, d_h, beta_h, out->grad, out->saved);
}

l2r_node l2r_cluster_sums(struct l2r_tape *t, l2r_node s, l2r_node h, const int32_t *start, int64_t n_graphs)
{
    if (!l2r_tape_ready(t, s) || !l2r_tape_ready(t, h)) return L2R_NO_NODE;
    struct l2r_value *shares = l2r_value_of(t, s), *nodes = l2r_value_of(t, h);
    if (!l2r_tape_check(t, shares->rows == start[n_graphs] && nodes->rows == start[n_graphs],
                        "soft clusters: %lld rows of shares and %lld of values for graphs of %d nodes",
                        (long long)shares->rows, (long long)nodes->rows, start[n_graphs]))
        return L2R_NO_NODE;
    int64_t n_clusters = shares->cols, dim = nodes->cols;
    struct l2r_soft_clusters *p = l2r_tape_alloc(t, 1, sizeof *p);
    l2r_node node = l2r_tape_push(t, "soft clusters", n_graphs, n_clusters * dim, sums_backward, (l2r_node[]){s, h}, 2);
    if (node.id < 0) return node;
    *p = (struct l2r_soft_clusters){
        l2r_value_of(t, s)->data, l2r_value_of(t, h)->data, start, n_graphs, n_clusters, dim};
    struct l2r_value *out = l2r_value_of(t, node);
    out->saved = p;
    l2r_soft_clusters_forward(out->data, p);
    return node;
}

struct cluster_losses {
    const int32_t *start;
    l2r_real *slope; /* [N × K] */
};

static void losses_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct cluster_losses *saved = out->saved;
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    int64_t cols = l2r_value_of(t, out->input[0])->cols;
    for (int64_t g = 0; grad && g < out->rows; g++)
        for (int64_t i = saved->start[g] * cols; i < saved->start[g + 1] * cols; i++) {
            l2r_real slope = out->grad[g] * saved->slope[i];
            grad[i] = beta == 0 ? slope : grad[i] + slope;
        }
}

l2r_node l2r_cluster_loss(struct l2r_tape *t, l2r_node s, const struct l2r_adjacency *graph, const int32_t *start,
                          int64_t n_graphs)
{
    if (!l2r_tape_ready(t, s)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, s)->rows, n_clusters = l2r_value_of(t, s)->cols;
    if (!l2r_tape_check(t, rows == start[n_graphs] && rows == graph->n_nodes,
                        "cluster loss: %lld rows of shares for a batch of %lld nodes", (long long)rows,
                        (long long)graph->n_nodes))
        return L2R_NO_NODE;
    struct cluster_losses *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_real *slope = l2r_tape_alloc(t, rows * n_clusters, sizeof *slope);
    double *scratch = l2r_tape_alloc(t, n_graphs * n_clusters * n_clusters, sizeof *scratch);
    l2r_node node = l2r_tape_push(t, "cluster loss", n_graphs, 1, losses_backward, &s, 1);
    if (node.id < 0) return node;
    *saved = (struct cluster_losses){start, slope};
    l2r_value_of(t, node)->saved = saved;
    struct l2r_soft_clusters p = {
        .s = l2r_value_of(t, s)->data, .start = start, .n_graphs = n_graphs, .n_clusters = n_clusters};
    l2r_soft_clusters_losses(l2r_value_of(t, node)->data, slope, &p, graph, scratch);
    return node;
}

/* ---- scores, and the rows that stay ----
 *
 * The choice itself is piecewise constant and has no gradient; scores are learned through the gate.
 *
 *     projection   y_v = x_v·p / ‖p‖       d_x_v = d_y_v p/‖p‖,   d_p = (Σ_v d_y_v x_v − (Σ_v d_y_v y_v) p/‖p‖) / ‖p‖
 *     gate         y_i = x_k tanh(s_k),  k the i-th row kept
 */

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
