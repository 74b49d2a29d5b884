/* SPDX-License-Identifier: MIT
 * Operations under masks: gradients against central differences, sums written out arc by arc, a mask of ones against
 * the sum without one, the numbers of edges, and what is refused. */
#include "autograd/ops.h"
#include "kernels/aggregate.h"

#include "support/messages.h"
#include "unit/autograd/gradient.h"
#include "unit/autograd/small_graph.h"

#include <string.h>

static const int32_t arc_edge[] = {0, 0, 1, 1, 2, 3, 2, 4, 3, 4, 5};
enum { E = 6 }; /* edges */

static double table_values[3 * 40], root_values[40], eps_value[] = {0.3};
static const int32_t start[] = {0, 3, 3, 7}; /* three graphs, one of them empty */

static void expect_near(double found, double expected, double bound)
{
    if (!(fabs(found - expected) <= bound)) fail_msg("%.15g instead of %.15g", found, expected);
}

static void set_masks(struct l2r_tape *t, l2r_node edges)
{
    t->pass.masks.edges = edges;
    t->pass.masks.arc_edge = arc_edge;
    t->pass.masks.n_arcs = A;
}

/* Leaves: x, then the mask. */
static l2r_node masked(struct l2r_tape *t, const l2r_node *x, bool symmetric, bool bonds)
{
    int64_t dim = l2r_value_of(t, x[0])->cols;
    l2r_node table = bonds ? l2r_constant(t, table_values, 3, dim) : L2R_NO_NODE, self = L2R_NO_NODE;
    set_masks(t, x[1]);
    if (symmetric && bonds) self = l2r_constant(t, root_values, 1, dim);
    if (!symmetric) self = l2r_constant(t, eps_value, 1, 1);
    if (symmetric) return l2r_gcn_neighbours(t, &graph, x[0], table, self);
    return l2r_sum_neighbours(t, &graph, x[0], self, table);
}
static l2r_node gin(struct l2r_tape *t, const l2r_node *x)
{
    return masked(t, x, false, false);
}
static l2r_node gin_bonds(struct l2r_tape *t, const l2r_node *x)
{
    return masked(t, x, false, true);
}
static l2r_node gcn(struct l2r_tape *t, const l2r_node *x)
{
    return masked(t, x, true, false);
}
static l2r_node gcn_bonds(struct l2r_tape *t, const l2r_node *x)
{
    return masked(t, x, true, true);
}
/* Both gradients arrive from two places. */
static l2r_node twice(struct l2r_tape *t, const l2r_node *x)
{
    l2r_node first = masked(t, x, true, false);
    return l2r_add(t, first, masked(t, (const l2r_node[]){first, x[1]}, false, true));
}
/* Leaves: x, the mask, eps or root, the table. */
static l2r_node gin_learning(struct l2r_tape *t, const l2r_node *x)
{
    set_masks(t, x[1]);
    return l2r_sum_neighbours(t, &graph, x[0], x[2], x[3]);
}
static l2r_node gcn_learning(struct l2r_tape *t, const l2r_node *x)
{
    set_masks(t, x[1]);
    return l2r_gcn_neighbours(t, &graph, x[0], x[3], x[2]);
}
static l2r_node smoothed(struct l2r_tape *t, const l2r_node *x)
{
    set_masks(t, x[1]);
    return l2r_propagate(t, &graph, x[0], 3);
}
static l2r_node gates(struct l2r_tape *t, const l2r_node *x)
{
    set_masks(t, x[1]);
    return l2r_mask_arcs(t, &graph, x[0]);
}

static void run(l2r_node (*build)(struct l2r_tape *, const l2r_node *), int64_t rows, int64_t dim, int64_t masks,
                int64_t columns)
{
    check_shapes(build, SHAPES({rows, dim}, {masks, columns}), masks > 0 ? 2 : 1, false, 41);
}

static void test_gradients(void **state)
{
    (void)state;
    for (int64_t dim = 3; dim <= 39; dim += 36) { /* less than a vector; several and a rest */
        run(gin, N, dim, E, 1);
        run(gin_bonds, N, dim, E, 1);
        run(gcn, N, dim, E, 1);
        run(gcn_bonds, N, dim, E, 1);
        run(twice, N, dim, E, 1);
        run(smoothed, N, dim, E, 1);
    }
    run(gates, A + N, 4, E, 1);
    check_shapes(gin_learning, SHAPES({N, 5}, {E, 1}, {1, 1}, {3, 5}), 4, false, 43);
    check_shapes(gcn_learning, SHAPES({N, 5}, {E, 1}, {1, 5}, {3, 5}), 4, false, 44);
}

/* y of node 5, arc by arc: 3 and 4 through edges 3 and 4, itself through the loop 5. */
static void test_values(void **state)
{
    (void)state;
    struct l2r_tape t;
    double x[N], mask[E] = {0.5, 0.25, 0.125, 0.75, 2, 3};
    for (int i = 0; i < N; i++) x[i] = i - 2.5;
    l2r_tape_init(&t);
    l2r_tape_mode_explain(&t);
    const l2r_node leaves[] = {l2r_constant(&t, x, N, 1), l2r_constant(&t, mask, E, 1)};
    l2r_node plain = gin(&t, leaves), bonds = gin_bonds(&t, leaves), mean = gcn(&t, leaves);
    assert_int_equal(t.status, L2R_OK);
    expect_near(l2r_value_of(&t, plain)->data[5], 1.3 * x[5] + 0.75 * x[3] + 2 * x[4] + 3 * x[5], 1e-12);
    double with = 1.3 * x[5] + 0.75 * fmax(0, x[3] + table_values[0]) + 2 * fmax(0, x[4] + table_values[1]) +
                  3 * fmax(0, x[5] + table_values[2]);
    expect_near(l2r_value_of(&t, bonds)->data[5], with, 1e-12);
    expect_near(l2r_value_of(&t, mean)->data[5], x[5] / 3 + 0.75 * x[3] / 3 + 2 * x[4] / 3, 1e-12);
    expect_near(l2r_value_of(&t, plain)->data[6], 1.3 * x[6], 1e-12);
    l2r_tape_clear(&t);
}

/* A mask of ones changes nothing. */
static void test_ones(void **state)
{
    (void)state;
    l2r_node (*const builds[])(struct l2r_tape *, const l2r_node *) = {gin, gin_bonds, gcn, gcn_bonds, smoothed};
    double x[N * 9], ones[E] = {1, 1, 1, 1, 1, 1};
    struct l2r_rng rng = l2r_rng_at(5, L2R_RANDOM_TEST, 60);
    for (int i = 0; i < N * 9; i++) x[i] = l2r_rng_normal(&rng);
    for (size_t b = 0; b < sizeof builds / sizeof *builds; b++) {
        struct l2r_tape t, plain;
        l2r_tape_init(&t);
        l2r_tape_init(&plain);
        const l2r_node leaves[] = {l2r_constant(&t, x, N, 9), l2r_constant(&t, ones, E, 1)};
        l2r_node with = builds[b](&t, leaves);
        const l2r_node bare[] = {l2r_constant(&plain, x, N, 9), L2R_NO_NODE};
        l2r_node without = builds[b](&plain, bare);
        assert_int_equal(t.status, L2R_OK);
        assert_int_equal(plain.status, L2R_OK);
        for (int i = 0; i < N * 9; i++)
            expect_near(l2r_value_of(&t, with)->data[i], l2r_value_of(&plain, without)->data[i], 1e-12);
        l2r_tape_clear(&t);
        l2r_tape_clear(&plain);
    }
}

static const int32_t feature_rows[] = {0, 1, 2, 0, 1, 1},
                     type[] = {0, 1, 2, 1, 1, 0, 2}; /* three types of two columns */
static double tables[2][4 * 5], reals[N * 2];

/* The leaf is the mask, [3 × 4]: two categorical columns and two real ones. */
static l2r_node embedded(struct l2r_tape *t, const l2r_node *x)
{
    t->pass.masks.columns = x[0];
    const l2r_node both[] = {l2r_constant(t, tables[0], 4, 5), l2r_constant(t, tables[1], 4, 5)};
    return l2r_masked_embedding(t, both, 2, feature_rows, type, start, 3);
}
static l2r_node real(struct l2r_tape *t, const l2r_node *x)
{
    t->pass.masks.columns = x[0];
    return l2r_mask_columns(t, l2r_constant(t, reals, N, 2), 2, start, 3);
}

static void test_columns(void **state)
{
    (void)state;
    run(embedded, 3, 4, 0, 0);
    run(real, 3, 4, 0, 0);
    struct l2r_tape t;
    double mask[12];
    for (int i = 0; i < 12; i++) mask[i] = i;
    l2r_tape_init(&t);
    l2r_node leaf = l2r_constant(&t, mask, 3, 4), h = embedded(&t, &leaf), r = real(&t, &leaf);
    assert_int_equal(t.status, L2R_OK);
    /* node 3 is the first of graph 2, of type 1: rows 2 and 0 of the tables */
    expect_near(l2r_value_of(&t, h)->data[3 * 5 + 1], 8 * tables[0][2 * 5 + 1] + 9 * tables[1][1], 1e-12);
    expect_near(l2r_value_of(&t, r)->data[3 * 2 + 1], 11 * reals[3 * 2 + 1], 1e-12);
    l2r_tape_clear(&t);
}

static void expect_refusal(struct l2r_tape *t, l2r_node node, const char *part)
{
    assert_int_equal(node.id, -1);
    assert_int_equal(t->status, L2R_ERR_ARGUMENT);
    if (!message_matches(t->error.message, part)) fail_msg("'%s' does not say '%s'", t->error.message, part);
    l2r_tape_clear(t);
    l2r_tape_init(t);
    l2r_tape_mode_train(t, 0, 0);
}

static void test_refusals(void **state)
{
    (void)state;
    struct l2r_tape t;
    double x[N * 5] = {0}, mask[E] = {0};
    l2r_tape_init(&t);
    l2r_tape_mode_train(&t, 0, 0);
    l2r_node leaf = l2r_constant(&t, x, N, 2);
    set_masks(&t, l2r_constant(&t, mask, E, 1));
    t.pass.masks.n_arcs = 4;
    expect_refusal(&t, l2r_sum_neighbours(&t, &graph, leaf, L2R_NO_NODE, L2R_NO_NODE), "a mask for 4 arcs");
    leaf = l2r_constant(&t, x, N - 1, 2);
    set_masks(&t, l2r_constant(&t, mask, E, 1));
    expect_refusal(&t, l2r_sum_neighbours(&t, &graph, leaf, L2R_NO_NODE, L2R_NO_NODE), "6 rows for a batch of 7");
    leaf = l2r_constant(&t, x, A - 1, 2);
    set_masks(&t, l2r_constant(&t, mask, E, 1));
    expect_refusal(&t, l2r_mask_arcs(&t, &graph, leaf), "10 rows for 11 arcs");
    leaf = l2r_constant(&t, mask, 2, 3); /* too few graphs and columns */
    expect_refusal(&t, embedded(&t, &leaf), "a mask of 2 × 3 for 3 graphs");
    l2r_tape_clear(&t);
}

static void test_edge_numbers(void **state)
{
    (void)state;
    int32_t found[A], cursor[N];
    assert_int_equal(l2r_number_edges(found, &graph, cursor), E);
    assert_memory_equal(found, arc_edge, sizeof found);
}

static int set_up(void **state)
{
    (void)state;
    struct l2r_rng rng = l2r_rng_at(9, L2R_RANDOM_TEST, 61);
    for (int i = 0; i < 3 * 40; i++) table_values[i] = l2r_rng_normal(&rng);
    for (int i = 0; i < 40; i++) root_values[i] = l2r_rng_normal(&rng);
    for (int i = 0; i < 20; i++) tables[0][i] = l2r_rng_normal(&rng), tables[1][i] = l2r_rng_normal(&rng);
    for (int i = 0; i < N * 2; i++) reals[i] = l2r_rng_normal(&rng);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradients), cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_ones),      cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_refusals),  cmocka_unit_test(test_edge_numbers)};
    return cmocka_run_group_tests_name("operations under masks", tests, set_up, NULL);
}
