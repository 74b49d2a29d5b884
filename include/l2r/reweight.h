/* SPDX-License-Identifier: MIT
 *
 * Reweighting as plain functions on arrays: weights for the rows of a representation Z [n × d] under which its
 * variables (columns) depend less on each other. Z may come from any network: what a framework such as PyTorch or NumPy
 * holds as a contiguous float matrix is lent by its pointer, and nothing of it is kept.
 *
 *     struct l2r_reweight_options options = L2R_REWEIGHT_OPTIONS_INIT;
 *     struct l2r_decorrelation found = L2R_DECORRELATION_INIT;
 *     options.ess = 0.8;
 *     l2r_decorrelate(w, &found, z, labels, n, d, &options, &error);
 *
 * The dependence is L(w) = Σ I_ij ‖Σ_ij(w)‖² over pairs of variables i < j, with Σ_ij the covariance, under the
 * weights, of random Fourier features of the two. The same arrays, options and seed give the same bits, with any number
 * of threads.
 */
#ifndef L2R_REWEIGHT_H
#define L2R_REWEIGHT_H

#include <l2r/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which pairs of variables count: every pair, those in different clusters, those in the same one. */
enum l2r_pairs { L2R_PAIRS_ALL, L2R_PAIRS_ACROSS, L2R_PAIRS_WITHIN };

/* How dependence is measured and weights are learned. Zero what is not needed: 0 and NULL are the defaults. */
struct l2r_reweight_options {
    size_t size; /* L2R_REWEIGHT_OPTIONS_INIT sets it */
    uint64_t seed;
    enum l2r_pairs pairs;
    int32_t n_clusters;      /* of variables, where pairs ask for them; 0: 4 */
    const int32_t *clusters; /* [d]: 0 .. n_clusters-1; NULL: found from how correlations vary among the rows */
    int64_t n_windows;       /* parts of the rows whose correlations are compared for that, at least 2; 0: 10 */
    int64_t n_features;      /* random Fourier features of each variable; 0: 5 */
    const float *importance; /* [d], 0 or more: pair i, j counts (a_i a_j)² times; NULL: 1 */
    bool scaled;             /* covariance of weight times feature, as papers write it, not under the weights */
    int64_t n_rows;          /* that an evaluation draws at most: time and memory grow with it, not with n; 0: 1500 */
    int64_t n_steps;         /* of Adam, each on new rows and new features; 0: 60 */
    double learning_rate;    /* of the logits of the weights; 0: 0.05 */
    double ess;              /* effective sample size to meet, up to 1 (weights stay 1); 0: what the steps give */
    const float *start;      /* [n]: weights to start from, above 0; NULL: equal ones */
    int64_t n_queued;        /* rows that were weighted before and count with the weights they have: */
    const float *queued_z;   /* [n_queued × d] */
    const float *queued_w;   /* [n_queued], 0 or more, of mean 1 */
};
#define L2R_REWEIGHT_OPTIONS_INIT L2R_SIZED(struct l2r_reweight_options)

/* What learning has achieved, on rows and Fourier features that no step has used. */
struct l2r_decorrelation {
    size_t size;                /* L2R_DECORRELATION_INIT sets it */
    double dependence_before;   /* L at equal weights */
    double dependence_after;    /* L under the weights: what l2r_dependence says of them */
    double dependence_shuffled; /* L under the same weights in random order, which learned ones must beat */
    double ess;                 /* effective sample size */
    int32_t *clusters;          /* [d], the caller's, or NULL: receives the clusters, 0 without any */
};
#define L2R_DECORRELATION_INIT L2R_SIZED(struct l2r_decorrelation)

/* Learns w [n], positive and of mean 1, for z [n × d], finite, n at least 8. labels [n], or NULL: rows with equal
 * labels keep the mean weight 1, whatever the numbers are. found and options may be NULL. After an error w is as it
 * was. Uses all threads of the caller. */
L2R_API enum l2r_status l2r_decorrelate(float *w, struct l2r_decorrelation *found, const float *z,
                                        const int64_t *labels, int64_t n, int64_t d,
                                        const struct l2r_reweight_options *options, struct l2r_error *error);
/* The dependence of z [n × d], at least 8 rows, under w [n], 0 or more; NULL: equal weights. Their mean is brought to 1
 * first. On at most options.n_rows rows and on Fourier features that l2r_decorrelate does not learn from. d_w [n] and
 * d_z [n × d], or NULL: its slopes, 0 for rows that were not drawn. n_steps, learning_rate, ess and start are
 * not used. */
L2R_API enum l2r_status l2r_dependence(double *value, float *d_w, float *d_z, const float *z, const float *w, int64_t n,
                                       int64_t d, const struct l2r_reweight_options *options, struct l2r_error *error);
/* The effective sample size (Σw)² / (n Σw²) of w [n], 1 for equal weights; 0 for NULL, no weights, or none above 0. Any
 * thread. */
L2R_API double l2r_ess(const float *w, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
