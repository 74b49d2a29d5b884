/* SPDX-License-Identifier: MIT
 *
 * Equal neighbourhoods of a batch, so that each is computed once. Nodes get Weisfeiler–Lehman colours, layer by layer:
 *
 *     depth 0      the node's feature row (its type in the batch)
 *     depth i+1    the node's colour of depth i, and the multiset of (colour of depth i, arc type) of its neighbours
 *
 *     nodes      o o o o o o o o o o o o
 *     depth 2    o o o   o   o o   o o        a row for each colour; level 2 makes them of the rows of depth 1,
 *     depth 1    o   o       o     o          level 1 of those of depth 0
 *     depth 0    o           o
 *
 * Without dropout, nodes of one colour of depth i have equal representations after i layers. So layer i needs a row for
 * each colour only: level i is a graph that leads from the rows of depth i-1 to those of depth i, with a count of the
 * nodes that each row stands for. Colours are found by hashing (wl_colours.h), but two nodes share a row only if their
 * own colours and neighbour lists were compared and are equal.
 *
 * A row lists its neighbours in an order that follows from their content alone, not from the rest of the batch. Where
 * nearly all nodes differ, sharing ends: the rows of the last level are then the nodes themselves, made of the rows of
 * the level before.
 */
#ifndef L2R_BATCH_LEVELS_H
#define L2R_BATCH_LEVELS_H

#include "batch/batch.h"
#include "kernels/norm.h"

/* What a model allows to be shared. */
struct l2r_sharing {
    int64_t depth;       /* layers; 0: none */
    int64_t train_depth; /* the first layers that a training pass with dropout may share */
    bool arcs;           /* arc types count */
    bool degrees;        /* the sender's degree counts, too (GCN's norm): colours of depth 0 distinguish degrees */
    bool directed;       /* states belong to arcs: arc_levels.h instead; depth counts the step to nodes as a layer */
};

struct l2r_level {
    struct l2r_adjacency graph;   /* n_nodes: rows of this level; map: where they come from */
    struct l2r_row_map map;       /* what graph.map points to */
    const int32_t *row;           /* [nodes of the batch]: the row of each; NULL: the rows are the nodes */
    struct l2r_row_counts counts; /* nodes that each row stands for; counts.count NULL: one */
};

struct l2r_levels {
    int64_t n;               /* fewer than sharing->depth where sharing ends: 0 where feature rows hardly repeat */
    struct l2r_level *level; /* [n] */
};

/* Levels of a batch of graphs of `data`, at most sharing->depth; all in the arena. */
enum l2r_status l2r_levels_make(struct l2r_levels *levels, struct l2r_arena *arena, const struct l2r_batch *batch,
                                const struct l2r_dataset *data, const struct l2r_sharing *sharing,
                                struct l2r_error *error);

#endif
