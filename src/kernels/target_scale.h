/* SPDX-License-Identifier: MIT
 *
 * The scale on which the target of a regression is trained: (T(y) − mean) / sd, where T is a map:
 *
 *     none     T(y) = y
 *     log10    T(y) = log10 y, of targets that span decades
 *     rank     T(y) = the normal score of y's rank among the training labels: straight lines between quantiles; T ends
 *              at the lowest and the highest label, so a restored value lies between them
 *
 * Outputs are restored to the target's own unit: y = T⁻¹(mean + sd · o).
 */
#ifndef L2R_KERNELS_TARGET_SCALE_H
#define L2R_KERNELS_TARGET_SCALE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum l2r_map { L2R_MAP_NONE, L2R_MAP_LOG10, L2R_MAP_RANK };
enum { L2R_TARGET_KNOTS = 65 };

struct l2r_target_map {
    enum l2r_map kind;
    const double *knot;  /* [L2R_TARGET_KNOTS] ascending, of ranks; else NULL */
    const double *score; /* [L2R_TARGET_KNOTS]: their normal scores; equal knots have one */
};

struct l2r_target_scale {
    const double *mean, *sd;          /* [targets], of T(y) over the training labels */
    const struct l2r_target_map *map; /* [targets]; NULL: none */
};

static inline bool l2r_target_is_mapped(const struct l2r_target_map *map, int64_t k)
{
    return map && map[k].kind != L2R_MAP_NONE;
}

/* The line through the points (x, y) at `at`; x ascends, and so does y. Constant beyond the ends. */
static inline double l2r_target_line(const double *x, const double *y, double at)
{
    int low = 0, high = L2R_TARGET_KNOTS - 1;
    if (!(at > x[low])) return y[low];
    if (!(at < x[high])) return y[high];
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (x[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return y[low] + (y[high] - y[low]) * ((at - x[low]) / (x[high] - x[low]));
}

/* T(y); NaN stays. A logarithm of what is not above 0, in parts that do not train, is that of a very small float. */
static inline double l2r_target_transform(const struct l2r_target_map *map, int64_t k, double y)
{
    if (!l2r_target_is_mapped(map, k) || isnan(y)) return y;
    if (map[k].kind == L2R_MAP_RANK) return l2r_target_line(map[k].knot, map[k].score, y);
    return y < 1e-37 ? -37 : log10(y);
}

/* T⁻¹(t), a finite float for every finite t, and t itself for others. */
static inline double l2r_target_restore(const struct l2r_target_map *map, int64_t k, double t)
{
    if (!l2r_target_is_mapped(map, k) || !isfinite(t)) return t;
    if (map[k].kind == L2R_MAP_RANK) return l2r_target_line(map[k].score, map[k].knot, t);
    return pow(10, t < -37 ? -37 : t > 38 ? 38 : t);
}

static inline double l2r_target_scaled(const struct l2r_target_scale *s, int64_t k, double y)
{
    return (l2r_target_transform(s->map, k, y) - s->mean[k]) / s->sd[k];
}

static inline double l2r_target_unscaled(const struct l2r_target_scale *s, int64_t k, double o)
{
    return l2r_target_restore(s->map, k, o * s->sd[k] + s->mean[k]);
}

#endif
