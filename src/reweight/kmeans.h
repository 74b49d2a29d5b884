/* SPDX-License-Identifier: MIT
 *
 * k-means (Lloyd): rows [n × d] into k clusters of least squared distance from their centres. Sums are taken in the
 * order of the rows, so equal rows and equal random numbers give equal clusters.
 *
 *     l2r_kmeans_seed      k-means++ centres (Arthur & Vassilvitskii 2007); leave it out to go on from earlier ones
 *     l2r_kmeans_run       rounds until no row moves, a hundred at most; no cluster stays empty while rows differ
 *     l2r_kmeans_nearest   the cluster of a row that was not clustered
 */
#ifndef L2R_REWEIGHT_KMEANS_H
#define L2R_REWEIGHT_KMEANS_H

#include "base/rng.h"
#include "kernels/real.h"

#include <stdbool.h>
#include <stdint.h>

/* All memory is the caller's. */
struct l2r_kmeans {
    int64_t n, d;
    int32_t k;          /* at most n */
    const double *rows; /* [n × d] */
    l2r_real *centres;  /* [k × d] */
    int32_t *cluster;   /* [n] */
    double *scratch;    /* [n + k × d + k] */
};

void l2r_kmeans_seed(struct l2r_kmeans *m, struct l2r_rng *rng);
void l2r_kmeans_run(struct l2r_kmeans *m);
int32_t l2r_kmeans_nearest(const struct l2r_kmeans *m, const double *row);

#endif
