/* SPDX-License-Identifier: MIT
 *
 * A schedule to copy: the rate falls to lr_min along a power of the epochs left,
 *
 *     rate(e) = lr_min + (lr − lr_min) (1 − e/n)^power          e = 0, 1, … of n epochs after the warm-up
 *
 * --decay-power 1 is a straight line. As src/fit/schedules/polynomial.c it is `--lr-schedule polynomial`. A schedule
 * that is a formula of the epoch has no state, so nothing goes into checkpoints. docs/adding.md says what else can be
 * added.
 */
#include "nn/schedule.h"

#include <math.h>

enum { POWER = 0 }; /* its place among schedule->own */

static const struct l2r_option options[] = {{.name = "decay-power",
                                             .kind = L2R_OPTION_REAL,
                                             .fallback = "1",
                                             .min = 0.1,
                                             .max = 10,
                                             .help = "power of a polynomial schedule; 1: a straight line"},
                                            {0}};

static void configure(struct l2r_schedule *s, const struct l2r_config *config)
{
    s->own[POWER] = l2r_config_real(config, "decay-power");
}

static enum l2r_status check(const struct l2r_schedule *s, struct l2r_error *error)
{
    if (s->lr_min <= s->lr) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "smallest learning rate %g: expected 0 to the learning rate %g", s->lr_min,
                    s->lr);
}

static double rate(const struct l2r_schedule *s, int64_t e, int64_t n)
{
    if (e >= n) return s->lr_min;
    return s->lr_min + (s->lr - s->lr_min) * pow(1 - (double)e / (double)n, s->own[POWER]);
}

const struct l2r_schedule_type l2r_schedule_polynomial = {.name = "polynomial",
                                                          .title = "a power of the epochs left, down to `lr-min`",
                                                          .options = options,
                                                          .configure = configure,
                                                          .check = check,
                                                          .rate = rate};
