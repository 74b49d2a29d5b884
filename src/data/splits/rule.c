/* SPDX-License-Identifier: MIT
 * See rule.h: what several rules share. */
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
                    "--valid-fraction %g and --test-fraction %g leave nothing to train on; their sum must be below 1",
                    s->valid_fraction, s->test_fraction);
}

enum l2r_status l2r_split_need_scaffolds(const struct l2r_splitting *s, struct l2r_error *error)
{
    if (s->data->scaffold) return L2R_OK;
    return l2r_fail(
        error, L2R_ERR_ARGUMENT,
        "--split %s: data set \"%s\" is not a table of SMILES, so its scaffolds are unknown; use another rule", s->rule,
        s->data->name);
}

int64_t l2r_split_share(int64_t n, double fraction)
{
    return (int64_t)floor((double)n * fraction + 0.5);
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
