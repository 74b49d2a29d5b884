/* SPDX-License-Identifier: MIT
 * The operations of pooling by score against central differences, and what they refuse. The rows that stay are given,
 * so no difference can step over a change of the choice. */
#include "autograd/ops.h"

#include "support/messages.h"
#include "unit/autograd/gradient.h"

#include <string.h>

enum { N = 7, KEPT = 4 };
static const int32_t keep[KEPT] = {0, 2, 3, 6}, place[N] = {0, -1, 1, 2, -1, -1, 3};

static void run(l2r_node (*build)(struct l2r_tape *, const l2r_node *), const int64_t (*shapes)[2], int n)
{
    check_shapes(build, shapes, n, false, 23);
}

static l2r_node projection(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_projection_score(t, x[0], x[1]);
}
static l2r_node gate(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_gate_rows(t, x[0], x[1], keep, place, KEPT);
}
/* As the models use them: x flows through both, so its gradient is added to. */
static l2r_node pooled(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_gate_rows(t, x[0], l2r_projection_score(t, x[0], x[1]), keep, place, KEPT);
}

static void test_gradients(void **state)
{
    (void)state;
    for (int64_t d = 3; d <= 37; d += 34) {
        const int64_t with_direction[][2] = {{N, d}, {1, d}}, with_score[][2] = {{N, d}, {N, 1}};
        run(projection, with_direction, 2);
        run(gate, with_score, 2);
        run(pooled, with_direction, 2);
    }
}

static void test_values(void **state)
{
    (void)state;
    struct l2r_tape t;
    double x[] = {3, 4, 1, -2}, p[] = {0, 5}, zero[] = {0, 0};
    const int32_t last[] = {1}, where[] = {-1, 0};
    l2r_tape_init(&t);
    l2r_node nodes = l2r_constant(&t, x, 2, 2);
    l2r_node score = l2r_projection_score(&t, nodes, l2r_constant(&t, p, 1, 2));
    assert_true(l2r_value_of(&t, score)->data[0] == 4 && l2r_value_of(&t, score)->data[1] == -2);
    l2r_node out = l2r_gate_rows(&t, nodes, score, last, where, 1);
    assert_int_equal(l2r_value_of(&t, out)->rows, 1);
    assert_true(fabs(l2r_value_of(&t, out)->data[1] + 2 * tanh(-2)) < 1e-15);
    score = l2r_projection_score(&t, nodes, l2r_constant(&t, zero, 1, 2)); /* no direction: no 0/0 */
    assert_true(l2r_value_of(&t, score)->data[0] == 0 && l2r_value_of(&t, score)->data[1] == 0);
    l2r_tape_clear(&t);
}

static void test_refusals(void **state)
{
    (void)state;
    struct l2r_tape t;
    double x[12] = {0};
    l2r_tape_init(&t);
    l2r_node nodes = l2r_constant(&t, x, 4, 3);
    assert_int_equal(l2r_projection_score(&t, nodes, l2r_constant(&t, x, 1, 2)).id, -1);
    expect_message(t.error.message, "projection: the direction is 1 × 2 but the input has 3 columns");
    l2r_tape_reset(&t);
    nodes = l2r_constant(&t, x, 4, 3);
    assert_int_equal(l2r_gate_rows(&t, nodes, l2r_constant(&t, x, 3, 1), keep, place, 1).id, -1);
    expect_message(t.error.message, "gate: 3 × 1 scores for 4 rows");
    assert_int_equal(l2r_gate_rows(&t, L2R_NO_NODE, nodes, keep, place, 1).id, -1); /* the first error stays */
    assert_non_null(strstr(t.error.message, "gate: 3"));
    l2r_tape_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradients), cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests_name("pooling by score", tests, NULL, NULL);
}
