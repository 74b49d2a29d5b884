/* SPDX-License-Identifier: MIT
 *
 * Weights for fixed representations: rows of Z [n × d] from any source.
 *
 *     s ← log of the start;  in each of T steps:  R random rows, new Fourier features
 *             w = softmax(s) · n by stratum,  one step of Adam on L(w) / L(1)          dependence.h, weights.h
 *     w(ρ) = n · softmax(τ s), τ such that the effective sample size is ρ              for any number of ρ
 *
 * New features in every step prevent overfitting to one draw, and R bounds time and memory for any size of the data.
 * Rows that were weighted before (`queued`) count in L with the weights that they have. Everything here is arrays;
 * method headfit calls it for the network that it has trained, l2r_decorrelate for its caller.
 */
#ifndef L2R_REWEIGHT_FROZEN_H
#define L2R_REWEIGHT_FROZEN_H

#include "reweight/clusters.h"
#include "reweight/dependence.h"

enum { L2R_FROZEN_ROWS = 1500 /* R, by default */ };

struct l2r_frozen {
    struct l2r_dependence_options dependence; /* of one evaluation */
    struct l2r_inner_options inner;
    uint64_t seed;
    int64_t d, rows;        /* R */
    const int32_t *cluster; /* [d]: 0 .. n_clusters-1; NULL where all pairs count */
    int32_t n_clusters;
    const int32_t *stratum; /* [n]: 0 .. n_strata-1, within which weights have mean 1; NULL: one */
    int32_t n_strata;
    int64_t n_queued;
    const float *queued_z, *queued_w; /* [n_queued × d], [n_queued] */
    struct l2r_arena arena;           /* of one call */
};

/* R of n rows in random order, or all where there are no more; in the arena. */
struct l2r_frozen_sample {
    int64_t n;
    int32_t *rows; /* [n] */
    l2r_real *z;   /* [n_queued + n, d]: the queued rows first */
};
/* Draw number `place` of z [n × d]; false: out of memory. */
bool l2r_frozen_draw(struct l2r_frozen_sample *sample, struct l2r_frozen *frozen, const float *z, int64_t n,
                     uint64_t place);

/* Clusters of variables from the correlations in `window` parts of the rows; frozen->cluster is theirs afterwards. */
enum l2r_status l2r_frozen_cluster(struct l2r_clusters *clusters, struct l2r_frozen *frozen, const float *z, int64_t n,
                                   int32_t n_clusters, int64_t window, struct l2r_error *error);
/* s [n], the direction of the weights, from where it stands. The caller's watch may stop it (base/watch.h). */
enum l2r_status l2r_frozen_learn(double *s, struct l2r_frozen *frozen, const float *z, int64_t n,
                                 struct l2r_error *error);
/* w [n] of mean 1 and effective sample size ess along s; 0: as s is. */
enum l2r_status l2r_frozen_weights(double *w, struct l2r_frozen *frozen, const double *s, int64_t n, double ess,
                                   struct l2r_error *error);

/* L on R rows and Fourier features that no step has used. */
struct l2r_frozen_evaluation {
    double equal, learned, shuffled; /* at w = 1, under w, and under the same weights in random order */
};
enum l2r_status l2r_frozen_evaluate(struct l2r_frozen_evaluation *found, struct l2r_frozen *frozen, const double *w,
                                    const float *z, int64_t n, struct l2r_error *error);
/* The same L under w alone, and its slopes d_w [n] and d_z [n × d], 0 for rows that were not drawn; either may be
 * NULL. */
enum l2r_status l2r_frozen_slopes(double *value, double *d_w, float *d_z, struct l2r_frozen *frozen, const double *w,
                                  const float *z, int64_t n, struct l2r_error *error);
/* w [n] in random order. */
void l2r_frozen_shuffle(double *w, const struct l2r_frozen *frozen, int64_t n);

#endif
