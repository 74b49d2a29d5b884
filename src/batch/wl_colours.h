/* SPDX-License-Identifier: MIT
 *
 * Weisfeiler–Lehman colours of the nodes of a batch, one step of refinement at a time, for levels.h.
 *
 *     colour'(v) = (colour(v), {{ (colour(u), type of the arc u→v) : u neighbour of v }})
 *
 * In a step every node's arcs are sorted by a hash of their content (in parallel), the node's own hash is folded over
 * them, and a table from hash to row finds the rows. Equal hashes are not enough: the lists of two nodes are compared
 * before they share a row. A node that is the only one of its colour stays so and needs no search. The table is a plain
 * array in the batch's arena, of hashes that are known already: nothing is allocated while training.
 */
#ifndef L2R_BATCH_WL_COLOURS_H
#define L2R_BATCH_WL_COLOURS_H

#include "batch/batch.h"

#include <stdbool.h>

/* An arc as its node sees it: one element of the multiset. */
struct l2r_wl_arc {
    uint64_t key;  /* hash of its content: the same in every batch */
    uint64_t code; /* colour of the neighbour, arc type, is it a self loop: the same in this batch only, but exact */
};

static inline int32_t l2r_wl_colour(uint64_t code)
{
    return (int32_t)(code >> 32);
}
static inline int32_t l2r_wl_type(uint64_t code)
{
    return (int32_t)((code & UINT32_MAX) >> 1);
}
static inline bool l2r_wl_loop(uint64_t code)
{
    return code & 1;
}

struct l2r_wl_colours {
    const struct l2r_batch *batch;
    bool with_arc_types;     /* arc types count */
    int64_t n;               /* colours of the depth reached */
    const int32_t *colour;   /* [nodes] */
    const int32_t *count;    /* [n]: nodes of each */
    const int32_t *source;   /* [n]: a colour's row in the level before; NULL: that of the same number */
    const l2r_real *norm;    /* [n]: 1/sqrt(degree + 1); NULL: degrees do not count */
    uint64_t *key;           /* [n]: hash of the content */
    uint64_t *type_key;      /* [arc types] */
    struct l2r_wl_arc *arcs; /* [arcs]: after a step, sorted, node by node */
    uint64_t *hash;          /* [nodes]: the node's key of the next depth */
    int32_t *first;          /* [nodes]: the first node of each new row */
    int32_t *slots;          /* [mask + 1]: row, or -1 */
    uint64_t mask;
};

/* Colours of depth 0: types, also by degree if requested; arcs: arc types count in the next ones. columns: of the rows
 * of node types and of arc types. False when out of memory. */
bool l2r_wl_colours_start(struct l2r_wl_colours *c, struct l2r_arena *arena, const struct l2r_batch *batch,
                          int32_t columns, int32_t arc_columns, bool arcs, bool degrees);
/* Rows of the next depth in row [nodes], numbered by first appearance, with c->first; returns how many, or -1 when
 * there are more than `most`. *sorted: c->arcs is filled; it is not where a sample of the nodes showed that the step is
 * not worth its time. */
int64_t l2r_wl_colours_step(int32_t *row, bool *sorted, struct l2r_wl_colours *c, int64_t most);
/* Makes these rows the new colours. */
bool l2r_wl_colours_advance(struct l2r_wl_colours *c, struct l2r_arena *arena, const int32_t *row, int64_t rows);

#endif
