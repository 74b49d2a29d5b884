/* SPDX-License-Identifier: MIT
 *
 * scaffold: molecules of one Bemis–Murcko scaffold stay together, and rare scaffolds are tested on (Hu et al. 2020, as
 * OGB does it).
 *
 *     groups, largest first:   ████████ ██████ █████ ███ ██ ██ █ █ █ █
 *                              train ─────────────────┤ valid ┤ test
 *
 * A group goes to train while train does not exceed its share, else to valid while train and valid together do not
 * exceed theirs, else to test. Among groups of equal size the one that begins last in the data comes first: OGB's
 * order, which decides at the borders. */
#include "data/splits/rule.h"

#include <stdlib.h>

static int largest_first(const void *a, const void *b)
{
    const struct l2r_group *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return (y->first > x->first) - (y->first < x->first);
}

static void assign(struct l2r_groups *groups, double train, double both)
{
    int64_t n_train = 0, n_valid = 0;
    qsort(groups->items, (size_t)groups->n, sizeof *groups->items, largest_first);
    for (int32_t k = 0; k < groups->n; k++) {
        int64_t size = groups->items[k].size;
        uint8_t *own = &groups->part[groups->items[k].number];
        if ((double)(n_train + size) <= train)
            *own = L2R_PART_TRAIN, n_train += size;
        else if ((double)(n_train + n_valid + size) <= both)
            *own = L2R_PART_VALID, n_valid += size;
        else
            *own = L2R_PART_TEST;
    }
}

static enum l2r_status split(struct l2r_splitting *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_groups groups = {0};
    double n = (double)s->data->n_graphs;
    L2R_TRY(l2r_split_need_scaffolds(s, error));
    L2R_TRY(l2r_split_check_fractions(s, error));
    L2R_TRY(l2r_groups_count(&groups, s->data->scaffold, s->data->n_graphs, error));
    assign(&groups, (1 - s->valid_fraction - s->test_fraction) * n, (1 - s->test_fraction) * n);
    l2r_groups_spread(s->part, &groups, s->data->n_graphs);
done:
    l2r_groups_clear(&groups);
    return status;
}

const struct l2r_split_rule l2r_split_rule_scaffold = {
    .name = "scaffold",
    .help = "molecules of one scaffold stay together; common scaffolds for training, rare ones for testing (tables of "
            "SMILES)",
    .when_empty = ": one scaffold holds too many; use another `split`",
    .split = split};
