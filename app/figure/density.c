/* SPDX-License-Identifier: MIT
 * See density.h. */
#include "figure/density.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>

void l2r_sort(double *values, size_t n)
{
    if (n > 1) qsort(values, n, sizeof *values, l2r_compare_double);
}

double l2r_quantile(const double *sorted, size_t n, double share)
{
    double place = share * (double)(n - 1), below = floor(place);
    size_t i = (size_t)below, next = i + 1 < n ? i + 1 : i;
    return sorted[i] + (place - below) * (sorted[next] - sorted[i]);
}

/* Silverman's rule: 0.9 min(sd, quartile distance / 1.34) n^(-1/5); the quartiles may coincide, the sd then counts
 * alone. */
static double kernel_width(const double *sorted, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) sum += sorted[i];
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) squares += (sorted[i] - mean) * (sorted[i] - mean);
    double sd = sqrt(squares / (double)n),
           middle = (l2r_quantile(sorted, n, 0.75) - l2r_quantile(sorted, n, 0.25)) / 1.34;
    double spread = middle > 0 ? fmin(sd, middle) : sd;
    return 0.9 * spread * pow((double)n, -0.2);
}

void l2r_density_make(struct l2r_density *density, const double *sorted, size_t n)
{
    double width = kernel_width(sorted, n), least = sorted[0], most = sorted[n - 1], top = 0;
    if (!(width > 0)) width = 1e-3 * fmax(1, fabs(least));
    if (!(most > least)) least -= 3 * width, most += 3 * width;
    for (int k = 0; k < L2R_DENSITY_POINTS; k++) {
        double at = least + (most - least) * k / (L2R_DENSITY_POINTS - 1), sum = 0;
        for (size_t i = 0; i < n; i++) {
            double z = (at - sorted[i]) / width;
            if (fabs(z) < 8) sum += exp(-0.5 * z * z);
        }
        density->at[k] = at;
        density->height[k] = sum;
        top = fmax(top, sum);
    }
    for (int k = 0; k < L2R_DENSITY_POINTS; k++) density->height[k] /= top;
}
