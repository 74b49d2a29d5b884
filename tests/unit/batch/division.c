/* SPDX-License-Identifier: MIT
 * A batch divided among ranks: every graph once, in order, pieces about equal, whatever the sizes; more ranks than
 * graphs leave some without. */
#include "batch/batch.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 300, PARTS = 40 };

static void pieces_are_even(void **state)
{
    (void)state;
    struct l2r_rng rng = l2r_rng_at(1, L2R_RANDOM_TEST, 0);
    for (int64_t parts = 1; parts <= PARTS; parts += 3)
        for (int64_t n = 0; n <= MOST; n = 2 * n + 1) {
            int64_t cost[MOST], start[PARTS + 1], total = 0, largest = 0;
            for (int64_t i = 0; i < n; i++) {
                cost[i] = 1 + (int64_t)l2r_rng_below(&rng, 100);
                total += cost[i];
                if (cost[i] > largest) largest = cost[i];
            }
            l2r_cut_evenly(start, parts, cost, n);
            assert_int_equal(start[0], 0);
            assert_int_equal(start[parts], n);
            for (int64_t p = 0; p < parts; p++) {
                int64_t sum = 0;
                assert_true(start[p] <= start[p + 1]);
                for (int64_t i = start[p]; i < start[p + 1]; i++) sum += cost[i];
                assert_true((double)sum <= (double)total / (double)parts + (double)largest);
            }
        }
}

/* Ten graphs of 1, 2, … nodes without arcs. */
static void graphs_are_dealt_out(void **state)
{
    (void)state;
    int64_t node_start[11] = {0}, arc_start[64] = {0};
    int32_t graphs[] = {9, 0, 4, 8};
    struct l2r_arena arena;
    struct l2r_dataset data = {.n_graphs = 10, .node_start = node_start, .arc_start = arc_start};
    for (int64_t g = 0; g < 10; g++) node_start[g + 1] = node_start[g] + g + 1;
    l2r_arena_init(&arena);
    int64_t next = 0, nodes = 0;
    for (int rank = 0; rank < 3; rank++) {
        struct l2r_comm comm = {.size = 3, .rank = rank};
        const struct l2r_division *d = l2r_division_make(&arena, &comm, &data, graphs, 4, NULL);
        assert_non_null(d);
        assert_int_equal(l2r_division_first(d), next);
        assert_int_equal(d->first_node, nodes);
        assert_int_equal(d->n_nodes, 10 + 1 + 5 + 9);
        for (int64_t i = 0; i < l2r_division_count(d); i++) nodes += graphs[next++] + 1;
    }
    assert_int_equal(next, 4);
    assert_int_equal(nodes, 25);
    l2r_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"pieces are even", pieces_are_even, NULL, NULL, NULL},
        {"graphs are dealt out", graphs_are_dealt_out, NULL, NULL, NULL},
    };
    return cmocka_run_group_tests_name("division", tests, NULL, NULL);
}
