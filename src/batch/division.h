/* SPDX-License-Identifier: MIT
 *
 * A mini-batch divided among ranks: each takes consecutive graphs, about as many nodes and arcs as the others.
 *
 *     batch    [ g0 g1 g2 g3 g4 g5 g6 g7 ]          start = 0, 3, 6, 8
 *     rank       0 0 0  1 1 1  2 2                   a function of the graphs and the number of ranks alone
 *
 * A rank may have none. What ranks have found about their graphs is gathered in the order of the batch.
 */
#ifndef L2R_BATCH_DIVISION_H
#define L2R_BATCH_DIVISION_H

#include "base/arena.h"
#include "comm/comm.h"
#include "data/dataset.h"

struct l2r_division {
    struct l2r_comm *comm;
    const int32_t *graphs; /* [n_graphs]: of the whole batch */
    int64_t n_graphs, n_nodes;
    int64_t *start;     /* [size + 1]: graphs of rank r are start[r] .. start[r+1] */
    int64_t first_node; /* of this rank's nodes among those of the batch */
    int64_t *bytes;     /* [size + 1]: room for a gather */
};

/* Cuts n things of the given costs into `parts` pieces: start [parts + 1]. A thing goes where its middle lies. */
void l2r_cut_evenly(int64_t *start, int64_t parts, const int64_t *cost, int64_t n);

/* NULL and an error when out of memory. The graphs are copied into the arena. */
struct l2r_division *l2r_division_make(struct l2r_arena *arena, struct l2r_comm *comm, const struct l2r_dataset *data,
                                       const int32_t *graphs, int64_t n_graphs, struct l2r_error *error);

/* This rank's graphs: the first and how many. */
static inline int64_t l2r_division_first(const struct l2r_division *d)
{
    return d->start[d->comm->rank];
}
static inline int64_t l2r_division_count(const struct l2r_division *d)
{
    return d->start[d->comm->rank + 1] - d->start[d->comm->rank];
}

/* all [n_graphs × row_bytes] from each rank's mine [its graphs × row_bytes]. */
void l2r_division_gather(const struct l2r_division *division, void *all, const void *mine, size_t row_bytes);

#endif
