/* SPDX-License-Identifier: MIT
 *
 * Linear heads against scikit-learn: golden/linear_fit.json, written by export_linear_fit.py. Beside that: the gradient
 * is that of central differences and 0 at the solution, threads do not change a bit, weights are as good as repeated
 * rows, and a head put into the network's own form gives the same outputs.
 */
#include "fit/linear_fit.h"

#include <l2r/l2r.h>

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 2048, MOST_HEAD = 64 };

struct problem {
    float x[MOST], labels[MOST];
    double w[MOST], mean[4], sd[4], penalty;
    int32_t graphs[MOST];
    int64_t n, d;
    struct l2r_dataset data;
    struct l2r_network network;
};

static void describe(struct problem *p, enum l2r_task task, int32_t classes, int32_t tasks)
{
    p->data = (struct l2r_dataset){.task = task, .n_tasks = tasks, .n_classes = classes, .labels = p->labels};
    p->network = (struct l2r_network){
        .signature = {.task = task, .n_tasks = tasks, .n_classes = classes, .target = {.mean = p->mean, .sd = p->sd}}};
    for (int64_t i = 0; i < p->n; i++) p->graphs[i] = (int32_t)i;
    for (int k = 0; k < 4; k++) p->sd[k] = 1;
}

static size_t numbers(double *out, const json_t *test, const char *key)
{
    const json_t *list = json_object_get(test, key);
    assert_in_range(json_array_size(list), 1, MOST);
    for (size_t i = 0; i < json_array_size(list); i++) out[i] = json_number_value(json_array_get(list, i));
    return json_array_size(list);
}

static void read_problem(struct problem *p, const json_t *test)
{
    static double values[MOST];
    const char *task = json_string_value(json_object_get(test, "task"));
    bool classes = strcmp(task, "multiclass") == 0, binary = strcmp(task, "binary") == 0;
    p->n = json_integer_value(json_object_get(test, "n"));
    p->d = json_integer_value(json_object_get(test, "d"));
    p->penalty = json_number_value(json_object_get(test, "penalty"));
    for (size_t i = 0, n = numbers(values, test, "x"); i < n; i++) p->x[i] = (float)values[i];
    for (size_t i = 0, n = numbers(values, test, "y"); i < n; i++) p->labels[i] = (float)values[i];
    numbers(p->w, test, "w");
    describe(p, classes ? L2R_TASK_MULTICLASS : binary ? L2R_TASK_BINARY : L2R_TASK_REGRESSION, classes ? 3 : 0, 1);
    if (classes || binary) return;
    double mean = 0, square = 0;
    for (int64_t i = 0; i < p->n; i++) mean += (double)p->labels[i] / (double)p->n;
    for (int64_t i = 0; i < p->n; i++) square += pow((double)p->labels[i] - mean, 2) / (double)p->n;
    p->mean[0] = mean;
    p->sd[0] = sqrt(square);
}

static void open_fit(struct l2r_linear_fit *fit, const struct problem *p)
{
    struct l2r_error error;
    if (l2r_linear_fit_init(fit, &p->network, &p->data, p->graphs, p->x, p->n, p->d, &error) != L2R_OK)
        fail_msg("%s", error.message);
}

/* [n × k] */
static void outputs_of(double *out, const struct l2r_linear_fit *fit, const double *head)
{
    for (int64_t i = 0; i < fit->n; i++)
        for (int32_t k = 0; k < fit->outputs; k++) {
            double sum = head[fit->d * fit->outputs + k];
            for (int64_t j = 0; j < fit->d; j++) sum += fit->x[i * fit->d + j] * head[j * fit->outputs + k];
            out[i * fit->outputs + k] = sum;
        }
}

static void test_against_scikit_learn(void **state)
{
    (void)state;
    static struct problem p;
    static double wanted[MOST], found[MOST];
    json_t *cases = json_load_file(L2R_TEST_DIR "/golden/linear_fit.json", 0, NULL), *test;
    size_t c;
    assert_int_equal(json_array_size(cases), 9);
    json_array_foreach(cases, c, test)
    {
        struct l2r_linear_fit fit;
        struct l2r_linear_report report;
        double head[MOST_HEAD] = {0}, gradient[MOST_HEAD], away = 0, size = 0;
        read_problem(&p, test);
        open_fit(&fit, &p);
        l2r_linear_fit_solve(head, &report, &fit, p.w, p.penalty);
        outputs_of(found, &fit, head);
        numbers(wanted, test, "output");
        for (int64_t i = 0; i < p.n; i++) {
            double mean = 0;
            for (int32_t k = 0; fit.outputs > 1 && k < fit.outputs; k++)
                mean += found[i * fit.outputs + k] / fit.outputs;
            for (int32_t k = 0; k < fit.outputs; k++) {
                away = fmax(away, fabs(found[i * fit.outputs + k] - mean - wanted[i * fit.outputs + k]));
                size = fmax(size, fabs(wanted[i * fit.outputs + k]));
            }
        }
        /* scikit-learn stops where its gradient is below 1e-10 times n, or so; the flattest case decides. */
        if (!(away < 2e-4 * size)) fail_msg("case %zu: %g away, of %g", c, away, size);
        l2r_linear_fit_value(gradient, &fit, head, p.w, p.penalty);
        for (int64_t i = 0; i < (p.d + 1) * fit.outputs; i++) assert_true(fabs(gradient[i]) < 1e-9);
        assert_true(report.slope < 1e-9);
        l2r_linear_fit_clear(&fit);
    }
    json_decref(cases);
}

/* Many tasks, missing labels, bounds, class weights, a constant column. */
static void make_tasks(struct problem *p, enum l2r_task task, int8_t *bound, float *weight)
{
    uint32_t seed = 7;
    p->n = 300;
    p->d = 4;
    p->penalty = 0.01;
    describe(p, task, 0, 3);
    for (int64_t i = 0; i < p->n * p->d; i++) {
        seed = seed * 1664525 + 1013904223;
        p->x[i] = i % p->d == 3 ? 2.5f : (float)(seed >> 16) / 65536 - 0.3f * (float)(i % p->d);
    }
    for (int64_t i = 0; i < p->n; i++) {
        p->w[i] = 0.25 + (double)(i % 7) / 4;
        weight[i] = (float)(1 + i % 3);
        for (int k = 0; k < 3; k++) {
            float value = p->x[i * p->d + k] + 0.3f * p->x[i * p->d] + (i % 5 == 0 ? 0.5f : 0);
            p->labels[3 * i + k] = (i + k) % 4 == 0 ? NAN : task == L2R_TASK_BINARY ? (float)(value > 0.4f) : value;
            bound[3 * i + k] = (int8_t)((i + k) % 5 == 0 ? 1 : (i + k) % 7 == 0 ? -1 : 0);
        }
    }
    p->data.weight = weight;
    p->network.weight_scale = 0.5;
    if (task == L2R_TASK_REGRESSION) p->data.bound = bound;
}

static void test_gradient(void **state)
{
    (void)state;
    static struct problem p;
    static int8_t bound[MOST];
    static float weight[MOST];
    static const l2r_real class_weight[] = {3, 1, (l2r_real)0.5};
    for (int task = 0; task < 2; task++) {
        struct l2r_linear_fit fit;
        struct l2r_linear_report report;
        double head[MOST_HEAD], slope[MOST_HEAD], again[MOST_HEAD] = {0};
        make_tasks(&p, task == 0 ? L2R_TASK_BINARY : L2R_TASK_REGRESSION, bound, weight);
        if (task == 0) p.network.class_weight = class_weight;
        open_fit(&fit, &p);
        for (int i = 0; i < 15; i++) head[i] = 0.1 * (i % 4) - 0.2;
        l2r_linear_fit_value(slope, &fit, head, p.w, p.penalty);
        for (int i = 0; i < 15; i++) {
            const double h = 1e-6, at = head[i];
            head[i] = at + h;
            double above = l2r_linear_fit_value(NULL, &fit, head, p.w, p.penalty);
            head[i] = at - h;
            double below = l2r_linear_fit_value(NULL, &fit, head, p.w, p.penalty);
            head[i] = at;
            if (!(fabs((above - below) / (2 * h) - slope[i]) < 1e-7)) fail_msg("%d: %g", i, slope[i]);
        }
        l2r_threads_set(1);
        l2r_linear_fit_solve(head, &report, &fit, p.w, p.penalty); /* from two starts to one end */
        assert_true(report.slope < 1e-8 && report.steps < 50);
        l2r_linear_fit_solve(again, &report, &fit, p.w, p.penalty);
        for (int i = 0; i < 15; i++) assert_true(fabs(head[i] - again[i]) < 1e-6);
        memset(head, 0, sizeof head);
        l2r_threads_set(3);
        l2r_linear_fit_solve(head, &report, &fit, p.w, p.penalty);
        assert_memory_equal(head, again, 15 * sizeof *head);
        assert_true(head[9] == 0 && head[10] == 0 && head[11] == 0); /* the constant column */
        l2r_linear_fit_clear(&fit);
    }
}

/* A graph of weight 2 is two graphs; a head in the network's form says the same of the raw rows. */
static void test_weights_and_scale(void **state)
{
    (void)state;
    static struct problem p;
    static double out[2][MOST];
    struct l2r_linear_fit fit;
    struct l2r_linear_report report;
    double head[MOST_HEAD] = {0}, twice[MOST_HEAD] = {0};
    l2r_real weight[12], bias[3];
    p.n = 90;
    p.d = 4;
    for (int64_t i = 0; i < p.n * p.d; i++) p.x[i] = (float)((i * 7919) % 101) / 50 + (float)(i % p.d);
    for (int64_t i = 0; i < p.n; i++) {
        p.labels[i] = (float)((int)(2 * p.x[i * p.d] + p.x[i * p.d + 1]) % 3);
        p.w[i] = i < 30 ? 2 : 0.5;
    }
    describe(&p, L2R_TASK_MULTICLASS, 3, 1);
    open_fit(&fit, &p);
    l2r_linear_fit_solve(head, &report, &fit, p.w, 1e-3);
    outputs_of(out[0], &fit, head);
    l2r_linear_fit_unscale(weight, bias, &fit, head);
    for (int64_t i = 0; i < p.n; i++)
        for (int k = 0; k < 3; k++) {
            double sum = (double)bias[k];
            for (int64_t j = 0; j < p.d; j++) sum += (double)weight[k * p.d + j] * (double)p.x[i * p.d + j];
            assert_true(fabs(sum - out[0][3 * i + k]) < 1e-4);
        }
    for (int64_t i = 0; i < 90; i++) p.w[i] *= i < 30 ? 0.5 : 1; /* the rest of their weight as rows of their own, */
    for (int64_t i = 0; i < 30; i++) {                           /* on the scale that the first 90 have */
        memcpy(fit.x + (60 + i) * p.d, fit.x + i * p.d, (size_t)p.d * sizeof *fit.x);
        fit.labels[60 + i] = fit.labels[i];
        p.w[60 + i] = 1;
    }
    double whole[MOST];
    for (int64_t i = 0; i < 90; i++) whole[i] = i < 30 ? 2 : i < 60 ? 0.5 : 0;
    l2r_linear_fit_solve(twice, &report, &fit, p.w, 1e-3);
    memset(head, 0, sizeof head);
    l2r_linear_fit_solve(head, &report, &fit, whole, 1e-3);
    for (int i = 0; i < 15; i++) assert_true(fabs(head[i] - twice[i]) < 1e-6);
    l2r_linear_fit_clear(&fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_scikit_learn), cmocka_unit_test(test_gradient),
                                       cmocka_unit_test(test_weights_and_scale)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
