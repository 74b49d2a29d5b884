/* SPDX-License-Identifier: MIT
 * The same rate in every epoch: lr. */
#include "nn/schedule.h"

static double rate(const struct l2r_schedule *s, int64_t e, int64_t n)
{
    (void)e;
    (void)n;
    return s->lr;
}

const struct l2r_schedule_type l2r_schedule_constant = {
    .name = "constant", .title = "the same rate throughout", .rate = rate};
