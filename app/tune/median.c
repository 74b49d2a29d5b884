/* SPDX-License-Identifier: MIT
 * See median.h. */
#include "tune/median.h"

#include "base/array.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* The best of the first so many scores; NaN: all are. */
static double best_until(const json_t *curve, int64_t epoch, const struct l2r_metric *metric)
{
    double best = (double)NAN;
    for (int64_t e = 0; e < epoch; e++) {
        const json_t *score = json_array_get(curve, (size_t)e);
        double value = json_is_number(score) ? json_number_value(score) : (double)NAN;
        if (l2r_metric_better(metric, value, best)) best = value;
    }
    return best;
}

/* NaN: fewer than three runs came so far. values [n]: room. */
static double median_at(double *values, const json_t *const *curves, size_t n, int64_t epoch,
                        const struct l2r_metric *metric)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        if ((int64_t)json_array_size(curves[i]) < epoch) continue;
        double best = best_until(curves[i], epoch, metric);
        if (!isnan(best)) values[found++] = best;
    }
    qsort(values, found, sizeof *values, l2r_compare_double);
    return found >= 3 ? (values[(found - 1) / 2] + values[found / 2]) / 2 : (double)NAN;
}

int64_t l2r_median_stop(const json_t *curve, const json_t *const *curves, size_t n, int64_t from, int64_t last,
                        const struct l2r_metric *metric)
{
    int64_t stop = 0;
    double *values = l2r_alloc(n, sizeof *values);
    if (values == NULL) return 0; /* the run simply goes on */
    if (last > (int64_t)json_array_size(curve)) last = (int64_t)json_array_size(curve);
    for (int64_t epoch = from; epoch <= last && stop == 0; epoch++) {
        double median = median_at(values, curves, n, epoch, metric);
        if (!isnan(median) && l2r_metric_better(metric, median, best_until(curve, epoch, metric))) stop = epoch;
    }
    l2r_free(values);
    return stop;
}
