/* SPDX-License-Identifier: MIT
 *
 * Layouts: inside their box, no two nodes on one place, planar graphs without crossings, rings round, grids upright,
 * components apart, repeatable.
 */
#include "draw/positions.h"

#include "base/memory.h"

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

/* 64 nodes: several starts; 225: one; 1089: anchors. */
static void equal_graphs_have_equal_places(void **state)
{
    (void)state;
    const int32_t sides[] = {8, 15, 33};
    for (int i = 0; i < 3; i++) {
        struct l2r_positions first, second;
        int32_t n = sides[i] * sides[i];
        int64_t m = grid(sides[i]);
        assert_int_equal(l2r_positions_make(&first, n, edges, m, NULL), L2R_OK);
        check_sound(&first, n, 0.7);
        assert_int_equal(l2r_positions_make(&second, n, edges, m, NULL), L2R_OK);
        assert_memory_equal(first.xy, second.xy, 2 * (size_t)n * sizeof *first.xy);
        l2r_positions_clear(&first);
        l2r_positions_clear(&second);
    }
}

static void grids_stand_upright(void **state)
{
    (void)state;
    struct l2r_positions positions;
    int64_t m = grid(8);
    assert_int_equal(l2r_positions_make(&positions, 64, edges, m, NULL), L2R_OK);
    assert_int_equal(l2r_positions_crossings(positions.xy, edges, m), 0);
    for (int64_t i = 0; i < m; i++) {
        const double *a = positions.xy + 2 * edges[2 * i], *b = positions.xy + 2 * edges[2 * i + 1];
        double least = fmin(fabs(a[0] - b[0]), fabs(a[1] - b[1]));
        assert_true(least < 0.25 && distance(positions.xy, edges[2 * i], edges[2 * i + 1]) > 0.75);
    }
    l2r_positions_clear(&positions);
}

/* Nodes `first` to `first` + n − 1 lie on a circle around their mean, to 3 %. */
static void check_round(const double *xy, int32_t first, int32_t n)
{
    double x = 0, y = 0, least = INFINITY, most = 0;
    for (int32_t v = first; v < first + n; v++) x += xy[2 * v] / n, y += xy[2 * v + 1] / n;
    for (int32_t v = first; v < first + n; v++) {
        double radius = hypot(xy[2 * v] - x, xy[2 * v + 1] - y);
        least = fmin(least, radius);
        most = fmax(most, radius);
    }
    assert_true(most < 1.03 * least);
}

static void rings_stars_and_wheels_are_round(void **state)
{
    (void)state;
    struct l2r_positions positions;
    for (int32_t n = 3; n <= 240; n = n < 12 ? n + 1 : 2 * n) {
        int64_t m = 0;
        for (int32_t v = 0; v < n; v++) m = add(m, v, (v + 1) % n);
        assert_int_equal(l2r_positions_make(&positions, n, edges, m, NULL), L2R_OK);
        check_round(positions.xy, 0, n);
        check_sound(&positions, n, 0.9);
        l2r_positions_clear(&positions);
        if (n < 4 || n > 24) continue;                    /* a wheel of three is a clique */
        for (int32_t v = 0; v < n; v++) m = add(m, v, n); /* a wheel, then a star of few leaves */
        for (int64_t skipped = 0; skipped <= (n > 11 ? 0 : n); skipped += n) {
            assert_int_equal(l2r_positions_make(&positions, n + 1, edges + 2 * skipped, m - skipped, NULL), L2R_OK);
            check_round(positions.xy, 0, n);
            l2r_positions_clear(&positions);
        }
    }
}

static void trees_have_no_crossing(void **state)
{
    (void)state;
    struct l2r_positions positions;
    for (int32_t arity = 1; arity <= 3; arity++) {
        int64_t m = 0;
        for (int32_t v = 1; v < 63; v++) m = add(m, (v - 1) / arity, v);
        assert_int_equal(l2r_positions_make(&positions, 63, edges, m, NULL), L2R_OK);
        check_sound(&positions, 63, 0.25);
        assert_int_equal(l2r_positions_crossings(positions.xy, edges, m), 0);
        l2r_positions_clear(&positions);
    }
}

/* All nodes are alike to all paths: only where they start tells them apart. */
static void cliques_are_spread(void **state)
{
    (void)state;
    struct l2r_positions positions;
    for (int32_t n = 3; n <= 48; n *= 2) {
        int64_t m = 0;
        for (int32_t v = 1; v < n; v++)
            for (int32_t u = 0; u < v; u++) m = add(m, u, v);
        assert_int_equal(l2r_positions_make(&positions, n, edges, m, NULL), L2R_OK);
        check_sound(&positions, n, 0.1);
        l2r_positions_clear(&positions);
    }
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
        cmocka_unit_test(equal_graphs_have_equal_places),
        cmocka_unit_test(grids_stand_upright),
        cmocka_unit_test(rings_stars_and_wheels_are_round),
        cmocka_unit_test(trees_have_no_crossing),
        cmocka_unit_test(cliques_are_spread),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
