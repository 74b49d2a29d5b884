/* SPDX-License-Identifier: MIT
 *
 * A mini-batch: some graphs of a data set side by side as one graph of several components. Everything lies in the given
 * arena (the tape's), until its next reset.
 *
 *     graph i of the batch owns rows node_start[i] .. node_start[i+1]
 *
 * Feature rows get new numbers, so that only those that occur in the batch are embedded:
 *
 *     data set   nodes.type  [… 17 4 17 …]   rows  0 … 4 … 17 …
 *     batch      nodes.type  [   0 1  0   ]   rows  0 (was 17), 1 (was 4)      in order of first appearance
 *
 * With several ranks a batch is divided: each rank makes its own part only, and results of the ranks are gathered in
 * the order of the batch.
 *
 *     batch    [ g0 g1 g2 g3 g4 g5 g6 g7 ]          start = 0, 3, 6, 8
 *     rank       0  0  0  1  1  1  2  2              a function of the graphs and the number of ranks alone
 */
#ifndef L2R_BATCH_BATCH_H
#define L2R_BATCH_BATCH_H

#include "base/memory.h"
#include "comm/comm.h"
#include "data/dataset.h"
#include "kernels/aggregate.h"

struct l2r_levels;
struct l2r_arc_levels;
struct l2r_division;

struct l2r_batch_types {
    int64_t n;           /* distinct rows in this batch */
    const int32_t *rows; /* [n × columns] */
    const int32_t *type; /* [n_nodes] or [n_arcs] */
    int32_t n_reals;
    l2r_real *real; /* [n × n_reals]: real features of arcs; NULL: none */
};

struct l2r_batch {
    int64_t n_graphs, n_nodes;
    struct l2r_adjacency graph;
    const int32_t *node_start; /* [n_graphs + 1] */
    struct l2r_batch_types nodes, arcs;
    l2r_real *node_real; /* [n_nodes × n_node_reals] */
    const float *labels; /* [n_graphs × n_tasks] */
    l2r_real *features;  /* [n_graphs × n_features]: scaled (data/features.h); NULL: none */
    int64_t n_features;
    const int8_t *bound;                     /* [n_graphs × n_tasks] as in the data set; NULL: labels are exact */
    const float *weight;                     /* [n_graphs] as in the data set; NULL: 1 */
    const int32_t *graphs;                   /* [n_graphs]: numbers in the data set */
    const struct l2r_dataset *data;          /* the data set */
    const struct l2r_levels *levels;         /* equal neighbourhoods (levels.h); NULL: not computed */
    const struct l2r_arc_levels *arc_levels; /* equal directed neighbourhoods (arc_levels.h); NULL: not computed */
    const struct l2r_division *division;     /* of which this is one rank's part (below); NULL: the batch is whole */
    const struct l2r_row_counts *counts;     /* a level's: nodes that its rows stand for; NULL: one each */
};

enum l2r_status l2r_batch_make(struct l2r_batch *batch, struct l2r_arena *arena, const struct l2r_dataset *data,
                               const int32_t *graphs, int64_t n_graphs, struct l2r_error *error);

/* ---- Division among ranks: each takes consecutive graphs, about as many nodes and arcs as the others; a rank may have
 * none ---- */

struct l2r_division {
    struct l2r_comm *comm;
    const int32_t *graphs; /* [n_graphs]: of the whole batch */
    int64_t n_graphs, n_nodes, n_arcs;
    int64_t *start;                /* [size + 1]: graphs of rank r are start[r] .. start[r+1] */
    int64_t first_node, first_arc; /* of this rank's nodes and arcs among those of the batch */
    int64_t *bytes;                /* [size + 1]: room for a gather */
};

/* Cuts n things of the given costs into `parts` pieces: start [parts + 1]. A thing belongs to the piece that its middle
 * lies in. */
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
