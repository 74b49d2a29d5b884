/* SPDX-License-Identifier: MIT
 * The train step: no allocation once warm, weights of classes, and a loss that falls. */
#include "fit/trainer.h"
#include "base/memory.h"
#include "store/run.h"
#include "support/messages.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct bench {
    struct l2r_config *config;
    struct l2r_dataset *data;
    struct l2r_split split;
    struct l2r_trainer trainer;
};

static void start(struct bench *b, const char *model, const char *weights)
{
    struct l2r_error error = {0};
    *b = (struct bench){0};
    assert_int_equal(l2r_config_new(&b->config, &error), L2R_OK);
    assert_int_equal(l2r_run_declare(b->config, model, "erm", &error), L2R_OK);
    assert_int_equal(l2r_config_set(b->config, "hidden", "16", &error), L2R_OK);
    assert_int_equal(l2r_config_set(b->config, "layers", "2", &error), L2R_OK);
    assert_int_equal(l2r_config_set(b->config, "lr", "0.01", &error), L2R_OK);
    assert_int_equal(l2r_config_set(b->config, "dropout", "0.1", &error), L2R_OK);
    assert_int_equal(l2r_config_set(b->config, "class-weights", weights, &error), L2R_OK);
    assert_int_equal(l2r_config_set(b->config, "clip", "5", &error), L2R_OK);
    assert_int_equal(l2r_dataset_load(&b->data, "motif:train=90,valid=10,test=10,features=0", false, &error), L2R_OK);
    assert_int_equal(l2r_split_make(&b->split, b->data, b->config, &error), L2R_OK);
    assert_int_equal(l2r_trainer_init(&b->trainer, b->config, b->data, &b->split, &error), L2R_OK);
}

static void stop(struct bench *b)
{
    l2r_trainer_clear(&b->trainer);
    l2r_split_clear(&b->split);
    l2r_dataset_free(b->data);
    l2r_config_free(b->config);
}

static double epoch(struct bench *b)
{
    struct l2r_error error = {0};
    l2r_trainer_shuffle(&b->trainer);
    while (b->trainer.at.batch < l2r_trainer_batches(&b->trainer))
        if (l2r_trainer_step(&b->trainer, &error) != L2R_OK) fail_msg("%s", error.message);
    double loss = b->trainer.at.loss_sum / 90;
    b->trainer.at.epoch++;
    b->trainer.at.batch = 0;
    b->trainer.at.loss_sum = 0;
    return loss;
}

static void test_no_allocation_once_warm(void **state)
{
    (void)state;
    for (int i = 0; l2r_models[i]; i++) {
        struct bench b;
        if (l2r_models[i]->reads_features) continue; /* these graphs have none */
        start(&b, l2r_models[i]->name, "none");
        epoch(&b);
        epoch(&b);
        l2r_memory_fail_at(-1, false);
        epoch(&b);
        assert_int_equal(l2r_memory_fail_at(-1, false), 0);
        stop(&b);
    }
}

static void test_loss_falls(void **state)
{
    (void)state;
    for (int i = 0; l2r_models[i]; i++) {
        struct bench b;
        if (l2r_models[i]->reads_features) continue; /* these graphs have none */
        if (strcmp(l2r_models[i]->name, "gat") == 0)
            continue; /* to a weighted mean all nodes without features are alike */
        start(&b, l2r_models[i]->name, "none");
        double first = epoch(&b), least = first;
        for (int k = 0; k < 20; k++) least = fmin(least, epoch(&b));          /* pooling models go up and down */
        double wanted = strcmp(l2r_models[i]->name, "sgc") == 0 ? 0.95 : 0.8; /* a linear map of degrees */
        if (least >= wanted * first) fail_msg("%s: loss %g, at first %g", l2r_models[i]->name, least, first);
        stop(&b);
    }
}

static void test_balanced_weights(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "gin", "balanced");
    /* n / (K n_k) weighs every class the same: Σ_k n_k w_k = n. */
    double sum = 0;
    for (int64_t i = 0; i < 90; i++)
        sum += (double)b.trainer.network.class_weight[(int)b.data->labels[l2r_split_part(&b.split, L2R_PART_TRAIN)[i]]];
    assert_true(fabs(sum - 90) < 1e-3);
    stop(&b);
}

/* Classes of about equal size: none is rare, and nothing changes. */
static void test_auto_weights(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "gin", "auto");
    assert_null(b.trainer.network.class_weight);
    assert_true(b.trainer.rarest > 0.2 && b.trainer.rarest <= 0.5);
    stop(&b);
    start(&b, "gin", "none");
    assert_null(b.trainer.network.class_weight);
    assert_true(isnan(b.trainer.rarest));
    stop(&b);
}

/* A loss of 0 whose gradient is infinite. */
static void wild_backward(struct l2r_tape *t, struct l2r_value *out)
{
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    const struct l2r_value *z = l2r_value_of(t, out->input[0]);
    for (int64_t i = 0; grad && i < z->rows * z->cols; i++) grad[i] = (l2r_real)INFINITY;
}

static l2r_node wild_loss(void *state, const struct l2r_step *step, l2r_node z)
{
    (void)state;
    l2r_node node = l2r_tape_push(step->tape, "wild", 1, 1, wild_backward, &z, 1);
    if (node.id >= 0) l2r_value_of(step->tape, node)->data[0] = 0;
    return node;
}

static void test_wild_gradient(void **state)
{
    (void)state;
    struct bench b;
    struct l2r_error error = {0};
    start(&b, "gin", "none");
    struct l2r_method wild = *b.trainer.method;
    wild.extra_loss = wild_loss;
    b.trainer.method = &wild;
    assert_int_equal(l2r_trainer_step(&b.trainer, &error), L2R_ERR_DIVERGED);
    expect_message(error.message, "epoch 1, batch 1: the gradient of \"");
    expect_message(error.message, "\" is not finite; try a smaller `lr`");
    stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_allocation_once_warm), cmocka_unit_test(test_loss_falls),
        cmocka_unit_test(test_balanced_weights),        cmocka_unit_test(test_auto_weights),
        cmocka_unit_test(test_wild_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
