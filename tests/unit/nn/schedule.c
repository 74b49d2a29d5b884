/* SPDX-License-Identifier: MIT
 *
 * Schedules against torch.optim.lr_scheduler (tests/golden/optimisers.json), saving and resuming, errors.
 */
#include "nn/schedule.h"
#include "support/messages.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static double real_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static int64_t count_of(const json_t *object, const char *key)
{
    assert_true(json_is_integer(json_object_get(object, key)));
    return json_integer_value(json_object_get(object, key));
}

static struct l2r_schedule schedule_of(const json_t *test)
{
    struct l2r_schedule s = {.lr = real_of(test, "lr"),
                             .epochs = count_of(test, "epochs"),
                             .warmup_epochs = count_of(test, "warmup_epochs"),
                             .step_epochs = count_of(test, "step_epochs"),
                             .gamma = real_of(test, "gamma"),
                             .lr_min = real_of(test, "lr_min"),
                             .final = real_of(test, "final"),
                             .patience = count_of(test, "patience"),
                             .higher_is_better = json_is_true(json_object_get(test, "higher_is_better"))};
    struct l2r_error error = {0};
    if (l2r_schedule_init(&s, json_string_value(json_object_get(test, "kind")), &error) != L2R_OK)
        fail_msg("%s", error.message);
    return s;
}

/* Throws the schedule away and makes it anew from its saved state, by way of text. */
static void save_and_resume(struct l2r_schedule *s, const json_t *test)
{
    json_t *state = l2r_schedule_to_json(s);
    char text[256];
    size_t length = json_dumpb(state, text, sizeof text, JSON_COMPACT);
    assert_in_range(length, 1, sizeof text);
    json_decref(state);
    state = json_loadb(text, length, 0, NULL);
    struct l2r_schedule fresh = schedule_of(test);
    assert_int_equal(l2r_schedule_from_json(&fresh, state, "test", NULL), L2R_OK);
    json_decref(state);
    assert_memory_equal(&fresh.current, &s->current, sizeof s->current);
    assert_memory_equal(&fresh.best, &s->best, sizeof s->best);
    *s = fresh;
}

static void check_rates(const json_t *test)
{
    struct l2r_schedule s = schedule_of(test);
    const json_t *rates = json_object_get(test, "rates"), *metrics = json_object_get(test, "metrics");
    for (size_t epoch = 0; epoch < json_array_size(rates); epoch++) {
        double wanted = json_number_value(json_array_get(rates, epoch));
        double rate = l2r_schedule_rate(&s, (int64_t)epoch);
        if (fabs(rate - wanted) > 1e-12 * s.lr)
            fail_msg("%s, epoch %zu: rate %.17g, expected %.17g", json_string_value(json_object_get(test, "name")),
                     epoch, rate, wanted);
        const json_t *metric = json_array_get(metrics, epoch);
        if (metric)
            l2r_schedule_observe(&s, (int64_t)epoch, json_is_null(metric) ? (double)NAN : json_number_value(metric));
        save_and_resume(&s, test);
    }
}

static void agrees_with_torch(void **state)
{
    (void)state;
    json_t *root = json_load_file(L2R_TEST_DIR "/golden/optimisers.json", 0, NULL);
    const json_t *tests = json_object_get(root, "schedules");
    assert_true(json_array_size(tests) >= 10);
    for (size_t i = 0; i < json_array_size(tests); i++) check_rates(json_array_get(tests, i));
    json_decref(root);
}

static void plateau_ignores_the_warm_up(void **state)
{
    (void)state;
    struct l2r_schedule s = {.lr = 1, .epochs = 10, .warmup_epochs = 3, .gamma = 0.5, .higher_is_better = true};
    assert_int_equal(l2r_schedule_init(&s, "plateau", NULL), L2R_OK);
    for (int64_t epoch = 0; epoch < 3; epoch++) l2r_schedule_observe(&s, epoch, 0.9);
    assert_true(isinf(s.best) && s.bad_epochs == 0);
    l2r_schedule_observe(&s, 3, 0.1);
    assert_true(s.best == 0.1 && l2r_schedule_rate(&s, 4) == 1);
    l2r_schedule_observe(&s, 4, 0.1);
    assert_true(l2r_schedule_rate(&s, 5) == 0.5);
    assert_true(l2r_schedule_rate(&s, 1) == 0.5); /* epoch 1 of 3: (1 + 1) / 4 */
}

static void cosine_stays_down(void **state)
{
    (void)state;
    struct l2r_schedule s = {.lr = 1, .epochs = 4, .lr_min = 0.1};
    assert_int_equal(l2r_schedule_init(&s, "cosine", NULL), L2R_OK);
    assert_true(l2r_schedule_rate(&s, 4) == 0.1 && l2r_schedule_rate(&s, 9) == 0.1);
    s.warmup_epochs = 6; /* longer than the run */
    assert_true(l2r_schedule_rate(&s, 3) == 4.0 / 7 && l2r_schedule_rate(&s, 6) == 0.1);
}

static void expect_refusal(struct l2r_schedule s, const char *kind, const char *words)
{
    struct l2r_error error = {0};
    assert_int_equal(l2r_schedule_init(&s, kind, &error), L2R_ERR_ARGUMENT);
    if (!message_matches(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

static void settings_are_checked(void **state)
{
    (void)state;
    struct l2r_schedule good = {.lr = 0.1, .epochs = 5, .step_epochs = 2, .gamma = 0.5, .lr_min = 0, .patience = 1}, s;
    expect_refusal(good, "linear", "constant|step|cosine|plateau|exponential");
    s = good;
    s.lr = 0;
    expect_refusal(s, "constant", "learning rate 0: expected a number above 0");
    s = good;
    s.step_epochs = 0;
    expect_refusal(s, "step", "every 0 epochs");
    s = good;
    s.gamma = 1;
    expect_refusal(s, "plateau", "factor 1");
    s = good;
    s.lr_min = 0.2;
    expect_refusal(s, "cosine", "smallest learning rate 0.2");
    s = good;
    s.final = 2;
    expect_refusal(s, "exponential", "down to 2: expected a number above 0, at most 1");
    s = good;
    s.patience = -1;
    expect_refusal(s, "plateau", "patience -1");
    s = good;
    s.warmup_epochs = -1;
    expect_refusal(s, "constant", "-1 warm-up epochs");
}

static void damaged_state_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}",
        "[]",
        "{\"kind\": \"step\"}",
        "{\"kind\": \"plateau\"}",
        "{\"kind\": \"plateau\", \"lr\": 0, \"best\": 1, \"bad_epochs\": 0}",
        "{\"kind\": \"plateau\", \"lr\": 0.1, \"best\": \"high\", \"bad_epochs\": 0}",
        "{\"kind\": \"plateau\", \"lr\": 0.1, \"best\": null, \"bad_epochs\": -1}",
        "{\"kind\": \"plateau\", \"lr\": 0.1, \"best\": null, \"bad_epochs\": 0.5}",
    };
    struct l2r_schedule s = {.lr = 0.1, .gamma = 0.5};
    assert_int_equal(l2r_schedule_init(&s, "plateau", NULL), L2R_OK);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct l2r_error error = {0};
        json_t *json = json_loads(texts[i], 0, NULL);
        assert_int_equal(l2r_schedule_from_json(&s, json, "last.safetensors", &error), L2R_ERR_FORMAT);
        assert_ptr_equal(strstr(error.message, "last.safetensors: "), error.message);
        json_decref(json);
    }
    assert_true(s.current == 0.1 && s.bad_epochs == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_torch),        cmocka_unit_test(plateau_ignores_the_warm_up),
        cmocka_unit_test(cosine_stays_down),        cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(damaged_state_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
