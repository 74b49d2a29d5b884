/* SPDX-License-Identifier: MIT
 *
 * The shape of a sample: quantiles and a smooth density (Gaussian kernel of Silverman's width, on a grid from the least
 * to the most).
 */
#ifndef L2R_FIGURE_DENSITY_H
#define L2R_FIGURE_DENSITY_H

#include <stddef.h>

enum { L2R_DENSITY_POINTS = 96 };

struct l2r_density {
    double at[L2R_DENSITY_POINTS], height[L2R_DENSITY_POINTS]; /* height: 1 at the highest */
};

/* Sorts ascending; no NaN. */
void l2r_sort(double *values, size_t n);
/* Between neighbours by a straight line: 0 the least, 0.5 the median, 1 the most. Sorted, n >= 1. */
double l2r_quantile(const double *sorted, size_t n, double share);
/* Sorted, n >= 1. A sample without spread is one peak. */
void l2r_density_make(struct l2r_density *density, const double *sorted, size_t n);

#endif
