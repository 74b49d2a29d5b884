/* SPDX-License-Identifier: MIT
 *
 * From nodes to graphs. Segments are ranges of rows: segment g (the nodes of graph g) is rows start[g] .. start[g+1].
 *
 *     reduce        y_g = mean, sum or max of x_v over v in g                 x [N × dim] → y [G × dim]
 *     add           y_v = x_v + z_g                                           from graphs back to nodes
 *
 * Soft clusters (DiffPool): node v belongs to cluster k of its graph with the share s_vk, Σ_k s_vk = 1.
 *
 *     softmax       s_vk = exp(x_vk) / Σ_l exp(x_vl)
 *     sums          z_g,k = Σ_{v in g} s_vk h_v                               z [G × K·dim], cluster after cluster
 *     losses        loss_g = ‖A_g − S_g S_gᵀ‖² / n_g²                         mean squared error of an adjacency entry
 *                            − (1/n_g) Σ_v Σ_k s_vk log s_vk                  mean entropy of a row
 *
 * The n × n numbers of SSᵀ are never formed:  ‖A − SSᵀ‖² = |A| − 2 Σ_arcs s_u·s_v + ‖SᵀS‖², summed in double because it
 * cancels. A graph without nodes gives zeros.
 */
#ifndef L2R_KERNELS_SEGMENTS_H
#define L2R_KERNELS_SEGMENTS_H

#include "kernels/aggregate.h"

enum l2r_reduction { L2R_REDUCE_MEAN, L2R_REDUCE_SUM, L2R_REDUCE_MAX };

/* y[g] = mean, sum or max of the rows of segment g; an empty segment gives 0. argmax [n_segments × dim] is filled for
 * MAX: the row taken (the first of equals), -1 for an empty segment. */
void l2r_segment_forward(l2r_real *y, int32_t *argmax, const l2r_real *x, const int32_t *start, enum l2r_reduction kind,
                         int64_t n_segments, int64_t dim);
/* The same where row i of a segment is row[i] of x; argmax holds the i. row NULL: i itself. */
void l2r_segment_forward_rows(l2r_real *y, int32_t *argmax, const l2r_real *x, const int32_t *row, const int32_t *start,
                              enum l2r_reduction kind, int64_t n_segments, int64_t dim);
/* d_x = beta·d_x + …  */
void l2r_segment_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const int32_t *argmax,
                          const int32_t *start, enum l2r_reduction kind, int64_t n_segments, int64_t dim);

/* y[i] = x[i] + z[g] for every row i of segment g. */
void l2r_segment_add(l2r_real *y, const l2r_real *x, const l2r_real *z, const int32_t *start, int64_t n_segments,
                     int64_t dim);

void l2r_softmax_forward(l2r_real *s, const l2r_real *x, int64_t n_rows, int64_t n_clusters);
/* d_x = beta·d_x + s ∘ (d_s − Σ_k s_k d_s_k). */
void l2r_softmax_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_s, const l2r_real *s, int64_t n_rows,
                          int64_t n_clusters);

/* Graph g is rows start[g] .. start[g+1] of s [N × n_clusters] and h [N × dim]. */
struct l2r_soft_clusters {
    const l2r_real *s, *h;
    const int32_t *start; /* [n_graphs + 1] */
    int64_t n_graphs, n_clusters, dim;
};
void l2r_soft_clusters_forward(l2r_real *z, const struct l2r_soft_clusters *p);
/* d_s = beta_s·d_s + …, d_h = beta_h·d_h + …; either may be NULL. */
void l2r_soft_clusters_backward(l2r_real *d_s, l2r_real beta_s, l2r_real *d_h, l2r_real beta_h, const l2r_real *d_z,
                                const struct l2r_soft_clusters *p);

/* loss [n_graphs]; slope [N × n_clusters] = ∂loss_g/∂s of each node's own graph. p->h is not used.
 * scratch: n_graphs · n_clusters² doubles. */
void l2r_soft_clusters_losses(l2r_real *loss, l2r_real *slope, const struct l2r_soft_clusters *p,
                              const struct l2r_adjacency *graph, double *scratch);

#endif
