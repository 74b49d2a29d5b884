/* SPDX-License-Identifier: MIT
 *
 * column: by a column of the table, --split-column (which the reader of the table has looked up, data/reader.h).
 * Either its cells are train, valid and test, or graphs of one value stay together in ascending order of the values,
 * such as years: the last ones test, those before them validate. As few values as reach the share of a part; a share of
 * 0 takes none. Cells that name no validation graph leave its share to be cut from train. */
#include "data/splits/rule.h"

#include <string.h>

static enum l2r_status check(const struct l2r_splitting *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_dataset *data = s->data;
    if (!l2r_config_has(s->config, "split-column") || !l2r_config_text(s->config, "split-column"))
        L2R_FAIL(L2R_ERR_ARGUMENT, "`split=column` needs `split-column=NAME`");
    if (!data->scaffold || (!data->official && !data->rank))
        L2R_FAIL(L2R_ERR_ARGUMENT, "`split-column`: data set \"%s\" is not a table of SMILES and has no columns",
                 data->name);
done:
    return status;
}

/* Gives groups from *k downwards to a part until it has its share. */
static void take_share(struct l2r_groups *groups, int32_t *k, double share, uint8_t part)
{
    int64_t taken = 0;
    for (; *k >= 0 && (double)taken < share; --*k) {
        groups->part[*k] = part;
        taken += groups->items[*k].size;
    }
}

static enum l2r_status by_rank(struct l2r_splitting *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_groups groups = {0};
    double n = (double)s->data->n_graphs;
    L2R_TRY(l2r_split_check_fractions(s, error));
    L2R_TRY(l2r_groups_count(&groups, s->data->rank, s->data->n_graphs, error));
    int32_t k = groups.n - 1;
    /* A hundredth of a graph less: 0.1 times 30 is a little more than 3. */
    take_share(&groups, &k, s->test_fraction * n - 0.01, L2R_PART_TEST);
    take_share(&groups, &k, s->valid_fraction * n - 0.01, L2R_PART_VALID);
    l2r_groups_spread(s->part, &groups, s->data->n_graphs);
done:
    l2r_groups_clear(&groups);
    return status;
}

static enum l2r_status split(struct l2r_splitting *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(check(s, error));
    if (!s->data->official) return by_rank(s, error);
    memcpy(s->part, s->data->official, (size_t)s->data->n_graphs);
    L2R_TRY(l2r_split_cut_validation(s, error));
done:
    return status;
}

const struct l2r_split_rule l2r_split_rule_column = {
    .name = "column",
    .help = "by `split-column`: its cells name the part, or its highest values are tested on (tables of SMILES)",
    .when_empty = ": `split-column` has too few different values",
    .split = split};
