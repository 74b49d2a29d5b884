/* SPDX-License-Identifier: MIT
 *
 * DiffPool (Ying et al. 2018) as a readout: nodes are dealt softly to K clusters, and each cluster keeps its own sum.
 *
 *     S   = softmax over the K columns of (W (Ã h) + b)        [N × K]; Ã h: GCN's normalised sum over neighbours and the node itself
 *     Z_g = [Σ_v s_v1 h_v ‖ … ‖ Σ_v s_vK h_v]                  [B × K·D]; a graph without nodes gives 0
 *
 * One GCN layer is the pooling network, edge features take no part in it. While training, --pool-loss times
 * (1/B) Σ_g ( ‖A_g − S_g S_gᵀ‖²/n_g² + mean entropy of the rows of S_g ) is added to the loss: neighbours should share a cluster, and
 * a node should have one. DiffPool's second level (message passing between clusters) is not part of a readout.
 */
#ifndef L2R_NN_DIFFPOOL_H
#define L2R_NN_DIFFPOOL_H

#include "nn/layers.h"
#include "nn/model.h"

struct l2r_diffpool {
    struct l2r_linear assign; /* [K × D]; weight NULL: not declared */
    double loss;              /* weight of the two losses; 0: off */
};

/* Declares "pool.assign" for nodes of `dim` columns, from --pool-clusters and --pool-loss. */
struct l2r_diffpool l2r_diffpool_add(const struct l2r_build *build, int64_t dim);
l2r_node l2r_diffpool(struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, const struct l2r_diffpool *p);

/* K of a network that reads out in this way; 0: it does not. */
int64_t l2r_diffpool_clusters(const struct l2r_params *params);

#endif
