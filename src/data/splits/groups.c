/* SPDX-License-Identifier: MIT
 * See groups.h. */
#include "data/splits/groups.h"

#include "base/memory.h"

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
    _Static_assert(L2R_PART_TRAIN == 0, "what no other part takes trains");
    if (!groups->items || !groups->part)
        return l2r_fail_memory(error, (size_t)n * sizeof *groups->items, "the groups of a split");
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
