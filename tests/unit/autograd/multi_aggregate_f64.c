/* SPDX-License-Identifier: MIT
 * Mean, max, min and standard deviation over neighbours: against plain loops, gradients against central differences for
 * every set of aggregators and scalers, ties, no variance, no neighbours, and what the operation refuses. */
#include "support/messages.h"
#include "unit/autograd/gradient.h"

#include <string.h>

/* 8 nodes: a star around 0 with leaves 1, 2, 3, a triangle 3-4-5 with a self loop at 5, the pair 6-0, and the isolated
 * node 7. */
static const int32_t arc_start[] = {0, 4, 5, 6, 9, 11, 14, 15, 15};
static const int32_t neighbour[] = {1, 2, 3, 6, 0, 0, 0, 4, 5, 3, 5, 3, 4, 5, 0};
static const int32_t arc_type[] = {0, 1, 2, 0, 0, 1, 2, 0, 1, 0, 2, 1, 2, 0, 0};
static const struct l2r_adjacency graph = {8, 15, arc_start, neighbour, arc_type, NULL, NULL};
enum { N = 8, TYPES = 3, LONELY = 7 };

static struct l2r_statistics which = {L2R_ALL_AGGREGATORS, L2R_ALL_SCALERS, 1.3};

static l2r_node with_edges(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_multi_aggregate(t, &graph, x[0], x[1], x[2], &which);
}
static l2r_node with_own(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_multi_aggregate(t, &graph, x[0], x[1], L2R_NO_NODE, &which);
}
static l2r_node plain(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_multi_aggregate(t, &graph, x[0], L2R_NO_NODE, L2R_NO_NODE, &which);
}
static l2r_node x_is_own(struct l2r_tape *t, const l2r_node *x) /* both contributions must add */
{
    return l2r_multi_aggregate(t, &graph, x[0], x[0], L2R_NO_NODE, &which);
}

static void check(l2r_node (*build)(struct l2r_tape *, const l2r_node *), int64_t dim, int leaves)
{
    const int64_t rows[] = {N, N, TYPES};
    int64_t shapes[MOST_LEAVES][2];
    for (int i = 0; i < leaves; i++) shapes[i][0] = rows[i], shapes[i][1] = dim;
    check_shapes(build, (const int64_t(*)[2])shapes, leaves, false, 5);
}

static void test_gradients(void **state)
{
    (void)state;
    static const int64_t dims[] = {1, 4, 13}; /* below a vector, one, and a tile with a vector and a rest */
    which = (struct l2r_statistics){L2R_ALL_AGGREGATORS, L2R_ALL_SCALERS, 1.3};
    for (int i = 0; i < 3; i++) {
        check(with_edges, dims[i], 3);
        check(with_own, dims[i], 2);
        check(plain, dims[i], 1);
        check(x_is_own, dims[i], 1);
    }
    for (unsigned a = 1; a <= L2R_ALL_AGGREGATORS; a++)
        for (unsigned s = 1; s <= L2R_ALL_SCALERS; s++) {
            which = (struct l2r_statistics){a, s, 0.7};
            check(with_edges, 1, 3);
        }
}

/* One column, by the definitions. */
static void by_hand(double out[12], const double *x, const double *own, const double *edges, int v)
{
    int n = arc_start[v + 1] - arc_start[v];
    double mean = 0, most = -INFINITY, least = INFINITY, variance = 0;
    for (int e = arc_start[v]; e < arc_start[v + 1]; e++) {
        double m = x[neighbour[e]] + own[v] + edges[arc_type[e]];
        mean += m / n, most = fmax(most, m), least = fmin(least, m);
    }
    for (int e = arc_start[v]; e < arc_start[v + 1]; e++)
        variance += pow(x[neighbour[e]] + own[v] + edges[arc_type[e]] - mean, 2) / n;
    double value[4] = {mean, most, least, sqrt(variance + 1e-5)}, big = log(n + 1) / 1.3;
    for (int k = 0; k < 12; k++) out[k] = n == 0 ? 0 : value[k % 4] * (k < 4 ? 1 : k < 8 ? big : 1 / big);
}

static void test_values(void **state)
{
    (void)state;
    struct gradient_case *c = calloc(1, sizeof *c);
    struct l2r_tape t;
    l2r_node leaf[3];
    const int64_t rows[] = {N, N, TYPES};
    assert_non_null(c);
    c->seed = 3;
    which = (struct l2r_statistics){L2R_ALL_AGGREGATORS, L2R_ALL_SCALERS, 1.3};
    l2r_tape_init(&t);
    l2r_tape_mode_predict(&t);
    for (int i = 0; i < 3; i++) {
        add_leaf(c, rows[i], 1);
        leaf[i] = l2r_leaf(&t, c->leaf[i].value, c->leaf[i].grad, rows[i], 1);
    }
    l2r_node out = with_edges(&t, leaf);
    assert_int_equal(t.status, L2R_OK);
    assert_int_equal(l2r_value_of(&t, out)->cols, 12);
    for (int v = 0; v < N; v++) {
        double wanted[12];
        by_hand(wanted, c->leaf[0].value, c->leaf[1].value, c->leaf[2].value, v);
        for (int k = 0; k < 12; k++) assert_true(fabs(l2r_value_of(&t, out)->data[v * 12 + k] - wanted[k]) < 1e-12);
    }
    l2r_tape_clear(&t);
    free(c);
}

/* The gradient of x when all of `d` arrives at every number of the output. */
static void gradient_of(double *grad, double *x, unsigned aggregators)
{
    struct l2r_tape t;
    double ones[N];
    for (int i = 0; i < N; i++) ones[i] = 1, grad[i] = 0;
    which = (struct l2r_statistics){aggregators, L2R_IDENTITY, 1};
    l2r_tape_init(&t);
    l2r_tape_mode_train(&t, 0, 0);
    l2r_node leaf = l2r_leaf(&t, x, grad, N, 1);
    l2r_tape_backward_from(&t, plain(&t, &leaf), ones);
    assert_int_equal(t.status, L2R_OK);
    l2r_tape_clear(&t);
}

static void test_ties_and_no_variance(void **state)
{
    (void)state;
    double grad[N], same[N] = {2, 2, 2, 2, 2, 2, 2, 2};
    /* Of equal neighbours the first: 1 for node 0, 0 for 1, 2, 3 and 6, 3 for 4 and 5. */
    const double first[N] = {4, 1, 0, 2, 0, 0, 0, 0};
    gradient_of(grad, same, L2R_MAX);
    for (int v = 0; v < N; v++) assert_true(grad[v] == first[v]);
    gradient_of(grad, same, L2R_MIN);
    for (int v = 0; v < N; v++) assert_true(grad[v] == first[v]);
    gradient_of(grad, same, L2R_STD);
    for (int v = 0; v < N; v++) assert_true(grad[v] == 0);
    double far[N] = {1e8, 1e8, 1e8, 1e8, 1e8, 1e8, 1e8, 1e8}; /* equal numbers have no variance, whatever their size */
    struct l2r_tape t;
    l2r_tape_init(&t);
    l2r_tape_mode_predict(&t);
    l2r_node leaf = l2r_leaf(&t, far, grad, N, 1), out = plain(&t, &leaf);
    for (int v = 0; v < N; v++) assert_true(l2r_value_of(&t, out)->data[v] == (v == LONELY ? 0 : sqrt(1e-5)));
    l2r_tape_clear(&t);
}

static void test_not_a_number_shows(void **state)
{
    (void)state;
    static const int bad[] = {1, 2, 6}; /* first, in the middle, last of the neighbours of node 0 */
    for (int i = 0; i < 3; i++)
        for (unsigned kind = L2R_MEAN; kind <= L2R_STD; kind <<= 1) {
            double x[N] = {1, 2, 3, 4, 5, 6, 7, 8};
            struct l2r_tape t;
            x[bad[i]] = NAN;
            which = (struct l2r_statistics){kind, L2R_IDENTITY, 1};
            l2r_tape_init(&t);
            l2r_node leaf = l2r_constant(&t, x, N, 1);
            assert_true(isnan(l2r_value_of(&t, plain(&t, &leaf))->data[0]));
            l2r_tape_clear(&t);
        }
}

static void refused(int64_t rows, int64_t own_rows, int64_t edge_cols, struct l2r_statistics sets, const char *message)
{
    static double numbers[64];
    struct l2r_tape t;
    l2r_tape_init(&t);
    l2r_node x = l2r_constant(&t, numbers, rows, 2), own = l2r_constant(&t, numbers, own_rows, 2),
             edges = l2r_constant(&t, numbers, TYPES, edge_cols);
    l2r_node out = l2r_multi_aggregate(&t, &graph, x, own, edges, &sets);
    assert_int_equal(out.id, -1);
    assert_int_equal(t.status, L2R_ERR_ARGUMENT);
    if (!message_matches(t.error.message, message)) fail_msg("\"%s\" is not in \"%s\"", message, t.error.message);
    l2r_tape_clear(&t);
}

static void test_refusals(void **state)
{
    (void)state;
    refused(N - 1, N - 1, 2, (struct l2r_statistics){1, 1, 1}, "7 rows for a batch of 8 nodes");
    refused(N, N - 1, 2, (struct l2r_statistics){1, 1, 1}, "own part is 7 × 2, messages 8 × 2");
    refused(N, N, 3, (struct l2r_statistics){1, 1, 1}, "edge features have 3 columns, messages 2");
    refused(N, N, 2, (struct l2r_statistics){0, 1, 1}, "no such set of aggregators and scalers (0, 1)");
    refused(N, N, 2, (struct l2r_statistics){1, 8, 1}, "no such set of aggregators and scalers (1, 8)");
    refused(N, N, 2, (struct l2r_statistics){1, 1, 0}, "delta is 0, but must be positive");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_ties_and_no_variance),
        cmocka_unit_test(test_not_a_number_shows),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
