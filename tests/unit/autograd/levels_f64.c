/* SPDX-License-Identifier: MIT
 * Operations on rows that stand for several nodes: against central differences, and against the same operation on the
 * nodes. */
#include "support/messages.h"
#include "unit/autograd/gradient.h"

#include <string.h>

/* 5 rows out of 3 rows in; row 3 has a self loop (norm 0), row 4 no arcs. */
static const int32_t arc_start[] = {0, 1, 4, 6, 8, 8};
static const int32_t neighbour[] = {1, 0, 2, 2, 1, 1, 2, 0};
static const int32_t arc_type[] = {0, 1, 2, 1, 0, 2, 1, 1};
static const int32_t self[] = {0, 1, 0, 2, 1};
static const double arc_norm[] = {0.5, 0.4, 0.3, 0.35, 0.6, 0.7, 0, 0.45}, norm[] = {0.7, 0.5, 0.57, 0.8, 1};
static const struct l2r_row_map map = {3, self, arc_norm}, plain_map = {3, self, NULL};
static const struct l2r_adjacency level = {5, 8, arc_start, neighbour, arc_type, norm, &map},
                                  plain_level = {5, 8, arc_start, neighbour, arc_type, NULL, &plain_map};
enum { WIDE = 37 }; /* a tile, a vector and single numbers */

static void run(l2r_node (*build)(struct l2r_tape *, const l2r_node *), const int64_t (*shapes)[2], int n)
{
    check_shapes(build, shapes, n, false, 21);
}

static l2r_node sum_eps(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_sum_neighbours(t, &plain_level, x[0], x[1], L2R_NO_NODE);
}
static l2r_node sum_edges(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_sum_neighbours(t, &level, x[0], x[1], x[2]);
}
static l2r_node gcn_plain(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_gcn_neighbours(t, &level, x[0], L2R_NO_NODE, L2R_NO_NODE);
}
static l2r_node gcn_edges(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_gcn_neighbours(t, &level, x[0], x[1], x[2]);
}
static l2r_node gcn_bias(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_gcn_neighbours_biased(t, &level, x[0], x[1]);
}
static l2r_node twice(struct l2r_tape *t, const l2r_node *x) /* the second contribution to d_x adds */
{
    return l2r_add(t, gcn_plain(t, x), gcn_bias(t, x));
}
static void test_neighbours(void **state)
{
    (void)state;
    for (int64_t d = 3; d <= WIDE; d += WIDE - 3) {
        run(sum_eps, SHAPES({3, d}, {1, 1}), 2);
        run(sum_edges, SHAPES({3, d}, {1, 1}, {3, d}), 3);
        run(gcn_plain, SHAPES({3, d}), 1);
        run(gcn_edges, SHAPES({3, d}, {3, d}, {1, d}), 3);
        run(gcn_bias, SHAPES({3, d}, {1, d}), 2);
        run(twice, SHAPES({3, d}, {1, d}), 2);
    }
}

static const int32_t row_of[] = {2, 0, 3, 0, 0, 2, 4, 1, 0, 3};
static l2r_node expand(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_expand_rows(t, x[0], row_of, 10, 0);
}
static l2r_node expand_drop(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_add(t, l2r_expand_rows(t, x[0], row_of, 10, 0.4), l2r_expand_rows(t, x[0], row_of, 10, 0.2));
}
static const int32_t graph_start[] = {0, 3, 3, 10};
static l2r_node readout_mean(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_reduce_graphs_rows(t, x[0], row_of, 10, graph_start, 3, L2R_REDUCE_MEAN);
}
static l2r_node readout_sum(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_reduce_graphs_rows(t, x[0], row_of, 10, graph_start, 3, L2R_REDUCE_SUM);
}
static l2r_node readout_max(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_reduce_graphs_rows(t, x[0], row_of, 10, graph_start, 3, L2R_REDUCE_MAX);
}
static void test_expand(void **state)
{
    (void)state;
    run(readout_mean, SHAPES({6, 5}), 1);
    run(readout_sum, SHAPES({6, 5}), 1);
    run(readout_max, SHAPES({6, 5}), 1);
    run(expand, SHAPES({6, 5}), 1); /* row 5 stands for nothing */
    run(expand_drop, SHAPES({5, 70}), 1);
}

static double running_mean[8], running_variance[8] = {1, 2, 3, 4, 1, 2, 3, 4};
static const double times[] = {3, 1, 1, 5, 2};
static const struct l2r_row_counts counts = {times, 12};
static const int32_t spread_out[] = {0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 4, 4};
/* A shared row's gradient arrives as a sum over its nodes: from an expansion. */
static l2r_node norm_with(struct l2r_tape *t, const l2r_node *x, const struct l2r_activation *act,
                          const struct l2r_norm_state *s)
{
    l2r_node y = l2r_batch_norm_counted(t, x[0], x[1], x[2], s, &counts, act, 0);
    return l2r_expand_rows(t, y, spread_out, 12, 0.3);
}
static const struct l2r_norm_state still = {running_mean, running_variance, 0, 1e-5};
static l2r_node norm_linear(struct l2r_tape *t, const l2r_node *x)
{
    return norm_with(t, x, L2R_LINEAR, &still);
}
static l2r_node norm_relu(struct l2r_tape *t, const l2r_node *x)
{
    return norm_with(t, x, L2R_RELU, &still);
}
static l2r_node norm_running(struct l2r_tape *t, const l2r_node *x)
{
    t->pass.batch_statistics = false;
    return norm_with(t, x, L2R_RELU, &still);
}
static void test_norm(void **state)
{
    (void)state;
    run(norm_linear, SHAPES({5, 4}, {1, 4}, {1, 4}), 3);
    run(norm_relu, SHAPES({5, 4}, {1, 4}, {1, 4}), 3);
    run(norm_running, SHAPES({5, 4}, {1, 4}, {1, 4}), 3);
}

/* norm then expand = expand then norm: values, running statistics, gradients; the dropout masks are the same, too. */
static void test_same_as_nodes(void **state)
{
    (void)state;
    double x[20], gamma[4] = {1, 0.5, -2, 1.5}, beta[4] = {0.1, 0, 0.3, -0.2}, d_y[48], value[2][48], grad[2][28],
                  statistics[2][8];
    struct l2r_rng rng = l2r_rng_at(4, L2R_RANDOM_TEST, 0);
    for (int i = 0; i < 20; i++) x[i] = 100 + l2r_rng_normal(&rng);
    for (int i = 0; i < 48; i++) d_y[i] = l2r_rng_normal(&rng);
    for (int shared = 0; shared < 2; shared++) {
        double *mean = statistics[shared], *variance = mean + 4;
        struct l2r_norm_state moving = {mean, variance, 0.1, 1e-5};
        struct l2r_tape t;
        for (int j = 0; j < 4; j++) mean[j] = 0, variance[j] = 1;
        memset(grad[shared], 0, sizeof grad[shared]);
        l2r_tape_init(&t);
        l2r_tape_mode_train(&t, 7, 3);
        l2r_node in[3] = {l2r_leaf(&t, x, grad[shared], 5, 4), l2r_leaf(&t, gamma, grad[shared] + 20, 1, 4),
                          l2r_leaf(&t, beta, grad[shared] + 24, 1, 4)};
        l2r_node y;
        if (shared)
            y = norm_with(&t, in, L2R_RELU, &moving);
        else
            y = l2r_batch_norm(&t, l2r_take_rows(&t, in[0], spread_out, 12), in[1], in[2], &moving, L2R_RELU, 0.3);
        assert_int_equal(t.status, L2R_OK);
        memcpy(value[shared], l2r_value_of(&t, y)->data, sizeof value[shared]);
        l2r_tape_backward_from(&t, y, d_y);
        assert_int_equal(t.status, L2R_OK);
        l2r_tape_clear(&t);
    }
    for (int i = 0; i < 48; i++) assert_true(fabs(value[1][i] - value[0][i]) < 1e-10);
    for (int i = 0; i < 8; i++) assert_true(fabs(statistics[1][i] - statistics[0][i]) < 1e-12);
    for (int i = 0; i < 28; i++) assert_true(fabs(grad[1][i] - grad[0][i]) < 1e-10);
}

static void test_shapes(void **state)
{
    (void)state;
    double x[12] = {0};
    struct l2r_tape t;
    l2r_tape_init(&t);
    l2r_sum_neighbours(&t, &level, l2r_constant(&t, x, 4, 3), L2R_NO_NODE, L2R_NO_NODE);
    expect_message(t.error.message, "sum over neighbours: 4 rows for a batch of 3 nodes");
    l2r_tape_reset(&t);
    l2r_gcn_neighbours(&t, &plain_level, l2r_constant(&t, x, 3, 4), L2R_NO_NODE, L2R_NO_NODE);
    expect_message(t.error.message, "normalised sum over neighbours: the batch was shared without regard to degrees");
    l2r_tape_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_neighbours), cmocka_unit_test(test_expand),
                                       cmocka_unit_test(test_norm), cmocka_unit_test(test_same_as_nodes),
                                       cmocka_unit_test(test_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
