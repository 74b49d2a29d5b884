/* SPDX-License-Identifier: MIT
 *
 * Masked nodes (Hu et al. 2020, "Strategies for pre-training graph neural networks"): a second pass over the batch in
 * which the features of some nodes of every graph are masked and predicted from their neighbours. With M_g =
 * round(share · n_g) nodes of graph g, at least one,
 *
 *     encode(v) = 0 for v ∈ M_g,     ℓ_g = (1/|M_g|) Σ_{v ∈ M_g} cross entropy(A h_v + a, category of v)
 *
 * h [N × D'] are the nodes' rows that the backbone reads out; the category is the first column, the element of an atom.
 * The mean of ℓ over the batch is added to the training loss. A and a are part of the head: transfer of the backbone
 * (fit/transfer.h) drops them. Scoring, prediction and running statistics of norms never use masked nodes.
 */
#ifndef L2R_NN_MASKING_H
#define L2R_NN_MASKING_H

#include "nn/layers.h"

struct l2r_network;

struct l2r_masking {
    double share;            /* of the nodes of a graph; 0: none are hidden */
    struct l2r_linear guess; /* A and a */
};

extern const struct l2r_option l2r_masking_options[]; /* --mask-atoms; ends with a zero row */

/* Declares A and a where the options ask for them, after everything else. */
struct l2r_masking l2r_masking_add(const struct l2r_build *build, const struct l2r_model_type *type);
/* Adds the loss of the batch to the tape's (l2r_tape_add_loss); nothing if no node is masked. A training pass; which
 * nodes are hidden depends on seed, step and the graph's place in the batch. */
void l2r_masking_loss(const struct l2r_network *network, struct l2r_tape *t, const struct l2r_batch *b, uint64_t seed,
                      uint64_t step);

#endif
