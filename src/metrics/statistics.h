/* SPDX-License-Identifier: MIT
 *
 * Statistics of a handful of seeds: mean, standard deviation, and Student's t for the interval of a mean.
 *
 *     sd² = Σ (x − mean)² / (n − 1)                       the sample's; one value has none: NaN
 *     interval of a mean difference d over n pairs        d ± t(0.975; n−1) · sd / √n
 *
 * Curves and areas of rankings (ROC) are in ranking.h.
 */
#ifndef L2R_METRICS_STATISTICS_H
#define L2R_METRICS_STATISTICS_H

#include <stdint.h>

/* The mean is NaN where there is no value, the standard deviation where there are fewer than two. */
void l2r_mean_sd(double *mean, double *sd, const double *values, int64_t n);

/* P(|T| <= t) for T of Student's distribution with `degrees` >= 1 degrees of freedom, t >= 0. */
double l2r_student_within(double t, int64_t degrees);
/* The t with l2r_student_within(t, degrees) = share, 0 < share < 1. */
double l2r_student_quantile(double share, int64_t degrees);

struct l2r_interval {
    int64_t n;
    double mean, half, low, high; /* mean ± half; NaN where n is too small */
};
/* Of the n numbers' mean, with 95 % confidence. */
struct l2r_interval l2r_interval_of(const double *differences, int64_t n);

#endif
