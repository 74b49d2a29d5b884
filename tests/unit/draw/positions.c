/* SPDX-License-Identifier: MIT
 *
 * Layouts: inside their box, no two nodes on one place, planar graphs without crossings, components apart, repeatable.
 */
#include "draw/positions.h"

#include "base/memory.h"

#include <igraph/igraph.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 4000 };
static int32_t edges[2 * MOST];

static int64_t add(int64_t n, int32_t a, int32_t b)
{
    edges[2 * n] = a;
    edges[2 * n + 1] = b;
    return n + 1;
}

static double distance(const double *xy, int32_t a, int32_t b)
{
    return hypot(xy[2 * a] - xy[2 * b], xy[2 * a + 1] - xy[2 * b + 1]);
}

static void check_sound(const struct l2r_positions *positions, int32_t n, double apart)
{
    for (int32_t v = 0; v < n; v++) {
        assert_true(positions->xy[2 * v] >= -1e-9 && positions->xy[2 * v] <= positions->width + 1e-9);
        assert_true(positions->xy[2 * v + 1] >= -1e-9 && positions->xy[2 * v + 1] <= positions->height + 1e-9);
        for (int32_t u = 0; u < v; u++) assert_true(distance(positions->xy, u, v) > apart);
    }
}

/* A wheel beside a star, joined by one edge: the usual motif graph. */
static int64_t wheel_and_star(int32_t n)
{
    int64_t m = 0;
    for (int32_t i = 1; i < n; i++) m = add(m, 0, i);
    for (int32_t i = 1; i < n; i++) m = add(m, i, i + 1 < n ? i + 1 : 1);
    for (int32_t i = 1; i < n; i++) m = add(m, n, n + i);
    return add(m, n - 1, n + 2);
}

static void a_planar_graph_has_no_crossing(void **state)
{
    (void)state;
    struct l2r_positions positions;
    int64_t m = wheel_and_star(9);
    assert_int_equal(l2r_positions_make(&positions, 18, edges, m, NULL), L2R_OK);
    check_sound(&positions, 18, 0.2);
    assert_int_equal(l2r_positions_crossings(positions.xy, edges, m), 0);
    assert_true(positions.width >= positions.height); /* turned flat */
    double sum = 0;
    for (int64_t i = 0; i < m; i++) sum += distance(positions.xy, edges[2 * i], edges[2 * i + 1]);
    assert_true(fabs(sum / (double)m - 1) < 1e-6);
    l2r_positions_clear(&positions);
}

static void crossings_are_counted(void **state)
{
    (void)state;
    const double square[] = {0, 0, 1, 0, 1, 1, 0, 1};
    const int32_t diagonals[] = {0, 2, 1, 3, 0, 1};
    assert_int_equal(l2r_positions_crossings(square, diagonals, 3), 1);
    assert_int_equal(l2r_positions_crossings(square, diagonals + 2, 2), 0);
}

static void small_and_odd_graphs(void **state)
{
    (void)state;
    struct l2r_positions positions;
    assert_int_equal(l2r_positions_make(&positions, 0, NULL, 0, NULL), L2R_OK);
    l2r_positions_clear(&positions);
    assert_int_equal(l2r_positions_make(&positions, 1, NULL, 0, NULL), L2R_OK);
    assert_true(positions.xy[0] == 0 && positions.xy[1] == 0 && positions.width == 0 && positions.height == 0);
    l2r_positions_clear(&positions);

    int64_t m = add(0, 0, 0); /* a self loop alone, and two nodes with the same edge twice */
    m = add(m, 1, 2);
    m = add(m, 2, 1);
    assert_int_equal(l2r_positions_make(&positions, 3, edges, m, NULL), L2R_OK);
    check_sound(&positions, 3, 0.5);
    assert_true(fabs(distance(positions.xy, 1, 2) - 1) < 1e-6);
    l2r_positions_clear(&positions);
}

static void components_do_not_overlap(void **state)
{
    (void)state;
    struct l2r_positions positions;
    int64_t m = 0;
    for (int32_t c = 0; c < 6; c++) /* six circles of five, then 20 single nodes */
        for (int32_t i = 0; i < 5; i++) m = add(m, 5 * c + i, 5 * c + (i + 1) % 5);
    assert_int_equal(l2r_positions_make(&positions, 50, edges, m, NULL), L2R_OK);
    check_sound(&positions, 50, 0.5);
    assert_int_equal(l2r_positions_crossings(positions.xy, edges, m), 0);
    for (int32_t a = 0; a < 50; a++)
        for (int32_t b = 0; b < a; b++)
            if (a / 5 != b / 5 || a >= 30) assert_true(distance(positions.xy, a, b) > 0.5);
    assert_true(positions.width / positions.height > 0.5 && positions.width / positions.height < 3);
    l2r_positions_clear(&positions);
}

static int64_t grid(int32_t side)
{
    int64_t m = 0;
    for (int32_t i = 0; i < side * side; i++) {
        if (i % side + 1 < side) m = add(m, i, i + 1);
        if (i + side < side * side) m = add(m, i, i + side);
    }
    return m;
}

/* 225 nodes: Kamada–Kawai; 1089 nodes: Fruchterman–Reingold. Twice the same, whatever igraph's own random state. */
static void large_graphs_repeat(void **state)
{
    (void)state;
    for (int32_t side = 15; side <= 33; side += 18) {
        struct l2r_positions first, second;
        int64_t m = grid(side);
        igraph_rng_seed(igraph_rng_default(), 7);
        assert_int_equal(l2r_positions_make(&first, side * side, edges, m, NULL), L2R_OK);
        check_sound(&first, side * side, side == 15 ? 0.3 : 0);
        igraph_rng_seed(igraph_rng_default(), 8);
        assert_int_equal(l2r_positions_make(&second, side * side, edges, m, NULL), L2R_OK);
        assert_memory_equal(first.xy, second.xy, 2 * (size_t)(side * side) * sizeof *first.xy);
        l2r_positions_clear(&first);
        l2r_positions_clear(&second);
    }
}

/* A program that uses igraph itself finds its random numbers as it left them. */
static void igraph_is_left_as_it_was(void **state)
{
    (void)state;
    struct l2r_positions positions;
    int64_t m = wheel_and_star(6);
    igraph_rng_seed(igraph_rng_default(), 3);
    double wanted = igraph_rng_get_unif01(igraph_rng_default());
    igraph_rng_seed(igraph_rng_default(), 3);
    assert_int_equal(l2r_positions_make(&positions, 12, edges, m, NULL), L2R_OK);
    assert_true(igraph_rng_get_unif01(igraph_rng_default()) == wanted);
    l2r_positions_clear(&positions);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    int64_t m = wheel_and_star(5);
    for (long k = 0;; k++) {
        struct l2r_positions positions;
        struct l2r_error error = {0};
        assert_true(k < 100);
        l2r_memory_fail_at(k, false);
        enum l2r_status status = l2r_positions_make(&positions, 10, edges, m, &error);
        l2r_memory_fail_at(-1, false);
        l2r_positions_clear(&positions);
        if (status == L2R_OK) break;
        assert_int_equal(status, L2R_ERR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_planar_graph_has_no_crossing),
        cmocka_unit_test(crossings_are_counted),
        cmocka_unit_test(small_and_odd_graphs),
        cmocka_unit_test(components_do_not_overlap),
        cmocka_unit_test(large_graphs_repeat),
        cmocka_unit_test(igraph_is_left_as_it_was),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
