/* SPDX-License-Identifier: MIT
 *
 * See rule.h: random numbers and groups, for several rules. Random numbers are drawn from one stream per stratum, so a
 * class that gains a graph does not reshuffle the others. */
#include "data/splits/rule.h"

#include "base/memory.h"
#include "base/rng.h"

#include <math.h>
#include <string.h>

const struct l2r_split_rule *l2r_split_rule_find(const char *name)
{
    for (size_t i = 0; l2r_split_rules[i]; i++)
        if (strcmp(l2r_split_rules[i]->name, name) == 0) return l2r_split_rules[i];
    return NULL;
}

enum l2r_status l2r_split_check_fractions(const struct l2r_splitting *s, struct l2r_error *error)
{
    if (s->valid_fraction + s->test_fraction < 1) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "`valid-fraction=%g` and `test-fraction=%g` leave nothing to train on; their sum must be below 1",
                    s->valid_fraction, s->test_fraction);
}

enum l2r_status l2r_split_need_scaffolds(const struct l2r_splitting *s, struct l2r_error *error)
{
    if (s->data->scaffold) return L2R_OK;
    return l2r_fail(
        error, L2R_ERR_ARGUMENT,
        "`split=%s`: data set \"%s\" is not a table of SMILES, so its scaffolds are unknown; use another rule", s->rule,
        s->data->name);
}

int64_t l2r_split_share(int64_t n, double fraction)
{
    return (int64_t)floor((double)n * fraction + 0.5);
}

static int64_t count(const struct l2r_splitting *s, uint8_t part)
{
    int64_t n = 0;
    for (int64_t g = 0; g < s->data->n_graphs; g++) n += s->part[g] == part;
    return n;
}

/* Training graphs at random. */
static enum l2r_status cut_by_chance(struct l2r_splitting *s, struct l2r_error *error)
{
    int64_t n = s->data->n_graphs, n_train = 0;
    int32_t *train = l2r_alloc_raw((size_t)n, sizeof *train);
    struct l2r_rng rng = l2r_rng_at(s->seed, L2R_RANDOM_SPLIT, 0);
    if (!train) return l2r_fail_memory(error, (size_t)n * sizeof *train, "a split");
    for (int64_t g = 0; g < n; g++)
        if (s->data->official[g] == L2R_PART_TRAIN) train[n_train++] = (int32_t)g;
    l2r_rng_shuffle(&rng, train, (size_t)n_train);
    memcpy(s->part, s->data->official, (size_t)n);
    for (int64_t i = 0; i < l2r_split_share(n_train, s->valid_fraction); i++) s->part[train[i]] = L2R_PART_VALID;
    l2r_free(train);
    return L2R_OK;
}

enum l2r_status l2r_split_cut_validation(struct l2r_splitting *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool validates = count(s, L2R_PART_VALID) + count(s, L2R_PART_ID_VALID) > 0;
    if (validates || s->valid_fraction == 0 || count(s, L2R_PART_TRAIN) <= 1) return L2R_OK;
    L2R_TRY(l2r_split_check_fractions(s, error));
    L2R_TRY(l2r_split_rule_find("fixed-test")->split(s, error));
    for (int64_t g = 0; g < s->data->n_graphs; g++)
        if (s->data->official[g] != L2R_PART_TRAIN) s->part[g] = s->data->official[g];
    if (count(s, L2R_PART_VALID) == 0 || count(s, L2R_PART_TRAIN) == 0) L2R_TRY(cut_by_chance(s, error));
    s->note = "the data names no validation part: it is cut from train";
done:
    return status;
}

/* Cuts are taken on the running total over the strata, so that the sizes of the parts are right to the last graph
 * and every stratum is right to within one. */
static void deal(const struct l2r_splitting *s, const int32_t *members, int64_t n, int64_t before)
{
    double test = s->test_fraction, held = s->test_fraction + s->valid_fraction;
    int64_t n_test = l2r_split_share(before + n, test) - l2r_split_share(before, test);
    int64_t n_held = l2r_split_share(before + n, held) - l2r_split_share(before, held);
    for (int64_t i = 0; i < n; i++)
        s->part[members[i]] = i < n_test ? L2R_PART_TEST : i < n_held ? L2R_PART_VALID : L2R_PART_TRAIN;
}

enum l2r_status l2r_split_by_chance(struct l2r_splitting *s, int32_t (*stratum)(const struct l2r_dataset *, int64_t),
                                    int32_t n_strata, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t n = s->data->n_graphs, *start = l2r_alloc((size_t)n_strata + 2, sizeof *start);
    int32_t *members = l2r_alloc_raw((size_t)n, sizeof *members);
    L2R_TRY(l2r_split_check_fractions(s, error));
    if (!members || !start) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split of %lld graphs", (long long)n);
    /* Counting sort by stratum: start[k + 1] walks from the beginning of stratum k to its end. */
    for (int64_t g = 0; g < n; g++) start[stratum(s->data, g) + 2]++;
    for (int32_t k = 1; k <= n_strata; k++) start[k + 1] += start[k];
    for (int64_t g = 0; g < n; g++) members[start[stratum(s->data, g) + 1]++] = (int32_t)g;
    for (int32_t k = 0; k < n_strata; k++) {
        int64_t size = start[k + 1] - start[k];
        struct l2r_rng rng = l2r_rng_at(s->seed, L2R_RANDOM_SPLIT, (uint64_t)k + 1);
        l2r_rng_shuffle(&rng, members + start[k], (size_t)size);
        deal(s, members + start[k], size, start[k]);
    }
done:
    l2r_free(members);
    l2r_free(start);
    return status;
}

enum l2r_status l2r_groups_count(struct l2r_groups *groups, const int32_t *group, int64_t n_graphs,
                                 struct l2r_error *error)
{
    int32_t n = 0;
    for (int64_t g = 0; g < n_graphs; g++)
        if (group[g] >= n) n = group[g] + 1;
    *groups = (struct l2r_groups){.group = group,
                                  .n = n,
                                  .items = l2r_alloc((size_t)n + 1, sizeof *groups->items),
                                  .part = l2r_alloc((size_t)n + 1, 1)};
    _Static_assert(L2R_PART_TRAIN == 0, "the rest are training graphs");
    if (!groups->items || !groups->part)
        return l2r_fail_memory(error, (size_t)n * sizeof *groups->items, "the groups of a split");
    /* Backwards: the last to write `first` is the lowest graph. */
    for (int64_t g = n_graphs - 1; g >= 0; g--) {
        struct l2r_group *own = &groups->items[group[g]];
        *own = (struct l2r_group){.number = group[g], .size = own->size + 1, .first = g};
    }
    return L2R_OK;
}

void l2r_groups_spread(uint8_t *part, const struct l2r_groups *groups, int64_t n_graphs)
{
    for (int64_t g = 0; g < n_graphs; g++) part[g] = groups->part[groups->group[g]];
}

void l2r_groups_clear(struct l2r_groups *groups)
{
    l2r_free(groups->items);
    l2r_free(groups->part);
    *groups = (struct l2r_groups){0};
}
