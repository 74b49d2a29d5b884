/* SPDX-License-Identifier: MIT
 *
 * Attention over neighbours with K heads, as in GATv2 (Brody et al. 2022). The D columns are cut into K blocks, one for
 * each head k, and in each block
 *
 *     z_uv   = s_u + t_v + e_type(uv)                       s: sender, t: receiver
 *     α_uv,k = softmax over u ∈ N(v) ∪ {v} of a_k · LeakyReLU(z_uv)_k        LeakyReLU(x) = max(x, 0.2 x); e_vv = 0
 *     y_v,k  = Σ_u α_uv,k s_u,k
 *
 * Self loops of the data are left out: a node attends to itself anyway. α is stored in the order of the arcs of their
 * target, then a row for each node itself: [(n_arcs + n_nodes) × K]. Backwards a first pass goes over targets (what α,
 * a, e and t get), a second over senders, each row written by one thread in one order.
 */
#ifndef L2R_KERNELS_ATTENTION_H
#define L2R_KERNELS_ATTENTION_H

#include "kernels/aggregate.h"

struct l2r_attention {
    struct l2r_adjacency graph;
    const int32_t *reverse;            /* [n_arcs]: kernels/lists.h */
    const l2r_real *sender, *receiver; /* [n_nodes × dim] */
    const l2r_real *edges;             /* [n_types × dim]; NULL: no edge features */
    const l2r_real *a;                 /* [dim] */
    int64_t n_heads, n_types, dim;
};

void l2r_attention_forward(l2r_real *y, l2r_real *alpha, const struct l2r_attention *at);

/* Gradients; d_edges and d_a are added to. NULL: not needed. */
struct l2r_attention_gradients {
    l2r_real *d_sender, *d_receiver;
    l2r_real beta_sender, beta_receiver; /* d = beta·d + … */
    l2r_real *d_edges, *d_a;
};
/* scratch: l2r_attention_scratch numbers. */
void l2r_attention_backward(const struct l2r_attention_gradients *out, const l2r_real *d_y, const l2r_real *alpha,
                            const struct l2r_attention *at, l2r_real *scratch);
int64_t l2r_attention_scratch(const struct l2r_attention *at);

#endif
