/* SPDX-License-Identifier: MIT
 *
 * What the metrics that count right and wrong classes have in common. They need three numbers for each class k:
 *
 *     hit [k]     graphs of class k given class k
 *     truth [k]   graphs of class k
 *     guess [k]   graphs given class k
 *
 * A binary task is a column with two classes, given class 1 where its logit is above 0.
 */
#ifndef L2R_METRICS_COUNTS_H
#define L2R_METRICS_COUNTS_H

#include "metrics/metrics.h"

struct l2r_class_counts {
    int32_t n_classes;
    bool binary;
    int64_t n;                    /* labelled graphs */
    int64_t *hit, *truth, *guess; /* [n_classes] each, one block that starts at `hit` */
};

/* The mean of a formula over the tasks that have a labelled graph; NaN: none has. */
enum l2r_status l2r_mean_of_counts(double *value, const struct l2r_scores *scores,
                                   double (*formula)(const struct l2r_class_counts *), struct l2r_error *error);

#endif
