/* SPDX-License-Identifier: MIT
 *
 * Lengths of edges in shortest paths: 1, but for the spokes of large wheels. A rim of k nodes, all one edge from the
 * hub, has no room: at k = 12 it begins to buckle. Spokes of k / 8 edges keep it round.
 *
 *     hub      a node with at least 10 neighbours
 *     rim      those that have one or two of the others as neighbours; all but two of them, or it is no wheel
 */
#include "draw/stress.h"

#include "base/memory.h"

#include <math.h>

enum { SMALLEST_RIM = 10 };

static const double rim_by_spoke = 8;

/* How many neighbours of u are neighbours of the hub, too: mark[v] == hub + 1. */
static int64_t count_marked(const struct l2r_stress *stress, const int32_t *mark, int32_t u, int32_t hub)
{
    int64_t count = 0;
    for (int64_t i = stress->start[u]; i < stress->start[u + 1]; i++) count += mark[stress->neighbour[i]] == hub + 1;
    return count;
}

static bool is_wheel(const struct l2r_stress *stress, const int32_t *mark, int32_t hub)
{
    int64_t first = stress->start[hub], end = stress->start[hub + 1], sum = 0;
    for (int64_t i = first; i < end; i++) {
        int64_t count = count_marked(stress, mark, stress->neighbour[i], hub);
        if (count > 2) return false;
        sum += count;
    }
    return sum >= 2 * (end - first - 2);
}

static void lengthen(struct l2r_stress *stress, const int32_t *mark, int32_t hub)
{
    int64_t first = stress->start[hub], end = stress->start[hub + 1];
    int32_t length = (int32_t)ceil(L2R_STRESS_EDGE * (double)(end - first) / rim_by_spoke);
    for (int64_t i = first; i < end; i++) {
        int32_t u = stress->neighbour[i];
        if (count_marked(stress, mark, u, hub) == 0) continue; /* not on the rim */
        stress->length[i] = length;
        for (int64_t k = stress->start[u]; k < stress->start[u + 1]; k++)
            if (stress->neighbour[k] == hub) stress->length[k] = length;
    }
}

void l2r_stress_find_lengths(struct l2r_stress *stress, int32_t *mark)
{
    for (int64_t i = 0; i < stress->start[stress->n]; i++) stress->length[i] = L2R_STRESS_EDGE;
    for (int32_t v = 0; v < stress->n; v++) {
        int64_t first = stress->start[v], end = stress->start[v + 1];
        if (end - first < SMALLEST_RIM) continue;
        for (int64_t i = first; i < end; i++) mark[stress->neighbour[i]] = v + 1;
        if (is_wheel(stress, mark, v)) lengthen(stress, mark, v);
    }
}
