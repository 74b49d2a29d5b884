/* SPDX-License-Identifier: MIT
 *
 * The same factor every epoch, from lr down to final · lr:   lr final^(e / n)
 *
 * PyTorch's ExponentialLR with gamma = final^(1/n). After --lr-warmup-epochs 2 it is the schedule that Yang et al. 2019
 * train their D-MPNN with, epoch by epoch instead of step by step. It stays at the bottom if the run is longer than
 * announced.
 */
#include "nn/schedule.h"

#include <math.h>

static const struct l2r_option options[] = {{.name = "lr-final",
                                             .kind = L2R_OPTION_REAL,
                                             .fallback = "0.1",
                                             .min = 1e-9,
                                             .max = 1,
                                             .help = "exponential: what is left of `lr` at the end"},
                                            {0}};

static void configure(struct l2r_schedule *s, const struct l2r_config *config)
{
    s->final = l2r_config_real(config, "lr-final");
}

static enum l2r_status check(const struct l2r_schedule *s, struct l2r_error *error)
{
    if (s->final > 0 && s->final <= 1) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "schedule exponential down to %g: expected a number above 0, at most 1",
                    s->final);
}

static double rate(const struct l2r_schedule *s, int64_t e, int64_t n)
{
    return s->lr * pow(s->final, e < n ? (double)e / (double)n : 1);
}

const struct l2r_schedule_type l2r_schedule_exponential = {.name = "exponential",
                                                           .title = "the same factor every epoch, down to `lr-final`",
                                                           .options = options,
                                                           .configure = configure,
                                                           .check = check,
                                                           .rate = rate};
