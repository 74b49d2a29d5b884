/* SPDX-License-Identifier: MIT
 * Two sets of random features in double: the definition, both forms, the polarised shared forms, and central
 * differences. */
#include "separate_features.h"

static void test_forms_agree(void **state)
{
    (void)state;
    forms_agree(1e-9);
}

static void test_copy_is_shared(void **state)
{
    (void)state;
    copy_is_shared(L2R_FORM_FEATURE, 1e-12);
    copy_is_shared(L2R_FORM_SAMPLE, 1e-10);
}

/* Ordered pair by ordered pair. */
static void check_definition(bool scaled)
{
    struct problem p;
    struct l2r_arena arena;
    struct l2r_dependence dep;
    double sum = 0;
    draw(&p, 20, 4, 2, 9);
    p.options.scaled = scaled;
    open_problem(&dep, &arena, &p, L2R_FORM_AUTO);
    for (int64_t i = 0; i < dep.columns; i++)
        for (int64_t j = 0; j < dep.columns; j++) {
            if (p.cluster[dep.variable[i / 3]] == p.cluster[dep.variable[j / 3]]) continue;
            double mean_i = 0, mean_j = 0, product = 0;
            const l2r_real *x = dep.u + i * dep.stride, *y = dep.u_other + j * dep.stride;
            for (int64_t n = 0; n < 20; n++) mean_i += p.w[n] * x[n] / 20, mean_j += p.w[n] * y[n] / 20;
            for (int64_t n = 0; n < 20; n++)
                product += scaled ? (p.w[n] * x[n] - mean_i) * (p.w[n] * y[n] - mean_j) / 19
                                  : p.w[n] * (x[n] - mean_i) * (y[n] - mean_j) / 19;
            sum += 0.5 * product * product;
        }
    expect_near(l2r_dependence_value(&dep, NULL, p.w), sum, 1e-12, 1e-10);
    l2r_arena_clear(&arena);
}

static void test_definition(void **state)
{
    (void)state;
    check_definition(false);
    check_definition(true);
}

static double slope(struct problem *p, double *x, enum l2r_dependence_form form)
{
    const double h = 1e-5, kept = *x;
    *x = kept + h;
    double up = value_of(p, form, NULL, NULL);
    *x = kept - h;
    double down = value_of(p, form, NULL, NULL);
    *x = kept;
    return (up - down) / (2 * h);
}

static void test_numeric_gradients(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; kind++)
        for (int unbiased = 0; unbiased < 2; unbiased++) {
            struct problem p;
            double gradient[MOST], d_z[MOST * MOST];
            draw(&p, 24, 6, 2, 4);
            p.options.pairs = (enum l2r_pairs)(kind % 3);
            p.options.scaled = kind >= 3;
            p.options.unbiased = unbiased;
            value_of(&p, L2R_FORM_SAMPLE, gradient, d_z);
            for (int64_t n = 0; n < p.rows; n++)
                expect_near(gradient[n], slope(&p, &p.w[n], L2R_FORM_SAMPLE), largest(gradient, p.rows), 1e-7);
            for (int64_t i = 0; !unbiased && i < p.rows * p.d; i++)
                expect_near(d_z[i], slope(&p, &p.z[i], L2R_FORM_FEATURE), largest(d_z, p.rows * p.d), 1e-6);
        }
}

static void test_ends(void **state)
{
    (void)state;
    struct problem p;
    double gradient[MOST];
    draw(&p, 30, 6, 1, 2); /* one cluster: nothing to decorrelate */
    assert_true(fabs(value_of(&p, L2R_FORM_SAMPLE, gradient, NULL)) < 1e-12);
    assert_true(largest(gradient, 30) < 1e-12);
    draw(&p, 30, 6, 6, 2);
    p.options.pairs = L2R_PAIRS_ALL;
    double all = value_of(&p, L2R_FORM_SAMPLE, NULL, NULL);
    for (int64_t n = 0; n < 30; n++) p.z[n * 6 + 2] = 5; /* a constant column is left out, in both sets */
    double without = value_of(&p, L2R_FORM_SAMPLE, NULL, NULL);
    assert_true(without > 0 && without < all);
    expect_near(without, value_of(&p, L2R_FORM_FEATURE, NULL, NULL), 0, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms_agree), cmocka_unit_test(test_copy_is_shared),
                                       cmocka_unit_test(test_definition), cmocka_unit_test(test_numeric_gradients),
                                       cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
