/* SPDX-License-Identifier: MIT
 *
 * Soft clusters of DiffPool (kernels/segments.h has the formulas): the softmax of every row, the clusters' sums, and
 * the two losses that train the assignment. Losses keep their slope from the forward pass: backward only scales it.
 */
#include "autograd/ops.h"
#include "kernels/segments.h"

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
