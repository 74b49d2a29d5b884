/* SPDX-License-Identifier: MIT
 * Feature space and sample space agree in value and gradient, and both with central differences. */
#include "reweight/dependence.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST = 64 };

struct problem {
    int64_t rows, d;
    int32_t clusters, cluster[MOST];
    double z[MOST * MOST], w[MOST], importance[MOST]; /* of variables, when options.importance points to it */
    struct l2r_dependence_options options;
};

static void draw(struct problem *p, int64_t rows, int64_t d, int32_t clusters, uint64_t seed)
{
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_TEST, 0);
    double sum = 0;
    *p = (struct problem){.rows = rows, .d = d, .clusters = clusters, .options = {.n_f = 3, .expected_steps = 1}};
    for (int64_t n = 0; n < rows; n++) {
        double common = l2r_rng_normal(&rng); /* what the variables share */
        for (int64_t i = 0; i < d; i++) p->z[n * d + i] = 0.7 * common + 3 * l2r_rng_normal(&rng) + (double)i;
        sum += p->w[n] = exp(0.5 * l2r_rng_normal(&rng));
    }
    for (int64_t n = 0; n < rows; n++) p->w[n] *= (double)rows / sum;
    for (int64_t i = 0; i < d; i++) p->cluster[i] = (int32_t)l2r_rng_below(&rng, (uint64_t)clusters);
    for (int64_t i = 0; i < d; i++) p->importance[i] = 0.2 + l2r_rng_uniform(&rng);
}

static double value_of(struct problem *p, enum l2r_dependence_form form, double *gradient, double *d_z)
{
    struct l2r_arena arena;
    struct l2r_dependence dep;
    struct l2r_error error;
    struct l2r_rng rng = l2r_rng_at(3, L2R_RANDOM_FOURIER, 5);
    l2r_arena_init(&arena);
    p->options.form = form;
    assert_int_equal(
        l2r_dependence_init(&dep, &arena, p->z, p->cluster, p->clusters, p->rows, p->d, &p->options, &rng, &error),
        L2R_OK);
    double value = l2r_dependence_value(&dep, gradient, p->w);
    if (d_z) assert_true(l2r_dependence_gradient_z(&dep, d_z, p->w));
    l2r_arena_clear(&arena);
    return value;
}

static void expect_near(double a, double b, double scale, double tolerance)
{
    if (!(fabs(a - b) <= tolerance * fmax(fabs(b), scale))) fail_msg("%.15g, expected %.15g", a, b);
}

static double largest(const double *x, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void test_forms_agree(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{40, 7, 3}, {17, 12, 4}, {64, 2, 2}, {33, 9, 9}, {8, 30, 5}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int kind = 0; kind < 12; kind++) {
            struct problem p;
            double sample[MOST], feature[MOST];
            draw(&p, shapes[s][0], shapes[s][1], (int32_t)shapes[s][2], s);
            p.options.pairs = (enum l2r_pairs)(kind % 3);
            p.options.scaled = kind / 3 % 2;
            if (kind >= 6) p.options.importance = p.importance;
            double a = value_of(&p, L2R_FORM_SAMPLE, sample, NULL), b = value_of(&p, L2R_FORM_FEATURE, feature, NULL);
            expect_near(a, b, 1e-6, 1e-9);
            for (int64_t n = 0; n < p.rows; n++)
                expect_near(sample[n], feature[n], fmax(1e-6, largest(feature, p.rows)), 1e-9);
            if (p.options.pairs == L2R_PAIRS_ALL) assert_true(b > 0);
        }
}

/* Covariance of two columns: of x and y under the weights, or of w∘x and w∘y. */
static double covariance(const double *x, const double *y, const double *w, bool scaled, int64_t rows)
{
    double mean_x = 0, mean_y = 0, product = 0, r = (double)rows;
    for (int64_t n = 0; n < rows; n++) mean_x += w[n] * x[n] / r, mean_y += w[n] * y[n] / r;
    for (int64_t n = 0; n < rows; n++)
        product += scaled ? (w[n] * x[n] - mean_x) * (w[n] * y[n] - mean_y) : w[n] * (x[n] - mean_x) * (y[n] - mean_y);
    return product / (r - 1);
}

/* The definition itself, pair by pair. */
static void check_definition(bool scaled)
{
    struct problem p;
    draw(&p, 20, 4, 2, 9);
    p.options.pairs = L2R_PAIRS_ACROSS;
    p.options.scaled = scaled;
    struct l2r_arena arena;
    struct l2r_dependence dep;
    struct l2r_error error;
    struct l2r_rng rng = l2r_rng_at(3, L2R_RANDOM_FOURIER, 5);
    l2r_arena_init(&arena);
    assert_int_equal(
        l2r_dependence_init(&dep, &arena, p.z, p.cluster, p.clusters, p.rows, p.d, &p.options, &rng, &error), L2R_OK);
    double sum = 0;
    for (int64_t i = 0; i < dep.columns; i++)
        for (int64_t j = 0; j < i; j++) {
            if (p.cluster[dep.variable[i / 3]] == p.cluster[dep.variable[j / 3]]) continue;
            double c = covariance(dep.u + i * dep.stride, dep.u + j * dep.stride, p.w, scaled, p.rows);
            sum += c * c;
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

/* Equal weights: the two covariances are one. */
static void test_equal_weights(void **state)
{
    (void)state;
    struct problem p;
    draw(&p, 30, 6, 3, 7);
    for (int64_t n = 0; n < p.rows; n++) p.w[n] = 1;
    double weighted = value_of(&p, L2R_FORM_SAMPLE, NULL, NULL);
    p.options.scaled = true;
    expect_near(weighted, value_of(&p, L2R_FORM_SAMPLE, NULL, NULL), 0, 1e-12);
}

static void test_numeric_gradients(void **state)
{
    (void)state;
    for (int kind = 0; kind < 12; kind++) {
        struct problem p;
        double gradient[MOST], d_z[MOST * MOST];
        const double h = 1e-6;
        draw(&p, 24, 6, 2, 4);
        p.options.pairs = (enum l2r_pairs)(kind % 3);
        p.options.scaled = kind / 3 % 2;
        if (kind >= 6) p.options.importance = p.importance;
        value_of(&p, L2R_FORM_SAMPLE, gradient, d_z);
        for (int64_t n = 0; n < p.rows; n++) {
            double kept = p.w[n];
            p.w[n] = kept + h;
            double up = value_of(&p, L2R_FORM_SAMPLE, NULL, NULL);
            p.w[n] = kept - h;
            double down = value_of(&p, L2R_FORM_SAMPLE, NULL, NULL);
            p.w[n] = kept;
            expect_near(gradient[n], (up - down) / (2 * h), largest(gradient, p.rows), 1e-7);
        }
        for (int64_t i = 0; i < p.rows * p.d; i++) {
            double kept = p.z[i];
            p.z[i] = kept + h;
            double up = value_of(&p, L2R_FORM_FEATURE, NULL, NULL);
            p.z[i] = kept - h;
            double down = value_of(&p, L2R_FORM_FEATURE, NULL, NULL);
            p.z[i] = kept;
            expect_near(d_z[i], (up - down) / (2 * h), largest(d_z, p.rows * p.d), 1e-6);
        }
    }
}

/* A pair counts with (a_i a_j)²: with a common factor f the dependence is f⁴ times as large, and a variable of
 * importance 0 is left out like a constant one. */
static void test_importance(void **state)
{
    (void)state;
    struct problem p;
    draw(&p, 30, 6, 3, 8);
    double plain = value_of(&p, L2R_FORM_SAMPLE, NULL, NULL);
    p.options.importance = p.importance;
    for (int i = 0; i < 6; i++) p.importance[i] = 2;
    expect_near(value_of(&p, L2R_FORM_SAMPLE, NULL, NULL), 16 * plain, 0, 1e-12);
    for (int i = 0; i < 6; i++) p.importance[i] = i != 4;
    double without = value_of(&p, L2R_FORM_SAMPLE, NULL, NULL);
    p.options.importance = NULL;
    for (int64_t n = 0; n < 30; n++) p.z[n * 6 + 4] = 1;
    expect_near(without, value_of(&p, L2R_FORM_SAMPLE, NULL, NULL), 0, 1e-12);
}

static void test_ends(void **state)
{
    (void)state;
    struct problem p;
    double gradient[MOST];
    draw(&p, 30, 6, 1, 2);
    p.options.pairs = L2R_PAIRS_ACROSS; /* one cluster: nothing to decorrelate */
    assert_true(fabs(value_of(&p, L2R_FORM_SAMPLE, gradient, NULL)) < 1e-12);
    assert_true(largest(gradient, 30) < 1e-12);
    /* Every variable its own cluster: across is all. */
    draw(&p, 30, 6, 6, 2);
    for (int32_t i = 0; i < 6; i++) p.cluster[i] = i;
    double across = value_of(&p, L2R_FORM_SAMPLE, NULL, NULL);
    p.options.pairs = L2R_PAIRS_ALL;
    expect_near(across, value_of(&p, L2R_FORM_SAMPLE, NULL, NULL), 0, 1e-12);
    /* A constant column is left out. */
    for (int64_t n = 0; n < 30; n++) p.z[n * 6 + 2] = 5;
    double without = value_of(&p, L2R_FORM_SAMPLE, NULL, NULL);
    assert_true(without > 0 && without < across);
    expect_near(without, value_of(&p, L2R_FORM_FEATURE, NULL, NULL), 0, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms_agree),   cmocka_unit_test(test_definition),
        cmocka_unit_test(test_equal_weights), cmocka_unit_test(test_numeric_gradients),
        cmocka_unit_test(test_ends),          cmocka_unit_test(test_importance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
