/* SPDX-License-Identifier: MIT
 * See division.h. */
#include "batch/division.h"

#include <string.h>

void l2r_cut_evenly(int64_t *start, int64_t parts, const int64_t *cost, int64_t n)
{
    double total = 0, before = 0;
    int64_t i = 0;
    for (int64_t k = 0; k < n; k++) total += (double)cost[k];
    for (int64_t p = 0; p <= parts; p++) {
        double limit = total * (double)p / (double)parts;
        while (i < n && p > 0 && (p == parts || before + (double)cost[i] / 2 < limit)) before += (double)cost[i++];
        start[p] = i;
    }
}

struct l2r_division *l2r_division_make(struct l2r_arena *arena, struct l2r_comm *comm, const struct l2r_dataset *data,
                                       const int32_t *graphs, int64_t n_graphs, struct l2r_error *error)
{
    struct l2r_division *d = l2r_arena_zeroed(arena, 1, sizeof *d);
    size_t n = (size_t)n_graphs, size = (size_t)comm->size + 1;
    int32_t *copy = l2r_arena_alloc(arena, n, sizeof *copy);
    int64_t *cost = l2r_arena_alloc(arena, n, sizeof *cost), *start = l2r_arena_alloc(arena, 2 * size, sizeof *start);
    if (!d || !copy || !cost || !start) {
        l2r_fail_memory(error, n * sizeof *cost, "the division of a batch");
        return NULL;
    }
    memcpy(copy, graphs, n * sizeof *copy);
    *d = (struct l2r_division){
        .comm = comm, .graphs = copy, .n_graphs = n_graphs, .start = start, .bytes = start + size};
    for (int64_t i = 0; i < n_graphs; i++)
        cost[i] = 1 + l2r_dataset_nodes_of(data, graphs[i]) + l2r_dataset_arcs_of(data, graphs[i]);
    l2r_cut_evenly(start, comm->size, cost, n_graphs);
    for (int64_t i = 0; i < n_graphs; i++) {
        int64_t nodes = l2r_dataset_nodes_of(data, graphs[i]);
        if (i < start[comm->rank]) d->first_node += nodes;
        d->n_nodes += nodes;
    }
    return d;
}

void l2r_division_gather(const struct l2r_division *d, void *all, const void *mine, size_t row_bytes)
{
    for (int r = 0; r <= d->comm->size; r++) d->bytes[r] = d->start[r] * (int64_t)row_bytes;
    char *own = (char *)all + d->bytes[d->comm->rank];
    if (l2r_division_count(d) > 0 && own != mine) memcpy(own, mine, (size_t)l2r_division_count(d) * row_bytes);
    l2r_comm_gather(d->comm, all, d->bytes);
}
