/* SPDX-License-Identifier: MIT
 *
 * Two sets of random features (--rff separate): a small problem, its dependence in either form, and the checks that
 * hold in float and in double with tolerances of their own.
 */
#ifndef L2R_TESTS_SEPARATE_FEATURES_H
#define L2R_TESTS_SEPARATE_FEATURES_H

#include "base/threads.h"
#include "reweight/dependence.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 64 };

struct problem {
    int64_t rows, d;
    int32_t clusters, cluster[MOST];
    l2r_real z[MOST * MOST];
    double w[MOST];
    struct l2r_dependence_options options;
};

static inline void draw(struct problem *p, int64_t rows, int64_t d, int32_t clusters, uint64_t seed)
{
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_TEST, 0);
    double sum = 0;
    *p = (struct problem){
        .rows = rows, .d = d, .clusters = clusters, .options = {.n_f = 3, .separate = true, .expected_steps = 1}};
    for (int64_t n = 0; n < rows; n++) {
        double common = l2r_rng_normal(&rng); /* what the variables share */
        for (int64_t i = 0; i < d; i++)
            p->z[n * d + i] = (l2r_real)(0.7 * common + 3 * l2r_rng_normal(&rng) + (double)i);
        sum += p->w[n] = exp(0.5 * l2r_rng_normal(&rng));
    }
    for (int64_t n = 0; n < rows; n++) p->w[n] *= (double)rows / sum;
    for (int64_t i = 0; i < d; i++) p->cluster[i] = (int32_t)l2r_rng_below(&rng, (uint64_t)clusters);
}

static inline void open_problem(struct l2r_dependence *dep, struct l2r_arena *arena, struct problem *p,
                                enum l2r_dependence_form form)
{
    struct l2r_error error;
    struct l2r_rng rng = l2r_rng_at(3, L2R_RANDOM_FOURIER, 5);
    l2r_arena_init(arena);
    p->options.form = form;
    assert_int_equal(
        l2r_dependence_init(dep, arena, p->z, p->cluster, p->clusters, p->rows, p->d, &p->options, &rng, &error),
        L2R_OK);
}

static inline double value_of(struct problem *p, enum l2r_dependence_form form, double *gradient, l2r_real *d_z)
{
    struct l2r_arena arena;
    struct l2r_dependence dep;
    open_problem(&dep, &arena, p, form);
    double value = l2r_dependence_value(&dep, gradient, p->w);
    if (d_z) assert_true(l2r_dependence_gradient_z(&dep, d_z, p->w));
    l2r_arena_clear(&arena);
    return value;
}

static inline void expect_near(double a, double b, double scale, double tolerance)
{
    if (!(fabs(a - b) <= tolerance * fmax(fabs(b), scale))) fail_msg("%.15g, expected %.15g", a, b);
}

static inline double largest(const double *x, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* Feature space and sample space, value and gradient, for every kind of pairs. */
static inline void forms_agree(double tolerance)
{
    static const int64_t shapes[][3] = {{40, 7, 3}, {17, 12, 4}, {64, 2, 2}, {33, 9, 9}, {8, 30, 5}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int kind = 0; kind < 6; kind++) {
            struct problem p;
            double sample[MOST], feature[MOST];
            draw(&p, shapes[s][0], shapes[s][1], (int32_t)shapes[s][2], s);
            p.options.scaled = kind >= 3;
            p.options.pairs = L2R_PAIRS_ALL;
            double all = value_of(&p, L2R_FORM_FEATURE, NULL, NULL); /* the scale of a sum that may have no pair */
            assert_true(all > 0);
            p.options.pairs = (enum l2r_pairs)(kind % 3);
            double a = value_of(&p, L2R_FORM_SAMPLE, sample, NULL), b = value_of(&p, L2R_FORM_FEATURE, feature, NULL);
            expect_near(a, b, all, tolerance);
            for (int64_t n = 0; n < p.rows; n++)
                expect_near(sample[n], feature[n], fmax(all / (double)p.rows, largest(feature, p.rows)), tolerance);
        }
}

/* The second set a copy of the first: the dependence of the shared features, value and gradients. */
static inline void copy_is_shared(enum l2r_dependence_form form, double tolerance)
{
    struct problem p;
    struct l2r_arena arena;
    struct l2r_dependence dep;
    double shared[MOST], separate[MOST];
    static l2r_real d_shared[MOST * MOST], d_separate[MOST * MOST];
    draw(&p, 30, 8, 3, 11);
    p.options.separate = false;
    double expected = value_of(&p, form, shared, d_shared);
    p.options.separate = true;
    open_problem(&dep, &arena, &p, form);
    double own = l2r_dependence_value(&dep, NULL, p.w);
    assert_true(fabs(own - expected) > 0.01 * expected); /* the sets do differ before */
    size_t size = (size_t)(dep.columns * dep.stride) * sizeof *dep.u, row = (size_t)dep.columns * sizeof *dep.u;
    memcpy(dep.u_other, dep.u, size);
    memcpy(dep.omega_other, dep.omega, row);
    memcpy(dep.phase_other, dep.phase, row);
    if (form == L2R_FORM_SAMPLE) assert_true(l2r_separate_form_init(&dep)); /* A is built there */
    expect_near(l2r_dependence_value(&dep, separate, p.w), expected, 0, tolerance);
    for (int64_t n = 0; n < p.rows; n++) expect_near(separate[n], shared[n], largest(shared, p.rows), tolerance);
    assert_true(l2r_dependence_gradient_z(&dep, d_separate, p.w));
    for (int64_t i = 0; i < p.rows * p.d; i++)
        expect_near((double)d_separate[i], (double)d_shared[i], 1e-3 * expected, 10 * tolerance);
    l2r_arena_clear(&arena);
}

#endif
