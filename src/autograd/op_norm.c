/* SPDX-License-Identifier: MIT
 *
 * Batch norm, activation and dropout as one op (kernels/norm.h). With batch statistics the running mean and variance
 * move by `momentum` towards the batch's (variance unbiased, as PyTorch does); without, they are used. The statistics
 * are computed at once, the values lazily: a linear layer makes them block by block and keeps
 * none.
 *
 * Of a batch that is divided among ranks the statistics are those of the whole: sums about the running mean, which all
 * ranks share, are added up, and on the way back those of the gradients.
 */
#include "autograd/ops.h"
#include "kernels/norm.h"

#include <math.h>
#include <string.h>

struct saved {
    struct l2r_norm_saved norm;
    struct l2r_dropout dropout;
    int64_t total; /* rows over all ranks; 0: all are here, or their statistics are constants */
};

static void norm_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct saved *saved = out->saved;
    l2r_real ignored, beta;
    l2r_real *d_gamma = l2r_grad_of(t, out->input[1], &ignored), *d_beta = l2r_grad_of(t, out->input[2], &ignored);
    l2r_real *d_y = out->grad, *d_x = l2r_grad_in_place(t, out->input[0], out, &beta);
    double *scratch = l2r_tape_scratch(t, l2r_norm_backward_scratch(out->rows, out->cols), sizeof *scratch);
    double *sums = saved->total > 0 ? l2r_tape_scratch(t, 4 * out->cols, sizeof *sums) : NULL, *all = sums;
    if (t->status != L2R_OK) return;
    if (!sums) {
        l2r_norm_backward(d_x, beta, d_gamma, d_beta, d_y, &saved->norm, scratch, out->rows);
        return;
    }
    all += 2 * out->cols;
    l2r_norm_backward_sums(sums, d_y, &saved->norm, scratch, out->rows);
    memcpy(all, sums, 2 * (size_t)out->cols * sizeof *sums);
    l2r_comm_sum(t->pass.share.comm, all, 2 * out->cols, sizeof *all);
    l2r_norm_backward_rows(d_x, beta, d_gamma, d_beta, d_y, &saved->norm, sums, all, (double)saved->total, scratch,
                           out->rows);
}

/* Mean and variance of each column; returns the rows that they are of, over all ranks. */
static int64_t find_moments(l2r_real *mean, l2r_real *variance, struct l2r_tape *t, const l2r_real *x,
                            const struct l2r_norm_state *state, const struct l2r_row_counts *counts, double *scratch,
                            int64_t rows, int64_t cols)
{
    int64_t n = counts ? counts->total : rows;
    if (!t->pass.share.comm) {
        l2r_moments(mean, variance, x, counts, scratch, rows, cols);
        return n;
    }
    double *sums = scratch + l2r_moments_scratch(rows, cols);
    n = l2r_tape_rows(t, n, "batch norm").total;
    l2r_moment_sums(sums, state->running_mean, x, counts, scratch, rows, cols);
    l2r_comm_sum(t->pass.share.comm, sums, 2 * cols, sizeof *sums);
    l2r_moments_of(mean, variance, sums, state->running_mean, n, cols);
    return n;
}

static void move_statistics(const struct l2r_norm_state *state, const l2r_real *mean, const l2r_real *variance,
                            int64_t n, int64_t cols)
{
    double unbiased = n > 1 ? (double)n / (double)(n - 1) : 1;
    for (int64_t j = 0; j < cols; j++) {
        double m = state->momentum;
        state->running_mean[j] = (l2r_real)((1 - m) * (double)state->running_mean[j] + m * (double)mean[j]);
        state->running_variance[j] =
            (l2r_real)((1 - m) * (double)state->running_variance[j] + m * unbiased * (double)variance[j]);
    }
}

l2r_node l2r_batch_norm(struct l2r_tape *t, l2r_node x, l2r_node gamma, l2r_node beta,
                        const struct l2r_norm_state *state, const struct l2r_activation *act, double drop)
{
    return l2r_batch_norm_counted(t, x, gamma, beta, state, NULL, act, drop);
}

l2r_node l2r_batch_norm_counted(struct l2r_tape *t, l2r_node x, l2r_node gamma, l2r_node beta,
                                const struct l2r_norm_state *state, const struct l2r_row_counts *counts,
                                const struct l2r_activation *act, double drop)
{
    if (!l2r_tape_ready(t, x) || !l2r_tape_ready(t, gamma) || !l2r_tape_ready(t, beta)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, cols = l2r_value_of(t, x)->cols;
    if (!l2r_tape_check(t, l2r_value_of(t, gamma)->cols == cols, "batch norm: made for %lld columns, given %lld",
                        (long long)l2r_value_of(t, gamma)->cols, (long long)cols))
        return L2R_NO_NODE;
    bool divided = t->pass.share.comm != NULL, batch = t->pass.batch_statistics && (rows > 0 || divided);
    int64_t n = 0;
    struct saved *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_real *column = l2r_tape_alloc(t, 5 * cols, sizeof *column);
    double *scratch = batch ? l2r_tape_scratch(t, l2r_moments_scratch(rows, cols) + 2 * cols, sizeof *scratch) : NULL;
    if (t->status != L2R_OK) return L2R_NO_NODE;
    l2r_real *mean = column, *variance = mean + cols, *inverse = variance + cols, *scale = inverse + cols,
             *shift = scale + cols;
    const l2r_real *in = l2r_value_of(t, x)->data, *g = l2r_value_of(t, gamma)->data, *b = l2r_value_of(t, beta)->data;
    if (batch) {
        n = find_moments(mean, variance, t, in, state, counts, scratch, rows, cols);
        if (t->pass.update_statistics) move_statistics(state, mean, variance, n, cols);
    }
    for (int64_t j = 0; j < cols; j++) {
        if (!batch) mean[j] = state->running_mean[j], variance[j] = state->running_variance[j];
        inverse[j] = (l2r_real)(1 / sqrt((double)variance[j] + state->epsilon));
        scale[j] = g[j] * inverse[j];
        shift[j] = b[j] - mean[j] * scale[j];
    }
    *saved = (struct saved){.norm = {.affine = {in, scale, shift, act, NULL, cols},
                                     .mean = mean,
                                     .inverse_sd = inverse,
                                     .gamma = g,
                                     .batch_statistics = batch,
                                     .counts = counts},
                            .total = batch && divided ? n : 0};
    if (t->pass.dropout && drop > 0) {
        saved->dropout = l2r_dropout_draw(t, drop, rows, cols);
        saved->norm.affine.dropout = &saved->dropout;
    }
    l2r_arena_reset(&t->scratch);
    l2r_node node =
        l2r_tape_push_lazy(t, "batch norm", &saved->norm.affine, rows, norm_backward, (l2r_node[]){x, gamma, beta}, 3);
    if (node.id >= 0) l2r_value_as_is(t, node)->saved = saved;
    return node;
}
