/* SPDX-License-Identifier: MIT
 * Weights that graphs come with multiply their losses wherever a network is trained, and nowhere else; the trainer
 * gives them the mean 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fit/trainer.h"
#include "support/messages.h"
#include "support/model_trial.h"

enum { GRAPHS = 4 };
static const float weights[GRAPHS] = {0, 1, 0.5F, 2.5F};

static struct l2r_dataset *draw(void)
{
    struct test_graph graphs[GRAPHS];
    struct l2r_rng rng = l2r_rng_at(5, L2R_RANDOM_TEST, 0);
    for (int g = 0; g < GRAPHS; g++) graphs[g] = draw_graph(MEASURED, 6, 7, &rng);
    struct l2r_dataset *data = data_set_of(graphs, GRAPHS, MEASURED);
    data->weight = weights;
    return data;
}

static void losses_are_multiplied(void **state)
{
    (void)state;
    struct l2r_dataset *data = draw();
    struct trial t = trial_open(l2r_model_find("gin"), &variants[3], data, "6", "0");
    l2r_real given[GRAPHS];
    for (int g = 0; g < GRAPHS; g++) given[g] = (l2r_real)(2 * weights[g]);
    double outside = trial_loss(&t, data, t.graphs, GRAPHS, given, 1, true);
    double slope = (double)t.network.params.grad[0];
    t.network.weight_scale = 2;
    double inside = trial_loss(&t, data, t.graphs, GRAPHS, NULL, 1, true);
    assert_true(outside > 0 && fabs(outside - inside) < 1e-5 * outside);
    assert_true(fabs(slope - (double)t.network.params.grad[0]) <= 1e-5 * fabs(slope));
    trial_close(&t);
    l2r_dataset_free(data);
}

static void scores_are_not(void **state)
{
    (void)state;
    struct l2r_dataset *data = draw();
    struct trial t = trial_open(l2r_model_find("gin"), &variants[3], data, "6", "0");
    double sum[2] = {0};
    for (int k = 0; k < 2; k++) {
        struct l2r_batch batch;
        struct l2r_error error;
        t.network.weight_scale = k;
        l2r_tape_reset(&t.tape);
        must(l2r_batch_make(&batch, &t.tape.arena, data, t.graphs, GRAPHS, &error), &error);
        l2r_tape_mode_predict(&t.tape);
        l2r_node z = l2r_network_represent(&t.network, &t.tape, &batch);
        l2r_node out = l2r_network_output(&t.network, &t.tape, &batch, z);
        l2r_node losses = l2r_network_losses(&t.network, &t.tape, &batch, out);
        for (int g = 0; g < GRAPHS; g++) sum[k] += (double)l2r_value_of(&t.tape, losses)->data[g];
    }
    assert_true(sum[0] > 0 && sum[0] == sum[1]);
    trial_close(&t);
    l2r_dataset_free(data);
}

static void their_mean_is_one(void **state)
{
    (void)state;
    struct l2r_dataset *data = draw();
    struct l2r_error error;
    struct l2r_trainer trainer;
    struct l2r_split split = {0};
    struct l2r_config *config = config_of(l2r_model_find("gin"), &variants[0], "6", "0");
    assert_int_equal(l2r_split_fill(&split, (uint8_t[]){0, 0, 0, 1}, GRAPHS, &error), L2R_OK);
    must(l2r_trainer_init(&trainer, config, data, &split, &error), &error);
    assert_true(trainer.network.weight_scale == 2); /* 0, 1 and 0.5 train */
    l2r_trainer_clear(&trainer);
    l2r_split_clear(&split);
    assert_int_equal(l2r_split_fill(&split, (uint8_t[]){0, 1, 1, 1}, GRAPHS, &error), L2R_OK);
    assert_int_equal(l2r_trainer_init(&trainer, config, data, &split, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "all training graphs have the weight 0");
    l2r_trainer_clear(&trainer);
    l2r_split_clear(&split);
    l2r_config_free(config);
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_are_multiplied),
        cmocka_unit_test(scores_are_not),
        cmocka_unit_test(their_mean_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
