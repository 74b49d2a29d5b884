/* SPDX-License-Identifier: MIT
 *
 * Every registered activation, number by number in double: its derivative is the slope of its values, it works in
 * place, what is not a number stays so, and the operations that use it (alone, with batch norm and dropout, after a
 * linear layer) have the numeric gradient. Names are those of the files, found by l2r_activation_find.
 */
#include "nn/layers.h"
#include "unit/autograd/gradient.h"

enum { POINTS = 41 };

static const struct l2r_activation *act;

static void derivative_is_slope(void **state)
{
    (void)state;
    const double h = 1e-6;
    for (size_t a = 0; (act = l2r_activations[a]); a++)
        for (int i = 0; i < POINTS; i++) {
            double at = 0.317 * (i - POINTS / 2) + 0.05, below, above, d = 2;
            act->forward(&below, (double[]){at - h}, 1);
            act->forward(&above, (double[]){at + h}, 1);
            act->backward(&d, &at, 1);
            double slope = 2 * (above - below) / (2 * h);
            if (fabs(slope - d) > 1e-7 * fmax(1, fabs(d)))
                fail_msg("%s at %g: derivative %.12g, slope %.12g", act->name, at, d / 2, slope / 2);
        }
}

static void works_in_place(void **state)
{
    (void)state;
    for (size_t a = 0; (act = l2r_activations[a]); a++) {
        double x[] = {-700, -1.5, 0, 0.25, 700, NAN}, y[6];
        act->forward(y, x, 6);
        act->forward(x, x, 6);
        assert_memory_equal(x, y, sizeof x);
        for (int i = 0; i < 5; i++) assert_true(isfinite(y[i]));
        assert_true(isnan(y[5]));
        assert_ptr_equal(l2r_activation_find(act->name), act);
        assert_non_null(act->equation);
    }
    assert_ptr_equal(l2r_activation_find(NULL), L2R_RELU);
}

static l2r_node alone(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_add(t, l2r_activate(t, x[0], act, 0.3), l2r_activate(t, x[0], act, 0));
}
static l2r_node with_norm(struct l2r_tape *t, const l2r_node *x)
{
    static double mean[21], variance[21];
    const struct l2r_norm_state norm = {mean, variance, 0.1, 1e-5};
    return l2r_batch_norm(t, x[0], x[1], x[2], &norm, act, 0.4);
}
static l2r_node after_linear(struct l2r_tape *t, const l2r_node *x)
{
    return l2r_linear_op(t, x[0], x[1], x[2], act);
}

static void operations_have_its_gradient(void **state)
{
    (void)state;
    for (size_t a = 0; (act = l2r_activations[a]); a++) {
        check_shapes(alone, SHAPES({6, 7}), 1, false, 3);
        check_shapes(with_norm, SHAPES({9, 21}, {1, 21}, {1, 21}), 3, false, 3);
        check_shapes(after_linear, SHAPES({6, 4}, {5, 4}, {1, 5}), 3, false, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivative_is_slope), cmocka_unit_test(works_in_place),
                                       cmocka_unit_test(operations_have_its_gradient)};
    return cmocka_run_group_tests_name("activations", tests, NULL, NULL);
}
