/* SPDX-License-Identifier: MIT
 *
 * Moving rows: lookup by index and its gradient, sums of rows over the nodes of a graph, and sums of whole arrays.
 * Segments are ranges of rows: segment g is rows start[g] .. start[g+1].
 */
#ifndef L2R_KERNELS_ROWS_H
#define L2R_KERNELS_ROWS_H

#include "kernels/real.h"

/* y[i] = table[index[i]];  y [n × dim]. */
void l2r_rows_gather(l2r_real *y, const l2r_real *table, const int32_t *index, int64_t n, int64_t dim);

/* d_table[index[i]] += d_y[i], over a fixed number of partial tables; scratch: l2r_rows_scratch numbers. */
void l2r_rows_scatter_add(l2r_real *d_table, const l2r_real *d_y, const int32_t *index, l2r_real *scratch, int64_t n,
                          int64_t n_rows, int64_t dim);
int64_t l2r_rows_scratch(int64_t n_rows, int64_t dim);

enum l2r_readout { L2R_READOUT_MEAN, L2R_READOUT_SUM, L2R_READOUT_MAX };

/* y[g] = mean, sum or max of the rows of segment g; an empty segment gives 0. argmax [n_segments × dim] is filled for MAX:
 * the row taken (the first of equals), -1 for an empty segment. */
void l2r_segment_forward(l2r_real *y, int32_t *argmax, const l2r_real *x, const int32_t *start, enum l2r_readout kind,
                         int64_t n_segments, int64_t dim);
/* The same where row i of a segment is row[i] of x; argmax holds the i. row NULL: i itself. */
void l2r_segment_forward_rows(l2r_real *y, int32_t *argmax, const l2r_real *x, const int32_t *row, const int32_t *start,
                              enum l2r_readout kind, int64_t n_segments, int64_t dim);
/* d_x = beta·d_x + …  */
void l2r_segment_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const int32_t *argmax,
                          const int32_t *start, enum l2r_readout kind, int64_t n_segments, int64_t dim);

/* y[i] = x[i] + z[g] for every row i of segment g. */
void l2r_segment_add(l2r_real *y, const l2r_real *x, const l2r_real *z, const int32_t *start, int64_t n_segments,
                     int64_t dim);

/* y = beta·y + alpha·x. */
void l2r_axpby(l2r_real *y, l2r_real beta, l2r_real alpha, const l2r_real *x, int64_t n);
/* y = a + b. */
void l2r_sum_of_two(l2r_real *y, const l2r_real *a, const l2r_real *b, int64_t n);
/* Σ a_i b_i in double, over fixed chunks; scratch: l2r_dot_scratch doubles. */
double l2r_dot(const l2r_real *a, const l2r_real *b, double *scratch, int64_t n);
int64_t l2r_dot_scratch(int64_t n);

#endif
