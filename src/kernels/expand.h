/* SPDX-License-Identifier: MIT
 *
 * Rows that stand for several nodes become these nodes again, with dropout:
 *
 *     y_i = mask_i ∘ x_index(i)                 a mask for every node, the one it would have had without sharing
 *     d_x_r = Σ over i of index r of mask_i ∘ d_y_i
 *
 * The gradient is summed row by row over lists of nodes, in short blocks, so that no two threads write to one row and long sums lose few digits.
 */
#ifndef L2R_KERNELS_EXPAND_H
#define L2R_KERNELS_EXPAND_H

#include "kernels/mask.h"

/* dropout may be NULL. y [n × dim], x [n_rows × dim]. */
void l2r_expand_forward(l2r_real *y, const l2r_real *x, const int32_t *index, const struct l2r_dropout *dropout,
                        int64_t n, int64_t dim);

/* The i of index r are node[start[r]] .. node[start[r+1]-1], ascending: start [n_rows + 1], node [n]. */
void l2r_row_lists(int32_t *start, int32_t *node, const int32_t *index, int64_t n, int64_t n_rows);
/* d_x = beta·d_x + … */
void l2r_expand_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const int32_t *start, const int32_t *node,
                         const struct l2r_dropout *dropout, int64_t n_rows, int64_t dim);

#endif
