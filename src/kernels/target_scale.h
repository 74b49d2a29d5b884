/* SPDX-License-Identifier: MIT
 *
 * The scale on which the target of a regression is trained: (T(y) − mean) / sd, where T(y) is y or, of targets that
 * span decades, log10 y. Outputs are restored to the target's own unit: y = T⁻¹(mean + sd · o).
 */
#ifndef L2R_KERNELS_TARGET_SCALE_H
#define L2R_KERNELS_TARGET_SCALE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct l2r_target_scale {
    const double *mean, *sd; /* [targets], of T(y) over the training labels */
    const uint8_t *log10;    /* [targets]: is T the logarithm? NULL: of none */
};

static inline bool l2r_target_is_log(const uint8_t *log10_of, int64_t k)
{
    return log10_of && log10_of[k];
}

/* T(y). What is not above 0, in parts that do not train, counts as the smallest float; NaN stays. */
static inline double l2r_target_transform(const uint8_t *log10_of, int64_t k, double y)
{
    return !l2r_target_is_log(log10_of, k) ? y : y < 1e-37 ? -37 : log10(y);
}

/* T⁻¹(t), a finite float for every finite t. */
static inline double l2r_target_restore(const uint8_t *log10_of, int64_t k, double t)
{
    return !l2r_target_is_log(log10_of, k) || !isfinite(t) ? t : pow(10, t < -37 ? -37 : t > 38 ? 38 : t);
}

static inline double l2r_target_scaled(const struct l2r_target_scale *s, int64_t k, double y)
{
    return (l2r_target_transform(s->log10, k, y) - s->mean[k]) / s->sd[k];
}

static inline double l2r_target_unscaled(const struct l2r_target_scale *s, int64_t k, double o)
{
    return l2r_target_restore(s->log10, k, o * s->sd[k] + s->mean[k]);
}

#endif
