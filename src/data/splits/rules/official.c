/* SPDX-License-Identifier: MIT
 * official: the split that came with the data (OGB's split/ folder, a TU set's NAME_split.txt). Graphs in none of its
 * parts are left out. Molecules of a split without a validation part (a folder of the ADMET group) get one, cut from
 * train. */
#include "data/splits/rule.h"

#include <string.h>

static enum l2r_status split(struct l2r_splitting *s, struct l2r_error *error)
{
    if (!s->data->official)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "`split=official`: data set \"%s\" came without a split; use size, random, stratified or file",
                        s->data->name);
    memcpy(s->part, s->data->official, (size_t)s->data->n_graphs);
    return s->data->scaffold ? l2r_split_cut_validation(s, error) : L2R_OK;
}

const struct l2r_split_rule l2r_split_rule_official = {
    .name = "official", .help = "the split that came with the data", .split = split};
