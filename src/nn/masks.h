/* SPDX-License-Identifier: MIT
 *
 * Masks (struct l2r_masks in autograd/tape.h) where networks are built: the encoder of a masked pass, and the map from arcs to edges when
 * pooling has made the graph smaller.
 */
#ifndef L2R_NN_MASKS_H
#define L2R_NN_MASKS_H

#include "nn/stack.h"

/* What a stack reads of its nodes, as columns that can be masked: categorical ones, then real ones; 0 for bare nodes. */
int64_t l2r_masks_columns(const struct l2r_signature *signature);

/* l2r_stack_encode with every column's contribution times its mask: Σ_k f_k Embedding_k[x_vk] + W (f' ∘ x'_v). */
l2r_node l2r_masked_encode(const struct l2r_stack *stack, struct l2r_tape *t, const struct l2r_batch *b);

/* The graph at hand becomes the one between the nodes keep[0 .. n_kept-1] of `graph`, which has n_arcs arcs; place [n_nodes] is the new
 * number of each old node, or negative. Nothing happens without masks. */
void l2r_masks_reduce(struct l2r_tape *t, const struct l2r_adjacency *graph, const int32_t *keep, const int32_t *place,
                      int64_t n_kept, int64_t n_arcs);

#endif
