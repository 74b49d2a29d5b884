/* SPDX-License-Identifier: MIT
 *
 * Stress: paths, anchors, what lowering reaches on graphs whose optimum is known, starts.
 */
#include "draw/stress.h"

#include "base/memory.h"
#include "draw/starts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 1500 };
static int32_t edges[2 * MOST];
static double xy[2 * MOST];

static int64_t path_graph(int32_t n)
{
    for (int32_t v = 0; v + 1 < n; v++) edges[2 * v] = v, edges[2 * v + 1] = v + 1;
    return n - 1;
}

static int64_t ring(int32_t n)
{
    int64_t m = path_graph(n);
    edges[2 * m] = n - 1;
    edges[2 * m + 1] = 0;
    return m + 1;
}

static void paths_have_their_lengths(void **state)
{
    (void)state;
    struct l2r_stress stress;
    assert_int_equal(l2r_stress_init(&stress, 7, edges, ring(7), NULL), L2R_OK);
    assert_int_equal(stress.n_anchors, 7);
    for (int32_t a = 0; a < 7; a++)
        for (int32_t v = 0; v < 7; v++) {
            int32_t way = (v - stress.anchor[a] + 7) % 7;
            assert_int_equal(stress.path[v * 7 + a], L2R_STRESS_EDGE * (way < 4 ? way : 7 - way));
        }
    assert_int_equal(stress.start[7], 14);
    l2r_stress_clear(&stress);
}

static void anchors_stand_for_all_nodes(void **state)
{
    (void)state;
    struct l2r_stress stress;
    double sum = 0;
    assert_int_equal(l2r_stress_init(&stress, MOST, edges, path_graph(MOST), NULL), L2R_OK);
    assert_true(stress.n_anchors < 200);
    for (int32_t a = 0; a < stress.n_anchors; a++) {
        assert_true(stress.share[a] > 0);
        sum += stress.share[a];
        for (int32_t b = 0; b < a; b++) assert_int_not_equal(stress.anchor[a], stress.anchor[b]);
    }
    assert_true(sum == MOST);
    assert_int_equal(stress.anchor[1], MOST - 1); /* the farthest from node 0 */
    assert_int_equal(l2r_start_place(xy, 0, &stress, NULL), L2R_OK);
    l2r_stress_lower(xy, &stress, 0, 0.01, 100);
    assert_true(l2r_stress_of(xy, &stress) < 1e-3); /* a straight line has none */
    l2r_stress_clear(&stress);
}

/* A line is a perfect picture of a path, from any start; a regular polygon is the best of a ring:
 * stress = 1 − (Σ r)² / (pairs · Σ r²) with r_k = sin(πk/n) / k for the nodes k steps away. */
static void optima_are_reached(void **state)
{
    (void)state;
    struct l2r_stress stress;
    const int32_t n = 15;
    assert_int_equal(l2r_stress_init(&stress, n, edges, path_graph(n), NULL), L2R_OK);
    for (int start = 0; start < 3; start++) {
        assert_int_equal(l2r_start_place(xy, start, &stress, NULL), L2R_OK);
        l2r_stress_lower(xy, &stress, 0, 1e-6, 3000);
        assert_true(l2r_stress_of(xy, &stress) < 1e-6);
    }
    l2r_stress_clear(&stress);
    double sum = 0, squares = 0;
    for (int k = 1; k <= n / 2; k++) {
        double r = sin(M_PI * k / n) / k;
        sum += r, squares += r * r;
    }
    assert_int_equal(l2r_stress_init(&stress, n, edges, ring(n), NULL), L2R_OK);
    assert_int_equal(l2r_start_place(xy, 0, &stress, NULL), L2R_OK);
    l2r_stress_lower(xy, &stress, 0, 1e-6, 3000);
    assert_true(fabs(l2r_stress_of(xy, &stress) - (1 - sum * sum / (squares * (n / 2)))) < 1e-6);
    l2r_stress_clear(&stress);
}

static void scale_does_not_matter_to_stress(void **state)
{
    (void)state;
    struct l2r_stress stress;
    assert_int_equal(l2r_stress_init(&stress, 9, edges, ring(9), NULL), L2R_OK);
    assert_int_equal(l2r_start_place(xy, 5, &stress, NULL), L2R_OK);
    double before = l2r_stress_of(xy, &stress);
    for (int i = 0; i < 18; i++) xy[i] *= 8;
    assert_true(fabs(l2r_stress_of(xy, &stress) - before) < 1e-12);
    l2r_stress_rescale(xy, &stress);
    assert_true(fabs(l2r_stress_of(xy, &stress) - before) < 1e-12);
    memset(xy, 0, sizeof xy); /* all on one place: the worst, and not a division by zero */
    assert_true(l2r_stress_of(xy, &stress) == 1);
    l2r_stress_rescale(xy, &stress);
    l2r_stress_lower(xy, &stress, 0, 0.001, 10);
    for (int i = 0; i < 18; i++) assert_true(isfinite(xy[i]));
    l2r_stress_clear(&stress);
}

/* Fifty leaves of one node, at distance 2 of each other: there is no room for them. */
static void crowds_are_spread(void **state)
{
    (void)state;
    struct l2r_stress stress;
    double nearest[2];
    for (int32_t v = 1; v <= 50; v++) edges[2 * v - 2] = 0, edges[2 * v - 1] = v;
    assert_int_equal(l2r_stress_init(&stress, 51, edges, 50, NULL), L2R_OK);
    assert_int_equal(l2r_start_place(xy, 2, &stress, NULL), L2R_OK);
    for (int spread = 0; spread < 2; spread++) {
        l2r_stress_lower(xy, &stress, spread, 0.001, 500);
        nearest[spread] = INFINITY;
        for (int32_t a = 0; a < 51; a++)
            for (int32_t b = 0; b < a; b++)
                nearest[spread] = fmin(nearest[spread], hypot(xy[2 * a] - xy[2 * b], xy[2 * a + 1] - xy[2 * b + 1]));
    }
    assert_true(nearest[1] > nearest[0]);
    l2r_stress_clear(&stress);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_have_their_lengths), cmocka_unit_test(anchors_stand_for_all_nodes),
        cmocka_unit_test(optima_are_reached),       cmocka_unit_test(scale_does_not_matter_to_stress),
        cmocka_unit_test(crowds_are_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
