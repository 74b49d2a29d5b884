/* SPDX-License-Identifier: MIT
 *
 * A mini-batch: some graphs of a data set side by side as one graph of several components. Everything lives in the
 * arena given (the tape's), and is gone with its next reset.
 *
 *     graph i of the batch owns rows node_start[i] .. node_start[i+1]
 *
 * Feature rows get new numbers, so that only those that occur in the batch are embedded.
 */
#ifndef L2R_BATCH_BATCH_H
#define L2R_BATCH_BATCH_H

#include "base/arena.h"
#include "data/dataset.h"
#include "kernels/aggregate.h"

struct l2r_levels;
struct l2r_division;

struct l2r_batch_types {
    int64_t n;           /* distinct rows in this batch */
    const int32_t *rows; /* [n × columns] */
    const int32_t *type; /* [n_nodes] or [n_arcs] */
};

struct l2r_batch {
    int64_t n_graphs, n_nodes;
    struct l2r_adjacency graph;
    const int32_t *node_start; /* [n_graphs + 1] */
    struct l2r_batch_types nodes, arcs;
    l2r_real *node_real;                 /* [n_nodes × n_node_reals] */
    const float *labels;                 /* [n_graphs × n_tasks] */
    const int32_t *graphs;               /* [n_graphs]: numbers in the data set */
    const struct l2r_levels *levels;     /* equal neighbourhoods (levels.h); NULL: not looked for */
    const struct l2r_division *division; /* of which this is one rank's part (division.h); NULL: the batch is whole */
    const struct l2r_row_counts *counts; /* a level's: nodes that its rows stand for; NULL: one each */
};

enum l2r_status l2r_batch_make(struct l2r_batch *batch, struct l2r_arena *arena, const struct l2r_dataset *data,
                               const int32_t *graphs, int64_t n_graphs, struct l2r_error *error);

#endif
