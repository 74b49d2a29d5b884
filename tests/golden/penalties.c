/* SPDX-License-Identifier: MIT
 *
 * Penalties over environments against PyTorch: golden/penalties.json, written by export_penalties.py, holds rows, their
 * environments and labels, the value and its gradient. penalties_f64.c builds this file once more in double, and then
 * central differences are taken, too.
 */
#include "methods/groups/groups.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 128, FEWEST_CASES = 10, IS_DOUBLE = sizeof(l2r_real) == 8 };

static const double tolerance = IS_DOUBLE ? 1e-11 : 1e-5;

static double number(const json_t *list, size_t i)
{
    const json_t *value = json_array_get(list, i);
    return json_is_null(value) ? (double)NAN : json_number_value(value);
}

static size_t numbers(double out[MOST], const json_t *test, const char *key)
{
    const json_t *list = json_object_get(test, key);
    assert_in_range(json_array_size(list), 0, MOST);
    for (size_t i = 0; i < json_array_size(list); i++) out[i] = number(list, i);
    return json_array_size(list);
}

static l2r_penalty_fn *penalty_of(const json_t *test)
{
    const char *name = json_string_value(json_object_get(test, "name"));
    if (strcmp(name, "irm") == 0) return l2r_penalty_irm;
    return strcmp(name, "vrex") == 0 ? l2r_penalty_vrex : l2r_penalty_coral;
}

static enum l2r_task task_of(const json_t *test)
{
    const char *name = json_string_value(json_object_get(test, "task"));
    if (strcmp(name, "binary") == 0) return L2R_TASK_BINARY;
    return strcmp(name, "regression") == 0 ? L2R_TASK_REGRESSION : L2R_TASK_MULTICLASS;
}

struct problem {
    int64_t rows, cols;
    l2r_real x[MOST], weight[MOST];
    float labels[MOST];
    int32_t group[MOST];
    double mean[MOST], sd[MOST];
    struct l2r_network network;
    l2r_penalty_fn *penalty;
};

static void read_problem(struct problem *p, const json_t *test)
{
    double list[MOST];
    *p = (struct problem){.rows = json_integer_value(json_object_get(test, "rows")),
                          .cols = json_integer_value(json_object_get(test, "cols")),
                          .penalty = penalty_of(test)};
    size_t n = numbers(list, test, "x");
    assert_int_equal(n, p->rows * p->cols);
    for (size_t i = 0; i < n; i++) p->x[i] = (l2r_real)list[i];
    n = numbers(list, test, "labels");
    for (size_t i = 0; i < n; i++) p->labels[i] = (float)list[i];
    n = numbers(list, test, "group");
    for (size_t i = 0; i < n; i++) p->group[i] = (int32_t)list[i];
    n = numbers(list, test, "class_weight");
    for (size_t i = 0; i < n; i++) p->weight[i] = (l2r_real)list[i];
    if (n > 0) p->network.class_weight = p->weight;
    numbers(p->mean, test, "mean");
    numbers(p->sd, test, "sd");
    p->network.signature.task = task_of(test);
    p->network.signature.target.mean = p->mean;
    p->network.signature.target.sd = p->sd;
}

static double evaluate(l2r_real *gradient, struct problem *p)
{
    struct l2r_tape tape;
    struct l2r_rows_known rows = {.group = p->group, .n_groups = 3, .labels = p->labels, .network = &p->network};
    l2r_tape_init(&tape);
    memset(gradient, 0, MOST * sizeof *gradient);
    double value = p->penalty(gradient, &tape, p->x, p->rows, p->cols, &rows);
    assert_int_equal(tape.status, L2R_OK);
    l2r_tape_clear(&tape);
    return value;
}

static void check(const json_t *test)
{
    const char *name = json_string_value(json_object_get(test, "case"));
    static struct problem p;
    double wanted[MOST], expected = json_number_value(json_object_get(test, "value")), largest = 0;
    l2r_real gradient[MOST], ignored[MOST];
    read_problem(&p, test);
    size_t n = numbers(wanted, test, "gradient");
    double value = evaluate(gradient, &p);
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(wanted[i]));
    if (!(fabs(value - expected) <= tolerance * fmax(expected, 1e-3)))
        fail_msg("%s: %.15g, expected %.15g", name, value, expected);
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)gradient[i] - wanted[i]) <= tolerance * fmax(largest, 1e-3)))
            fail_msg("%s: gradient %zu is %.15g, expected %.15g", name, i, (double)gradient[i], wanted[i]);
    for (size_t i = 0; IS_DOUBLE && i < n; i++) {
        const double h = 1e-5, at = (double)p.x[i];
        p.x[i] = (l2r_real)(at + h);
        double above = evaluate(ignored, &p);
        p.x[i] = (l2r_real)(at - h);
        double slope = (above - evaluate(ignored, &p)) / (2 * h);
        p.x[i] = (l2r_real)at;
        if (!(fabs(slope - (double)gradient[i]) <= 1e-7 * fmax(largest, 1)))
            fail_msg("%s: gradient %zu is %.12g, central differences say %.12g", name, i, (double)gradient[i], slope);
    }
}

static void test_agree_with_torch(void **state)
{
    (void)state;
    json_t *root = json_load_file(L2R_TEST_DIR "/golden/penalties.json", 0, NULL), *test;
    size_t i;
    assert_true(json_array_size(root) >= FEWEST_CASES);
    json_array_foreach(root, i, test) check(test);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_agree_with_torch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
