/* SPDX-License-Identifier: MIT
 * A loop of one's own (l2r/train.h): the same model as a run's, steps in two halves with weights and gradients from
 * outside, the best epoch, the head fit, and saving and resuming. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/training_runs.h"
#include <l2r/l2r.h>

#include "support/calls.h"

#include <math.h>
#include <string.h>

enum { N = 60, TRAIN = 30, MOST = 4096 };

static struct l2r_dataset *data;

static int set_up(void **state)
{
    OK(l2r_dataset_open(&data, "motif:train=30,valid=15,test=15", NULL, &error));
    return run_set_up(state);
}

static int tear_down(void **state)
{
    l2r_dataset_free(data);
    return run_tear_down(state);
}

static struct l2r_config *config_of(const char *model, const char *method, const char *options)
{
    struct l2r_config *config;
    OK(l2r_config_for_run(&config, model, method, &error));
    OK(l2r_config_set_json(
        config,
        "{\"hidden\": 8, \"layers\": 2, \"batch-size\": 8, \"epochs\": 4, \"lr\": 0.02, \"calibrate\": \"none\"}",
        &error));
    OK(l2r_config_set_json(config, options, &error));
    return config;
}

static struct l2r_training *begin(const char *model, const char *method, const char *options)
{
    struct l2r_config *config = config_of(model, method, options);
    struct l2r_training *t;
    OK(l2r_training_new(&t, config, data, NULL, &error));
    l2r_config_free(config);
    return t;
}

static void outputs_of(float *out, struct l2r_predictor *predictor)
{
    OK(l2r_predictor_predict(out, predictor, data, NULL, N, &error));
    l2r_predictor_free(predictor);
}

static void outputs(float *out, const struct l2r_training *t)
{
    struct l2r_predictor *predictor;
    OK(l2r_training_predictor(&predictor, t, &error));
    outputs_of(out, predictor);
}

static void expect_same(const struct l2r_training *a, const struct l2r_training *b)
{
    float x[2 * N], y[2 * N];
    outputs(x, a);
    outputs(y, b);
    assert_memory_equal(x, y, sizeof x);
}

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

/* ---- halves ---- */

static void halves(void **state)
{
    (void)state;
    struct l2r_training *a = begin("gin", "l2r", "{}"), *b = begin("gin", "l2r", "{}");
    struct l2r_forward f = L2R_FORWARD_INIT, again = L2R_FORWARD_INIT;
    struct l2r_evaluation *never;
    const int64_t *graphs;
    int64_t n;
    double x, y;
    void *bytes;
    size_t size;
    for (int step = 0; step < 6; step++) {
        OK(l2r_training_step(&x, a, &error));
        OK(l2r_training_next(&graphs, &n, b, &error));
        OK(l2r_training_forward(&f, b, &error));
        assert_true(n == f.n && graphs == f.graphs && n == (step % 4 == 3 ? 6 : 8));
        assert_true(f.width == 8 && f.n_outputs == 2 && f.weights);
        double mean = 0;
        for (int64_t i = 0; i < n; i++) mean += (double)f.losses[i] / (double)n;
        OK(l2r_training_forward(&again, b, &error));
        assert_true(again.z == f.z);
        refused(l2r_training_evaluate(&never, b, L2R_PART_VALID, &error), "between the halves");
        refused(l2r_training_validate(NULL, NULL, b, &error), "between the halves");
        refused(l2r_training_to_bytes(&bytes, &size, b, &error), "between the halves");
        OK(l2r_training_backward(&y, b, NULL, NULL, &error));
        assert_true(x == y && fabs(mean - y) < 1e-4);
    }
    expect_same(a, b);
    refused(l2r_training_backward(&y, b, NULL, NULL, &error), "l2r_training_forward comes before");
    OK(l2r_training_forward(&f, b, &error));
    OK(l2r_training_step(NULL, a, &error));
    OK(l2r_training_epoch(NULL, b, &error)); /* does the other half first */
    OK(l2r_training_epoch(NULL, a, &error));
    expect_same(a, b);
    l2r_training_free(a);
    l2r_training_free(b);
}

/* ---- weights and gradients from outside ---- */

/* All gradients of one step from the same parameters. */
static int64_t gradient(float *out, const float *weights, const float *d_z, bool set)
{
    struct l2r_training *t = begin("gin", "erm", "{\"dropout\": 0, \"batch-size\": 30, \"clip\": 0}");
    struct l2r_forward f = L2R_FORWARD_INIT;
    struct l2r_parameter p = L2R_PARAMETER_INIT;
    float all[N] = {0};
    int64_t n = 0;
    OK(l2r_training_set_learning_rate(t, 0, &error));
    OK(l2r_training_forward(&f, t, &error));
    assert_int_equal(f.n, TRAIN);
    for (int64_t i = 0; set && i < f.n; i++) all[f.graphs[i]] = weights[i];
    if (set) OK(l2r_training_set_weights(t, all, &error));
    OK(l2r_training_backward(NULL, t, set ? NULL : weights, d_z, &error));
    for (size_t i = 0; i < l2r_training_n_parameters(t); i++) {
        OK(l2r_training_parameter(&p, t, i, &error));
        if (!p.gradient) continue;
        assert_true(n + p.rows * p.columns <= MOST);
        memcpy(out + n, p.gradient, (size_t)(p.rows * p.columns) * sizeof *out);
        n += p.rows * p.columns;
    }
    l2r_training_free(t);
    return n;
}

static void weights(void **state)
{
    (void)state;
    static float plain[MOST], ones[MOST], first[MOST], rest[MOST], by_graph[MOST];
    float one[TRAIN], a[TRAIN], b[TRAIN];
    for (int i = 0; i < TRAIN; i++) one[i] = 1, a[i] = (float)(i % 3), b[i] = 1 - a[i] / 2;
    int64_t n = gradient(plain, NULL, NULL, false);
    gradient(ones, one, NULL, false);
    assert_memory_equal(plain, ones, (size_t)n * sizeof *plain);
    gradient(first, a, NULL, false);
    gradient(rest, b, NULL, false);
    gradient(by_graph, a, NULL, true);
    assert_memory_equal(first, by_graph, (size_t)n * sizeof *plain);
    double off = 0, size = 0;
    for (int64_t k = 0; k < n; k++) { /* ones = a / 2 + b */
        off = fmax(off, fabs((double)(ones[k] - first[k] / 2 - rest[k])));
        size = fmax(size, fabs((double)(ones[k] - first[k])));
    }
    assert_true(off < 1e-5 && size > 1e-3);
}

/* Σ d_z ∘ Z of a batch whose first parameter is moved. */
static double product(const float *d_z, size_t parameter, int64_t entry, float by)
{
    struct l2r_training *t = begin("gin", "erm", "{\"dropout\": 0, \"batch-size\": 30}");
    struct l2r_forward f = L2R_FORWARD_INIT;
    struct l2r_parameter p = L2R_PARAMETER_INIT;
    double sum = 0;
    OK(l2r_training_parameter(&p, t, parameter, &error));
    p.value[entry] += by;
    OK(l2r_training_forward(&f, t, &error));
    for (int64_t i = 0; i < f.n * f.width; i++) sum += (double)d_z[i] * (double)f.z[i];
    l2r_training_free(t);
    return sum;
}

/* With weights of 0 the gradient is that of Σ d_z ∘ Z, as differences have it; both together add up. */
static void gradients_on_z(void **state)
{
    (void)state;
    static float alone[MOST], both[MOST], plain[MOST], none[TRAIN], d_z[TRAIN * 8];
    for (int i = 0; i < TRAIN * 8; i++) d_z[i] = (float)(i * 7 % 11) / 11 - 0.3f;
    int64_t n = gradient(alone, none, d_z, false), largest = 0;
    gradient(both, NULL, d_z, false);
    gradient(plain, NULL, NULL, false);
    float most = 0;
    for (int64_t k = 0; k < n; k++) most = fmaxf(most, fabsf(alone[k]));
    for (int64_t k = 0; k < n; k++)
        if (fabsf(both[k] - plain[k] - alone[k]) > 1e-4f * most) fail_msg("entry %lld", (long long)k);
    struct l2r_training *t = begin("gin", "erm", "{}");
    struct l2r_parameter p = L2R_PARAMETER_INIT;
    OK(l2r_training_parameter(&p, t, 0, &error));
    for (int64_t k = 0; k < p.rows * p.columns; k++)
        if (fabsf(alone[k]) > fabsf(alone[largest])) largest = k;
    l2r_training_free(t);
    const float h = 2e-3f;
    double slope = (product(d_z, 0, largest, h) - product(d_z, 0, largest, -h)) / (2 * (double)h);
    if (fabs(slope - (double)alone[largest]) > 0.02 * fabs(slope))
        fail_msg("gradient %g, differences %g", (double)alone[largest], slope);
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
        cmocka_unit_test(as_run),         cmocka_unit_test(halves),   cmocka_unit_test(weights),
        cmocka_unit_test(gradients_on_z), cmocka_unit_test(best),     cmocka_unit_test(head),
        cmocka_unit_test(resumed),        cmocka_unit_test(refusals), cmocka_unit_test(trees),
        cmocka_unit_test(watched),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
