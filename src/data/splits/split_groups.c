/* SPDX-License-Identifier: MIT
 * See split_groups.h. */
#include "data/splits/split_groups.h"

#include "base/memory.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

struct group {
    int32_t number;
    int64_t size, first; /* its lowest graph */
};

/* Groups by number; *n_groups is one more than the highest. NULL: out of memory. */
static struct group *collect(int32_t *n_groups, const int32_t *group, int64_t n)
{
    int32_t most = 0;
    for (int64_t g = 0; g < n; g++)
        if (group[g] >= most) most = group[g] + 1;
    struct group *groups = l2r_alloc((size_t)most + 1, sizeof *groups);
    for (int64_t g = n - 1; groups && g >= 0; g--) {
        struct group *own = &groups[group[g]];
        *own = (struct group){.number = group[g], .size = own->size + 1, .first = g};
    }
    *n_groups = most;
    return groups;
}

static int largest_first(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return (y->first > x->first) - (y->first < x->first);
}

/* The part of each group becomes that of its graphs. */
static void spread(uint8_t *part, const int32_t *group, int64_t n, const uint8_t *part_of)
{
    for (int64_t g = 0; g < n; g++) part[g] = part_of[group[g]];
}

bool l2r_split_by_group(uint8_t *part, const int32_t *group, int64_t n, const struct l2r_split_rule *rule)
{
    int32_t n_groups;
    struct group *groups = collect(&n_groups, group, n);
    uint8_t *part_of = l2r_alloc((size_t)n_groups + 1, 1);
    double train = (1 - rule->valid_fraction - rule->test_fraction) * (double)n;
    double both = (1 - rule->test_fraction) * (double)n;
    int64_t n_train = 0, n_valid = 0;
    bool made = groups && part_of;
    if (made) qsort(groups, (size_t)n_groups, sizeof *groups, largest_first);
    for (int32_t k = 0; made && k < n_groups; k++) {
        int64_t size = groups[k].size;
        uint8_t *own = &part_of[groups[k].number];
        if ((double)(n_train + size) <= train)
            *own = L2R_PART_TRAIN, n_train += size;
        else if ((double)(n_train + n_valid + size) <= both)
            *own = L2R_PART_VALID, n_valid += size;
        else
            *own = L2R_PART_TEST;
    }
    if (made) spread(part, group, n, part_of);
    l2r_free(groups);
    l2r_free(part_of);
    return made;
}

/* Numbers of the groups in the order in which they are dealt out: the big ones, then the others, both shuffled. */
static void order_balanced(int32_t *order, const struct group *groups, int32_t n_groups, double valid, double test,
                           uint64_t seed)
{
    int32_t n_big = 0, n_small = 0;
    for (int32_t k = 0; k < n_groups; k++) {
        double size = (double)groups[k].size;
        if (size > valid / 2 || size > test / 2)
            order[n_big++] = k;
        else
            order[n_groups - ++n_small] = k;
    }
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_SPLIT, 0);
    l2r_rng_shuffle(&rng, order, (size_t)n_big);
    l2r_rng_shuffle(&rng, order + n_big, (size_t)n_small);
}

bool l2r_split_by_group_balanced(uint8_t *part, const int32_t *group, int64_t n, const struct l2r_split_rule *rule)
{
    int32_t n_groups;
    struct group *groups = collect(&n_groups, group, n);
    int32_t *order = l2r_alloc((size_t)n_groups + 1, sizeof *order);
    uint8_t *part_of = l2r_alloc((size_t)n_groups + 1, 1);
    double valid = rule->valid_fraction * (double)n, test = rule->test_fraction * (double)n;
    int64_t n_train = 0, n_valid = 0;
    bool made = groups && order && part_of;
    if (made) order_balanced(order, groups, n_groups, valid, test, rule->seed);
    for (int32_t k = 0; made && k < n_groups; k++) {
        int64_t size = groups[order[k]].size;
        uint8_t *own = &part_of[order[k]];
        if ((double)(n_train + size) <= (double)n - valid - test)
            *own = L2R_PART_TRAIN, n_train += size;
        else if ((double)(n_valid + size) <= valid)
            *own = L2R_PART_VALID, n_valid += size;
        else
            *own = L2R_PART_TEST;
    }
    if (made) spread(part, group, n, part_of);
    l2r_free(groups);
    l2r_free(order);
    l2r_free(part_of);
    return made;
}

/* Gives groups from *k downwards to a part until it has its share. */
static void take_share(uint8_t *part_of, int32_t *k, const struct group *groups, double share, uint8_t part)
{
    int64_t taken = 0;
    for (; *k >= 0 && (double)taken < share; --*k) {
        part_of[*k] = part;
        taken += groups[*k].size;
    }
}

bool l2r_split_by_rank(uint8_t *part, const int32_t *rank, int64_t n, const struct l2r_split_rule *rule)
{
    int32_t n_groups;
    struct group *groups = collect(&n_groups, rank, n);
    uint8_t *part_of = l2r_alloc((size_t)n_groups + 1, 1);
    bool made = groups && part_of;
    int32_t k = n_groups - 1;
    _Static_assert(L2R_PART_TRAIN == 0, "what no other part takes trains");
    if (made) {
        /* A hundredth of a graph less: 0.1 times 30 is a little more than 3. */
        take_share(part_of, &k, groups, rule->test_fraction * (double)n - 0.01, L2R_PART_TEST);
        take_share(part_of, &k, groups, rule->valid_fraction * (double)n - 0.01, L2R_PART_VALID);
        spread(part, rank, n, part_of);
    }
    l2r_free(groups);
    l2r_free(part_of);
    return made;
}
