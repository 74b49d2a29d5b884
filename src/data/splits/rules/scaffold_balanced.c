/* SPDX-License-Identifier: MIT
 *
 * scaffold-balanced: molecules of one scaffold stay together, dealt out at random (as chemprop does it). Groups larger
 * than half of valid or of test come first, in random order, then the others in random order; each goes to the first of
 * train, valid and test that it fits into. */
#include "base/memory.h"
#include "base/rng.h"
#include "data/splits/rule.h"

/* Numbers of the groups in the order in which they are dealt out: the big ones, then the others, both shuffled. */
static void shuffle(int32_t *order, const struct l2r_groups *groups, double valid, double test, uint64_t seed)
{
    int32_t n_big = 0, n_small = 0;
    for (int32_t k = 0; k < groups->n; k++) {
        double size = (double)groups->items[k].size;
        if (size > valid / 2 || size > test / 2)
            order[n_big++] = k;
        else
            order[groups->n - ++n_small] = k;
    }
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_SPLIT, 0);
    l2r_rng_shuffle(&rng, order, (size_t)n_big);
    l2r_rng_shuffle(&rng, order + n_big, (size_t)n_small);
}

static void assign(struct l2r_groups *groups, const int32_t *order, double train, double valid)
{
    int64_t n_train = 0, n_valid = 0;
    for (int32_t k = 0; k < groups->n; k++) {
        int64_t size = groups->items[order[k]].size;
        uint8_t *own = &groups->part[order[k]];
        if ((double)(n_train + size) <= train)
            *own = L2R_PART_TRAIN, n_train += size;
        else if ((double)(n_valid + size) <= valid)
            *own = L2R_PART_VALID, n_valid += size;
        else
            *own = L2R_PART_TEST;
    }
}

static enum l2r_status split(struct l2r_splitting *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_groups groups = {0};
    int32_t *order = NULL;
    double n = (double)s->data->n_graphs, valid = s->valid_fraction * n, test = s->test_fraction * n;
    L2R_TRY(l2r_split_need_scaffolds(s, error));
    L2R_TRY(l2r_split_check_fractions(s, error));
    L2R_TRY(l2r_groups_count(&groups, s->data->scaffold, s->data->n_graphs, error));
    order = l2r_alloc_raw((size_t)groups.n + 1, sizeof *order);
    if (!order) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the groups of a split");
    shuffle(order, &groups, valid, test, s->seed);
    assign(&groups, order, n - valid - test, valid);
    l2r_groups_spread(s->part, &groups, s->data->n_graphs);
done:
    l2r_groups_clear(&groups);
    l2r_free(order);
    return status;
}

const struct l2r_split_rule l2r_split_rule_scaffold_balanced = {
    .name = "scaffold-balanced",
    .help = "molecules of one scaffold stay together, scaffolds are assigned at random (tables of SMILES)",
    .when_empty = ": one scaffold holds too many; use another `split`",
    .split = split};
