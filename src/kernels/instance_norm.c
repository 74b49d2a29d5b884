/* SPDX-License-Identifier: MIT
 * See instance_norm.h. A graph is one thread's; sums over its rows are taken in double, in the order of the rows. */
#include "kernels/instance_norm.h"

#include "base/threads.h"

#include <math.h>

enum { COLUMNS = 64 };
static const double epsilon = 1e-5;

struct work {
    l2r_real *out;
    l2r_real beta;
    const l2r_real *x, *y;
    const struct l2r_instance_norm *norm;
};

/* Columns first .. first + n of one graph. */
L2R_CLONES(static, forward_columns, (const struct work *w, int64_t graph, int64_t first, int64_t n),
           (w, graph, first, n))
{
    const struct l2r_instance_norm *norm = w->norm;
    int64_t begin = norm->start[graph], end = norm->start[graph + 1], cols = norm->cols;
    double mean[COLUMNS] = {0}, variance[COLUMNS] = {0}, rows = (double)(end - begin);
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = 0; k < n; k++) mean[k] += (double)w->x[i * cols + first + k] / rows;
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = 0; k < n; k++) {
            double apart = (double)w->x[i * cols + first + k] - mean[k];
            variance[k] += apart * apart / rows;
        }
    l2r_real *inverse = norm->inverse_sd + graph * cols + first;
    for (int64_t k = 0; k < n; k++) inverse[k] = (l2r_real)(1 / sqrt(variance[k] + epsilon));
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = 0; k < n; k++)
            w->out[i * cols + first + k] = (w->x[i * cols + first + k] - (l2r_real)mean[k]) * inverse[k];
}

/* x: d_y. */
L2R_CLONES(static, backward_columns, (const struct work *w, int64_t graph, int64_t first, int64_t n),
           (w, graph, first, n))
{
    const struct l2r_instance_norm *norm = w->norm;
    int64_t begin = norm->start[graph], end = norm->start[graph + 1], cols = norm->cols;
    double mean[COLUMNS] = {0}, along[COLUMNS] = {0}, rows = (double)(end - begin);
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = 0; k < n; k++) {
            double g = (double)w->x[i * cols + first + k] / rows;
            mean[k] += g;
            along[k] += g * (double)w->y[i * cols + first + k];
        }
    const l2r_real *inverse = norm->inverse_sd + graph * cols + first;
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = 0; k < n; k++) {
            int64_t at = i * cols + first + k;
            l2r_real d = (w->x[at] - (l2r_real)mean[k] - w->y[at] * (l2r_real)along[k]) * inverse[k];
            w->out[at] = w->beta == 0 ? d : w->beta * w->out[at] + d;
        }
}

static void run(void *context, int64_t graph)
{
    const struct work *w = context;
    for (int64_t first = 0; first < w->norm->cols; first += COLUMNS) {
        int64_t n = w->norm->cols - first < COLUMNS ? w->norm->cols - first : COLUMNS;
        if (w->y)
            backward_columns(w, graph, first, n);
        else
            forward_columns(w, graph, first, n);
    }
}

void l2r_instance_norm_forward(l2r_real *y, const l2r_real *x, const struct l2r_instance_norm *norm)
{
    struct work w = {.out = y, .x = x, .norm = norm};
    l2r_parallel(norm->n_graphs, run, &w);
}

void l2r_instance_norm_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const l2r_real *y,
                                const struct l2r_instance_norm *norm)
{
    struct work w = {.out = d_x, .beta = beta, .x = d_y, .y = y, .norm = norm};
    l2r_parallel(norm->n_graphs, run, &w);
}
