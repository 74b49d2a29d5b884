/* SPDX-License-Identifier: MIT
 * random: a permutation by --split-seed, cut by the fractions. One stratum that holds every graph; no distribution
 * shift, so a baseline for the other rules. */
#include "data/splits/rule.h"

static int32_t all_alike(const struct l2r_dataset *data, int64_t graph)
{
    (void)data;
    (void)graph;
    return 0;
}

static enum l2r_status split(struct l2r_splitting *s, struct l2r_error *error)
{
    return l2r_split_by_chance(s, all_alike, 1, error);
}

const struct l2r_split_rule l2r_split_rule_random = {
    .name = "random", .help = "at random, by `split-seed`", .split = split};
