/* SPDX-License-Identifier: MIT
 *
 * FactorGCN's own loss is there while training and absent otherwise, dropout is off in evaluation, and the loss does
 * what it is for: factors become distinguishable.
 */
#include "model/score.h"
#include "support/messages.h"
#include "support/model_trial.h"

static const struct l2r_model_type *factorgcn(void)
{
    const struct l2r_model_type *type = l2r_model_find("factorgcn");
    assert_non_null(type);
    return type;
}

static struct l2r_dataset *some_graphs(enum graph_kind kind)
{
    struct test_graph graphs[ODD_GRAPHS];
    struct l2r_rng rng = l2r_rng_at(21, L2R_RANDOM_TEST, (uint64_t)kind);
    draw_odd_graphs(graphs, kind, &rng);
    return data_set_of(graphs, ODD_GRAPHS, kind);
}

/* The model's own loss after a pass in the given mode; NaN: it has none. */
static double own_loss(struct trial *t, const struct l2r_dataset *data, bool train)
{
    struct l2r_batch batch;
    struct l2r_error error;
    l2r_tape_reset(&t->tape);
    must(l2r_batch_make(&batch, &t->tape.arena, data, t->graphs, data->n_graphs, &error), &error);
    if (train)
        l2r_tape_mode_train(&t->tape, 1, 1);
    else
        l2r_tape_mode_predict(&t->tape);
    l2r_network_represent(&t->network, &t->tape, &batch);
    must(t->tape.status, &t->tape.error);
    return t->tape.model_loss.id < 0 ? (double)NAN : (double)l2r_value_of(&t->tape, t->tape.model_loss)->data[0];
}

static void test_loss_in_training_only(void **state)
{
    (void)state;
    const struct variant plain = {"plain", {{0}}}, without = {"without", {{"factor-loss", "0"}}},
                         twice = {"twice", {{"factor-loss", "1"}}}, single = {"single", {{"factors", "1"}}};
    struct l2r_dataset *data = some_graphs(MOLECULES);
    struct trial t = trial_open(factorgcn(), &plain, data, "9", "0");
    double once = own_loss(&t, data, true);
    assert_true(once > 0 && once < 3 * 0.5 * 4 * log(4)); /* three layers, each near log(4) before it has learned */
    assert_true(isnan(own_loss(&t, data, false)));
    trial_close(&t);
    t = trial_open(factorgcn(), &twice, data, "9", "0");
    assert_true(fabs(own_loss(&t, data, true) - 2 * once) < 1e-5 * once);
    trial_close(&t);
    t = trial_open(factorgcn(), &without, data, "9", "0");
    assert_true(isnan(own_loss(&t, data, true)));
    trial_close(&t);
    t = trial_open(factorgcn(), &single, data, "9", "0"); /* nothing to tell apart */
    assert_true(isnan(own_loss(&t, data, true)));
    trial_close(&t);
    l2r_dataset_free(data);
}

static void test_dropout_in_training_only(void **state)
{
    (void)state;
    const struct variant plain = {"plain", {{0}}};
    struct l2r_dataset *data = some_graphs(LABELLED);
    float output[2][3 * ODD_GRAPHS];
    double loss[2];
    for (int k = 0; k < 2; k++) {
        struct trial t = trial_open(factorgcn(), &plain, data, "9", k == 0 ? "0" : "0.5");
        struct l2r_error error;
        must(l2r_score(output[k], &t.network, &t.tape, data, t.graphs, ODD_GRAPHS, 3, &error), &error);
        loss[k] = trial_loss(&t, data, t.graphs, ODD_GRAPHS, NULL, 1, false);
        trial_close(&t);
    }
    assert_memory_equal(output[0], output[1], sizeof output[0]);
    assert_true(fabs(loss[0] - loss[1]) > 1e-3); /* and it is on in training */
    l2r_dataset_free(data);
}

/* Plain gradient descent on the own loss alone. */
static void test_factors_come_apart(void **state)
{
    (void)state;
    const struct variant plain = {"plain", {{"factor-loss", "1"}}};
    struct l2r_dataset *data = some_graphs(MEASURED);
    struct trial t = trial_open(factorgcn(), &plain, data, "12", "0");
    struct l2r_params *params = &t.network.params;
    double first = own_loss(&t, data, true), last = first;
    for (int step = 0; step < 300; step++) {
        l2r_params_zero_grad(params);
        l2r_tape_backward(&t.tape, t.tape.model_loss);
        for (int64_t i = 0; i < params->n_trainable; i++) params->value[i] -= (l2r_real)0.2 * params->grad[i];
        last = own_loss(&t, data, true);
    }
    if (!(last < 0.5 * first)) fail_msg("the loss went from %g to %g only", first, last);
    trial_close(&t);
    l2r_dataset_free(data);
}

static void test_too_many_factors(void **state)
{
    (void)state;
    const struct variant many = {"many", {{"factors", "10"}}};
    struct l2r_dataset *data = some_graphs(BARE);
    struct l2r_config *config = config_of(factorgcn(), &many, "9", "0");
    struct l2r_signature signature;
    struct l2r_network network;
    struct l2r_arena arena;
    struct l2r_error error;
    const int32_t graph = 0;
    l2r_arena_init(&arena);
    must(l2r_signature_make(&signature, &arena, data, &graph, 1, &error), &error);
    assert_int_equal(l2r_network_init(&network, factorgcn(), config, &signature, 0, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "`factors`: 10 factors do not fit into `hidden=9`");
    l2r_network_clear(&network);
    l2r_config_free(config);
    l2r_arena_clear(&arena);
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loss_in_training_only), cmocka_unit_test(test_dropout_in_training_only),
        cmocka_unit_test(test_factors_come_apart), cmocka_unit_test(test_too_many_factors)};
    return cmocka_run_group_tests_name("factorgcn", tests, NULL, NULL);
}
