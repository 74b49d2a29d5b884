/* SPDX-License-Identifier: MIT
 * The operations on factors against central differences, against sums written out arc by arc, and what they refuse. */
#include "autograd/ops.h"

#include "support/messages.h"
#include "unit/autograd/gradient.h"
#include "unit/autograd/small_graph.h"

enum { K = 3 };

static void run(l2r_node (*build)(struct l2r_tape *, const l2r_node *), const int64_t (*shapes)[2], int n)
{
    check_shapes(build, shapes, n, false, 31);
}

static l2r_node gates(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_edge_gates(t, l2r_factors_of(t, &graph, K), x[0], x[1]);
}
static l2r_node gates_plain(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_edge_gates(t, l2r_factors_of(t, &graph, K), x[0], L2R_NO_NODE);
}
static l2r_node sums(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_factor_neighbours(t, l2r_factors_of(t, &graph, K), x[0], x[1], false);
}
static l2r_node sums_shared(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_factor_neighbours(t, l2r_factors_of(t, &graph, K), x[0], x[1], true);
}
/* As the model uses them: gates and x each flow into two sums. */
static l2r_node both(struct l2r_tape *t, const l2r_node *x)
{
    const struct l2r_factors *f = l2r_factors_of(t, &graph, K);
    l2r_node g = l2r_edge_gates(t, f, x[1], x[2]);
    l2r_node apart = l2r_factor_neighbours(t, f, l2r_factor_neighbours(t, f, x[0], g, false), g, true);
    return l2r_add(t, l2r_reshape(t, apart, N * K, l2r_value_of(t, x[0])->cols),
                   l2r_reshape(t, l2r_factor_neighbours(t, f, x[0], g, true), N * K, l2r_value_of(t, x[0])->cols));
}

static void test_gradients(void **state)
{
    (void)state;
    run(gates, (const int64_t[][2]){{N, 2 * K}, {3, K}}, 2);
    run(gates_plain, (const int64_t[][2]){{N, 2 * K}}, 1);
    for (int64_t d = 4; d <= 29; d += 25) { /* blocks of unequal width; of a vector and more */
        run(sums, (const int64_t[][2]){{N, d}, {A + N, K}}, 2);
        run(sums_shared, (const int64_t[][2]){{N, d}, {A + N, K}}, 2);
        run(both, (const int64_t[][2]){{N, d}, {N, 2 * K}, {3, K}}, 3);
    }
}

static double gate_of(const double *scores, const double *bonds, int64_t u, int64_t v, int type, int k)
{
    double x = scores[u * 2 * K + k] + scores[v * 2 * K + K + k] + (type >= 0 ? bonds[type * K + k] : 0);
    return 1 / (1 + exp(-x));
}

/* y, arc by arc, with column blocks 0-1, 1-3, 3-5 of x's five. */
static void test_values(void **state)
{
    (void)state;
    struct l2r_tape t;
    double x[N * 5], scores[N * 2 * K], bonds[3 * K];
    struct l2r_rng rng = l2r_rng_at(5, L2R_RANDOM_TEST, 50);
    for (int i = 0; i < N * 5; i++) x[i] = l2r_rng_normal(&rng);
    for (int i = 0; i < N * 2 * K; i++) scores[i] = l2r_rng_normal(&rng);
    for (int i = 0; i < 3 * K; i++) bonds[i] = l2r_rng_normal(&rng);
    l2r_tape_init(&t);
    const struct l2r_factors *f = l2r_factors_of(&t, &graph, K);
    l2r_node g = l2r_edge_gates(&t, f, l2r_constant(&t, scores, N, 2 * K), l2r_constant(&t, bonds, 3, K));
    l2r_node y = l2r_factor_neighbours(&t, f, l2r_constant(&t, x, N, 5), g, false);
    assert_int_equal(t.status, L2R_OK);
    static const int factor_of[] = {0, 1, 1, 2, 2};
    for (int v = 0; v < N; v++)
        for (int j = 0; j < 5; j++) {
            double sum = norm[v] * norm[v] * gate_of(scores, bonds, v, v, -1, factor_of[j]) * x[v * 5 + j];
            for (int e = arc_start[v]; e < arc_start[v + 1]; e++) {
                int u = neighbour[e];
                if (u != v)
                    sum += norm[v] * norm[u] * gate_of(scores, bonds, u, v, arc_type[e], factor_of[j]) * x[u * 5 + j];
            }
            assert_true(fabs(l2r_value_of(&t, y)->data[v * 5 + j] - sum) < 1e-14);
        }
    l2r_tape_clear(&t);
}

static void expect_refusal(struct l2r_tape *t, l2r_node node, const char *message)
{
    assert_int_equal(node.id, -1);
    expect_message(t->error.message, message);
    l2r_tape_reset(t);
}

static void test_refusals(void **state)
{
    (void)state;
    struct l2r_tape t;
    double zeros[64] = {0};
    l2r_tape_init(&t);
    const struct l2r_factors *f = l2r_factors_of(&t, &graph, K);
    expect_refusal(&t, l2r_edge_gates(&t, f, l2r_constant(&t, zeros, 6, 6), L2R_NO_NODE),
                   "edge gates: 6 × 6 scores for 7 nodes and 3 factors");
    f = l2r_factors_of(&t, &graph, K);
    expect_refusal(&t, l2r_edge_gates(&t, f, l2r_constant(&t, zeros, N, 6), l2r_constant(&t, zeros, 3, 2)),
                   "edge gates: bonds have 2 columns for 3 factors");
    f = l2r_factors_of(&t, &graph, K);
    expect_refusal(&t,
                   l2r_factor_neighbours(&t, f, l2r_constant(&t, zeros, N, 2), l2r_constant(&t, zeros, A, K), false),
                   "sum over factors: 7 rows and 11 × 3 gates for 7 nodes, 11 arcs and 3 factors");
    expect_refusal(&t, l2r_reshape(&t, l2r_constant(&t, zeros, 4, 3), 5, 2), "reshape: 4 × 3 numbers are not 5 × 2");
    assert_int_equal(l2r_edge_gates(&t, NULL, l2r_constant(&t, zeros, 1, 1), L2R_NO_NODE).id, -1);
    l2r_tape_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradients), cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests_name("factors", tests, NULL, NULL);
}
