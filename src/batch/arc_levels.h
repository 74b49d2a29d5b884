/* SPDX-License-Identifier: MIT
 *
 * Equal directed neighbourhoods of a batch, so that a network whose states belong to arcs (D-MPNN) computes each once.
 * As levels.h does for nodes, arcs get Weisfeiler–Lehman colours, layer by layer:
 *
 *     depth 0      arc v→w: the type of v and the type of the arc
 *     depth i+1    its colour of depth i, and the multiset of colours of depth i of the arcs u→v, u ≠ w
 *     nodes        v: its type, and the multiset of colours of the deepest arcs u→v
 *
 *     arcs         →  →  →  →  →  →  →  →  →  →
 *     depth 1      →  →     →     →  →            a row for each colour, made of rows of depth 0 by a list
 *     depth 0      →        →     →
 *
 * Without dropout arcs of one colour of depth i have equal states after i layers. Lists are ordered by content, as in
 * levels.h, and two arcs share a row only if their lists were compared.
 */
#ifndef L2R_BATCH_ARC_LEVELS_H
#define L2R_BATCH_ARC_LEVELS_H

#include "batch/levels.h"
#include "kernels/lists.h"

struct l2r_arc_level {
    struct l2r_lists lists; /* the rows of this level, made of those of the level before */
    const int32_t *origin;  /* [rows]: the row of depth 0; of the last level: the type of the node */
};

struct l2r_arc_levels {
    int64_t n_pairs;                     /* rows of depth 0 */
    const int32_t *node_type, *arc_type; /* [n_pairs] */
    int64_t n;                           /* levels: sharing->depth, of which the last has rows for nodes */
    struct l2r_arc_level *level;         /* [n] */
    const int32_t *row;                  /* [nodes of the batch]: row of the last level */
    struct l2r_row_counts counts;        /* nodes that each of these rows stands for */
};

/* Levels of a batch, in the arena; *levels stays NULL where a search does not pay (many arcs per node, or hardly any
 * equal ones). columns: of the data's nodes and arcs. */
enum l2r_status l2r_arc_levels_make(const struct l2r_arc_levels **levels, struct l2r_arena *arena,
                                    const struct l2r_batch *batch, const struct l2r_dataset *data,
                                    const struct l2r_sharing *sharing, struct l2r_error *error);

#endif
