/* SPDX-License-Identifier: MIT
 * A loop of one's own (l2r/train.h): the same model as a run's, the best epoch, the head fit, saving and resuming, and
 * what is refused. Steps in two halves: half_steps.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/own_loops.h"

#include <math.h>
#include <string.h>

/* ---- a run, by hand ---- */

static void compare_with_run(const char *method, const char *options, bool head)
{
    struct l2r_config *config = config_of("gin", method, options);
    struct l2r_training *t;
    struct l2r_run run = L2R_RUN_INIT;
    struct l2r_result *result;
    struct l2r_predictor *theirs;
    float x[2 * N], y[2 * N];
    double loss, score, best = NAN;
    int64_t n;
    bool is_best, taken;
    run.config = config;
    run.data = data;
    OK(l2r_train(&result, &theirs, &run, &error));
    OK(l2r_training_new(&t, config, data, NULL, &error));
    assert_true(l2r_training_best_epoch(t) == 0 && isnan(l2r_training_best_score(t)));
    for (int epoch = 1; !l2r_training_is_over(t); epoch++) {
        OK(l2r_training_epoch(&loss, t, &error));
        assert_true(loss == l2r_result_curve(&n, result, "loss")[epoch - 1]);
        OK(l2r_training_validate(&score, &is_best, t, &error));
        assert_true(score == l2r_result_curve(&n, result, "valid/accuracy")[epoch - 1]);
        assert_true(is_best == (isnan(best) || score > best) || strcmp(method, "jtt") == 0); /* it has two bests */
        if (is_best) best = score;
    }
    assert_int_equal(l2r_training_n_epochs(t), l2r_result_n_epochs(result));
    assert_int_equal(l2r_training_best_epoch(t), l2r_result_best_epoch(result));
    assert_true(l2r_training_best_score(t) == best);
    OK(l2r_training_restore(t, &error));
    if (head) OK(l2r_training_fit_head(&taken, NULL, t, NULL, &error));
    outputs(x, t);
    outputs_of(y, theirs);
    assert_memory_equal(x, y, sizeof x);
    l2r_training_free(t);
    l2r_result_free(result);
    l2r_config_free(config);
}

static void as_run(void **state)
{
    (void)state;
    compare_with_run("erm", "{}", false);
    compare_with_run("l2r", "{}", false);
    compare_with_run("erm", "{\"ema\": 0.9}", false);
    compare_with_run("erm", "{\"lr-schedule\": \"plateau\", \"early-stop\": 2, \"epochs\": 9}", false);
    compare_with_run("headfit", "{}", true);
    compare_with_run("jtt", "{\"epochs\": 6}", false); /* two phases */
}

/* ---- the best epoch, the head ---- */

static void best(void **state)
{
    (void)state;
    struct l2r_training *t = begin("gin", "erm", "{\"ema\": 0.5}");
    double score;
    bool is_best;
    float x[2 * N], y[2 * N];
    refused(l2r_training_restore(t, &error), "no model was kept");
    refused(l2r_training_validate(NULL, NULL, t, &error), "no step has been taken");
    OK(l2r_training_step(NULL, t, &error));
    OK(l2r_training_keep(t, 2, &error)); /* within the first epoch, by a score that no accuracy beats */
    outputs(x, t);
    assert_true(l2r_training_best_epoch(t) == 1 && l2r_training_best_score(t) == 2);
    OK(l2r_training_epoch(NULL, t, &error));
    OK(l2r_training_validate(&score, &is_best, t, &error));
    assert_true(!is_best && score <= 1);
    outputs(y, t);
    assert_true(memcmp(x, y, sizeof x) != 0);
    OK(l2r_training_restore(t, &error));
    outputs(y, t);
    assert_memory_equal(x, y, sizeof x);
    refused(l2r_training_keep(t, INFINITY, &error), "score = inf");
    OK(l2r_training_keep(t, NAN, &error));
    OK(l2r_training_validate(&score, &is_best, t, &error));
    assert_true(is_best);
    l2r_training_free(t);
}

/* Weights of which one class has nearly all: the new head speaks for that class. */
static void head(void **state)
{
    (void)state;
    struct l2r_training *t = begin("gin", "erm", "{}");
    float given[N], x[2 * N], y[2 * N];
    const float *labels = l2r_dataset_labels(data);
    bool taken;
    char *json;
    int of_first = 0, were = 0;
    OK(l2r_training_epoch(NULL, t, &error));
    outputs(x, t);
    for (int g = 0; g < N; g++) given[g] = labels[g] == 0 ? 100 : 0.01f;
    OK(l2r_training_fit_head(&taken, &json, t, given, &error));
    assert_true(taken);
    assert_non_null(strstr(json, "\"given\""));
    l2r_free(json);
    outputs(y, t);
    for (int g = 0; g < N; g++) of_first += y[2 * g] > y[2 * g + 1], were += x[2 * g] > x[2 * g + 1];
    assert_true(of_first > were && of_first >= N * 3 / 4);
    refused(l2r_training_fit_head(NULL, NULL, t, NULL, &error), "the method erm fits no head");
    memset(given, 0, sizeof given);
    refused(l2r_training_fit_head(NULL, NULL, t, given, &error), "are 0");
    for (int g = 0; g < N; g++) given[g] = NAN;
    refused(l2r_training_fit_head(NULL, NULL, t, given, &error), "= nan");
    l2r_training_free(t);
}

/* ---- saving ---- */

static void interrupt(const char *method, const char *options, bool in_file)
{
    struct l2r_training *a = begin("gin", method, options), *b;
    float given[N];
    char path[256];
    void *bytes = NULL;
    size_t size = 0;
    for (int g = 0; g < N; g++) given[g] = (float)(g % 4);
    OK(l2r_training_epoch(NULL, a, &error));
    OK(l2r_training_validate(NULL, NULL, a, &error));
    OK(l2r_training_set_weights(a, given, &error));
    OK(l2r_training_set_learning_rate(a, 0.005, &error));
    OK(l2r_training_step(NULL, a, &error));
    OK(l2r_training_step(NULL, a, &error));
    folder(path, "loop.safetensors");
    if (in_file) {
        OK(l2r_training_save(a, path, &error));
        OK(l2r_training_open(&b, path, data, NULL, &error));
    } else {
        OK(l2r_training_to_bytes(&bytes, &size, a, &error));
        OK(l2r_training_from_bytes(&b, bytes, size, data, NULL, &error));
    }
    l2r_free(bytes);
    assert_true(l2r_training_learning_rate(b) == 0.005 && l2r_training_best_epoch(b) == 1);
    for (int epoch = 0; epoch < 4; epoch++) { /* beyond the epochs of the options */
        OK(l2r_training_epoch(NULL, a, &error));
        OK(l2r_training_epoch(NULL, b, &error));
    }
    expect_same(a, b);
    OK(l2r_training_restore(a, &error));
    OK(l2r_training_restore(b, &error));
    expect_same(a, b);
    OK(l2r_training_to_bytes(&bytes, &size, b, &error)); /* at epoch 5 of 4 */
    l2r_training_free(a);
    OK(l2r_training_from_bytes(&a, bytes, size, data, NULL, &error));
    assert_true(l2r_training_is_over(a) && l2r_training_n_epochs(a) == 5);
    ((char *)bytes)[size / 2] ^= 1;
    struct l2r_training *never;
    assert_int_equal(l2r_training_from_bytes(&never, bytes, size, data, NULL, &error), L2R_ERR_FORMAT);
    assert_null(never);
    error = (struct l2r_error){0};
    l2r_free(bytes);
    l2r_training_free(a);
    l2r_training_free(b);
}

static void resumed(void **state)
{
    (void)state;
    interrupt("erm", "{\"lr-schedule\": \"plateau\"}", false);
    interrupt("l2r", "{\"ema\": 0.9}", true);
    struct l2r_training *t = begin("gin", "erm", "{}"), *never;
    struct l2r_dataset *other;
    void *bytes;
    size_t size;
    char *json;
    OK(l2r_training_epoch(NULL, t, &error));
    OK(l2r_training_validate(NULL, NULL, t, &error));
    OK(l2r_training_history_json(&json, t, &error));
    assert_non_null(strstr(json, "\"valid\""));
    l2r_free(json);
    OK(l2r_training_to_bytes(&bytes, &size, t, &error));
    OK(l2r_dataset_open(&other, "motif:train=30,valid=15,test=15,seed=2", NULL, &error));
    assert_int_equal(l2r_training_from_bytes(&never, bytes, size, other, NULL, &error), L2R_ERR_FORMAT);
    expect_message(error.message, "other graphs or another split");
    error = (struct l2r_error){0};
    l2r_dataset_free(other);
    l2r_free(bytes);
    l2r_training_free(t);
}

static void refusals(void **state)
{
    (void)state;
    struct l2r_training *t = begin("gin", "erm", "{}"), *none = NULL;
    struct l2r_forward f = L2R_FORWARD_INIT;
    const int64_t *graphs;
    int64_t n;
    void *bytes;
    size_t size;
    char *json;
    float given[N] = {0}, d_z[64] = {0};
    assert_true(l2r_training_is_over(NULL) && l2r_training_best_epoch(NULL) == 0);
    refused(l2r_training_next(&graphs, &n, NULL, &error), "training is NULL");
    refused(l2r_training_next(NULL, &n, t, &error), "graphs is NULL");
    refused(l2r_training_forward(NULL, t, &error), "forward is NULL");
    refused(l2r_training_forward(&f, NULL, &error), "training is NULL");
    refused(l2r_training_backward(NULL, NULL, NULL, NULL, &error), "training is NULL");
    refused(l2r_training_set_weights(NULL, given, &error), "training is NULL");
    refused(l2r_training_history_json(NULL, t, &error), "json is NULL");
    refused(l2r_training_history_json(&json, NULL, &error), "training is NULL");
    refused(l2r_training_to_bytes(NULL, &size, t, &error), "bytes is NULL");
    refused(l2r_training_to_bytes(&bytes, &size, NULL, &error), "training is NULL");
    refused(l2r_training_save(t, NULL, &error), "path is NULL");
    refused(l2r_training_from_bytes(&none, NULL, 0, data, NULL, &error), "bytes is NULL");
    refused(l2r_training_open(&none, "x", NULL, NULL, &error), "data is NULL");
    refused(l2r_training_keep(NULL, 0, &error), "training is NULL");
    refused(l2r_training_restore(NULL, &error), "training is NULL");
    refused(l2r_training_fit_head(NULL, NULL, NULL, NULL, &error), "training is NULL");
    assert_int_equal(l2r_training_open(&none, "/nowhere/at/all", data, NULL, &error), L2R_ERR_IO);
    error = (struct l2r_error){0};
    OK(l2r_training_next(&graphs, &n, t, &error));
    given[graphs[0]] = -1;
    assert_int_equal(l2r_training_set_weights(t, given, &error), L2R_ERR_ARGUMENT);
    assert_int_equal(error.graph, graphs[0]);
    OK(l2r_training_forward(&f, t, &error));
    d_z[5] = NAN;
    refused(l2r_training_backward(NULL, t, NULL, d_z, &error), "d_z[5] = nan");
    given[0] = INFINITY;
    refused(l2r_training_backward(NULL, t, given, NULL, &error), "weights[0] = inf");
    OK(l2r_training_backward(NULL, t, NULL, NULL, &error));
    l2r_training_free(t);
}

/* Trees learn from all graphs at once. */
static void trees(void **state)
{
    (void)state;
    struct l2r_dataset *table;
    struct l2r_config *config;
    struct l2r_training *t;
    struct l2r_forward f = L2R_FORWARD_INIT;
    const int64_t *graphs;
    int64_t n;
    float given[30] = {0};
    const char *smiles[30];
    float labels[30];
    if (!l2r_has("rdkit")) skip();
    for (int i = 0; i < 30; i++) smiles[i] = i % 2 ? "CCO" : "CCN", labels[i] = (float)(i % 2);
    OK(l2r_dataset_from_smiles(&table, SMILES(smiles, labels, L2R_TASK_BINARY, 1, 30), NULL, &error));
    OK(l2r_config_for_run(&config, "forest", "erm", &error));
    OK(l2r_config_set_json(config, "{\"epochs\": 2, \"split\": \"random\", \"features\": \"morgan\"}", &error));
    OK(l2r_training_new(&t, config, table, NULL, &error));
    OK(l2r_training_next(&graphs, &n, t, &error));
    assert_true(n > 16 && graphs[0] >= 0);
    refused(l2r_training_forward(&f, t, &error), "is not trained by gradients");
    refused(l2r_training_set_weights(t, given, &error), "is not trained by gradients");
    OK(l2r_training_step(NULL, t, &error));
    OK(l2r_training_validate(NULL, NULL, t, &error));
    OK(l2r_training_restore(t, &error));
    refused(l2r_training_fit_head(NULL, NULL, t, given, &error), "has no linear head");
    l2r_training_free(t);
    l2r_config_free(config);
    l2r_dataset_free(table);
}

struct stopper {
    int64_t done, n, stop_at;
};

static void on_progress(void *context, const char *what, int64_t done, int64_t n)
{
    struct stopper *s = context;
    if (strcmp(what, "batches trained") == 0) s->done = done, s->n = n;
}

static bool stops(void *context)
{
    struct stopper *s = context;
    return s->stop_at-- == 0;
}

static void watched(void **state)
{
    (void)state;
    struct l2r_training *a = begin("gin", "erm", "{}"), *b = begin("gin", "erm", "{}");
    struct stopper seen = {.stop_at = -1};
    struct l2r_watch watch = L2R_WATCH_INIT;
    watch.context = &seen;
    watch.progress = on_progress;
    watch.stop = stops;
    OK(l2r_watch_set(&watch, &error));
    OK(l2r_training_epoch(NULL, a, &error));
    assert_true(seen.done == 4 && seen.n == 4);
    OK(l2r_training_step(NULL, a, &error));
    seen.stop_at = 0;
    enum l2r_status status = l2r_training_epoch(NULL, a, &error);
    OK(l2r_watch_set(NULL, &error));
    assert_int_equal(status, L2R_ERR_INTERRUPTED);
    assert_int_equal(l2r_training_n_epochs(a), 1);
    OK(l2r_training_epoch(NULL, a, &error)); /* the rest */
    assert_int_equal(l2r_training_n_epochs(a), 2);
    for (int i = 0; i < 2; i++) OK(l2r_training_epoch(NULL, b, &error));
    expect_same(a, b);
    l2r_training_free(a);
    l2r_training_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_run),   cmocka_unit_test(best),  cmocka_unit_test(head),    cmocka_unit_test(resumed),
        cmocka_unit_test(refusals), cmocka_unit_test(trees), cmocka_unit_test(watched),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
