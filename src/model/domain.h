/* SPDX-License-Identifier: MIT
 *
 * The applicability domain of a model: how far a graph's representation z lies from those that the model was trained
 * on.
 *
 *     distance(z)      = mean Euclidean distance from z to the K nearest training graphs, in units of s
 *     s                = the median of the same over the training graphs, each without itself: 1 is usual in training
 *     applicability(z) = the share of validation graphs that lie at least as far out
 *
 * Validation graphs are not among those that distances are measured from, so that their distances are typical for
 * graphs that the model has not trained on. On the test parts of three molecule sets these distances correlated with
 * the model's errors better than the Mahalanobis distance to one Gaussian (docs/molecules.md).
 *
 * Rows are kept in blocks of LANES, column by column, so that a distance is LANES sums side by side in a fixed order:
 * the same bits on every CPU and for any number of threads.
 */
#ifndef L2R_MODEL_DOMAIN_H
#define L2R_MODEL_DOMAIN_H

#include "data/splits/split.h"
#include "nn/network.h"

enum {
    L2R_DOMAIN_NEAREST = 3,    /* K */
    L2R_DOMAIN_LANES = 32,     /* rows in a block */
    L2R_DOMAIN_ROWS = 4096,    /* most training graphs that are kept */
    L2R_DOMAIN_COLUMNS = 8192, /* most columns of z */
    L2R_DOMAIN_CHECKED = 1001  /* most validation distances that are kept */
};

struct l2r_domain {
    int32_t d;         /* columns of z; 0: empty */
    int32_t n_rows;    /* training graphs kept */
    int64_t n_train;   /* of so many, evenly spaced */
    int64_t n_valid;   /* graphs whose distances `checked` stands for */
    double scale;      /* s > 0 */
    float *blocks;     /* [blocks × d × LANES]; lanes without a row are infinitely far away */
    int32_t n_checked; /* 0: not calibrated */
    float *checked;    /* [n_checked], ascending: distances of validation graphs, or evenly spaced quantiles of them */
};

/* Keeps z [n × d], 1 <= n <= L2R_DOMAIN_ROWS, 1 <= d <= L2R_DOMAIN_COLUMNS, and leaves `scale` 1. L2R_ERR_DIVERGED: a
 * number is not finite. */
enum l2r_status l2r_domain_keep(struct l2r_domain *domain, const float *z, int64_t n, int64_t d,
                                struct l2r_error *error);
/* Finds s. */
enum l2r_status l2r_domain_measure(struct l2r_domain *domain, struct l2r_error *error);
/* Keeps the distances of validation graphs; `distance` [n], n >= 1, is sorted in place. */
enum l2r_status l2r_domain_calibrate(struct l2r_domain *domain, float *distance, int64_t n, struct l2r_error *error);
void l2r_domain_clear(struct l2r_domain *domain);

/* distance [n] of z [n × d]. */
void l2r_domain_distances(float *distance, const struct l2r_domain *domain, const float *z, int64_t n);
/* 1: nearer than every validation graph; 0: further out than all of them. NaN without calibration or distance. */
float l2r_domain_applicability(const struct l2r_domain *domain, float distance);

/* The kept rows as they were given: z [n_rows × d]. */
void l2r_domain_rows(float *z, const struct l2r_domain *domain);
/* Are scale and calibration valid? For domains read from a file. */
bool l2r_domain_is_sound(const struct l2r_domain *domain);

struct l2r_committee;
/* Of the first member, from the training and validation graphs of its run (none of the latter: the domain is not
 * calibrated); of a large part as many graphs as are kept, evenly spaced. The tape is reset. */
enum l2r_status l2r_applicability_make(struct l2r_domain *domain, const struct l2r_committee *committee,
                                       struct l2r_tape *tape, const struct l2r_dataset *data,
                                       const struct l2r_split *split, int64_t batch_size, struct l2r_error *error);

#endif
