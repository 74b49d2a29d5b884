/* SPDX-License-Identifier: MIT
 *
 * Molecules in several parts of a split (split.h). A model that was trained on a test molecule scores better than it
 * will on new ones, so this is reported. */
#include "data/splits/split.h"

#include "base/memory.h"

int64_t l2r_split_shared(const struct l2r_split *split, const struct l2r_dataset *data)
{
    enum { PARTS = sizeof split->start / sizeof *split->start - 1 };
    int64_t n_shared = 0;
    /* Molecules are numbered by first sight, so there are at most as many as graphs. */
    uint8_t *seen = data->molecule ? l2r_alloc((size_t)data->n_graphs, 1) : NULL;
    for (int p = 0; seen && p < PARTS; p++)
        for (int64_t i = split->start[p]; i < split->start[p + 1]; i++)
            seen[data->molecule[split->graphs[i]]] |= (uint8_t)(1 << p);
    for (int64_t m = 0; seen && m < data->n_graphs; m++) n_shared += (seen[m] & (seen[m] - 1)) != 0;
    l2r_free(seen);
    return n_shared;
}
