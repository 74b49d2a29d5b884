/* SPDX-License-Identifier: MIT
 *
 * See statistics.h. For whole degrees of freedom ν the distribution has a closed form (θ = arctan(t/√ν)):
 *
 *     ν odd    (2/π) (θ + sin θ (cos θ + 2/3 cos³ θ + … + (2·4…(ν−3))/(3·5…(ν−2)) cos^{ν−2} θ))   (ν = 1: only θ)
 *     ν even   sin θ (1 + 1/2 cos² θ + (1·3)/(2·4) cos⁴ θ + … + (1·3…(ν−3))/(2·4…(ν−2)) cos^{ν−2} θ)
 */
#include "metrics/statistics.h"

#include <math.h>
#include <stdbool.h>

/* Two passes: subtracting the mean first keeps the digits that Σx² − n·mean² would lose. */
void l2r_mean_sd(double *mean, double *sd, const double *values, int64_t n)
{
    double sum = 0, square = 0;
    for (int64_t i = 0; i < n; i++) sum += values[i];
    *mean = n > 0 ? sum / (double)n : (double)NAN;
    for (int64_t i = 0; i < n; i++) square += (values[i] - *mean) * (values[i] - *mean);
    *sd = n > 1 ? sqrt(square / (double)(n - 1)) : (double)NAN;
}

double l2r_student_within(double t, int64_t degrees)
{
    double angle = atan(t / sqrt((double)degrees)), square = cos(angle) * cos(angle);
    bool odd = degrees % 2 == 1;
    double term = odd ? cos(angle) : 1, sum = degrees == 1 ? 0 : term;
    for (int64_t k = odd ? 3 : 2; k <= degrees - 2; k += 2) {
        term *= square * (double)(k - 1) / (double)k;
        sum += term;
    }
    sum *= sin(angle);
    return odd ? 2 / acos(-1.0) * (angle + sum) : sum;
}

/* Bisection: 200 halvings reach the last bit from any start. Slow, but called only a few times per table. */
double l2r_student_quantile(double share, int64_t degrees)
{
    double low = 0, high = 1;
    while (l2r_student_within(high, degrees) < share) high *= 2;
    for (int i = 0; i < 200 && low < high; i++) {
        double middle = (low + high) / 2;
        if (l2r_student_within(middle, degrees) < share)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

struct l2r_interval l2r_interval_of(const double *differences, int64_t n)
{
    struct l2r_interval interval = {.n = n};
    double sd;
    l2r_mean_sd(&interval.mean, &sd, differences, n);
    interval.half = n > 1 ? l2r_student_quantile(0.95, n - 1) * sd / sqrt((double)n) : (double)NAN;
    interval.low = interval.mean - interval.half;
    interval.high = interval.mean + interval.half;
    return interval;
}
