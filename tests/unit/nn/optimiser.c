/* SPDX-License-Identifier: MIT
 *
 * Optimisers against torch.optim (tests/golden/optimisers.json), gradient clipping, and the same bits whatever the
 * number of threads. optimiser_f64.c builds this file once more with double parameters and a tolerance to match.
 */
#include "nn/optimiser.h"

#include "base/memory.h"
#include "base/rng.h"
#include "base/threads.h"
#include "support/messages.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 16 };

static const double tolerance = sizeof(l2r_real) == 8 ? 1e-13 : 2e-6;

static json_t *golden(void)
{
    json_t *root = json_load_file(L2R_TEST_DIR "/golden/optimisers.json", 0, NULL);
    assert_non_null(root);
    return root;
}

static double real_of(const json_t *object, const char *key)
{
    assert_true(json_is_number(json_object_get(object, key)));
    return json_number_value(json_object_get(object, key));
}

static int64_t reals_of(l2r_real out[MOST], const json_t *list)
{
    assert_in_range(json_array_size(list), 1, MOST);
    for (size_t i = 0; i < json_array_size(list); i++) out[i] = (l2r_real)json_number_value(json_array_get(list, i));
    return (int64_t)json_array_size(list);
}

static void expect_close(const l2r_real *found, const json_t *expected, const char *name, size_t step)
{
    for (size_t i = 0; i < json_array_size(expected); i++) {
        double wanted = json_number_value(json_array_get(expected, i));
        if (fabs((double)found[i] - wanted) > tolerance * fmax(1, fabs(wanted)))
            fail_msg("%s, step %zu, element %zu: %.17g, expected %.17g", name, step, i, (double)found[i], wanted);
    }
}

static void check_steps(const json_t *test)
{
    const char *name = json_string_value(json_object_get(test, "name"));
    l2r_real value[MOST], grad[MOST];
    struct l2r_optimiser opt;
    struct l2r_error error;
    int64_t n = reals_of(value, json_object_get(test, "start"));
    const json_t *rates = json_object_get(test, "rates"), *grads = json_object_get(test, "grads");
    const char *kind = json_string_value(json_object_get(test, "kind"));
    assert_int_equal(l2r_optimiser_init(&opt, kind, n, &error), L2R_OK);
    opt.beta1 = real_of(test, "beta1");
    opt.beta2 = real_of(test, "beta2");
    opt.eps = real_of(test, "eps");
    opt.momentum = real_of(test, "momentum");
    opt.weight_decay = real_of(test, "weight_decay");
    for (size_t t = 0; t < json_array_size(rates); t++) {
        reals_of(grad, json_array_get(grads, t));
        l2r_optimiser_step(&opt, value, grad, n, json_number_value(json_array_get(rates, t)));
        expect_close(value, json_array_get(json_object_get(test, "values"), t), name, t);
    }
    assert_int_equal(opt.steps, 10);
    l2r_optimiser_clear(&opt);
}

static void ten_steps_agree_with_torch(void **state)
{
    (void)state;
    json_t *root = golden(), *tests = json_object_get(root, "steps");
    assert_true(json_array_size(tests) >= 8);
    for (size_t i = 0; i < json_array_size(tests); i++) check_steps(json_array_get(tests, i));
    json_decref(root);
}

static void defaults_are_torch_s(void **state)
{
    (void)state;
    struct l2r_optimiser opt;
    assert_int_equal(l2r_optimiser_init(&opt, "adam", 3, NULL), L2R_OK);
    assert_true(opt.beta1 == 0.9 && opt.beta2 == 0.999 && opt.eps == 1e-8 && opt.weight_decay == 0);
    assert_true(opt.steps == 0 && opt.m[2] == 0 && opt.v[2] == 0);
    l2r_optimiser_clear(&opt);
    assert_int_equal(l2r_optimiser_init(&opt, "sgd", 0, NULL), L2R_OK);
    assert_true(opt.momentum == 0 && opt.v == NULL);
    l2r_optimiser_step(&opt, NULL, NULL, 0, 1); /* a model without parameters */
    l2r_optimiser_clear(&opt);
}

static void clip_agrees_with_torch(void **state)
{
    (void)state;
    json_t *root = golden(), *tests = json_object_get(root, "clips");
    assert_true(json_array_size(tests) >= 3);
    for (size_t i = 0; i < json_array_size(tests); i++) {
        const json_t *test = json_array_get(tests, i);
        l2r_real grad[MOST];
        int64_t n = reals_of(grad, json_object_get(test, "grad"));
        double norm = l2r_grad_clip(grad, n, real_of(test, "max_norm"));
        assert_true(fabs(norm - real_of(test, "norm")) <= 1e-14 * norm);
        expect_close(grad, json_object_get(test, "clipped"), "clip", i);
    }
    json_decref(root);
}

static void clip_leaves_what_is_not_finite(void **state)
{
    (void)state;
    l2r_real grad[] = {1000, (l2r_real)NAN, 3}, huge[] = {1000, (l2r_real)INFINITY};
    assert_true(isnan(l2r_grad_clip(grad, 3, 1)));
    assert_true(grad[0] == 1000 && grad[2] == 3);
    assert_true(isinf(l2r_grad_clip(huge, 2, 1)));
    assert_true(huge[0] == 1000);
    assert_true(l2r_grad_clip(grad, 0, 1) == 0);
}

/* Sizes around the chunks and around the lanes of a chunk; squares that float could not hold. */
static void norm_is_exact_for_every_size(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 7, 8, 9, 16383, 16384, 16385, 64 * 16384 + 5};
    const int64_t most = 64 * 16384 + 5;
    l2r_real *grad = l2r_alloc((size_t)most, sizeof *grad);
    assert_non_null(grad);
    for (int64_t i = 0; i < most; i++) grad[i] = (l2r_real)1e25;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        double wanted = sqrt((double)sizes[k]) * (double)(l2r_real)1e25;
        assert_true(fabs(l2r_grad_norm(grad, sizes[k]) - wanted) < 1e-12 * wanted);
    }
    l2r_free(grad);
}

/* Trains a little on many parameters; returns the norm of the last gradient. */
static double train_with(l2r_real *value, int64_t n, int threads)
{
    struct l2r_optimiser opt;
    l2r_real *grad = l2r_alloc((size_t)n, sizeof *grad);
    double norm = 0;
    assert_non_null(grad);
    assert_int_equal(l2r_optimiser_init(&opt, "adamw", n, NULL), L2R_OK);
    opt.weight_decay = 0.1;
    l2r_threads_set(threads);
    for (uint64_t t = 0; t < 3; t++) {
        struct l2r_rng rng = l2r_rng_at(1, L2R_RANDOM_TEST, t);
        for (int64_t i = 0; i < n; i++) grad[i] = (l2r_real)l2r_rng_uniform(&rng);
        norm = l2r_grad_clip(grad, n, 2);
        l2r_optimiser_step(&opt, value, grad, n, 0.01);
    }
    l2r_threads_set(0);
    l2r_optimiser_clear(&opt);
    l2r_free(grad);
    return norm;
}

static void threads_do_not_change_bits(void **state)
{
    (void)state;
    const int64_t n = 100003;
    l2r_real *one = l2r_alloc((size_t)n, sizeof *one), *three = l2r_alloc((size_t)n, sizeof *three);
    assert_non_null(one);
    assert_non_null(three);
    double norm_one = train_with(one, n, 1), norm_three = train_with(three, n, 3);
    assert_memory_equal(&norm_one, &norm_three, sizeof norm_one);
    assert_memory_equal(one, three, (size_t)n * sizeof *one);
    assert_true(one[n - 1] != 0);
    l2r_free(one);
    l2r_free(three);
}

static void errors(void **state)
{
    (void)state;
    struct l2r_optimiser opt;
    struct l2r_error error = {0};
    assert_int_equal(l2r_optimiser_init(&opt, "adagrad", 3, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "optimiser \"adagrad\" is unknown; choose one of adam|adamw|sgd");
    for (long k = 0; k < 2; k++) {
        l2r_memory_fail_at(k, false);
        assert_int_equal(l2r_optimiser_init(&opt, "adam", 3, &error), L2R_ERR_MEMORY);
        l2r_memory_fail_at(-1, false);
        assert_null(opt.m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_steps_agree_with_torch),
        cmocka_unit_test(defaults_are_torch_s),
        cmocka_unit_test(clip_agrees_with_torch),
        cmocka_unit_test(clip_leaves_what_is_not_finite),
        cmocka_unit_test(norm_is_exact_for_every_size),
        cmocka_unit_test(threads_do_not_change_bits),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
