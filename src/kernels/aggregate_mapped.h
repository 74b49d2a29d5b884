/* SPDX-License-Identifier: MIT
 *
 * The gradient of an aggregation whose rows are mapped (struct l2r_row_map): called by l2r_aggregate_backward, with its contract.
 *
 *     d_x_self(v) += self part,   d_x_u += s_v s_u · φ'(x_u + e_uv) · d_y_v     for every arc of every row v of y
 *
 * The rows of x are few and shared by all rows of y, so each chunk of rows of y adds into a table of its own,
 * [rows of x, edge types, root], and the tables are added in order. How many there are follows from the sizes alone.
 */
#ifndef L2R_KERNELS_AGGREGATE_MAPPED_H
#define L2R_KERNELS_AGGREGATE_MAPPED_H

#include "kernels/aggregate.h"

void l2r_mapped_backward(l2r_real *d_x, l2r_real beta, l2r_real *d_table, l2r_real *d_root, const l2r_real *d_y,
                         const l2r_real *x, const struct l2r_aggregation *a, l2r_real *scratch);
int64_t l2r_mapped_scratch(const struct l2r_aggregation *a);

#endif
