/* SPDX-License-Identifier: MIT
 * The linear layer whose rows are grouped by degree: equal to the plain layer on scaled copies, in values and
 * gradients, for a few rows and for many, and its gradient is a slope. */
#include "support/messages.h"
#include "unit/autograd/gradient.h"

#include <string.h>

/* 8 nodes: a star around 0 with leaves 1, 2, 3, a triangle 3-4-5 with a self loop at 5, the pair 6-0, and the isolated
 * node 7. */
static const int32_t arc_start[] = {0, 4, 5, 6, 9, 11, 14, 15, 15};
static const int32_t neighbour[] = {1, 2, 3, 6, 0, 0, 0, 4, 5, 3, 5, 3, 4, 5, 0};
static const struct l2r_adjacency graph = {8, 15, arc_start, neighbour, NULL, NULL, NULL};
enum { N = 8, LONELY = 7, IN = 5, OUT = 3 /* of the linear layer */ };

static struct l2r_statistics which;

static l2r_node grouped(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_degree_linear(t, &graph, x[0], x[1], &which);
}

/* The linear layer that is grouped by degree is the plain one on scaled copies; its gradient is a slope. */
static void test_degree_linear(void **state)
{
    (void)state;
    for (unsigned s = 1; s <= L2R_ALL_SCALERS; s++) {
        int64_t wide = IN * __builtin_popcount(s);
        struct gradient_case *c = calloc(1, sizeof *c);
        assert_non_null(c);
        *c = (struct gradient_case){.build = grouped, .seed = 9};
        which = (struct l2r_statistics){L2R_MEAN, s, 1.3};
        add_leaf(c, N, IN);
        add_leaf(c, OUT, wide);
        check_gradient(c);
        struct l2r_tape t;
        l2r_tape_init(&t);
        l2r_node x = l2r_constant(&t, c->leaf[0].value, N, IN), v = l2r_constant(&t, c->leaf[1].value, OUT, wide);
        struct l2r_statistics once = {L2R_MEAN, L2R_IDENTITY, 1.3};
        l2r_node copies = l2r_multi_aggregate(&t, &graph, x, L2R_NO_NODE, L2R_NO_NODE, &which);
        l2r_node mean = l2r_multi_aggregate(&t, &graph, x, L2R_NO_NODE, L2R_NO_NODE, &once);
        const double *wanted = l2r_value_of(&t, l2r_linear_op(&t, copies, v, L2R_NO_NODE, L2R_LINEAR))->data;
        const double *found = l2r_value_of(&t, l2r_degree_linear(&t, &graph, mean, v, &which))->data;
        assert_int_equal(t.status, L2R_OK);
        for (int i = 0; i < N * OUT; i++) assert_true(fabs(found[i] - wanted[i]) < 1e-12);
        for (int i = 0; i < OUT; i++) assert_true(found[LONELY * OUT + i] == 0);
        l2r_tape_clear(&t);
        free(c);
    }
}

static l2r_node grouped_twice(struct l2r_tape *t, const l2r_node *x) /* gradients of two uses must add */
{
    return l2r_add(t, grouped(t, x), l2r_degree_linear(t, &graph, x[0], x[1], &which));
}

static void test_degree_linear_adds_and_refuses(void **state)
{
    (void)state;
    static double numbers[64];
    which = (struct l2r_statistics){L2R_MEAN, L2R_ALL_SCALERS, 1.3};
    check_shapes(grouped_twice, SHAPES({N, 2}, {2, 6}), 2, false, 9);
    struct l2r_tape t;
    l2r_tape_init(&t);
    l2r_node x = l2r_constant(&t, numbers, N, 2), v = l2r_constant(&t, numbers, 2, 5);
    assert_int_equal(l2r_degree_linear(&t, &graph, x, v, &which).id, -1);
    expect_message(t.error.message, "degree linear: the weight has 5 columns for 3 scalers and an input of 2");
    l2r_tape_clear(&t);
}

/* The graph many times over: more rows of a degree than fit into one block. */
enum { TIMES = 600, MANY = N * TIMES };

static struct l2r_adjacency many_graphs(void)
{
    static int32_t start[MANY + 1], to[15 * TIMES];
    for (int k = 0; k < TIMES; k++) {
        for (int v = 0; v < N; v++) start[k * N + v] = k * 15 + arc_start[v];
        for (int e = 0; e < 15; e++) to[k * 15 + e] = k * N + neighbour[e];
    }
    start[MANY] = 15 * TIMES;
    return (struct l2r_adjacency){MANY, 15 * TIMES, start, to, NULL, NULL, NULL};
}

static void test_degrees_repeat(void **state)
{
    (void)state;
    struct l2r_adjacency many = many_graphs();
    struct l2r_tape t;
    l2r_tape_init(&t);
    assert_false(l2r_degrees_repeat(&t, &graph, L2R_ALL_SCALERS)); /* eight nodes of four degrees are no reason */
    assert_true(l2r_degrees_repeat(&t, &many, L2R_ALL_SCALERS));
    assert_false(l2r_degrees_repeat(&t, &many, L2R_ATTENUATION)); /* one copy is no wider than none */
    l2r_tape_clear(&t);
}

/* Output and gradients of a linear layer on the scaled means of many graphs, one way or the other. */
static void run_many(double *y, double *d_x, double *d_v, double *x, double *v, bool by_degree)
{
    struct l2r_adjacency many = many_graphs();
    struct l2r_statistics all = {L2R_MEAN, L2R_ALL_SCALERS, 1.3}, once = {L2R_MEAN, L2R_IDENTITY, 1.3};
    struct l2r_tape t;
    l2r_tape_init(&t);
    l2r_tape_mode_train(&t, 0, 0);
    l2r_node from = l2r_leaf(&t, x, d_x, MANY, IN), weight = l2r_leaf(&t, v, d_v, OUT, 3 * IN);
    l2r_node mean = l2r_multi_aggregate(&t, &many, from, L2R_NO_NODE, L2R_NO_NODE, by_degree ? &once : &all);
    l2r_node out = by_degree ? l2r_degree_linear(&t, &many, mean, weight, &all)
                             : l2r_linear_op(&t, mean, weight, L2R_NO_NODE, L2R_LINEAR);
    assert_int_equal(t.status, L2R_OK);
    memcpy(y, l2r_value_of(&t, out)->data, sizeof(double) * MANY * OUT);
    l2r_tape_backward_from(&t, out, y); /* any gradient will do */
    l2r_tape_clear(&t);
}

static void test_many_rows_of_a_degree(void **state)
{
    (void)state;
    enum { NUMBERS = MANY * (2 * IN + OUT) + 3 * IN * OUT }; /* x, d_x, y, d_v */
    double *plain_way = calloc(NUMBERS, sizeof(double)), *grouped_way = calloc(NUMBERS, sizeof(double));
    double *memory[] = {plain_way, grouped_way}, v[3 * IN * OUT];
    assert_true(plain_way && grouped_way);
    for (int i = 0; i < 3 * IN * OUT; i++) v[i] = cos(i);
    for (int k = 0; k < 2; k++) {
        double *x = memory[k], *d_x = x + MANY * IN, *y = d_x + MANY * IN, *d_v = y + MANY * OUT;
        for (int i = 0; i < MANY * IN; i++) x[i] = sin(i);
        run_many(y, d_x, d_v, x, v, k == 1);
    }
    for (int i = 0; i < NUMBERS; i++)
        assert_true(fabs(plain_way[i] - grouped_way[i]) <= 1e-11 * (1 + fabs(plain_way[i])));
    assert_true(fabs(plain_way[NUMBERS - 1]) > 1);
    free(plain_way);
    free(grouped_way);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_degree_linear),
        cmocka_unit_test(test_degree_linear_adds_and_refuses),
        cmocka_unit_test(test_degrees_repeat),
        cmocka_unit_test(test_many_rows_of_a_degree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
