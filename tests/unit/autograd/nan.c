/* SPDX-License-Identifier: MIT
 * A value that is not a number reaches the output of every operation with a ReLU: divergence must not be hidden. */
#include "autograd/ops.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { D = 37 };

static bool has_nan(struct l2r_tape *t, l2r_node node)
{
    const struct l2r_value *v = l2r_value_of(t, node);
    for (int64_t i = 0; i < v->rows * v->cols; i++)
        if (isnan(v->data[i])) return true;
    return false;
}

static void test_relu_keeps_nan(void **state)
{
    (void)state;
    static const int32_t arc_start[] = {0, 1, 2}, neighbour[] = {1, 0}, arc_type[] = {0, 0};
    static const float norm[] = {0.7f, 0.7f};
    static const struct l2r_adjacency graph = {2, 2, arc_start, neighbour, arc_type, norm, NULL};
    for (int at = 0; at < D; at += 9) { /* in a tile, in a vector, in the rest of the row */
        float x[2 * D] = {0}, w[D * D] = {0}, edges[D] = {0}, ones[D], zeros[D] = {0}, mean[D] = {0}, variance[D];
        for (int i = 0; i < D; i++) ones[i] = variance[i] = w[i * D + i] = 1;
        x[at] = NAN;
        struct l2r_tape t;
        l2r_tape_init(&t);
        l2r_tape_mode_predict(&t);
        l2r_node in = l2r_constant(&t, x, 2, D), e = l2r_constant(&t, edges, 1, D),
                 root = l2r_constant(&t, zeros, 1, D);
        l2r_node weight = l2r_constant(&t, w, D, D), gamma = l2r_constant(&t, ones, 1, D);
        struct l2r_norm_state norms = {mean, variance, 0.1, 1e-5};
        assert_true(has_nan(&t, l2r_activate(&t, in, L2R_RELU, 0)));
        assert_true(has_nan(&t, l2r_linear_op(&t, in, weight, root, L2R_RELU)));
        assert_true(has_nan(&t, l2r_linear_op(&t, in, weight, L2R_NO_NODE, L2R_RELU)));
        assert_true(has_nan(&t, l2r_batch_norm(&t, in, gamma, root, &norms, L2R_RELU, 0)));
        assert_true(has_nan(&t, l2r_layer_norm(&t, in, gamma, root)));
        assert_true(has_nan(&t, l2r_sum_neighbours(&t, &graph, in, L2R_NO_NODE, e)));
        assert_true(has_nan(&t, l2r_gcn_neighbours(&t, &graph, in, e, root)));
        assert_int_equal(t.status, L2R_OK);
        l2r_tape_clear(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_relu_keeps_nan)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
