/* SPDX-License-Identifier: MIT
 *
 * The loss of DIVE and the budget of gates against PyTorch: golden/dive.json, written by export_dive.py, holds masks,
 * both terms and their gradients. dive_f64.c builds this file once more in double. Also: the other part of the loss is
 * the mean of what each copy has by itself.
 */
#include "golden/model_case.h"

#include "../../src/methods/dive.c" /* NOLINT(bugprone-suspicious-include) */

#include <math.h>

enum { MOST_EDGES = 16, IS_DOUBLE = sizeof(l2r_real) == 8 };
static const double tolerance = IS_DOUBLE ? 1e-12 : 2e-6;

static void numbers(l2r_real *out, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) out[i] = (l2r_real)json_number_value(json_array_get(list, i));
}

static double number(const json_t *test, const char *key)
{
    return json_number_value(json_object_get(test, key));
}

static void agree(const char *what, const l2r_real *found, const json_t *expected)
{
    assert_true(json_array_size(expected) > 0);
    for (size_t i = 0; i < json_array_size(expected); i++) {
        double wanted = json_number_value(json_array_get(expected, i));
        if (!(fabs((double)found[i] - wanted) <= tolerance))
            fail_msg("%s %zu is %.15g, expected %.15g", what, i, (double)found[i], wanted);
    }
}

/* A tape whose gates are these graphs' edges; as many masks as the case has. */
static int open_masks(struct l2r_tape *t, l2r_node masks[], l2r_real value[][MOST_EDGES], l2r_real grad[][MOST_EDGES],
                      const int32_t start[5], const json_t *test)
{
    const json_t *list = json_object_get(test, "masks");
    int n = (int)json_array_size(list);
    l2r_tape_init(t);
    l2r_tape_mode_train(t, 1, 1);
    for (int k = 0; k < n; k++) {
        numbers(value[k], json_array_get(list, (size_t)k));
        memset(grad[k], 0, sizeof grad[k]);
        masks[k] = l2r_leaf(t, value[k], grad[k], start[4], 1);
    }
    t->gates.start = start;
    t->gates.n_graphs = 4;
    return n;
}

static void check(const int32_t start[5], const json_t *test)
{
    l2r_real value[L2R_MOST_COPIES][MOST_EDGES], grad[L2R_MOST_COPIES][MOST_EDGES];
    struct l2r_tape t;
    struct dive s = {.weight = number(test, "weight")};
    struct l2r_network network = {0};
    struct l2r_step step = {.network = &network, .tape = &t};
    network.n_copies = open_masks(&t, s.edges, value, grad, start, test);
    l2r_node common = extra_loss(&s, &step, L2R_NO_NODE);
    l2r_tape_backward(&t, common);
    if (t.status != L2R_OK) fail_msg("%s", t.error.message);
    assert_true(fabs((double)l2r_value_of(&t, common)->data[0] - number(test, "overlap")) < tolerance);
    assert_true(fabs(s.seen[0] * s.weight - number(test, "overlap")) < tolerance);
    for (int k = 0; k < network.n_copies; k++)
        agree("slope of an overlap", grad[k], json_array_get(json_object_get(test, "d_overlap"), (size_t)k));
    l2r_tape_clear(&t);
    open_masks(&t, s.edges, value, grad, start, test);
    l2r_node away = l2r_weighted_mean(&t, l2r_budget(&t, s.edges[0], start, 4, number(test, "eta")), NULL);
    l2r_tape_backward(&t, away);
    assert_true(fabs((double)l2r_value_of(&t, away)->data[0] - number(test, "budget")) < tolerance);
    agree("slope of a budget", grad[0], json_object_get(test, "d_budget"));
    l2r_tape_clear(&t);
}

static void test_agree_with_torch(void **state)
{
    (void)state;
    json_t *root = json_load_file(L2R_TEST_DIR "/golden/dive.json", 0, NULL), *test;
    int32_t start[5];
    size_t i;
    for (i = 0; i < 5; i++) start[i] = (int32_t)json_integer_value(json_array_get(json_object_get(root, "start"), i));
    assert_true(json_array_size(json_object_get(root, "cases")) >= 4);
    json_array_foreach(json_object_get(root, "cases"), i, test) check(start, test);
    json_decref(root);
}

/* ---- losses of the copies ---- */

/* Losses of the graphs by copy k alone, without noise. */
static void losses_of(double *sum, struct l2r_network *network, const struct l2r_batch *batch, int32_t k)
{
    struct l2r_tape t;
    l2r_tape_init(&t);
    l2r_tape_mode_train(&t, 1, 1);
    t.pass.dropout = false;
    l2r_network_choose(network, k);
    l2r_node z = l2r_network_represent(network, &t, batch);
    l2r_node output = l2r_network_output(network, &t, batch, z);
    const l2r_real *one = l2r_value_of(&t, l2r_network_losses(network, &t, batch, output))->data;
    assert_int_equal(t.status, L2R_OK);
    for (int64_t i = 0; i < batch->n_graphs; i++) sum[i] += (double)one[i];
    l2r_tape_clear(&t);
}

static void test_losses_are_the_mean_of_the_copies(void **state)
{
    (void)state;
    struct l2r_dataset *data;
    struct l2r_config *config;
    struct l2r_signature signature;
    struct l2r_arena arena;
    struct l2r_network network;
    struct l2r_batch batch;
    struct l2r_tape t;
    struct dive s = {0};
    struct l2r_error error;
    int32_t graphs[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    double expected[8] = {0};
    l2r_arena_init(&arena);
    must(l2r_dataset_load(&data, "motif:train=8,valid=0,test=0", false, &error), &error);
    must(l2r_config_new(&config, &error), &error);
    must(l2r_run_declare(config, "gin", "dive", &error), &error);
    must(l2r_config_set(config, "copies", "3", &error), &error);
    must(l2r_config_set(config, "hidden", "8", &error), &error);
    must(l2r_signature_make(&signature, &arena, data, graphs, 8, &error), &error);
    must(l2r_network_init(&network, l2r_model_find("gin"), config, &signature, 7, &error), &error);
    must(l2r_batch_make(&batch, &arena, data, graphs, 8, &error), &error);
    assert_int_equal(network.n_copies, 3);
    for (int32_t k = 0; k < 3; k++) losses_of(expected, &network, &batch, k);
    l2r_network_choose(&network, 1);
    l2r_tape_init(&t);
    l2r_tape_mode_train(&t, 1, 1);
    t.pass.dropout = false;
    struct l2r_step step = {.network = &network, .tape = &t, .batch = &batch};
    l2r_node z = l2r_network_represent(&network, &t, &batch);
    step.output = l2r_network_output(&network, &t, &batch, z);
    step.losses = l2r_network_losses(&network, &t, &batch, step.output);
    const l2r_real *found = l2r_value_of(&t, graph_losses(&s, &step, z))->data;
    for (int i = 0; i < 8; i++) assert_true(fabs((double)found[i] - expected[i] / 3) < 10 * tolerance);
    assert_int_equal(l2r_network_chosen(&network), 1); /* as it was */
    assert_true(s.edges[0].id != s.edges[1].id && s.edges[1].id != s.edges[2].id);
    l2r_tape_clear(&t);
    l2r_network_clear(&network);
    l2r_arena_clear(&arena);
    l2r_config_free(config);
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_agree_with_torch),
                                       cmocka_unit_test(test_losses_are_the_mean_of_the_copies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
