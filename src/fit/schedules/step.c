/* SPDX-License-Identifier: MIT
 * A cut by gamma every step_epochs epochs: lr gamma^(e div step_epochs). PyTorch's StepLR. */
#include "nn/schedule.h"

#include <math.h>

static enum l2r_status check(const struct l2r_schedule *s, struct l2r_error *error)
{
    if (s->step_epochs < 1)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "schedule step every %lld epochs: expected 1 or more",
                        (long long)s->step_epochs);
    if (!(s->gamma > 0 && s->gamma < 1))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "schedule step with factor %g: expected a number above 0 and below 1",
                        s->gamma);
    return L2R_OK;
}

static double rate(const struct l2r_schedule *s, int64_t e, int64_t n)
{
    (void)n;
    int64_t cuts = e / s->step_epochs;
    return s->lr * pow(s->gamma, (double)cuts);
}

const struct l2r_schedule_type l2r_schedule_step = {
    .name = "step", .title = "a cut every few epochs", .check = check, .rate = rate};
