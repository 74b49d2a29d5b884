/* SPDX-License-Identifier: MIT
 *
 * Moving rows and adding arrays:
 *
 *     gather      y_i = x_index(i),  backwards  d_x_index(i) += d_y_i
 *     expand      y_i = mask_i ∘ x_index(i): rows that stand for several nodes become these nodes again, each with the
 *                 dropout mask that it would have had without sharing;  backwards  d_x_r = Σ over i of index r of
 *                 mask_i ∘ d_y_i, row by row over lists of nodes in short blocks, so that no two threads write to one
 *                 row and long sums lose few digits
 *     join        several matrices of one shape as one: side by side, or the largest of each place
 *     sums        of whole arrays, in double where many numbers are added
 *
 * segments.h has the sums over the nodes of a graph.
 */
#ifndef L2R_KERNELS_ROWS_H
#define L2R_KERNELS_ROWS_H

#include "kernels/activation.h"

/* y[i] = table[index[i]];  y [n × dim]. */
void l2r_rows_gather(l2r_real *y, const l2r_real *table, const int32_t *index, int64_t n, int64_t dim);

/* d_table[index[i]] += d_y[i], over a fixed number of partial tables; scratch: l2r_rows_scratch numbers. */
void l2r_rows_scatter_add(l2r_real *d_table, const l2r_real *d_y, const int32_t *index, l2r_real *scratch, int64_t n,
                          int64_t n_rows, int64_t dim);
int64_t l2r_rows_scratch(int64_t n_rows, int64_t dim);

/* One row on the calling thread: y += x,  y = beta·y + alpha·x,  y = a + b. */
void l2r_row_add(l2r_real *restrict y, const l2r_real *restrict x, int64_t n);
void l2r_row_axpby(l2r_real *y, l2r_real beta, l2r_real alpha, const l2r_real *x, int64_t n);
void l2r_row_sum_of_two(l2r_real *y, const l2r_real *a, const l2r_real *b, int64_t n);

/* Whole arrays: y = beta·y + alpha·x. */
void l2r_axpby(l2r_real *y, l2r_real beta, l2r_real alpha, const l2r_real *x, int64_t n);
/* y = a + b. */
void l2r_sum_of_two(l2r_real *y, const l2r_real *a, const l2r_real *b, int64_t n);
/* Σ a_i b_i in double, over fixed chunks; scratch: l2r_dot_scratch doubles. */
double l2r_dot(const l2r_real *a, const l2r_real *b, double *scratch, int64_t n);
int64_t l2r_dot_scratch(int64_t n);

/* dropout may be NULL. y [n × dim], x [n_rows × dim]. */
void l2r_expand_forward(l2r_real *y, const l2r_real *x, const int32_t *index, const struct l2r_dropout *dropout,
                        int64_t n, int64_t dim);

/* The i of index r are node[start[r]] .. node[start[r+1]-1], ascending: start [n_rows + 1], node [n]. */
void l2r_row_lists(int32_t *start, int32_t *node, const int32_t *index, int64_t n, int64_t n_rows);
/* d_x = beta·d_x + … */
void l2r_expand_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const int32_t *start, const int32_t *node,
                         const struct l2r_dropout *dropout, int64_t n_rows, int64_t dim);

/* A block of columns: y[i, 0..cols) = beta·y + x, rows of y and x y_stride and x_stride numbers apart. */
void l2r_block_copy(l2r_real *y, int64_t y_stride, l2r_real beta, const l2r_real *x, int64_t x_stride, int64_t rows,
                    int64_t cols);

/* y = x and argmax = which where x is larger (or not a number); for which = 0 everywhere. So the first of equals
 * stays. */
void l2r_largest_take(l2r_real *y, int32_t *argmax, const l2r_real *x, int32_t which, int64_t n);
/* d_x = beta·d_x + d_y where argmax = which. */
void l2r_largest_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const int32_t *argmax, int32_t which,
                          int64_t n);

#endif
