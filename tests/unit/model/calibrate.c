/* SPDX-License-Identifier: MIT
 *
 * Calibration against scikit-learn (tests/golden/calibration.json), several classes, files, and the intervals of a
 * regression by hand.
 */
#include "model/calibrate.h"

#include "metrics/probability.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct l2r_calibrator *calibrator(const char *name)
{
    for (size_t i = 0; l2r_calibrators[i]; i++)
        if (strcmp(l2r_calibrators[i]->name, name) == 0) return l2r_calibrators[i];
    fail_msg("there is no calibrator %s", name);
    return NULL;
}

static double item(const json_t *list, size_t i)
{
    return json_number_value(json_array_get(list, i));
}

static double probability_at(const struct l2r_calibration_map *map, double x)
{
    struct l2r_calibration one = {.method = "isotonic", .n_maps = 1, .maps = map, .coverage = 0.9};
    float logit = (float)x;
    l2r_calibration_apply(&logit, &one, L2R_TASK_BINARY, 1, 1);
    return l2r_sigmoid((double)logit);
}

static void check_case(const json_t *test, struct l2r_arena *arena)
{
    const json_t *places = json_object_get(test, "at"), *steps = json_object_get(test, "isotonic");
    double x[256];
    uint8_t y[256];
    struct l2r_logits logits = {.x = x, .y = y, .n = (int64_t)json_array_size(json_object_get(test, "x"))};
    for (int64_t i = 0; i < logits.n; i++) {
        x[i] = item(json_object_get(test, "x"), (size_t)i);
        y[i] = item(json_object_get(test, "y"), (size_t)i) > 0;
        logits.n_ones += y[i];
    }
    struct l2r_calibration_map map = {.slope = 1};
    assert_int_equal(calibrator("platt")->fit(&map, arena, &logits, NULL), L2R_OK);
    const json_t *line = json_object_get(test, "platt");
    assert_true(fabs(map.slope - item(line, 0)) < 1e-4 && fabs(map.offset - item(line, 1)) < 1e-4);
    map = (struct l2r_calibration_map){.slope = 1};
    assert_int_equal(calibrator("isotonic")->fit(&map, arena, &logits, NULL), L2R_OK);
    for (size_t i = 0; i < json_array_size(places); i++)
        assert_true(fabs(probability_at(&map, item(places, i)) - item(steps, i)) < 1e-5);
    map = (struct l2r_calibration_map){.slope = 1};
    assert_int_equal(calibrator("temperature")->fit(&map, arena, &logits, NULL), L2R_OK);
    assert_true(fabs(log(map.slope) - log(json_number_value(json_object_get(test, "temperature")))) < 1e-5);
}

static void agrees_with_scikit_learn(void **state)
{
    (void)state;
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    json_t *cases = json_load_file(L2R_TEST_DIR "/golden/calibration.json", 0, NULL);
    assert_true(json_array_size(cases) >= 5);
    for (size_t i = 0; i < json_array_size(cases); i++) check_case(json_array_get(cases, i), &arena);
    json_decref(cases);
    l2r_arena_clear(&arena);
}

/* A rank that is worse than at random must not be turned round. */
static void order_stays(void **state)
{
    (void)state;
    const double x[] = {-2, -1, 0, 1, 2, 3};
    const uint8_t y[] = {1, 1, 1, 0, 0, 0};
    const struct l2r_logits logits = {x, y, 6, 3};
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    for (size_t i = 0; l2r_calibrators[i]; i++) {
        struct l2r_calibration_map map = {.slope = 1};
        assert_int_equal(l2r_calibrators[i]->fit(&map, &arena, &logits, NULL), L2R_OK);
        assert_true(probability_at(&map, 3) >= probability_at(&map, -2));
    }
    l2r_arena_clear(&arena);
}

/* Three classes drawn with the softmax of half the logits: every calibrator lowers the loss. */
static void several_classes(void **state)
{
    (void)state;
    enum { N = 300, K = 3 };
    static float output[N * K], labels[N], kept[N * K];
    uint32_t seed = 1;
    for (int i = 0; i < N; i++) {
        double p[K], sum = 0, u = 0;
        for (int k = 0; k < K; k++) {
            seed = seed * 1664525 + 1013904223;
            output[i * K + k] = (float)(seed >> 16) / 65536 * 8 - 4;
            sum += p[k] = exp((double)output[i * K + k] / 2);
        }
        seed = seed * 1664525 + 1013904223;
        u = (double)(seed >> 16) / 65536 * sum;
        labels[i] = u < p[0] ? 0 : u < p[0] + p[1] ? 1 : 2;
    }
    const struct l2r_scores before = {
        .task = L2R_TASK_MULTICLASS, .n_graphs = N, .n_tasks = 1, .n_classes = K, .output = output, .labels = labels};
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    for (size_t i = 0; l2r_calibrators[i]; i++) {
        struct l2r_calibration fitted;
        const struct l2r_calibration *read = NULL;
        int32_t left_out;
        assert_int_equal(l2r_calibration_fit(&fitted, &left_out, &arena, l2r_calibrators[i]->name, 0.9, &before, NULL),
                         L2R_OK);
        assert_int_equal(left_out, 0);
        /* Through a file and back. */
        json_t *object = l2r_calibration_to_json(&fitted);
        assert_int_equal(l2r_calibration_from_json(&read, &arena, object, L2R_TASK_MULTICLASS, K), L2R_OK);
        assert_int_equal(l2r_calibration_from_json(&read, &arena, object, L2R_TASK_REGRESSION, K), L2R_ERR_FORMAT);
        json_decref(object);
        memcpy(kept, output, sizeof kept);
        l2r_calibration_apply(kept, l2r_calibration_copy(&arena, read), L2R_TASK_MULTICLASS, N, K);
        struct l2r_scores after = before;
        after.output = kept;
        assert_true(l2r_scores_loss(&after) < l2r_scores_loss(&before) - 0.05);
    }
    l2r_arena_clear(&arena);
}

/* A task whose labels are all alike stays as it is. */
static void nothing_to_learn_from(void **state)
{
    (void)state;
    const float output[] = {1, -1, 2, -2, 0, 3}, labels[] = {1, 0, 1, 1, 1, 0};
    const struct l2r_scores s = {
        .task = L2R_TASK_BINARY, .n_graphs = 3, .n_tasks = 2, .output = output, .labels = labels};
    struct l2r_calibration fitted;
    struct l2r_arena arena;
    int32_t left_out;
    l2r_arena_init(&arena);
    assert_int_equal(l2r_calibration_fit(&fitted, &left_out, &arena, "platt", 0.9, &s, NULL), L2R_OK);
    assert_int_equal(left_out, 1);
    assert_true(fitted.maps[0].slope == 1 && fitted.maps[0].offset == 0 && fitted.maps[1].offset != 0);
    l2r_arena_clear(&arena);
}

/* |output − label| = 1, 2, …, 19 and a missing label: of 20 graphs like these, coverage 0.9 asks for the 18th. */
static void intervals_by_hand(void **state)
{
    (void)state;
    float output[20], labels[20];
    for (int i = 0; i < 20; i++) {
        output[i] = (float)i;
        labels[i] = i == 19 ? NAN : (float)(i % 2 ? 2 * i + 1 : -1);
    }
    const struct l2r_scores s = {
        .task = L2R_TASK_REGRESSION, .n_graphs = 20, .n_tasks = 1, .output = output, .labels = labels};
    struct l2r_calibration fitted;
    struct l2r_arena arena;
    int32_t left_out;
    l2r_arena_init(&arena);
    assert_int_equal(l2r_calibration_fit(&fitted, &left_out, &arena, "platt", 0.9, &s, NULL), L2R_OK);
    assert_string_equal(fitted.method, "none");
    assert_int_equal(fitted.residuals[0].n, 19);
    assert_true(l2r_residuals_half(&fitted.residuals[0], 0.9) == 18);
    assert_true(l2r_residuals_half(&fitted.residuals[0], 0.95) == 19);
    assert_true(isinf(l2r_residuals_half(&fitted.residuals[0], 0.96)));
    /* Of many, at least as wide. */
    enum { MANY = 5000 };
    static double distance[MANY];
    struct l2r_residuals many;
    for (int i = 0; i < MANY; i++) distance[i] = (i * 7 % MANY) + 1;
    assert_int_equal(l2r_residuals_keep(&many, &arena, distance, MANY, NULL), L2R_OK);
    assert_int_equal(many.n_kept, L2R_RESIDUALS_KEPT);
    for (double c = 0.1; c < 0.99; c += 0.07) {
        double exact = ceil((MANY + 1) * c), half = l2r_residuals_half(&many, c);
        assert_true(half >= exact && half <= exact + 5);
    }
    l2r_arena_clear(&arena);
}

static void files_that_no_fit_made(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"method\": \"platt\", \"coverage\": 0.9, \"maps\": [{\"slope\": -1, \"offset\": 0}]}",
        "{\"method\": \"platt\", \"coverage\": 0.9, \"maps\": []  , \"residuals\": [{\"n\": 1, \"kept\": [1]}]}",
        "{\"method\": \"platt\", \"coverage\": 1, \"maps\": [{\"slope\": 1, \"offset\": 0}]}",
        "{\"coverage\": 0.9, \"maps\": [{\"slope\": 1, \"offset\": 0}]}",
        "{\"method\": \"isotonic\", \"coverage\": 0.9, \"maps\": [{\"x\": [1, 0], \"p\": [0.1, 0.2]}]}",
        "{\"method\": \"isotonic\", \"coverage\": 0.9, \"maps\": [{\"x\": [0, 1], \"p\": [0.1]}]}",
        "{\"method\": \"isotonic\", \"coverage\": 0.9, \"maps\": [{\"x\": [0, 1], \"p\": [0.1, 1]}]}",
        "{\"method\": \"isotonic\", \"coverage\": 0.9, \"maps\": [{\"x\": [], \"p\": []}]}"};
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct l2r_calibration *read = NULL;
        json_t *object = json_loads(texts[i], 0, NULL);
        assert_non_null(object);
        assert_int_equal(l2r_calibration_from_json(&read, &arena, object, L2R_TASK_BINARY, 1), L2R_ERR_FORMAT);
        assert_null(read);
        json_decref(object);
    }
    l2r_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_scikit_learn), cmocka_unit_test(order_stays),
        cmocka_unit_test(several_classes),          cmocka_unit_test(nothing_to_learn_from),
        cmocka_unit_test(intervals_by_hand),        cmocka_unit_test(files_that_no_fit_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
