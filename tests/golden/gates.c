/* SPDX-License-Identifier: MIT
 *
 * Gates on edges against PyTorch: golden/gates.json, written by export_gates.py, holds nodes, weights, gates, the
 * information that they carry and all gradients. gates_f64.c builds this file once more in double. Also: how r falls,
 * and what the noise of training is.
 */
#include "../../src/methods/gsat.c" /* NOLINT(bugprone-suspicious-include) */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 64, IS_DOUBLE = sizeof(l2r_real) == 8, N_INPUTS = 8 };
static const double tolerance = IS_DOUBLE ? 1e-11 : 2e-5;
static const char *const names[N_INPUTS] = {"h",      "sender",      "receiver", "receiver_bias",
                                            "second", "second_bias", "last",     "last_bias"};

struct problem {
    int64_t dim;
    l2r_real value[N_INPUTS][MOST], grad[N_INPUTS][MOST];
    struct l2r_param params[N_INPUTS];
    int32_t node_start[4], arc_start[10], neighbour[MOST];
    struct l2r_batch batch;
    struct l2r_gates gates;
};

static size_t numbers(l2r_real *out, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) out[i] = (l2r_real)json_number_value(json_array_get(list, i));
    return json_array_size(list);
}

static void read_problem(struct problem *p, const json_t *root)
{
    const json_t *receiver = json_object_get(root, "receiver"), *sender = json_object_get(root, "sender");
    *p = (struct problem){.dim = json_integer_value(json_object_get(root, "dim"))};
    for (int k = 0; k < N_INPUTS; k++) {
        int64_t n = (int64_t)numbers(p->value[k], json_object_get(json_object_get(root, "input"), names[k]));
        bool bias = strstr(names[k], "bias") != NULL;
        int64_t cols = bias ? n : strcmp(names[k], "second") == 0 ? 4 * p->dim : p->dim;
        p->params[k] = (struct l2r_param){.rows = n / cols, .cols = cols, .value = p->value[k], .grad = p->grad[k]};
    }
    for (size_t i = 0; i < 4; i++)
        p->node_start[i] = (int32_t)json_integer_value(json_array_get(json_object_get(root, "node_start"), i));
    size_t n_arcs = json_array_size(sender);
    for (size_t i = 0; i < n_arcs; i++) {
        p->neighbour[i] = (int32_t)json_integer_value(json_array_get(sender, i));
        p->arc_start[json_integer_value(json_array_get(receiver, i)) + 1]++;
    }
    for (int v = 0; v < 9; v++) p->arc_start[v + 1] += p->arc_start[v];
    p->batch = (struct l2r_batch){
        .n_graphs = 3,
        .n_nodes = 9,
        .node_start = p->node_start,
        .graph = {.n_nodes = 9, .n_arcs = (int64_t)n_arcs, .arc_start = p->arc_start, .neighbour = p->neighbour}};
    p->gates = (struct l2r_gates){.on = true,
                                  .sender = {&p->params[1], NULL},
                                  .receiver = {&p->params[2], &p->params[3]},
                                  .second = {&p->params[4], &p->params[5]},
                                  .last = {&p->params[6], &p->params[7]}};
}

static void agree(const char *what, const l2r_real *found, const json_t *expected)
{
    double largest = 1e-3;
    for (size_t i = 0; i < json_array_size(expected); i++)
        largest = fmax(largest, fabs(json_number_value(json_array_get(expected, i))));
    for (size_t i = 0; i < json_array_size(expected); i++) {
        double wanted = json_number_value(json_array_get(expected, i));
        if (!(fabs((double)found[i] - wanted) <= tolerance * largest))
            fail_msg("%s %zu is %.15g, expected %.15g", what, i, (double)found[i], wanted);
    }
}

static void check(const json_t *root, const json_t *test)
{
    static struct problem p;
    struct l2r_tape t;
    l2r_real weight[MOST];
    double r = json_number_value(json_object_get(test, "r"));
    read_problem(&p, root);
    numbers(weight, json_object_get(test, "edge_weight"));
    l2r_tape_init(&t);
    l2r_tape_mode_train(&t, 1, 1);
    t.pass.dropout = false;
    l2r_gates_put(&p.gates, &t, &p.batch, l2r_use(&t, &p.params[0]));
    l2r_node found = information(&t, t.gates.arcs, 1, r);
    l2r_node total = l2r_add(&t, found, l2r_weighted_mean(&t, t.gates.edges, weight));
    l2r_tape_backward(&t, total);
    if (t.status != L2R_OK) fail_msg("%s", t.error.message);
    agree("gate of arc", l2r_value_of(&t, t.gates.arcs)->data, json_object_get(test, "arcs"));
    agree("gate of edge", l2r_value_of(&t, t.gates.edges)->data, json_object_get(test, "edges"));
    assert_true(fabs((double)l2r_value_of(&t, found)->data[0] -
                     json_number_value(json_object_get(test, "information"))) < tolerance);
    for (int k = 0; k < N_INPUTS; k++)
        agree(names[k], p.grad[k], json_object_get(json_object_get(test, "gradient"), names[k]));
    l2r_tape_clear(&t);
}

static void test_agree_with_torch(void **state)
{
    (void)state;
    json_t *root = json_load_file(L2R_TEST_DIR "/golden/gates.json", 0, NULL), *test;
    size_t i;
    assert_true(json_array_size(json_object_get(root, "cases")) >= 3);
    json_array_foreach(json_object_get(root, "cases"), i, test) check(root, test);
    json_decref(root);
}

/* As published: 0.9, less 0.1 after every interval, but no less than the last value. */
static void test_r_falls(void **state)
{
    (void)state;
    static const double expected[] = {0.9, 0.9, 0.8, 0.8, 0.7, 0.7, 0.7, 0.7};
    for (int epoch = 0; epoch < 8; epoch++) assert_true(fabs(r_of(0.7, 2, epoch) - expected[epoch]) < 1e-12);
    assert_true(r_of(0.6, 0, 0) == 0.6);
    double slope;
    assert_true(fabs(divergence(&slope, 0.7, 0.7)) < 1e-5 && fabs(slope) < 1e-5); /* nothing is told at r */
}

/* Logistic noise has mean 0 and variance π²/3, is another for every row and step, and is absent in prediction. */
static void test_noise(void **state)
{
    (void)state;
    enum { N = 20000 };
    static l2r_real zero[N];
    struct l2r_tape t;
    double sum = 0, squares = 0;
    l2r_tape_init(&t);
    l2r_tape_mode_train(&t, 1, 1);
    const l2r_real *gates = l2r_value_of(&t, l2r_concrete(&t, l2r_constant(&t, zero, N, 1)))->data;
    for (int i = 0; i < N; i++) {
        double a = (double)gates[i], noise = log(a) - log1p(-a);
        sum += noise / N;
        squares += noise * noise / N;
    }
    assert_true(fabs(sum) < 5 * 1.82 / sqrt(N) && fabs(squares - 3.29) < 0.25);
    const l2r_real *next = l2r_value_of(&t, l2r_concrete(&t, l2r_constant(&t, zero, N, 1)))->data;
    assert_true(next[0] != gates[0] && gates[0] != gates[1]);
    l2r_tape_reset(&t);
    l2r_tape_mode_predict(&t);
    assert_true(l2r_value_of(&t, l2r_concrete(&t, l2r_constant(&t, zero, N, 1)))->data[7] == (l2r_real)0.5);
    l2r_tape_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_agree_with_torch), cmocka_unit_test(test_r_falls),
                                       cmocka_unit_test(test_noise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
