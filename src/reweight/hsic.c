/* SPDX-License-Identifier: MIT
 * See hsic.h: the kernel matrices, one block of Z each. What is done with them in a step is kernels/hsic.c. */
#include "reweight/hsic.h"

#include "base/threads.h"

#include <math.h>

struct blocks {
    const l2r_real *z;
    int64_t rows, n_blocks, dim;
    double sigma;
    double **kernel; /* [n_blocks] */
    l2r_real *x;     /* [n_blocks × rows × dim]: standardised */
    double *pairs;   /* [n_blocks × pairs of rows] */
    bool *alive;     /* [n_blocks]: not constant */
};

/* Column j of block k, mean 0 and variance 1 over the rows; false: it is constant and becomes 0. */
static bool standardise(l2r_real *x, const struct blocks *b, int64_t k, int64_t j)
{
    int64_t width = b->n_blocks * b->dim, at = k * b->dim + j;
    double mean = 0, square = 0;
    for (int64_t n = 0; n < b->rows; n++) mean += (double)b->z[n * width + at] / (double)b->rows;
    for (int64_t n = 0; n < b->rows; n++) {
        double apart = (double)b->z[n * width + at] - mean;
        square += apart * apart;
    }
    double sd = sqrt(square / (double)b->rows);
    bool varies = sd > 1e-7 * (1 + fabs(mean));
    for (int64_t n = 0; n < b->rows; n++)
        x[n * b->dim + j] = varies ? (l2r_real)(((double)b->z[n * width + at] - mean) / sd) : 0;
    return varies;
}

/* The element of rank `rank` (from 0) of x [n], which is reordered: quickselect with the middle element as
 * pivot. */
static double select_rank(double *x, int64_t n, int64_t rank)
{
    int64_t low = 0, high = n - 1;
    while (low < high) {
        double pivot = x[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (x[i] < pivot) i++;
            while (x[j] > pivot) j--;
            if (i > j) break;
            double held = x[i];
            x[i++] = x[j], x[j--] = held;
        }
        if (rank <= j)
            high = j;
        else if (rank >= i)
            low = i;
        else
            break;
    }
    return x[rank];
}

/* The lower median of the squared distances; where it is 0 because most rows are alike, their mean. */
static double middle_distance(double *pairs, const double *k, int64_t rows)
{
    int64_t count = 0;
    double mean = 0;
    for (int64_t n = 0; n < rows; n++)
        for (int64_t m = 0; m < n; m++) mean += pairs[count++] = k[n * l2r_kernel_stride(rows) + m];
    double median = select_rank(pairs, count, (count - 1) / 2);
    return median > 0 ? median : mean / (double)count;
}

static void make_kernel(void *context, int64_t k)
{
    const struct blocks *b = context;
    l2r_real *x = b->x + k * b->rows * b->dim;
    int64_t varying = 0;
    for (int64_t j = 0; j < b->dim; j++) varying += standardise(x, b, k, j);
    b->alive[k] = varying > 0;
    if (!b->alive[k]) return;
    l2r_squared_distances(b->kernel[k], x, (double)varying, b->rows, b->dim);
    double square = b->sigma * b->sigma;
    if (square == 0) square = middle_distance(b->pairs + k * (b->rows * (b->rows - 1) / 2), b->kernel[k], b->rows);
    l2r_rbf(b->kernel[k], 0.5 / square, b->rows);
}

enum l2r_status l2r_hsic_init(struct l2r_hsic *h, struct l2r_arena *arena, const l2r_real *z, int64_t n_rows,
                              int64_t n_blocks, int64_t dim, const struct l2r_hsic_options *options,
                              struct l2r_error *error)
{
    size_t blocks = (size_t)n_blocks, rows = (size_t)n_rows, square = rows * (size_t)l2r_kernel_stride(n_rows);
    size_t pairs = rows > 1 ? rows * (rows - 1) / 2 : 0, count = 0;
    struct blocks b = {.z = z, .rows = n_rows, .n_blocks = n_blocks, .dim = dim, .sigma = options->sigma};
    *h = (struct l2r_hsic){.options = *options};
    double *matrices = l2r_arena_alloc(arena, blocks * square, sizeof *matrices);
    b.kernel = l2r_arena_alloc(arena, blocks, sizeof *b.kernel);
    b.x = l2r_arena_alloc(arena, blocks * rows * (size_t)dim, sizeof *b.x);
    b.pairs = l2r_arena_alloc(arena, options->sigma > 0 ? 0 : blocks * pairs, sizeof *b.pairs);
    b.alive = l2r_arena_zeroed(arena, blocks, sizeof *b.alive);
    h->scratch = l2r_arena_alloc(arena, (size_t)l2r_weighted_hsic_scratch(n_blocks, n_rows), sizeof *h->scratch);
    if (!matrices || !b.kernel || !b.x || !b.pairs || !b.alive || !h->scratch)
        return l2r_fail_memory(error, 2 * blocks * square * sizeof *matrices,
                               "the dependence between clusters; try a smaller batch");
    for (size_t k = 0; k < blocks; k++) b.kernel[k] = matrices + k * square;
    if (n_rows > 1) l2r_parallel(n_blocks, make_kernel, &b);
    for (size_t k = 0; k < blocks; k++)
        if (b.alive[k]) b.kernel[count++] = b.kernel[k];
    h->matrices = (struct l2r_kernel_matrices){(int64_t)count, n_rows, options->scaled, b.kernel};
    return L2R_OK;
}

double l2r_hsic_value(struct l2r_hsic *h, double *gradient, const double *w)
{
    int64_t rows = h->matrices.rows;
    double scale = rows > 1 ? 1 / (((double)rows - 1) * ((double)rows - 1)) : 0;
    double value = l2r_weighted_hsic(gradient, &h->matrices, w, h->scratch);
    for (int64_t n = 0; gradient && n < rows; n++) gradient[n] *= scale;
    return scale * value;
}

static double objective_value(void *state, double *gradient, const double *w)
{
    return l2r_hsic_value(state, gradient, w);
}

struct l2r_objective l2r_hsic_objective(struct l2r_hsic *h)
{
    return (struct l2r_objective){objective_value, h, h->matrices.rows};
}
