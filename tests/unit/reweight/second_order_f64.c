/* SPDX-License-Identifier: MIT
 * The second-order term against −η ∇ℓ_n · v / L with ∇ℓ_n from backward, with a step so short that no ReLU switches. */
#include "fit/trainer.h"
#include "reweight/reweighting.h"
#include "store/run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { N = 24 };

/* The derivative of loss n along v, by a backward pass with all the weight on graph n. */
static double slope_along(struct l2r_network *network, struct l2r_tape *tape, const struct l2r_batch *batch,
                          const double *v, int n)
{
    double w[N] = {0}, sum = 0;
    w[n] = N;
    l2r_tape_reset(tape);
    l2r_tape_mode_train(tape, 5, 2);
    tape->pass.update_statistics = false;
    l2r_node out = l2r_network_output(network, tape, batch, l2r_network_represent(network, tape, batch));
    l2r_params_zero_grad(&network->params);
    l2r_tape_backward(tape, l2r_weighted_mean(tape, l2r_network_losses(network, tape, batch, out), w));
    assert_int_equal(tape->status, L2R_OK);
    for (int64_t i = 0; i < network->params.n_trainable; i++) sum += network->params.grad[i] * v[i];
    return sum;
}

static void test_term(void **state)
{
    (void)state;
    struct l2r_error error = {0};
    struct l2r_config *config;
    struct l2r_dataset *data;
    struct l2r_split split;
    struct l2r_trainer t;
    struct l2r_learner learner;
    struct l2r_second_order second;
    struct l2r_tape tape;
    struct l2r_arena arena;
    struct l2r_batch batch;
    double z[N * 6], before[4096];
    const double *extra;
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_run_declare(config, "gin", "oodgnn", &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "hidden", "6", &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "layers", "2", &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "dropout", "0.2", &error), L2R_OK);
    assert_int_equal(l2r_dataset_load(&data, "motif:train=24,valid=2,test=2", false, &error), L2R_OK);
    assert_int_equal(l2r_split_make(&split, data, config, &error), L2R_OK);
    assert_int_equal(l2r_trainer_init(&t, config, data, &split, &error), L2R_OK);
    struct l2r_learner_options options;
    assert_int_equal(l2r_learner_options_read(&options, config, &error), L2R_OK);
    options.dependence.pairs = L2R_PAIRS_ALL;
    assert_int_equal(l2r_learner_init(&learner, &options, 5, 6, N, data, &error), L2R_OK);
    assert_int_equal(l2r_second_order_init(&second, &t.network, N, &error), L2R_OK);
    second.reach = 1e-6;
    l2r_tape_init(&tape);
    l2r_arena_init(&arena);
    assert_int_equal(l2r_batch_make(&batch, &arena, data, l2r_split_part(&split, L2R_PART_TRAIN), N, &error), L2R_OK);
    l2r_tape_mode_predict(&tape);
    tape.pass.batch_statistics = true;
    memcpy(z, l2r_value_of(&tape, l2r_network_represent(&t.network, &tape, &batch))->data, sizeof z);

    assert_true(t.network.params.n_trainable <= 4096);
    memcpy(before, t.network.params.value, (size_t)t.network.params.n_trainable * sizeof *before);
    assert_int_equal(
        l2r_second_order_term(&extra, &second, &learner, &tape, &t.network, &batch, z, 0.01, 5, 0, 2, &error), L2R_OK);
    assert_non_null(extra);
    assert_memory_equal(before, t.network.params.value, (size_t)t.network.params.n_trainable * sizeof *before);
    double value = 0, largest = 0, exact[N];
    bool counts;
    assert_int_equal(l2r_learner_slope(&learner, second.d_z, &value, &counts, z, N, 0, 2, &error), L2R_OK);
    for (int n = 0; n < N; n++) {
        exact[n] = -0.01 * slope_along(&t.network, &tape, &batch, second.direction, n) / value;
        largest = fmax(largest, fabs(exact[n]));
    }
    assert_true(largest > 0);
    for (int n = 0; n < N; n++)
        if (fabs(extra[n] - exact[n]) > 1e-4 * largest)
            fail_msg("graph %d: %.6g, expected %.6g (largest %.3g)", n, extra[n], exact[n], largest);

    l2r_tape_clear(&tape);
    l2r_arena_clear(&arena);
    l2r_second_order_clear(&second);
    l2r_learner_clear(&learner);
    l2r_trainer_clear(&t);
    l2r_split_clear(&split);
    l2r_dataset_free(data);
    l2r_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_term)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
