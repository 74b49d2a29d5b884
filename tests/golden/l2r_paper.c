/* SPDX-License-Identifier: MIT
 *
 * The paper's own form of L2R-GNN against PyTorch: golden/l2r_paper.json, written by l2r_paper_reference.py, holds what
 * three rounds of the paper's algorithm come to on the network of models/gin-plain.safetensors.
 *
 *     a round    θ takes a plain step on the weighted loss (Eq. 8, 9)  ─►  Z(θ) of the look-ahead pass
 *                ─►  new weights from Eq. 2 over the queue and Z (Eq. 10)  ─►  the queue
 *
 * The learner is set up by the method itself from `form=paper`, so a default that leaves the paper's letter fails here.
 * l2r_paper_f64.c builds this file in double.
 *
 * Criterion:  |found − expected| <= tolerance · max(|expected|, largest of the vector)
 */
#include "golden/model_case.h"
#include "methods/method.h"
#include "reweight/reweighting.h"

#include <math.h>

enum { MOST = 256, IS_DOUBLE = sizeof(l2r_real) == 8 };

/* Inner steps of Adam divide by the size of each slope, which magnifies rounding in single precision. */
static const double tolerance = IS_DOUBLE ? 1e-9 : 2e-4;

static double real(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void expect_close(double found, double wanted, double largest, const char *what, size_t round)
{
    if (!(fabs(found - wanted) <= tolerance * largest))
        fail_msg("round %zu, %s: %.15g, expected %.15g (largest %.3g)", round, what, found, wanted, largest);
}

static void expect_all(const l2r_real *found, const json_t *round, const char *key, int64_t n, size_t number)
{
    const json_t *list = json_object_get(round, key);
    double largest = 0;
    assert_int_equal(json_array_size(list), n);
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(json_number_value(json_array_get(list, (size_t)i))));
    for (int64_t i = 0; i < n; i++)
        expect_close((double)found[i], json_number_value(json_array_get(list, (size_t)i)), largest, key, number);
}

/* The method as `--method l2r --form paper` starts it, with the clusters of the reference. */
static void open_method(struct l2r_reweighting *r, struct golden *g, const json_t *root)
{
    struct l2r_error error;
    struct l2r_config *config;
    const struct l2r_method *method = l2r_method_find("l2r");
    struct l2r_training_set set = {.data = g->data, .graphs = g->graphs, .n = g->data->n_graphs};
    char number[32];
    must(l2r_config_new(&config, &error), &error);
    must(l2r_run_declare(config, "gin", "l2r", &error), &error);
    must(l2r_config_set(config, "form", "paper", &error), &error);
    must(l2r_config_set(config, "holdout", "0", &error), &error); /* eight graphs play both roles in turn */
    snprintf(number, sizeof number, "%lld", (long long)set.n);
    must(l2r_config_set(config, "batch-size", number, &error), &error);
    snprintf(number, sizeof number, "%lld", (long long)real(root, "seed"));
    must(l2r_config_set(config, "seed", number, &error), &error);
    must(method->init(r, config, &g->network, &set, &error), &error);
    l2r_config_free(config);
    const json_t *cluster = json_object_get(root, "cluster");
    assert_int_equal(json_array_size(cluster), g->network.width);
    assert_int_equal(r->learner.options.n_clusters, (int)real(root, "clusters"));
    for (size_t i = 0; i < json_array_size(cluster); i++)
        r->learner.clusters.cluster[i] = (int32_t)json_integer_value(json_array_get(cluster, i));
}

/* Eq. 8 and 9; gives back the loss. */
static double step_theta(struct golden *g, const struct l2r_batch *batch, const l2r_real *w, double rate)
{
    struct l2r_params *p = &g->network.params;
    l2r_tape_reset(&g->tape);
    l2r_tape_mode_train(&g->tape, 1, 1);
    g->tape.pass.dropout = false;
    l2r_node z = l2r_network_represent(&g->network, &g->tape, batch);
    l2r_node output = l2r_network_output(&g->network, &g->tape, batch, z);
    l2r_node loss = l2r_weighted_mean(&g->tape, l2r_network_losses(&g->network, &g->tape, batch, output), w);
    l2r_params_zero_grad(p);
    l2r_tape_backward(&g->tape, loss);
    must(g->tape.status, &g->tape.error);
    for (int64_t i = 0; i < p->n_trainable; i++) p->value[i] -= (l2r_real)rate * p->grad[i];
    return (double)l2r_value_of(&g->tape, loss)->data[0];
}

static const l2r_real *look_ahead(struct golden *g, const struct l2r_batch *batch)
{
    l2r_tape_reset(&g->tape);
    l2r_tape_mode_predict(&g->tape);
    g->tape.pass.batch_statistics = true;
    const l2r_real *z = l2r_value_of(&g->tape, l2r_network_represent(&g->network, &g->tape, batch))->data;
    must(g->tape.status, &g->tape.error);
    return z;
}

static void check_round(struct l2r_reweighting *r, l2r_real *w, struct golden *g, const struct l2r_batch *batch,
                        const json_t *round, double rate, size_t number)
{
    struct l2r_error error;
    struct l2r_learner *l = &r->learner;
    const double before = l->totals.before, after = l->totals.after;
    double loss = step_theta(g, batch, w, rate);
    expect_close(loss, real(round, "loss"), real(round, "loss"), "training loss", number);
    const l2r_real *z = look_ahead(g, batch);
    expect_all(z, round, "z", batch->n_graphs * g->network.width, number);
    must(l2r_learner_weigh(l, w, z, g->graphs, NULL, batch->n_graphs, 0, number, &error), &error);
    expect_all(w, round, "w", batch->n_graphs, number);
    expect_close(l->totals.before - before, real(round, "before"), real(round, "before"), "before", number);
    expect_close(l->totals.after - after, real(round, "after"), real(round, "after"), "after", number);
}

static void test_agrees_with_torch(void **state)
{
    (void)state;
    json_t *root = json_load_file(L2R_TEST_DIR "/golden/l2r_paper.json", 0, NULL), *round;
    struct golden g = open_golden(L2R_TEST_DIR "/golden/models/gin-plain.safetensors");
    struct l2r_reweighting r = {0};
    struct l2r_batch batch;
    struct l2r_arena arena;
    struct l2r_error error;
    l2r_real w[MOST];
    size_t i;
    l2r_arena_init(&arena);
    open_method(&r, &g, root);
    must(l2r_batch_make(&batch, &arena, g.data, g.graphs, g.data->n_graphs, &error), &error);
    assert_in_range(batch.n_graphs, 8, MOST);
    for (i = 0; i < (size_t)batch.n_graphs; i++)
        w[i] = (l2r_real)json_number_value(json_array_get(json_object_get(root, "first"), i));
    assert_int_equal(json_array_size(json_object_get(root, "rounds")), 3);
    json_array_foreach(json_object_get(root, "rounds"), i, round)
        check_round(&r, w, &g, &batch, round, real(root, "rate"), i);
    assert_int_equal(r.learner.queue.filled, 1);
    l2r_method_find("l2r")->clear(&r);
    l2r_arena_clear(&arena);
    close_golden(&g);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_agrees_with_torch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
