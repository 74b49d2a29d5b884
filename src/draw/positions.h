/* SPDX-License-Identifier: MIT
 *
 * Places for the nodes of a graph: neighbours about one unit apart, few crossings, components side by side.
 *
 *     each connected component   stress majorisation from several starts; of more than 200 nodes from one
 *     then                       turned so that its longest axis lies flat, or what is round, so that its edges do;
 *                                scaled to edges of mean length 1
 *     all components             packed in rows, the largest first
 *
 * The result depends on n_nodes and edges alone.
 */
#ifndef L2R_DRAW_POSITIONS_H
#define L2R_DRAW_POSITIONS_H

#include "base/status.h"

#include <stdint.h>

struct l2r_positions {
    double *xy; /* [n_nodes × 2], from (0, 0) to (width, height) */
    double width, height;
};

/* edges [n_edges × 2]; self loops and repeated edges do not matter. Clear with l2r_positions_clear, also after a
 * failure. */
enum l2r_status l2r_positions_make(struct l2r_positions *positions, int32_t n_nodes, const int32_t *edges,
                                   int64_t n_edges, struct l2r_error *error);
void l2r_positions_clear(struct l2r_positions *positions);

/* One connected component of at least two nodes: xy [n_nodes × 2], in any scale. */
enum l2r_status l2r_positions_component(double *xy, int32_t n_nodes, const int32_t *edges, int64_t n_edges,
                                        struct l2r_error *error);

/* How many pairs of edges cross. */
int64_t l2r_positions_crossings(const double *xy, const int32_t *edges, int64_t n_edges);

#endif
