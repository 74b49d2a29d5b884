/* SPDX-License-Identifier: MIT
 *
 * Splits that keep groups of graphs together: molecules of one scaffold, rows of one year. A rule counts the groups,
 * gives each of them a part, and spreads the parts over the graphs.
 */
#ifndef L2R_DATA_SPLITS_GROUPS_H
#define L2R_DATA_SPLITS_GROUPS_H

#include "data/splits/rule.h"

struct l2r_group {
    int32_t number;
    int64_t size, first; /* its lowest graph */
};

struct l2r_groups {
    const int32_t *group; /* [n_graphs]: the group of each graph, given */
    int32_t n;
    struct l2r_group *items; /* [n], by number */
    uint8_t *part;           /* [n], by number: to be filled, L2R_PART_TRAIN at first */
};

/* group [n_graphs]: numbers from 0 to below n_graphs. To be cleared, also after a failure. */
enum l2r_status l2r_groups_count(struct l2r_groups *groups, const int32_t *group, int64_t n_graphs,
                                 struct l2r_error *error);
/* The part of each group becomes that of its graphs. */
void l2r_groups_spread(uint8_t *part, const struct l2r_groups *groups, int64_t n_graphs);
void l2r_groups_clear(struct l2r_groups *groups);

#endif
