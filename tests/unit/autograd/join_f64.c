/* SPDX-License-Identifier: MIT
 * Values side by side, the largest of several, and repeated smoothing: values, gradients against central differences,
 * refusals. */
#include "support/messages.h"
#include "unit/autograd/gradient.h"

#include <string.h>

/* A path 0-1-2, a pair 3-4 whose node 4 has a self loop, and the isolated node 5. */
static const int32_t arc_start[] = {0, 1, 3, 4, 5, 7, 7};
static const int32_t neighbour[] = {1, 0, 2, 1, 4, 3, 4};
static const int32_t arc_type[7] = {0};
static const double norm[] = {0.70710678118654757, 0.57735026918962584, 0.70710678118654757,
                              0.70710678118654757, 0.70710678118654757, 1};
static const struct l2r_adjacency graph = {6, 7, arc_start, neighbour, arc_type, norm, NULL};
static int64_t hops;

static void check(l2r_node (*build)(struct l2r_tape *, const l2r_node *), const int64_t *cols, int n)
{
    int64_t shapes[MOST_LEAVES][2];
    for (int i = 0; i < n; i++) shapes[i][0] = 6, shapes[i][1] = cols[i];
    check_shapes(build, (const int64_t(*)[2])shapes, n, false, 21);
}

static l2r_node beside(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_side_by_side(t, x, 6);
}
static l2r_node beside_itself(struct l2r_tape *t, const l2r_node *x) /* gradients of two uses must add */
{
    return l2r_side_by_side(t, (l2r_node[]){x[0], x[1], x[0]}, 3);
}
static l2r_node largest(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_largest(t, x, 6);
}
static l2r_node propagate(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_propagate(t, &graph, x[0], hops);
}
static l2r_node propagate_twice(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_add(t, propagate(t, x), l2r_propagate(t, &graph, x[0], 1));
}

static void test_gradients(void **state)
{
    (void)state;
    check(beside, (const int64_t[]){3, 1, 4, 9, 2, 5}, 6);
    check(beside_itself, (const int64_t[]){3, 5}, 2);
    check(largest, (const int64_t[]){11, 11, 11, 11, 11, 11}, 6);
    for (hops = 1; hops <= 4; hops++) {
        check(propagate, (const int64_t[]){5}, 1);
        check(propagate_twice, (const int64_t[]){37}, 1);
    }
}

static void test_values(void **state)
{
    (void)state;
    double a[] = {1, 5, 3, -4}, b[] = {1, 6, 2, -3}, grad_a[4] = {0}, grad_b[4] = {0};
    struct l2r_tape t;
    l2r_tape_init(&t);
    l2r_tape_mode_train(&t, 0, 0);
    l2r_node x[] = {l2r_leaf(&t, a, grad_a, 2, 2), l2r_leaf(&t, b, grad_b, 2, 2)};
    const double together[] = {1, 5, 1, 6, 3, -4, 2, -3}, most[] = {1, 6, 3, -3}, d[] = {10, 20, 30, 40};
    assert_memory_equal(l2r_value_of(&t, l2r_side_by_side(&t, x, 2))->data, together, sizeof together);
    l2r_node max = l2r_largest(&t, x, 2);
    assert_memory_equal(l2r_value_of(&t, max)->data, most, sizeof most);
    l2r_tape_backward_from(&t, max, d);
    const double to_a[] = {10, 0, 30, 0}, to_b[] = {0, 20, 0, 40}; /* the tie at the first place goes to a */
    assert_memory_equal(grad_a, to_a, sizeof to_a);
    assert_memory_equal(grad_b, to_b, sizeof to_b);
    l2r_tape_clear(&t);
}

static void test_propagation_is_repeated_smoothing(void **state)
{
    (void)state;
    double x[6 * 3];
    struct l2r_tape t;
    for (int i = 0; i < 18; i++) x[i] = sin(i);
    l2r_tape_init(&t);
    l2r_node one_by_one = l2r_constant(&t, x, 6, 3);
    for (int64_t k = 1; k <= 5; k++) {
        one_by_one = l2r_gcn_neighbours(&t, &graph, one_by_one, L2R_NO_NODE, L2R_NO_NODE);
        l2r_node at_once = l2r_propagate(&t, &graph, l2r_constant(&t, x, 6, 3), k);
        assert_memory_equal(l2r_value_of(&t, at_once)->data, l2r_value_of(&t, one_by_one)->data, sizeof x);
        assert_false(l2r_value_of(&t, at_once)->needs_grad);
    }
    l2r_tape_clear(&t);
}

static void test_not_a_number_shows(void **state)
{
    (void)state;
    for (int bad = 0; bad < 3; bad++) {
        double x[3] = {1, 2, 3};
        struct l2r_tape t;
        x[bad] = NAN;
        l2r_tape_init(&t);
        l2r_node parts[3];
        for (int i = 0; i < 3; i++) parts[i] = l2r_constant(&t, &x[i], 1, 1);
        assert_true(isnan(l2r_value_of(&t, l2r_largest(&t, parts, 3))->data[0]));
        l2r_tape_clear(&t);
    }
}

static void expect_refusal(struct l2r_tape *t, l2r_node out, const char *message)
{
    assert_int_equal(out.id, -1);
    assert_int_equal(t->status, L2R_ERR_ARGUMENT);
    if (!message_matches(t->error.message, message)) fail_msg("\"%s\" is not in \"%s\"", message, t->error.message);
    l2r_tape_reset(t);
}

static void test_refusals(void **state)
{
    (void)state;
    static double numbers[64];
    struct l2r_tape t;
    l2r_tape_init(&t);
    l2r_node parts[2] = {l2r_constant(&t, numbers, 6, 3), l2r_constant(&t, numbers, 5, 3)};
    expect_refusal(&t, l2r_side_by_side(&t, parts, 2), "side by side: 6 × 3 and 5 × 3 do not match");
    parts[0] = l2r_constant(&t, numbers, 6, 3), parts[1] = l2r_constant(&t, numbers, 6, 2);
    expect_refusal(&t, l2r_largest(&t, parts, 2), "largest: 6 × 3 and 6 × 2 do not match");
    expect_refusal(&t, l2r_largest(&t, parts, 0), "largest: nothing to join");
    parts[0] = l2r_constant(&t, numbers, 6, 3);
    expect_refusal(&t, l2r_propagate(&t, &graph, parts[0], 0), "propagate: 0 steps, expected at least 1");
    parts[0] = l2r_constant(&t, numbers, 5, 3);
    expect_refusal(&t, l2r_propagate(&t, &graph, parts[0], 2), "propagate: 5 rows for a batch of 6 nodes");
    l2r_tape_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_propagation_is_repeated_smoothing),
        cmocka_unit_test(test_not_a_number_shows),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
