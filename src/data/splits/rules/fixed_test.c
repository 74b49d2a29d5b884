/* SPDX-License-Identifier: MIT
 *
 * fixed-test: the test graphs are those that came with the data; the others train and validate, molecules of one
 * scaffold together. Scaffolds in random order (--split-seed), those larger than half of valid's share first, into
 * train; each goes to train as long as there is room, else to valid. The protocol of the ADMET benchmark group. */
#include "base/memory.h"
#include "base/rng.h"
#include "data/splits/rule.h"

/* Scaffolds in the order in which they are dealt out; size [n]: graphs that do not test. */
static void shuffle(int32_t *order, const int64_t *size, int64_t n, double valid, uint64_t seed)
{
    int64_t n_big = 0, n_small = 0;
    for (int32_t k = 0; k < n; k++)
        if ((double)size[k] > valid / 2)
            order[n_big++] = k;
        else
            order[n - ++n_small] = k;
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_SPLIT, 0);
    l2r_rng_shuffle(&rng, order, (size_t)n_big);
    l2r_rng_shuffle(&rng, order + n_big, (size_t)n_small);
}

static enum l2r_status split(struct l2r_splitting *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_dataset *data = s->data;
    int64_t n = data->n_graphs, rest = 0, taken = 0, *size = NULL;
    int32_t *order = NULL;
    uint8_t *part = NULL;
    L2R_TRY(l2r_split_need_scaffolds(s, error));
    if (!data->official)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`split=fixed-test`: data set \"%s\" came without test graphs", data->name);
    size = l2r_alloc((size_t)n, sizeof *size);
    order = l2r_alloc((size_t)n, sizeof *order);
    part = l2r_alloc((size_t)n, 1);
    if (!size || !order || !part) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split");
    for (int64_t g = 0; g < n; g++)
        if (data->official[g] != L2R_PART_TEST) size[data->scaffold[g]]++, rest++;
    double valid = s->valid_fraction * (double)rest, train = (double)rest - valid;
    shuffle(order, size, n, valid, (uint64_t)l2r_config_int(s->config, "split-seed"));
    for (int64_t k = 0; k < n; k++) {
        bool fits = (double)(taken + size[order[k]]) <= train;
        part[order[k]] = fits ? L2R_PART_TRAIN : L2R_PART_VALID;
        if (fits) taken += size[order[k]];
    }
    for (int64_t g = 0; g < n; g++)
        s->part[g] = data->official[g] == L2R_PART_TEST ? L2R_PART_TEST : part[data->scaffold[g]];
done:
    l2r_free(size);
    l2r_free(order);
    l2r_free(part);
    return status;
}

const struct l2r_split_rule l2r_split_rule_fixed_test = {
    .name = "fixed-test",
    .help = "the test graphs that came with the data; the others by scaffold, assigned at random (tables of SMILES)",
    .when_empty = ": one scaffold holds too many",
    .split = split};
