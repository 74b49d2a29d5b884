/* SPDX-License-Identifier: MIT
 *
 * Losses, one number per graph, so that a method can weight the graphs. Sizes are a few hundred numbers: plain loops in
 * double.
 *     cross entropy           c_y · (log Σ_k exp(o_k) − o_y)
 *     binary cross entropy    mean over labelled tasks of  p_k·y·softplus(−o) + (1−y)·softplus(o)
 *     regression              mean over labelled tasks of ρ(o − (T(y) − mean)/sd), 0 beyond a bound
 *                             squared ρ(e) = e², absolute ρ(e) = |e|, Huber ρ(e) = e² up to |e| = 1 and then 2|e| − 1
 * The derivative with respect to the outputs is computed beside the value and kept: backward only scales it.
 */
#include "autograd/ops.h"

#include <math.h>

static void loss_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const l2r_real *slope = out->saved; /* [B × outputs]: d loss_n / d output_nk */
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    int64_t cols = l2r_value_of(t, out->input[0])->cols;
    if (!grad) return;
    for (int64_t n = 0; n < out->rows; n++)
        for (int64_t k = 0; k < cols; k++) {
            l2r_real g = out->grad[n] * slope[n * cols + k];
            grad[n * cols + k] = beta == 0 ? g : grad[n * cols + k] + g;
        }
}

/* A [B × 1] value with room for the slopes; *outputs and *slope point at what the caller fills. */
static l2r_node push_loss(struct l2r_tape *t, const char *op, l2r_node output, l2r_real **slope)
{
    if (!l2r_tape_ready(t, output)) return L2R_NO_NODE;
    struct l2r_value *in = l2r_value_of(t, output);
    int64_t rows = in->rows, cols = in->cols;
    *slope = l2r_tape_alloc(t, rows * cols, sizeof **slope);
    l2r_node node = l2r_tape_push(t, op, rows, 1, loss_backward, &output, 1);
    if (node.id >= 0) l2r_value_of(t, node)->saved = *slope;
    return node;
}

l2r_node l2r_cross_entropy(struct l2r_tape *t, l2r_node logits, const float *labels, const l2r_real *weight)
{
    l2r_real *slope;
    l2r_node node = push_loss(t, "cross entropy", logits, &slope);
    if (node.id < 0) return node;
    struct l2r_value *in = l2r_value_of(t, logits), *out = l2r_value_of(t, node);
    int64_t classes = in->cols;
    for (int64_t n = 0; n < in->rows; n++) {
        const l2r_real *o = in->data + n * classes;
        bool known = !isnan(labels[n]);
        int64_t y = known ? (int64_t)labels[n] : 0;
        if (!l2r_tape_check(t, y >= 0 && y < classes, "cross entropy: label %lld is outside 0..%lld", (long long)y,
                            (long long)classes - 1))
            return L2R_NO_NODE;
        double top = (double)o[0], sum = 0, c = !known ? 0 : weight ? (double)weight[y] : 1;
        for (int64_t k = 1; k < classes; k++) top = fmax(top, (double)o[k]);
        for (int64_t k = 0; k < classes; k++) sum += exp((double)o[k] - top);
        out->data[n] = (l2r_real)(c * (log(sum) + top - (double)o[y]));
        for (int64_t k = 0; k < classes; k++)
            slope[n * classes + k] = (l2r_real)(c * (exp((double)o[k] - top) / sum - (k == y ? 1 : 0)));
    }
    return node;
}

static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double sigmoid(double x)
{
    return x > 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

static int64_t count_known(const float *labels, int64_t n)
{
    int64_t known = 0;
    for (int64_t k = 0; k < n; k++) known += !isnan(labels[k]);
    return known;
}

l2r_node l2r_binary_cross_entropy(struct l2r_tape *t, l2r_node logits, const float *labels, const l2r_real *weight)
{
    l2r_real *slope;
    l2r_node node = push_loss(t, "binary cross entropy", logits, &slope);
    if (node.id < 0) return node;
    struct l2r_value *in = l2r_value_of(t, logits), *out = l2r_value_of(t, node);
    int64_t tasks = in->cols;
    for (int64_t n = 0; n < in->rows; n++) {
        const float *y = labels + n * tasks;
        double sum = 0, share = 1 / fmax(1, (double)count_known(y, tasks));
        for (int64_t k = 0; k < tasks; k++) {
            double o = (double)in->data[n * tasks + k], p = weight ? (double)weight[k] : 1, label = (double)y[k], d = 0;
            if (!isnan(label)) {
                sum += p * label * softplus(-o) + (1 - label) * softplus(o);
                d = p * label * (sigmoid(o) - 1) + (1 - label) * sigmoid(o);
            }
            slope[n * tasks + k] = (l2r_real)(d * share);
        }
        out->data[n] = (l2r_real)(sum * share);
    }
    return node;
}

/* ρ(e), and its derivative. */
static double rho(double *slope, enum l2r_distance distance, double e)
{
    bool squares = distance == L2R_DISTANCE_SQUARED || (distance == L2R_DISTANCE_HUBER && fabs(e) <= 1);
    double sign = (e > 0) - (e < 0), steep = distance == L2R_DISTANCE_HUBER ? 2 : 1;
    *slope = squares ? 2 * e : steep * sign;
    return squares ? e * e : steep * fabs(e) - (steep - 1);
}

l2r_node l2r_regression_error(struct l2r_tape *t, l2r_node output, const float *labels, const int8_t *bound,
                              const struct l2r_target_scale *scale, enum l2r_distance distance)
{
    l2r_real *slope;
    l2r_node node = push_loss(t, "regression error", output, &slope);
    if (node.id < 0) return node;
    struct l2r_value *in = l2r_value_of(t, output), *out = l2r_value_of(t, node);
    int64_t tasks = in->cols;
    for (int64_t n = 0; n < in->rows; n++) {
        const float *y = labels + n * tasks;
        double sum = 0, share = 1 / fmax(1, (double)count_known(y, tasks));
        for (int64_t k = 0; k < tasks; k++) {
            double d,
                error = isnan(y[k]) ? 0 : (double)in->data[n * tasks + k] - l2r_target_scaled(scale, k, (double)y[k]);
            if (bound && bound[n * tasks + k] * error > 0) error = 0; /* on the right side of the bound */
            sum += rho(&d, distance, error);
            slope[n * tasks + k] = (l2r_real)(d * share);
        }
        out->data[n] = (l2r_real)(sum * share);
    }
    return node;
}

static void scale_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const l2r_real *w = out->saved; /* [rows] */
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    for (int64_t i = 0; grad && i < out->rows * out->cols; i++) {
        l2r_real g = out->grad[i] * w[i / out->cols];
        grad[i] = beta == 0 ? g : grad[i] + g;
    }
}

l2r_node l2r_scale_rows(struct l2r_tape *t, l2r_node x, const float *weight, double scale)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, cols = l2r_value_of(t, x)->cols;
    l2r_real *w = l2r_tape_alloc(t, rows, sizeof *w);
    l2r_node node = l2r_tape_push(t, "row weights", rows, cols, scale_backward, &x, 1);
    if (node.id < 0) return node;
    struct l2r_value *in = l2r_value_of(t, x), *out = l2r_value_of(t, node);
    for (int64_t i = 0; i < rows; i++) w[i] = (l2r_real)((double)weight[i] * scale);
    for (int64_t i = 0; i < rows * cols; i++) out->data[i] = in->data[i] * w[i / cols];
    out->saved = w;
    return node;
}

struct mean {
    const l2r_real *w;
    int64_t total; /* rows that it is the mean of, over all ranks */
};

static void mean_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct mean *saved = out->saved;
    const l2r_real *w = saved->w;
    int64_t n = l2r_value_of(t, out->input[0])->rows;
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    for (int64_t i = 0; grad && i < n; i++) {
        l2r_real g = out->grad[0] * (w ? w[i] : 1) / (l2r_real)saved->total;
        grad[i] = beta == 0 ? g : grad[i] + g;
    }
}

/* How many rows there are over all ranks when there are n here, the same number for each graph. */
static int64_t rows_of_all(struct l2r_tape *t, int64_t n)
{
    const struct l2r_rows *graphs = &t->pass.share.rows[L2R_AT_GRAPHS];
    if (!t->pass.share.comm) return n;
    if (graphs->here == 0) return 1; /* nothing here to be divided by it */
    l2r_tape_check(t, n % graphs->here == 0, "weighted mean: %lld numbers of %lld graphs", (long long)n,
                   (long long)graphs->here);
    return n / graphs->here * graphs->total;
}

l2r_node l2r_weighted_mean(struct l2r_tape *t, l2r_node x, const l2r_real *w)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t n = l2r_value_of(t, x)->rows;
    if (!l2r_tape_check(t, (n > 0 || t->pass.share.comm) && l2r_value_of(t, x)->cols == 1,
                        "weighted mean: of %lld × %lld numbers", (long long)n, (long long)l2r_value_of(t, x)->cols))
        return L2R_NO_NODE;
    l2r_real *copy = w ? l2r_tape_alloc(t, n, sizeof *copy) : NULL;
    struct mean *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_node node = l2r_tape_push(t, "weighted mean", 1, 1, mean_backward, &x, 1);
    if (node.id < 0) return node;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        if (copy) copy[i] = w[i];
        sum += (w ? (double)w[i] : 1) * (double)l2r_value_of(t, x)->data[i];
    }
    *saved = (struct mean){copy, rows_of_all(t, n)};
    l2r_value_of(t, node)->saved = saved;
    l2r_value_of(t, node)->data[0] = (l2r_real)(sum / (double)saved->total);
    return node;
}
