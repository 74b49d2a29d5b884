/* SPDX-License-Identifier: MIT
 *
 * Half a cosine from lr down to lr_min:   lr_min + (lr - lr_min) (1 + cos(π e / n)) / 2
 *
 * PyTorch's CosineAnnealingLR. It stays at the bottom if the run is longer than announced.
 */
#include "nn/schedule.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static enum l2r_status check(const struct l2r_schedule *s, struct l2r_error *error)
{
    if (s->lr_min >= 0 && s->lr_min <= s->lr) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "smallest learning rate %g: expected 0 to the learning rate %g", s->lr_min,
                    s->lr);
}

static double rate(const struct l2r_schedule *s, int64_t e, int64_t n)
{
    if (e >= n) return s->lr_min;
    return s->lr_min + (s->lr - s->lr_min) * (1 + cos(pi * (double)e / (double)n)) / 2;
}

const struct l2r_schedule_type l2r_schedule_cosine = {
    .name = "cosine", .title = "half a cosine down to `lr-min`", .check = check, .rate = rate};
