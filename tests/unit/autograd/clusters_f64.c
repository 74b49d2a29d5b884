/* SPDX-License-Identifier: MIT
 * Soft clusters: values against the definition with dense matrices, gradients against central differences, wrong
 * shapes, odd shares. */
#include "support/messages.h"
#include "unit/autograd/gradient.h"
#include "unit/autograd/small_graph.h"

#include <string.h>

static const int32_t graph_start[] = {0, 3, 6, 6, 7}; /* four graphs, the third without nodes */
enum { K = 3, WIDE = 11 };

static void run(l2r_node (*build)(struct l2r_tape *, const l2r_node *), int64_t first, int64_t second, bool scalar)
{
    check_shapes(build, SHAPES({N, first}, {N, second}), second > 0 ? 2 : 1, scalar, 23);
}

static l2r_node softmax(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_softmax_rows(t, x[0]);
}
static l2r_node pool(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_cluster_sums(t, x[0], x[1], graph_start, G);
}
static l2r_node pool_twice(struct l2r_tape *t, const l2r_node *x) /* gradients of two uses must add */
{
    l2r_node s = l2r_softmax_rows(t, x[0]);
    return l2r_add(t, l2r_cluster_sums(t, s, x[1], graph_start, G), l2r_cluster_sums(t, s, x[1], graph_start, G));
}
static l2r_node loss(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_cluster_loss(t, l2r_softmax_rows(t, x[0]), &graph, graph_start, G);
}
static l2r_node loss_and_pool(struct l2r_tape *t, const l2r_node *x)
{
    l2r_node s = l2r_softmax_rows(t, x[0]);
    static const float zeros[G * K * WIDE] = {0};
    static const double mean[K * WIDE] = {0};
    double *sd = l2r_tape_alloc(t, K * WIDE, sizeof *sd);
    for (int i = 0; i < K * WIDE; i++) sd[i] = 1;
    l2r_node pooled = l2r_cluster_sums(t, s, x[1], graph_start, G);
    return l2r_add(t,
                   l2r_regression_error(t, pooled, zeros, NULL,
                                        &(const struct l2r_target_scale){.mean = mean, .sd = sd}, L2R_DISTANCE_SQUARED),
                   l2r_cluster_loss(t, s, &graph, graph_start, G));
}

static void test_gradients(void **state)
{
    (void)state;
    run(softmax, K, 0, false);
    run(softmax, WIDE, 0, false);
    run(pool, K, WIDE, false);
    run(pool_twice, K, WIDE, false);
    run(loss, K, 0, true);
    run(loss_and_pool, K, WIDE, true);
}

static void open_tape(struct l2r_tape *t)
{
    l2r_tape_init(t);
    l2r_tape_mode_predict(t);
}

/* The dense definition: mean squared difference of A and SSᵀ, plus the mean entropy of a row. */
static double dense_loss(const double *s, int first, int last)
{
    double link = 0, entropy = 0, n = last - first;
    for (int v = first; v < last; v++) {
        for (int u = first; u < last; u++) {
            double a = 0, product = 0;
            for (int e = arc_start[v]; e < arc_start[v + 1]; e++) a += neighbour[e] == u;
            for (int k = 0; k < K; k++) product += s[v * K + k] * s[u * K + k];
            link += (a - product) * (a - product) / (n * n);
        }
        for (int k = 0; k < K; k++) entropy -= s[v * K + k] * log(s[v * K + k]) / n;
    }
    return n > 0 ? link + entropy : 0;
}

static void test_values(void **state)
{
    (void)state;
    struct l2r_tape t;
    struct l2r_rng rng = l2r_rng_at(3, L2R_RANDOM_TEST, 0);
    double logits[N * K], h[N * WIDE];
    for (int i = 0; i < N * K; i++) logits[i] = 2 * l2r_rng_normal(&rng);
    for (int i = 0; i < N * WIDE; i++) h[i] = l2r_rng_normal(&rng);
    open_tape(&t);
    l2r_node shares = l2r_softmax_rows(&t, l2r_constant(&t, logits, N, K));
    l2r_node pooled = l2r_cluster_sums(&t, shares, l2r_constant(&t, h, N, WIDE), graph_start, G);
    l2r_node losses = l2r_cluster_loss(&t, shares, &graph, graph_start, G);
    assert_int_equal(t.status, L2R_OK);
    assert_int_equal(l2r_value_of(&t, pooled)->cols, K * WIDE);
    const double *s = l2r_value_of(&t, shares)->data, *z = l2r_value_of(&t, pooled)->data;
    for (int v = 0; v < N; v++) {
        double sum = 0;
        for (int k = 0; k < K; k++) sum += s[v * K + k];
        assert_true(fabs(sum - 1) < 1e-14);
        assert_true(fabs(log(s[v * K]) - log(s[v * K + 1]) - logits[v * K] + logits[v * K + 1]) < 1e-12);
    }
    for (int g = 0; g < G; g++) {
        for (int i = 0; i < K * WIDE; i++) {
            double sum = 0;
            for (int v = graph_start[g]; v < graph_start[g + 1]; v++)
                sum += s[v * K + i / WIDE] * h[v * WIDE + i % WIDE];
            assert_true(fabs(z[g * K * WIDE + i] - sum) < 1e-12);
        }
        double expected = dense_loss(s, graph_start[g], graph_start[g + 1]);
        assert_true(fabs(l2r_value_of(&t, losses)->data[g] - expected) < 1e-12);
    }
    assert_true(l2r_value_of(&t, losses)->data[2] == 0); /* no nodes */
    l2r_tape_clear(&t);
}

/* Logits far apart: shares of exactly 0 and 1 have entropy 0, and their gradient is finite. */
static void test_hard_shares(void **state)
{
    (void)state;
    struct l2r_tape t;
    double logits[N * K], slope[N * K] = {0};
    for (int i = 0; i < N * K; i++) logits[i] = i % K == 0 ? 1e4 : -1e4;
    l2r_tape_init(&t);
    l2r_tape_mode_train(&t, 1, 1);
    l2r_node s = l2r_softmax_rows(&t, l2r_leaf(&t, logits, slope, N, K));
    l2r_node total = l2r_weighted_mean(&t, l2r_cluster_loss(&t, s, &graph, graph_start, G), NULL);
    l2r_tape_backward(&t, total);
    assert_int_equal(t.status, L2R_OK);
    /* All nodes in one cluster, SSᵀ = 1: what is missing in A, of 9, 9, 0 and 1 entries. */
    assert_true(fabs(l2r_value_of(&t, total)->data[0] - (5.0 / 9 + 2.0 / 9 + 0 + 1) / 4) < 1e-12);
    for (int i = 0; i < N * K; i++) assert_true(isfinite(slope[i]));
    l2r_tape_clear(&t);
}

static void refuses(l2r_node (*build)(struct l2r_tape *, const l2r_node *), int64_t rows, const char *sentence)
{
    struct l2r_tape t;
    static double x[N * WIDE];
    open_tape(&t);
    l2r_node in[] = {l2r_constant(&t, x, rows, K), l2r_constant(&t, x, N, WIDE)};
    assert_true(build(&t, in).id < 0);
    assert_int_equal(t.status, L2R_ERR_ARGUMENT);
    expect_message(t.error.message, sentence);
    l2r_tape_clear(&t);
}

static void test_shapes(void **state)
{
    (void)state;
    refuses(pool, N - 1, "soft clusters: 6 rows of shares and 7 of values for graphs of 7 nodes");
    refuses(loss, N - 1, "cluster loss: 6 rows of shares for a batch of 7 nodes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradients), cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_hard_shares), cmocka_unit_test(test_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
