/* SPDX-License-Identifier: MIT
 *
 * Levels of a batch in a test, and what a row of one must be, seen from a node that it stands for.
 */
#ifndef L2R_TESTS_LEVEL_TRIAL_H
#define L2R_TESTS_LEVEL_TRIAL_H

#include "batch/levels.h"
#include "support/random_graphs.h"

#include <stdlib.h>

enum { DEPTH = 4, LONGEST = 2 * MOST_EDGES /* most neighbours of a node that is looked at */ };

struct made {
    struct l2r_arena arena;
    struct l2r_batch batch;
    struct l2r_levels levels;
};

static inline struct made make(const struct l2r_dataset *data, int64_t n_graphs, int64_t depth, bool degrees)
{
    struct made m;
    struct l2r_error error;
    int32_t *graphs = calloc((size_t)n_graphs + 1, sizeof *graphs);
    assert_non_null(graphs);
    for (int32_t i = 0; i < n_graphs; i++) graphs[i] = i;
    l2r_arena_init(&m.arena);
    assert_int_equal(l2r_batch_make(&m.batch, &m.arena, data, graphs, n_graphs, &error), L2R_OK);
    struct l2r_sharing sharing = {depth, true, degrees};
    assert_int_equal(l2r_levels_make(&m.levels, &m.arena, &m.batch, data, &sharing, &error), L2R_OK);
    free(graphs);
    return m;
}

static inline void drop(struct made *m, struct l2r_dataset *data)
{
    l2r_arena_clear(&m->arena);
    l2r_dataset_free(data);
}

static inline int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static inline int64_t others(const struct l2r_batch *b, int64_t v)
{
    int64_t n = 0;
    for (int64_t e = b->graph.arc_start[v]; e < b->graph.arc_start[v + 1]; e++) n += b->graph.neighbour[e] != v;
    return n;
}

/* Row r, as node v sees it: own row and arcs lead to the rows of the level before. */
static inline void check_row(const struct l2r_batch *b, const struct l2r_level *level, const int32_t *before, int64_t r,
                             int64_t v, bool degrees)
{
    const struct l2r_adjacency *g = &level->graph;
    int64_t expected[LONGEST], found[LONGEST], n = g->arc_start[r + 1] - g->arc_start[r];
    double norms_expected = 0, norms_found = 0;
    assert_int_equal(level->map.self[r], before[v]);
    assert_int_equal(n, b->graph.arc_start[v + 1] - b->graph.arc_start[v]);
    for (int64_t k = 0; k < n; k++) {
        int64_t e = b->graph.arc_start[v] + k, f = g->arc_start[r] + k, u = b->graph.neighbour[e];
        expected[k] = (int64_t)before[u] * 1000 + b->graph.arc_type[e];
        found[k] = (int64_t)g->neighbour[f] * 1000 + g->arc_type[f];
        double both = 1 / sqrt((double)((others(b, v) + 1) * (others(b, u) + 1)));
        /* a weighted sum tells whether each norm stands beside the right neighbour */
        norms_expected += u == v ? 0 : both * (double)(1 + expected[k]);
        if (degrees) norms_found += (double)level->map.arc_norm[f] * (double)(1 + found[k]);
    }
    qsort(expected, (size_t)n, sizeof *expected, compare);
    qsort(found, (size_t)n, sizeof *found, compare);
    assert_memory_equal(found, expected, (size_t)n * sizeof *found);
    if (!degrees) return;
    assert_true(fabs(norms_found - norms_expected) <= 1e-4 * (1 + norms_expected));
    assert_true(fabs((double)g->inverse_root_degree[r] - 1 / sqrt((double)(others(b, v) + 1))) < 1e-6);
}

#endif
