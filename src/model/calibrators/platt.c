/* SPDX-License-Identifier: MIT
 *
 * Platt scaling: p = σ(a·o + b), by maximum likelihood. As Platt (1999) proposed, n₁ ones and n₀ zeros count as targets
 * t₁ = (n₁ + 1)/(n₁ + 2) and t₀ = 1/(n₀ + 2), so that logits which separate the classes do not drive a to infinity.
 *
 * The loss is convex: Newton's method with halved steps. If validation graphs are ranked worse than at random the best
 * slope is below 0, which would reverse the order; then a = 1 and only b is fitted.
 */
#include "metrics/probability.h"
#include "model/calibrate.h"

#include <math.h>

enum { MOST_STEPS = 100 };

struct targets {
    double one, zero;
};

static double loss(double a, double b, const struct l2r_logits *l, struct targets t)
{
    double sum = 0;
    for (int64_t i = 0; i < l->n; i++) {
        double o = a * l->x[i] + b, y = l->y[i] ? t.one : t.zero;
        sum += l2r_softplus(o) - y * o;
    }
    return sum;
}

/* One step; false: the minimum is reached. with_slope: both parameters move. */
static bool newton(double *a, double *b, const struct l2r_logits *l, struct targets t, bool with_slope)
{
    double ga = 0, gb = 0, aa = 1e-12, ab = 0, bb = 1e-12;
    for (int64_t i = 0; i < l->n; i++) {
        double p = l2r_sigmoid(*a * l->x[i] + *b), d = p - (l->y[i] ? t.one : t.zero), h = p * (1 - p);
        ga += d * l->x[i];
        gb += d;
        aa += h * l->x[i] * l->x[i];
        ab += h * l->x[i];
        bb += h;
    }
    double det = aa * bb - ab * ab, da = -(bb * ga - ab * gb) / det, db = -(aa * gb - ab * ga) / det;
    if (!with_slope) {
        da = 0;
        db = -gb / bb;
    }
    double before = loss(*a, *b, l, t), size = 1;
    while (size > 1e-10 && !(loss(*a + size * da, *b + size * db, l, t) < before)) size /= 2;
    if (size <= 1e-10) return false;
    *a += size * da;
    *b += size * db;
    return true;
}

static enum l2r_status fit(struct l2r_calibration_map *map, struct l2r_arena *arena, const struct l2r_logits *logits,
                           struct l2r_error *error)
{
    (void)arena, (void)error;
    double ones = (double)logits->n_ones, zeros = (double)(logits->n - logits->n_ones), a = 1, b = 0;
    const struct targets t = {(ones + 1) / (ones + 2), 1 / (zeros + 2)};
    for (int i = 0; i < MOST_STEPS && newton(&a, &b, logits, t, true); i++) {
    }
    if (!(a > 0 && isfinite(a) && isfinite(b))) {
        a = 1, b = 0;
        for (int i = 0; i < MOST_STEPS && newton(&a, &b, logits, t, false); i++) {
        }
    }
    map->slope = a;
    map->offset = b;
    return L2R_OK;
}

const struct l2r_calibrator l2r_calibrator_platt = {.name = "platt", .title = "Platt scaling", .fit = fit};
