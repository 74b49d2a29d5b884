/* SPDX-License-Identifier: MIT
 *
 * Batch normalisation with activation and dropout, in one pass over memory:
 *
 *     y = dropout(act(γ · (x − mean) / sqrt(var + ε) + β)),   x, y [rows × cols], statistics per column
 *
 * Sums are taken relative to the first row (so that a large mean costs no digits) in short blocks of l2r_real folded
 * into double, over fixed chunks of rows that are added in order. The backward pass finds out from x what was dropped
 * or below zero: y need not be kept for it.
 */
#ifndef L2R_KERNELS_NORM_H
#define L2R_KERNELS_NORM_H

#include "kernels/activation.h"

/* Rows that stand for several equal ones each. */
struct l2r_row_counts {
    const l2r_real *count; /* [rows]; NULL: one each */
    int64_t total;         /* their sum */
};

/* Mean and biased variance of each column, over all rows that the rows stand for (counts NULL: themselves). scratch:
 * l2r_moments_scratch doubles. */
void l2r_moments(l2r_real *mean, l2r_real *variance, const l2r_real *x, const struct l2r_row_counts *counts,
                 double *scratch, int64_t rows, int64_t cols);
int64_t l2r_moments_scratch(int64_t rows, int64_t cols);

/* The same in two steps, for rows that are only a part of all: sums [2 × cols] become Σ (x − origin) and Σ (x −
 * origin)² of each column, to be added to those of the other parts; the moments are those of the `n` rows that the sums
 * are of. No rows: zeros. */
void l2r_moment_sums(double *sums, const l2r_real *origin, const l2r_real *x, const struct l2r_row_counts *counts,
                     double *scratch, int64_t rows, int64_t cols);
void l2r_moments_of(l2r_real *mean, l2r_real *variance, const double *sums, const l2r_real *origin, int64_t n,
                    int64_t cols);

/* y = dropout(act(x · scale + shift)). */
struct l2r_affine {
    const l2r_real *x;             /* [rows × cols] */
    const l2r_real *scale, *shift; /* [cols] */
    const struct l2r_activation *act;
    const struct l2r_dropout *dropout; /* NULL: none */
    int64_t cols;
};
void l2r_affine_forward(l2r_real *y, const struct l2r_affine *affine, int64_t rows);
/* Rows begin .. end on the calling thread; y begins with row `begin`. */
void l2r_affine_rows(l2r_real *y, const struct l2r_affine *affine, int64_t begin, int64_t end);

/* A matrix that is there, or one that is made block by block when it is needed. */
struct l2r_input {
    const l2r_real *data;            /* [rows × cols], or NULL: */
    const struct l2r_affine *affine; /* what makes it */
    int64_t cols;
};
/* Rows begin .. end: of data, or in temp, which has room for them. */
const l2r_real *l2r_input_rows(const struct l2r_input *input, l2r_real *temp, int64_t begin, int64_t end);
/* Numbers of temp for every thread of a loop whose chunks have up to `rows` rows; a chunk's begins at l2r_worker()
 * times that of one. */
int64_t l2r_input_temp(const struct l2r_input *input, int64_t rows);

struct l2r_norm_saved {
    struct l2r_affine affine;
    const l2r_real *mean, *inverse_sd;   /* [cols] */
    const l2r_real *gamma;               /* [cols] */
    int batch_statistics;                /* mean and inverse_sd depend on x (training), or are constants */
    const struct l2r_row_counts *counts; /* NULL: one node per row */
};

/* d_x = beta·d_x + … (NULL: not wanted; may be d_y); d_gamma, d_beta are added to (NULL: not wanted). d_y is
 * overwritten. With counts, d_y of a row is the sum over all rows that it stands for, and d_x becomes such a sum too.
 * scratch: l2r_norm_backward_scratch doubles. */
void l2r_norm_backward(l2r_real *d_x, l2r_real beta, l2r_real *d_gamma, l2r_real *d_beta, l2r_real *d_y,
                       const struct l2r_norm_saved *saved, double *scratch, int64_t rows);

int64_t l2r_norm_backward_scratch(int64_t rows, int64_t cols);

/* The same in two steps, for rows that are only a part of all: sums [2 × cols] become Σ g and Σ g (x − mean) of these
 * rows, d_y becomes g. Then d_gamma and d_beta take the part's own sums, and d_x those over all `n` rows (0: mean and
 * variance were constants). */
void l2r_norm_backward_sums(double *sums, l2r_real *d_y, const struct l2r_norm_saved *saved, double *scratch,
                            int64_t rows);
void l2r_norm_backward_rows(l2r_real *d_x, l2r_real beta, l2r_real *d_gamma, l2r_real *d_beta, const l2r_real *d_y,
                            const struct l2r_norm_saved *saved, const double *own, const double *all, double n,
                            double *scratch, int64_t rows);

#endif
