/* SPDX-License-Identifier: MIT
 *
 * How a forward pass runs, apart from what it computes: the same network trains, predicts, looks ahead and is
 * explained.
 *
 *                      record   dropout   statistics of norms   parameters
 *     training         yes      yes       the batch's, moving   trained
 *     prediction       no       no        running               constant
 *     look-ahead       no       no        the batch's           constant           (methods that weigh graphs)
 *     explanation      yes      no        running               constant; gradients flow to the masks alone
 *
 * A tape has one, set before the pass; operations read it, models rarely.
 */
#ifndef L2R_AUTOGRAD_PASS_H
#define L2R_AUTOGRAD_PASS_H

#include "base/rng.h"
#include "comm/comm.h"

#include <stdbool.h>

/* A value on the tape. */
typedef struct {
    int32_t id;
} l2r_node;

#define L2R_NO_NODE ((l2r_node){-1})

/* Weights in 0..1 on what a network reads of its graphs, for explanations. An edge's mask multiplies the messages that
 * pass over it, in both directions and in every layer (a node's own part stays, and so do degrees); a column's mask
 * multiplies what a feature column contributes to the encoding. */
struct l2r_masks {
    l2r_node edges;          /* [n_edges × 1]; L2R_NO_NODE: none */
    const int32_t *arc_edge; /* [n_arcs]: edge of each arc; pooling puts the smaller graph's here */
    int64_t n_arcs;
    l2r_node columns; /* [B × columns], a row for every graph, categorical columns first; L2R_NO_NODE: none */
};

/* Rows of a batch of which other ranks hold the rest: `here` of `total` rows, from number `first` on. */
struct l2r_rows {
    int64_t here, first, total;
};

/* A batch divided among ranks by graphs. Sums over the batch are sums over all ranks, and a row draws the dropout that
 * it would draw in the whole batch. Operations on rows of graphs, not of nodes, run between l2r_tape_at_graphs(tape,
 * true) and (tape, false). */
struct l2r_share {
    struct l2r_comm *comm; /* NULL: the batch is whole */
    struct l2r_rows nodes, graphs;
    bool at_graphs;
};

struct l2r_pass {
    bool record;            /* gradients are wanted */
    bool dropout;           /* drop; otherwise dropout is the identity */
    bool batch_statistics;  /* batch norm normalises by the batch; otherwise by its running statistics */
    bool update_statistics; /* and moves the running statistics */
    bool frozen;            /* parameters are constants: gradients flow to the masks alone */
    struct l2r_rng random;  /* one draw of keys per dropout operation */
    struct l2r_masks masks; /* a reset of the tape takes them off */
    struct l2r_share share; /* of the current batch; a reset of the tape makes it whole */
    struct l2r_comm *ranks; /* that scoring many batches is divided among; NULL: alone */
};

#endif
