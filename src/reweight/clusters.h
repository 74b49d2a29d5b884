/* SPDX-License-Identifier: MIT
 *
 * Variable clusters: variables (columns of Z) whose correlations with the others vary in the same way from batch to
 * batch.
 *
 *     Corr^(l) [d × d]   Pearson correlations of the columns of Z in mini-batch l; the last L batches are the window
 *     Dis_ij             = sqrt( Σ_l (Corr^(l)_ij − mean_l Corr_ij)² / (L−1) )
 *     clusters           k-means on the rows of Dis into C clusters: k-means++ at first, later from the last centres,
 *                        so that a cluster keeps its number
 *
 * Until two batches have been seen all variables are in cluster 0. dependence.h decides which pairs of clusters count.
 */
#ifndef L2R_REWEIGHT_CLUSTERS_H
#define L2R_REWEIGHT_CLUSTERS_H

#include "base/status.h"
#include "kernels/real.h"

#include <stdbool.h>

struct l2r_clusters {
    int64_t d, window;
    int32_t n_clusters;     /* C, at most d */
    int64_t seen;           /* batches so far; the newest is in slot (seen − 1) mod window */
    l2r_real *correlations; /* [window × d × d] */
    l2r_real *centres;      /* [C × d] */
    int32_t started;        /* 1 once there are centres */
    int32_t *cluster;       /* [d] */
    double *dissimilarity;  /* [d × d] */
    double *scratch;        /* [2 d + C × d + C]: clusters before, and what k-means needs */
};

enum l2r_status l2r_clusters_init(struct l2r_clusters *clusters, int64_t d, int32_t n_clusters, int64_t window,
                                  struct l2r_error *error);
void l2r_clusters_clear(struct l2r_clusters *clusters);

/* Adds the correlations of a batch z [rows × d] to the window; batches of fewer than 2 rows are ignored. */
void l2r_clusters_observe(struct l2r_clusters *clusters, const l2r_real *z, int64_t rows);
/* Forms the clusters anew; returns how many variables moved to another one. `seed` and `place` select the random stream
 * of the k-means++ start. */
int64_t l2r_clusters_refresh(struct l2r_clusters *clusters, uint64_t seed, uint64_t place);

#endif
