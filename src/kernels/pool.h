/* SPDX-License-Identifier: MIT
 *
 * Soft pooling (DiffPool): node v belongs to cluster k of its graph with the share s_vk, Σ_k s_vk = 1.
 *
 *     softmax       s_vk = exp(x_vk) / Σ_l exp(x_vl)
 *     pooling       z_g,k = Σ_{v in g} s_vk h_v                       z [n_graphs × K·dim], cluster behind cluster
 *     losses        loss_g = ‖A_g − S_g S_gᵀ‖² / n_g²                 mean squared error of an entry of the adjacency matrix
 *                            − (1/n_g) Σ_v Σ_k s_vk log s_vk          mean entropy of a row
 *
 * The n × n numbers of SSᵀ are never formed:  ‖A − SSᵀ‖² = |A| − 2 Σ_arcs s_u·s_v + ‖SᵀS‖², sums in double because they cancel.
 * The work is cut by graphs (softmax: by rows); a graph without nodes gives zeros.
 */
#ifndef L2R_KERNELS_POOL_H
#define L2R_KERNELS_POOL_H

#include "kernels/aggregate.h"

void l2r_softmax_forward(l2r_real *s, const l2r_real *x, int64_t n_rows, int64_t n_clusters);
/* d_x = beta·d_x + s ∘ (d_s − Σ_k s_k d_s_k). */
void l2r_softmax_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_s, const l2r_real *s, int64_t n_rows,
                          int64_t n_clusters);

/* Graph g is rows start[g] .. start[g+1] of s [N × n_clusters] and h [N × dim]. */
struct l2r_pooling {
    const l2r_real *s, *h;
    const int32_t *start; /* [n_graphs + 1] */
    int64_t n_graphs, n_clusters, dim;
};
void l2r_pool_forward(l2r_real *z, const struct l2r_pooling *p);
/* d_s = beta_s·d_s + …, d_h = beta_h·d_h + …; either may be NULL. */
void l2r_pool_backward(l2r_real *d_s, l2r_real beta_s, l2r_real *d_h, l2r_real beta_h, const l2r_real *d_z,
                       const struct l2r_pooling *p);

/* loss [n_graphs]; slope [N × n_clusters] = ∂loss_g/∂s of each node's own graph. p->h is not used.
 * scratch: n_graphs · n_clusters² doubles. */
void l2r_pool_losses(l2r_real *loss, l2r_real *slope, const struct l2r_pooling *p, const struct l2r_adjacency *graph,
                     double *scratch);

#endif
