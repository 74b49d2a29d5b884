/* SPDX-License-Identifier: MIT
 *
 * Student's t for a handful of seeds.
 *
 *     interval of a mean difference d over n pairs:   d ± t(0.975; n−1) · s / √n,   s the sample standard deviation of the differences
 */
#ifndef L2R_METRICS_STATISTICS_H
#define L2R_METRICS_STATISTICS_H

#include <stdint.h>

/* P(|T| <= t) for T of Student's distribution with `degrees` >= 1 degrees of freedom, t >= 0. */
double l2r_student_within(double t, int64_t degrees);
/* The t with l2r_student_within(t, degrees) = share, 0 < share < 1. */
double l2r_student_quantile(double share, int64_t degrees);

struct l2r_interval {
    int64_t n;
    double mean, low, high; /* NaN where n is too small */
};
/* Of the n numbers' mean, with 95 % confidence. */
struct l2r_interval l2r_interval_of(const double *differences, int64_t n);

/* Mean and sample standard deviation over the runs' test (or valid) scores: what --seeds prints. */
void l2r_mean_sd(double *mean, double *sd, const double *values, int64_t n);

#endif
