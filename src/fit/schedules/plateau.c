/* SPDX-License-Identifier: MIT
 *
 * lr, times gamma whenever the validation metric has not improved (by 0.01 %) for more than `patience` epochs, never
 * below lr_min. PyTorch's ReduceLROnPlateau, its two thresholds included.
 */
#include "nn/schedule.h"

#include <math.h>

static const double threshold = 1e-4;    /* relative improvement that counts */
static const double smallest_cut = 1e-8; /* a smaller change of the rate is not made */

static enum l2r_status check(const struct l2r_schedule *s, struct l2r_error *error)
{
    if (!(s->gamma > 0 && s->gamma < 1))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "schedule plateau with factor %g: expected a number above 0 and below 1", s->gamma);
    if (!(s->lr_min >= 0 && s->lr_min <= s->lr))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "smallest learning rate %g: expected 0 to the learning rate %g",
                        s->lr_min, s->lr);
    if (s->patience < 0)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "schedule plateau with patience %lld: expected 0 or more",
                        (long long)s->patience);
    return L2R_OK;
}

static double rate(const struct l2r_schedule *s, int64_t e, int64_t n)
{
    (void)e;
    (void)n;
    return s->current;
}

static bool improves(const struct l2r_schedule *s, double metric)
{
    if (!isfinite(s->best)) return s->higher_is_better ? metric > s->best : metric < s->best;
    return s->higher_is_better ? metric > s->best * (1 + threshold) : metric < s->best * (1 - threshold);
}

static void observe(struct l2r_schedule *s, double metric)
{
    if (improves(s, metric)) {
        s->best = metric;
        s->bad_epochs = 0;
    } else {
        s->bad_epochs++;
    }
    if (s->bad_epochs <= s->patience) return;
    double lower = fmax(s->current * s->gamma, s->lr_min);
    if (s->current - lower > smallest_cut) s->current = lower;
    s->bad_epochs = 0;
}

const struct l2r_schedule_type l2r_schedule_plateau = {.name = "plateau",
                                                       .title = "a cut when validation stops improving",
                                                       .check = check,
                                                       .rate = rate,
                                                       .observe = observe};
