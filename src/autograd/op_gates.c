/* SPDX-License-Identifier: MIT
 *
 * Gates on edges (nn/gates.h), and the norm of the rows that they are made of:
 *
 *     l2r_instance_norm     each graph's rows on the same scale                     kernels/instance_norm.h
 *     l2r_concrete          σ(x + log u − log(1 − u)) in training, u uniform; σ(x) in prediction
 *     l2r_edge_means        the mean over an edge's arcs, times the edge's mask where the tape has one
 *     l2r_budget            the squared distance of a graph's mean gate from a target
 *     l2r_overlap           the overlap of the open edges of two networks' gates (soft Jaccard)
 *
 * The noise of row i is a function of one key of the tape's stream and of i in the whole batch: any number of threads
 * and ranks draws the same.
 */
#include "autograd/ops.h"
#include "kernels/instance_norm.h"

#include <math.h>
#include <string.h>

/* ---- norm ---- */

static void norm_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct l2r_instance_norm *norm = out->saved;
    l2r_real beta, *d_x = l2r_grad_of(t, out->input[0], &beta);
    if (d_x) l2r_instance_norm_backward(d_x, beta, out->grad, out->data, norm);
}

l2r_node l2r_instance_norm(struct l2r_tape *t, l2r_node x, const int32_t *start, int64_t n_graphs)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, cols = l2r_value_of(t, x)->cols;
    if (!l2r_tape_check(t, rows == start[n_graphs], "instance norm: %lld rows for graphs of %d", (long long)rows,
                        start[n_graphs]))
        return L2R_NO_NODE;
    struct l2r_instance_norm *norm = l2r_tape_alloc(t, 1, sizeof *norm);
    l2r_real *inverse = l2r_tape_alloc(t, n_graphs * cols, sizeof *inverse);
    l2r_node node = l2r_tape_push(t, "instance norm", rows, cols, norm_backward, &x, 1);
    if (node.id < 0 || !norm || !inverse) return L2R_NO_NODE;
    *norm = (struct l2r_instance_norm){start, n_graphs, cols, inverse};
    l2r_value_of(t, node)->saved = norm;
    const l2r_real *from = l2r_value_of(t, x)->data;
    if (t->status != L2R_OK) return L2R_NO_NODE;
    l2r_instance_norm_forward(l2r_value_of(t, node)->data, from, norm);
    return node;
}

/* ---- noise ---- */

static void concrete_backward(struct l2r_tape *t, struct l2r_value *out)
{
    l2r_real beta, *d_x = l2r_grad_of(t, out->input[0], &beta);
    for (int64_t i = 0; d_x && i < out->rows; i++) {
        l2r_real d = out->grad[i] * out->data[i] * (1 - out->data[i]);
        d_x[i] = beta == 0 ? d : beta * d_x[i] + d;
    }
}

/* log u − log(1 − u); u stays clear of 0 and 1, as published. */
static double logistic_noise(uint64_t key, int64_t row)
{
    struct l2r_rng rng = l2r_rng_at(key, L2R_RANDOM_METHOD, (uint64_t)row);
    double u = fmin(fmax(l2r_rng_uniform(&rng), 1e-10), 1 - 1e-10);
    return log(u) - log1p(-u);
}

l2r_node l2r_concrete(struct l2r_tape *t, l2r_node x)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, first = 0;
    if (!l2r_tape_check(t, l2r_value_of(t, x)->cols == 1, "gates: one column is expected, not %lld",
                        (long long)l2r_value_of(t, x)->cols))
        return L2R_NO_NODE;
    bool noisy = t->pass.dropout;
    uint64_t key = noisy ? l2r_rng_u64(&t->pass.random) : 0;
    if (t->pass.share.comm) first = l2r_tape_rows(t, rows, "gates").first;
    l2r_node node = l2r_tape_push(t, "gates", rows, 1, concrete_backward, &x, 1);
    if (node.id < 0) return node;
    const l2r_real *from = l2r_value_of(t, x)->data;
    l2r_real *to = l2r_value_of(t, node)->data;
    for (int64_t i = 0; from && i < rows; i++)
        to[i] = (l2r_real)(1 / (1 + exp(-(double)from[i] - (noisy ? logistic_noise(key, first + i) : 0))));
    return node;
}

/* ---- both directions of an edge ---- */

struct means {
    const int32_t *arc_edge;
    int64_t n_arcs;
    l2r_real *share; /* [n_edges]: 1/2, or 1 for a self loop, which is one arc */
};

static void means_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct means *m = out->saved;
    l2r_node x = out->input[0], mask = out->input[1];
    const l2r_real *factor = mask.id >= 0 ? l2r_value_of(t, mask)->data : NULL, *gate = l2r_value_of(t, x)->data;
    l2r_real beta, *d_x = l2r_grad_of(t, x, &beta);
    for (int64_t a = 0; d_x && a < m->n_arcs; a++) {
        int32_t e = m->arc_edge[a];
        l2r_real d = out->grad[e] * m->share[e] * (factor ? factor[e] : 1);
        d_x[a] = beta == 0 ? d : beta * d_x[a] + d;
    }
    l2r_real *d_mask = mask.id >= 0 ? l2r_grad_of(t, mask, &beta) : NULL;
    if (!d_mask) return;
    if (beta == 0) memset(d_mask, 0, (size_t)out->rows * sizeof *d_mask);
    for (int64_t a = 0; a < m->n_arcs; a++)
        d_mask[m->arc_edge[a]] += out->grad[m->arc_edge[a]] * m->share[m->arc_edge[a]] * gate[a];
}

l2r_node l2r_edge_means(struct l2r_tape *t, l2r_node x, const int32_t *arc_edge, int64_t n_edges, l2r_node mask)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t n_arcs = l2r_value_of(t, x)->rows;
    if (mask.id >= 0 &&
        !l2r_tape_check(t, l2r_value_of(t, mask)->rows == n_edges, "gates: a mask for %lld edges on %lld",
                        (long long)l2r_value_of(t, mask)->rows, (long long)n_edges))
        return L2R_NO_NODE;
    struct means *m = l2r_tape_alloc(t, 1, sizeof *m);
    l2r_real *share = l2r_tape_alloc(t, n_edges, sizeof *share);
    l2r_node node = l2r_tape_push(t, "gates of edges", n_edges, 1, means_backward, (l2r_node[]){x, mask}, 2);
    if (node.id < 0 || !m || !share) return L2R_NO_NODE;
    *m = (struct means){arc_edge, n_arcs, share};
    l2r_value_of(t, node)->saved = m;
    const l2r_real *from = l2r_value_of(t, x)->data;
    l2r_real *to = l2r_value_of(t, node)->data;
    if (t->status != L2R_OK) return L2R_NO_NODE;
    for (int64_t e = 0; e < n_edges; e++) share[e] = to[e] = 0;
    for (int64_t a = 0; a < n_arcs; a++) share[arc_edge[a]] += 1, to[arc_edge[a]] += from[a];
    for (int64_t e = 0; e < n_edges; e++) {
        share[e] = 1 / share[e];
        to[e] *= share[e] * (mask.id >= 0 ? l2r_value_of(t, mask)->data[e] : 1);
    }
    return node;
}

/* ---- graph by graph ---- */

struct by_graph {
    const int32_t *start; /* [n_graphs + 1] */
    double target;
};

/* One column, and as many rows as the graphs have. */
static bool is_column(struct l2r_tape *t, l2r_node x, const int32_t *start, int64_t n_graphs, const char *op)
{
    if (!l2r_tape_ready(t, x)) return false;
    const struct l2r_value *v = l2r_value_of(t, x);
    return l2r_tape_check(t, v->rows == start[n_graphs] && v->cols == 1, "%s: %lld × %lld gates for %d edges", op,
                          (long long)v->rows, (long long)v->cols, start[n_graphs]);
}

/* [n_graphs × 1] */
static l2r_node push_by_graph(struct l2r_tape *t, const char *op, l2r_backward_fn *backward, const l2r_node *inputs,
                              int n_inputs, const int32_t *start, int64_t n_graphs, double target)
{
    struct by_graph *s = l2r_tape_alloc(t, 1, sizeof *s);
    l2r_node node = l2r_tape_push(t, op, n_graphs, 1, backward, inputs, n_inputs);
    if (node.id < 0 || !s) return L2R_NO_NODE;
    *s = (struct by_graph){start, target};
    l2r_value_of(t, node)->saved = s;
    return node;
}

/* Mean of the rows of graph g less the target. */
static double excess(const l2r_real *x, const struct by_graph *s, int64_t g)
{
    double sum = 0;
    for (int64_t i = s->start[g]; i < s->start[g + 1]; i++) sum += (double)x[i];
    return sum / (s->start[g + 1] - s->start[g]) - s->target;
}

static void budget_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct by_graph *s = out->saved;
    const l2r_real *x = l2r_value_of(t, out->input[0])->data;
    l2r_real beta, *d = l2r_grad_of(t, out->input[0], &beta);
    for (int64_t g = 0; d && g < out->rows; g++) {
        double slope = (double)out->grad[g] * 2 * excess(x, s, g) / (s->start[g + 1] - s->start[g]);
        for (int64_t i = s->start[g]; i < s->start[g + 1]; i++)
            d[i] = beta == 0 ? (l2r_real)slope : beta * d[i] + (l2r_real)slope;
    }
}

l2r_node l2r_budget(struct l2r_tape *t, l2r_node x, const int32_t *start, int64_t n_graphs, double target)
{
    if (!is_column(t, x, start, n_graphs, "edge budget")) return L2R_NO_NODE;
    l2r_node node = push_by_graph(t, "edge budget", budget_backward, &x, 1, start, n_graphs, target);
    if (node.id < 0) return node;
    const struct by_graph *s = l2r_value_of(t, node)->saved;
    for (int64_t g = 0; g < n_graphs; g++) {
        double away = start[g + 1] > start[g] ? excess(l2r_value_of(t, x)->data, s, g) : 0;
        l2r_value_of(t, node)->data[g] = (l2r_real)(away * away);
    }
    return node;
}

/* Σ a b and Σ (a + b − a b) over the rows of graph g. */
static void shared_and_all(double *shared, double *all, const l2r_real *a, const l2r_real *b, const int32_t *start,
                           int64_t g)
{
    *shared = *all = 0;
    for (int64_t i = start[g]; i < start[g + 1]; i++) {
        double product = (double)a[i] * (double)b[i];
        *shared += product;
        *all += (double)a[i] + (double)b[i] - product;
    }
}

static void overlap_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct by_graph *s = out->saved;
    for (int k = 0; k < 2; k++) {
        const l2r_real *a = l2r_value_of(t, out->input[k])->data, *b = l2r_value_of(t, out->input[1 - k])->data;
        l2r_real beta, *d = l2r_grad_of(t, out->input[k], &beta);
        for (int64_t g = 0; d && g < out->rows; g++) {
            double shared, all;
            shared_and_all(&shared, &all, a, b, s->start, g);
            for (int64_t i = s->start[g]; i < s->start[g + 1]; i++) {
                double other = (double)b[i], slope = all > 0 ? (other * all - shared * (1 - other)) / (all * all) : 0;
                l2r_real one = (l2r_real)((double)out->grad[g] * slope);
                d[i] = beta == 0 ? one : beta * d[i] + one;
            }
        }
    }
}

l2r_node l2r_overlap(struct l2r_tape *t, l2r_node a, l2r_node b, const int32_t *start, int64_t n_graphs)
{
    const l2r_node masks[] = {a, b};
    if (!is_column(t, a, start, n_graphs, "overlap") || !is_column(t, b, start, n_graphs, "overlap"))
        return L2R_NO_NODE;
    l2r_node node = push_by_graph(t, "overlap", overlap_backward, masks, 2, start, n_graphs, 0);
    for (int64_t g = 0; node.id >= 0 && g < n_graphs; g++) {
        double shared, all;
        shared_and_all(&shared, &all, l2r_value_of(t, a)->data, l2r_value_of(t, b)->data, start, g);
        l2r_value_of(t, node)->data[g] = (l2r_real)(all > 0 ? shared / all : 0);
    }
    return node;
}
