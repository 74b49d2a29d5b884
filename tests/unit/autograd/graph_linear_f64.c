/* SPDX-License-Identifier: MIT
 * The graph convolution in one pass: central differences, and the same numbers as its two steps on graphs that fill
 * several blocks and slices. */
#include "base/threads.h"
#include "support/messages.h"
#include "unit/autograd/gradient.h"
#include "unit/autograd/small_graph.h"

#include <string.h>

static const int32_t graph_start[] = {0, 3, 6, 6, 7};

static l2r_node convolution(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_graph_convolution(t, &graph, graph_start, G, x[0], x[1], x[2]);
}

static void test_gradient(void **state)
{
    (void)state;
    for (int64_t out = 3; out <= 37; out += 34) { /* single numbers; a tile, a vector and a number */
        check_shapes(convolution, SHAPES({7, 4}, {out, 4}, {1, out}), 3, false, 5);
    }
}

static void test_shapes(void **state)
{
    (void)state;
    struct l2r_tape t;
    double x[7 * 4] = {0}, w[3 * 4] = {0}, b[5] = {0};
    l2r_tape_init(&t);
    l2r_node bad = l2r_graph_convolution(&t, &graph, graph_start, G, l2r_constant(&t, x, 7, 4),
                                         l2r_constant(&t, w, 3, 4), l2r_constant(&t, b, 1, 5));
    assert_int_equal(bad.id, -1);
    assert_int_equal(t.status, L2R_ERR_ARGUMENT);
    expect_message(t.error.message, "graph convolution: the weight is 3 × 4, the bias has 5 numbers");
    l2r_tape_clear(&t);
}

/* Cycles of 3 … 602 nodes: blocks of one large graph and of many small ones, more blocks than slices. */
enum { GRAPHS = 40, IN = 9, OUT = 21, NODES = 12050 };
struct cycles {
    int32_t start[GRAPHS + 1], arc_start[NODES + 1], neighbour[2 * NODES], type[2 * NODES];
    double norm[NODES], x[NODES * IN], w[OUT * IN], b[OUT];
    struct l2r_adjacency graph;
};

static struct cycles *make_cycles(void)
{
    struct cycles *c = calloc(1, sizeof *c);
    struct l2r_rng rng = l2r_rng_at(3, L2R_RANDOM_TEST, 0);
    assert_non_null(c);
    for (int32_t g = 0; g < GRAPHS; g++) {
        int32_t n = g % 4 == 0 ? 602 - 10 * g : 3 + 4 * g, first = c->start[g];
        c->start[g + 1] = first + n;
        assert_true(c->start[g + 1] <= NODES);
        for (int32_t v = 0; v < n; v++) {
            c->neighbour[2 * (first + v)] = first + (v + n - 1) % n;
            c->neighbour[2 * (first + v) + 1] = first + (v + 1) % n;
            c->arc_start[first + v + 1] = 2 * (first + v + 1);
            c->norm[first + v] = 1 / sqrt(3);
        }
    }
    int64_t nodes = c->start[GRAPHS];
    c->graph = (struct l2r_adjacency){.n_nodes = nodes,
                                      .n_arcs = 2 * nodes,
                                      .arc_start = c->arc_start,
                                      .neighbour = c->neighbour,
                                      .arc_type = c->type,
                                      .inverse_root_degree = c->norm};
    for (int64_t i = 0; i < nodes * IN; i++) c->x[i] = l2r_rng_normal(&rng);
    for (int64_t i = 0; i < OUT * IN; i++) c->w[i] = l2r_rng_normal(&rng);
    for (int64_t i = 0; i < OUT; i++) c->b[i] = l2r_rng_normal(&rng);
    return c;
}

struct gradients {
    double y[NODES * OUT], x[NODES * IN], w[OUT * IN], b[OUT];
};

static struct gradients *run_cycles(struct cycles *c, bool in_one, int threads)
{
    struct gradients *d = calloc(1, sizeof *d);
    struct l2r_tape t;
    int64_t nodes = c->graph.n_nodes;
    assert_non_null(d);
    l2r_threads_set(threads);
    l2r_tape_init(&t);
    l2r_tape_mode_train(&t, 1, 1);
    l2r_node x = l2r_leaf(&t, c->x, d->x, nodes, IN), w = l2r_leaf(&t, c->w, d->w, OUT, IN),
             b = l2r_leaf(&t, c->b, d->b, 1, OUT), y;
    if (in_one)
        y = l2r_graph_convolution(&t, &c->graph, c->start, GRAPHS, x, w, b);
    else
        y = l2r_linear_op(&t, l2r_gcn_neighbours(&t, &c->graph, x, L2R_NO_NODE, L2R_NO_NODE), w, b, L2R_LINEAR);
    assert_int_equal(t.status, L2R_OK);
    memcpy(d->y, l2r_value_of(&t, y)->data, (size_t)(nodes * OUT) * sizeof(double));
    l2r_tape_backward_from(&t, y, d->y); /* the gradient of |y|²/2 */
    l2r_tape_clear(&t);
    return d;
}

static void expect_near(const double *a, const double *b, int64_t n, const char *what)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(b[i]));
    for (int64_t i = 0; i < n; i++)
        if (fabs(a[i] - b[i]) > 1e-11 * largest) fail_msg("%s %lld: %.17g, %.17g", what, (long long)i, a[i], b[i]);
    assert_true(largest > 0);
}

static void test_same_as_two_steps(void **state)
{
    (void)state;
    struct cycles *c = make_cycles();
    struct gradients *one = run_cycles(c, true, 1), *two = run_cycles(c, false, 1), *threads = run_cycles(c, true, 3);
    int64_t nodes = c->graph.n_nodes;
    expect_near(one->y, two->y, nodes * OUT, "y");
    expect_near(one->x, two->x, nodes * IN, "d_x");
    expect_near(one->w, two->w, OUT * IN, "d_w");
    expect_near(one->b, two->b, OUT, "d_b");
    assert_memory_equal(one, threads, sizeof *one);
    free(one);
    free(two);
    free(threads);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradient), cmocka_unit_test(test_shapes),
                                       cmocka_unit_test(test_same_as_two_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
