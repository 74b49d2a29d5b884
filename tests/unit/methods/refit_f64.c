/* SPDX-License-Identifier: MIT
 * The penalty on a head that is refitted: value, and gradient against central differences. */
#include "methods/refit/refit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { BACKBONE = 3, HEAD = 6 };

static double value[BACKBONE + HEAD] = {9, 9, 9, 0.5, -1, 2, -0.25, 3, 1}, grad[BACKBONE + HEAD];
static double anchor[HEAD] = {0.25, -1, 1, 0.75, 2, -1};
static struct l2r_param backbone = {.rows = 1, .cols = 3, .trainable = true, .value = value, .grad = grad};
static struct l2r_param weight = {.rows = 2, .cols = 2, .trainable = true, .value = value + 3, .grad = grad + 3};
static struct l2r_param bias = {.rows = 1, .cols = 2, .trainable = true, .value = value + 7, .grad = grad + 7};

static double evaluate(double lambda2, double lambda1)
{
    struct l2r_param *items[] = {&backbone, &weight, &bias};
    struct l2r_network network = {.params = {.items = items, .count = 3, .value = value, .grad = grad}};
    struct l2r_refit refit = {.phase = 1, .anchor = anchor, .n_anchor = HEAD, .first = BACKBONE};
    struct l2r_tape tape;
    struct l2r_step step = {.network = &network, .tape = &tape};
    l2r_tape_init(&tape);
    l2r_tape_mode_train(&tape, 0, 0);
    for (int i = 0; i < BACKBONE + HEAD; i++) grad[i] = 0;
    l2r_node node = l2r_refit_penalty(&refit, &step, lambda2, lambda1);
    double found = l2r_value_of(&tape, node)->data[0];
    l2r_tape_backward(&tape, node);
    assert_int_equal(tape.status, L2R_OK);
    refit.phase = 0;
    assert_int_equal(l2r_refit_penalty(&refit, &step, lambda2, lambda1).id, -1);
    l2r_tape_clear(&tape);
    return found;
}

static void test_penalty(void **state)
{
    (void)state;
    double wanted = 0, slopes[BACKBONE + HEAD];
    for (int i = 0; i < HEAD; i++) {
        double v = value[BACKBONE + i], away = v - anchor[i];
        wanted += 0.3 * away * away + 0.7 * fabs(v);
    }
    assert_true(fabs(evaluate(0.3, 0.7) - wanted) < 1e-12);
    for (int i = 0; i < BACKBONE + HEAD; i++) slopes[i] = grad[i];
    for (int i = 0; i < BACKBONE + HEAD; i++) {
        const double h = 1e-6, at = value[i];
        value[i] = at + h;
        double above = evaluate(0.3, 0.7);
        value[i] = at - h;
        double below = evaluate(0.3, 0.7);
        value[i] = at;
        assert_true(fabs((above - below) / (2 * h) - slopes[i]) < 1e-7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_penalty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
