/* SPDX-License-Identifier: MIT
 *
 * Operations on a graph seen as K weighted graphs, its factors (kernels/factor.h has the formulas).
 */
#ifndef L2R_AUTOGRAD_OP_FACTOR_H
#define L2R_AUTOGRAD_OP_FACTOR_H

#include "autograd/tape.h"
#include "kernels/factor.h"

/* What all operations on these factors share; it lives in the tape's arena. NULL after a failure. */
const struct l2r_factors *l2r_factors_of(struct l2r_tape *t, const struct l2r_adjacency *graph, int64_t n_factors);

/* The weights of all arcs, then of each node to itself, [(arcs + N) × K]: scores [N × 2K] of a node as source, then as
 * target; bonds [types × K] or L2R_NO_NODE. */
l2r_node l2r_edge_gates(struct l2r_tape *t, const struct l2r_factors *f, l2r_node scores, l2r_node bonds);

/* Sums over neighbours, each factor with its own weights: of its own block of the columns of x, [N × D] to [N × D]; or,
 * shared, of all columns, [N × D] to [N × K·D]. */
l2r_node l2r_factor_neighbours(struct l2r_tape *t, const struct l2r_factors *f, l2r_node x, l2r_node gates,
                               bool shared);

/* The same numbers in rows of another length. */
l2r_node l2r_reshape(struct l2r_tape *t, l2r_node x, int64_t rows, int64_t cols);

#endif
