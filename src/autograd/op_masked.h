/* SPDX-License-Identifier: MIT
 *
 * The operations through which masks (struct l2r_masks in tape.h) reach a network. A model needs to know none of them
 * unless it sums over neighbours in a way of its own: ops.h's sums, and the stack's encoder, call them when the tape
 * has masks.
 */
#ifndef L2R_AUTOGRAD_OP_MASKED_H
#define L2R_AUTOGRAD_OP_MASKED_H

#include "autograd/tape.h"
#include "kernels/aggregate.h"

/* The sums of l2r_sum_neighbours (symmetric false, self is eps) and l2r_gcn_neighbours (symmetric true, self is root)
 * with every message times its edge's mask; `op` names it in errors. x, and the masks, may have gradients, parameters
 * may not. */
l2r_node l2r_masked_neighbours(struct l2r_tape *t, const char *op, const struct l2r_adjacency *graph, l2r_node x,
                               l2r_node self, l2r_node edges, bool symmetric);

/* Rows 0 .. n_arcs-1 of x [≥ n_arcs × K] times their edges' masks; the other rows stay. x itself when there is no
 * mask. */
l2r_node l2r_mask_arcs(struct l2r_tape *t, const struct l2r_adjacency *graph, l2r_node x);

/* h_v = Σ_k f_gk · tables[k][rows[type[v], k]], f_g the row of the column masks for v's graph g: [N × D]. start
 * [n_graphs + 1]. */
l2r_node l2r_masked_embedding(struct l2r_tape *t, const l2r_node *tables, int32_t n_tables, const int32_t *rows,
                              const int32_t *type, const int32_t *start, int64_t n_graphs);

/* y_vk = f_g,(first+k) · x_vk for a constant x [N × K]. */
l2r_node l2r_mask_columns(struct l2r_tape *t, l2r_node x, int64_t first, const int32_t *start, int64_t n_graphs);

#endif
