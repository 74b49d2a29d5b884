/* SPDX-License-Identifier: MIT
 * Steps in two halves (l2r/train.h): alone they are a step; weights and gradients from outside come into its gradient.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/own_loops.h"

#include <math.h>
#include <string.h>

enum { MOST = 4096 }; /* parameters */

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(halves), cmocka_unit_test(weights),
                                       cmocka_unit_test(gradients_on_z)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
