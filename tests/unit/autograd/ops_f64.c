/* SPDX-License-Identifier: MIT
 * Every operation of the tape against central differences. */
#include "unit/autograd/gradient.h"
#include "unit/autograd/small_graph.h"

static const int32_t graph_start[] = {0, 3, 6, 6, 7}; /* four graphs, the third without nodes */
enum { WIDE = 37 };                                   /* 37 columns: a tile, a vector and single numbers */

static void run(l2r_node (*build)(struct l2r_tape *, const l2r_node *), const int64_t (*shapes)[2], int n, bool scalar)
{
    check_shapes(build, shapes, n, scalar, 11);
}

static l2r_node linear_bias(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_linear_op(t, x[0], x[1], x[2], L2R_LINEAR);
}
static l2r_node linear_relu(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_linear_op(t, x[0], x[1], x[2], L2R_RELU);
}
static l2r_node linear_plain(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_linear_op(t, x[0], x[1], L2R_NO_NODE, L2R_RELU);
}
static void test_linear(void **state)
{
    (void)state;
    run(linear_bias, SHAPES({5, 3}, {4, 3}, {1, 4}), 3, false);
    run(linear_relu, SHAPES({5, 3}, {4, 3}, {1, 4}), 3, false);
    run(linear_plain, SHAPES({5, 3}, {4, 3}), 2, false);
}

static l2r_node sum_plain(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_sum_neighbours(t, &graph, x[0], L2R_NO_NODE, L2R_NO_NODE);
}
static l2r_node sum_eps(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_sum_neighbours(t, &graph, x[0], x[1], L2R_NO_NODE);
}
static l2r_node sum_edges(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_sum_neighbours(t, &graph, x[0], x[1], x[2]);
}
static l2r_node gcn_plain(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_gcn_neighbours(t, &graph, x[0], L2R_NO_NODE, L2R_NO_NODE);
}
static l2r_node gcn_edges(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_gcn_neighbours(t, &graph, x[0], x[1], x[2]);
}
static void test_neighbours(void **state)
{
    (void)state;
    for (int64_t d = 3; d <= WIDE; d += WIDE - 3) {
        run(sum_plain, SHAPES({N, d}), 1, false);
        run(sum_eps, SHAPES({N, d}, {1, 1}), 2, false);
        run(sum_edges, SHAPES({N, d}, {1, 1}, {3, d}), 3, false);
        run(gcn_plain, SHAPES({N, d}), 1, false);
        run(gcn_edges, SHAPES({N, d}, {3, d}, {1, d}), 3, false);
    }
}

static double running_mean[8], running_variance[8] = {1, 2, 3, 4, 1, 2, 3, 4};
static const struct l2r_norm_state norm_state = {running_mean, running_variance, 0, 1e-5};
static l2r_node norm_linear(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_batch_norm(t, x[0], x[1], x[2], &norm_state, L2R_LINEAR, 0);
}
static l2r_node norm_drop(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_batch_norm(t, x[0], x[1], x[2], &norm_state, L2R_LINEAR, 0.4);
}
static l2r_node norm_relu_drop(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_batch_norm(t, x[0], x[1], x[2], &norm_state, L2R_RELU, 0.4);
}
static l2r_node norm_running(struct l2r_tape *t, const l2r_node *x)
{
    t->pass.batch_statistics = false;
    return l2r_batch_norm(t, x[0], x[1], x[2], &norm_state, L2R_RELU, 0);
}
static l2r_node norm_layer(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_layer_norm(t, x[0], x[1], x[2]);
}
static l2r_node scaled(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_add(t, l2r_scale(t, x[0], -0.7), x[0]);
}
static l2r_node lists(struct l2r_tape *t, const l2r_node *x)
{
    static const int32_t start[] = {0, 2, 2, 5}, item[] = {1, 0, 3, 1, 1};
    static const int32_t back_start[] = {0, 1, 4, 4, 5}, back_item[] = {0, 0, 2, 2, 2};
    static const struct l2r_lists some = {3, 4, start, item, back_start, back_item};
    return l2r_sum_lists(t, &some, l2r_add(t, x[0], l2r_scale(t, x[0], 0.5)));
}
static l2r_node messages(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_add(t, x[0], l2r_arc_messages(t, &graph, l2r_reverses_of(t, &graph), x[0]));
}
static l2r_node attention(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_attend(t, &graph, x[0], x[1], x[2], x[3], 3);
}
static l2r_node attention_plain(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_attend(t, &graph, x[0], x[0], x[1], L2R_NO_NODE, 2);
}
static void test_attention(void **state)
{
    (void)state;
    run(attention, SHAPES({N, 5}, {N, 5}, {1, 5}, {3, 5}), 4, false);
    run(attention_plain, SHAPES({N, 4}, {1, 4}), 2, false);
}
static void test_lists(void **state)
{
    (void)state;
    run(lists, SHAPES({4, 5}), 1, false);
    run(messages, SHAPES({graph.n_arcs, 5}), 1, false);
}
static void test_norm(void **state)
{
    (void)state;
    run(norm_linear, SHAPES({9, 4}, {1, 4}, {1, 4}), 3, false);
    run(norm_drop, SHAPES({9, 4}, {1, 4}, {1, 4}), 3, false);
    run(norm_relu_drop, SHAPES({9, 4}, {1, 4}, {1, 4}), 3, false);
    run(norm_running, SHAPES({9, 4}, {1, 4}, {1, 4}), 3, false);
    run(norm_layer, SHAPES({9, 13}, {1, 13}, {1, 13}), 3, false);
    run(norm_layer, SHAPES({140, 3}, {1, 3}, {1, 3}), 3, false); /* several chunks of rows */
    run(scaled, SHAPES({9, 4}), 1, false);
}

static const int32_t rows[] = {0, 1, 2, 0, 2, 1, 0, 0}; /* [4 × 2] */
static const int32_t index_of[] = {3, 0, 0, 2, 1, 3};
static l2r_node embedding(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_embedding_sum(t, x, 2, rows, 4);
}
static l2r_node take(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_take_rows(t, x[0], index_of, 6);
}
static l2r_node readout_mean(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_reduce_graphs(t, x[0], graph_start, G, L2R_REDUCE_MEAN);
}
static l2r_node readout_sum(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_reduce_graphs(t, x[0], graph_start, G, L2R_REDUCE_SUM);
}
static l2r_node readout_max(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_reduce_graphs(t, x[0], graph_start, G, L2R_REDUCE_MAX);
}
static l2r_node spread(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_add_to_nodes(t, x[0], x[1], graph_start, G);
}
static void test_rows(void **state)
{
    (void)state;
    run(embedding, SHAPES({3, 5}, {2, 5}), 2, false);
    run(take, SHAPES({4, 5}), 1, false);
    run(readout_mean, SHAPES({N, 5}), 1, false);
    run(readout_sum, SHAPES({N, 5}), 1, false);
    run(readout_max, SHAPES({N, 5}), 1, false);
    run(spread, SHAPES({N, 5}, {G, 5}), 2, false);
}

static l2r_node add(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_add(t, x[0], x[1]);
}
static l2r_node add_itself(struct l2r_tape *t, const l2r_node *x) /* gradients of two uses must add */
{
    return l2r_add(t, l2r_activate(t, x[0], L2R_RELU, 0), l2r_add(t, x[0], x[0]));
}
static l2r_node repeat(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_repeat_row(t, x[0], 5);
}
static l2r_node activate(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_activate(t, x[0], L2R_RELU, 0.3);
}
static l2r_node drop(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_activate(t, x[0], L2R_LINEAR, 0.3);
}
static void test_elementwise(void **state)
{
    (void)state;
    run(add, SHAPES({6, 5}, {6, 5}), 2, false);
    run(add_itself, SHAPES({6, 5}), 1, false);
    run(repeat, SHAPES({1, 5}), 1, false);
    run(activate, SHAPES({6, 5}), 1, false);
    run(drop, SHAPES({6, 5}), 1, false);
}

static const float classes[] = {0, 2, 1, NAN, 2};
static const float tasks[] = {0, 1, NAN, NAN, 1, 0, NAN, NAN, NAN, 1, 1, 1, 0, NAN, 0};
static const double weight[] = {0.5, 1.5, 3}, mean[] = {1, -2, 0}, sd[] = {2, 0.5, 1};
static l2r_node cross_entropy(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_cross_entropy(t, x[0], classes, weight);
}
static l2r_node binary(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_binary_cross_entropy(t, x[0], tasks, weight);
}
static l2r_node squared(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_regression_error(t, x[0], tasks, NULL, &(const struct l2r_target_scale){.mean = mean, .sd = sd},
                                L2R_DISTANCE_SQUARED);
}
static l2r_node bounded(struct l2r_tape *t, const l2r_node *x)
{
    static const int8_t bound[] = {1, -1, 0, 1, 1, -1, 0, 0, 0, -1, -1, 1, 1, 1, -1};
    return l2r_regression_error(t, x[0], tasks, bound, &(const struct l2r_target_scale){.mean = mean, .sd = sd},
                                L2R_DISTANCE_SQUARED);
}
/* Distances of logarithms where a target spans decades. */
static const struct l2r_target_map logs[] = {{.kind = L2R_MAP_NONE}, {.kind = L2R_MAP_LOG10}, {.kind = L2R_MAP_NONE}};
static const float decades[] = {1, 1000, NAN, -1, 0.01F, 3, 2, 10, 0, 4, 1e6F, -2, NAN, 1, 1};
static l2r_node absolute(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_regression_error(t, x[0], decades, NULL, &(const struct l2r_target_scale){mean, sd, logs},
                                L2R_DISTANCE_ABSOLUTE);
}
static l2r_node huber(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_regression_error(t, x[0], decades, NULL, &(const struct l2r_target_scale){mean, sd, logs},
                                L2R_DISTANCE_HUBER);
}
static l2r_node rows_weighted(struct l2r_tape *t, const l2r_node *x)
{
    static const float w[] = {0.5F, 3, 0, 1, 2};
    return l2r_scale_rows(t, l2r_cross_entropy(t, x[0], classes, NULL), w, 0.25);
}
static l2r_node weighted(struct l2r_tape *t, const l2r_node *x)
{
    static const double w[] = {0.2, 3, 0, 1, 0.8};
    return l2r_weighted_mean(t, l2r_cross_entropy(t, x[0], classes, NULL), w);
}
static void test_losses(void **state)
{
    (void)state;
    run(cross_entropy, SHAPES({5, 3}), 1, true);
    run(binary, SHAPES({5, 3}), 1, true);
    run(squared, SHAPES({5, 3}), 1, true);
    run(bounded, SHAPES({5, 3}), 1, true);
    run(absolute, SHAPES({5, 3}), 1, true);
    run(huber, SHAPES({5, 3}), 1, true);
    run(rows_weighted, SHAPES({5, 3}), 1, true);
    run(weighted, SHAPES({5, 3}), 1, true);
}

/* "5 or more", "5 or less", 5: no loss on the right side of a bound, the squared distance on the other. */
static void test_bounds(void **state)
{
    (void)state;
    static const int8_t bound[] = {1, -1, 0, 1, -1, 0};
    static const double zero[] = {0, 0, 0}, one[] = {1, 1, 1};
    static const float five[] = {5, 5, 5, 5, 5, 5};
    double out[] = {7, 7, 7, 3, 3, 3}, grad[6];
    struct l2r_tape t;
    l2r_tape_init(&t);
    l2r_tape_mode_train(&t, 1, 1);
    l2r_node loss =
        l2r_regression_error(&t, l2r_leaf(&t, out, grad, 2, 3), five, bound,
                             &(const struct l2r_target_scale){.mean = zero, .sd = one}, L2R_DISTANCE_SQUARED);
    assert_true(fabs(l2r_value_of(&t, loss)->data[0] - (0 + 4 + 4) / 3.0) < 1e-12);
    assert_true(fabs(l2r_value_of(&t, loss)->data[1] - (4 + 0 + 4) / 3.0) < 1e-12);
    l2r_tape_clear(&t);
}

/* Errors of 0.5 and 3 standard deviations; the second target is the logarithm of 1000 with mean 1 and sd 0.5. */
static void test_distances(void **state)
{
    (void)state;
    static const double mean_of[] = {2, 1}, sd_of[] = {2, 0.5};
    static const struct l2r_target_map log10_of[] = {{.kind = L2R_MAP_NONE}, {.kind = L2R_MAP_LOG10}};
    static const float label[] = {4, 1000};
    const struct l2r_target_scale scale = {mean_of, sd_of, log10_of};
    const double expected[] = {(0.25 + 9) / 2, (0.5 + 3) / 2, (0.25 + 5) / 2};
    for (int k = 0; k < 3; k++) {
        double out[] = {1.5, 7}, grad[2]; /* 1 and 4 are the labels' places */
        struct l2r_tape t;
        l2r_tape_init(&t);
        l2r_tape_mode_train(&t, 1, 1);
        l2r_node loss =
            l2r_regression_error(&t, l2r_leaf(&t, out, grad, 1, 2), label, NULL, &scale, (enum l2r_distance)k);
        assert_true(fabs(l2r_value_of(&t, loss)->data[0] - expected[k]) < 1e-12);
        l2r_tape_clear(&t);
    }
    assert_true(fabs(l2r_target_unscaled(&scale, 1, 4) - 1000) < 1e-9);
    assert_true(l2r_target_unscaled(&scale, 0, 1) == 4 && l2r_target_scaled(&scale, 0, 4) == 1);
    assert_true(isfinite((float)l2r_target_unscaled(&scale, 1, 1e9)) && l2r_target_unscaled(&scale, 1, -1e9) > 0);
    assert_true(isnan(l2r_target_unscaled(&scale, 1, NAN)) && isnan(l2r_target_scaled(&scale, 1, NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),      cmocka_unit_test(test_neighbours), cmocka_unit_test(test_norm),
        cmocka_unit_test(test_lists),       cmocka_unit_test(test_attention),  cmocka_unit_test(test_rows),
        cmocka_unit_test(test_elementwise), cmocka_unit_test(test_losses),     cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_distances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
