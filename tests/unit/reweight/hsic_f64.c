/* SPDX-License-Identifier: MIT
 * Weighted HSIC: the definition tr(K H L H), weights as factors of the features, slopes by central differences, and its
 * ends. */
#include "base/rng.h"
#include "base/threads.h"
#include "reweight/hsic.h"
#include "reweight/weights.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_ROWS = 40, MOST_WIDTH = 24 };

struct problem {
    int64_t rows, blocks, dim;
    double z[MOST_ROWS * MOST_WIDTH], w[MOST_ROWS];
    struct l2r_hsic_options options;
    struct l2r_arena arena;
    struct l2r_hsic hsic;
};

static void draw(struct problem *p, int64_t rows, int64_t blocks, int64_t dim, double sigma)
{
    struct l2r_rng rng = l2r_rng_at(5, L2R_RANDOM_TEST, (uint64_t)(rows + blocks));
    double sum = 0;
    *p = (struct problem){.rows = rows, .blocks = blocks, .dim = dim, .options = {.sigma = sigma}};
    for (int64_t n = 0; n < rows; n++) {
        double common = l2r_rng_normal(&rng); /* what the blocks share */
        for (int64_t i = 0; i < blocks * dim; i++)
            p->z[n * blocks * dim + i] = common + l2r_rng_normal(&rng) + (double)i;
        sum += p->w[n] = exp(0.5 * l2r_rng_normal(&rng));
    }
    for (int64_t n = 0; n < rows; n++) p->w[n] *= (double)rows / sum;
}

static double value_of(struct problem *p, double *gradient)
{
    struct l2r_error error;
    l2r_arena_init(&p->arena);
    assert_int_equal(l2r_hsic_init(&p->hsic, &p->arena, p->z, p->rows, p->blocks, p->dim, &p->options, &error), L2R_OK);
    double value = l2r_hsic_value(&p->hsic, gradient, p->w);
    return value;
}

static void expect_near(double found, double wanted, double scale)
{
    if (!(fabs(found - wanted) <= 1e-9 * fmax(fabs(wanted), scale))) fail_msg("%.15g, expected %.15g", found, wanted);
}

/* tr(K P L P) of two kernel matrices; scaled: of D K D and D L D with P = H. */
static double trace_of(const double *k, const double *l, const double *w, bool scaled, int64_t rows)
{
    int64_t stride = l2r_kernel_stride(rows);
    double sum = 0;
    for (int64_t a = 0; a < rows; a++)
        for (int64_t b = 0; b < rows; b++)
            for (int64_t c = 0; c < rows; c++)
                for (int64_t d = 0; d < rows; d++) {
                    double first = (b == c) - 1.0 / (double)rows, second = (d == a) - 1.0 / (double)rows;
                    double factor = scaled ? w[a] * w[b] * w[c] * w[d] : 1;
                    if (!scaled) first = (b == c) * w[b] - w[b] * w[c] / (double)rows;
                    if (!scaled) second = (d == a) * w[a] - w[a] * w[d] / (double)rows;
                    sum += factor * k[a * stride + b] * first * l[c * stride + d] * second;
                }
    return sum;
}

static void test_definition(void **state)
{
    (void)state;
    static const int64_t rows[] = {9, 12, 14};
    for (int kind = 0; kind < 3; kind++)
        for (size_t i = 0; i < 3; i++) {
            struct problem p;
            double sum = 0;
            draw(&p, rows[i], 3, 4, i == 1 ? 1 : 0);
            p.options.scaled = kind == 2;
            for (int64_t n = 0; kind == 0 && n < p.rows; n++) p.w[n] = 1;
            double value = value_of(&p, NULL);
            for (int64_t k = 0; k < 3; k++)
                for (int64_t l = 0; l < k; l++)
                    sum += trace_of(p.hsic.matrices.kernel[k], p.hsic.matrices.kernel[l], p.w, kind == 2, p.rows);
            expect_near(value, sum / (double)((p.rows - 1) * (p.rows - 1)), 0);
            l2r_arena_clear(&p.arena);
        }
}

/* The kernel matrix itself, with the median found by sorting. */
static void test_kernel(void **state)
{
    (void)state;
    enum { ROWS = 11, DIM = 3, PAIRS = ROWS * (ROWS - 1) / 2 };
    struct problem p;
    double square[ROWS][ROWS] = {{0}}, sorted[PAIRS];
    int count = 0;
    draw(&p, ROWS, 2, DIM, 0);
    value_of(&p, NULL);
    for (int j = 0; j < DIM; j++) {
        double mean = 0, variance = 0;
        for (int n = 0; n < ROWS; n++) mean += p.z[n * 2 * DIM + j] / ROWS;
        for (int n = 0; n < ROWS; n++) variance += pow(p.z[n * 2 * DIM + j] - mean, 2) / ROWS;
        for (int n = 0; n < ROWS; n++)
            for (int m = 0; m < ROWS; m++)
                square[n][m] += pow(p.z[n * 2 * DIM + j] - p.z[m * 2 * DIM + j], 2) / variance / DIM;
    }
    for (int n = 0; n < ROWS; n++)
        for (int m = 0; m < n; m++) {
            int at = count++;
            for (; at > 0 && sorted[at - 1] > square[n][m]; at--) sorted[at] = sorted[at - 1];
            sorted[at] = square[n][m];
        }
    for (int n = 0; n < ROWS; n++)
        for (int m = 0; m < ROWS; m++)
            expect_near(p.hsic.matrices.kernel[0][n * l2r_kernel_stride(ROWS) + m],
                        exp(-square[n][m] / (2 * sorted[(PAIRS - 1) / 2])), 0);
    l2r_arena_clear(&p.arena);
}

static void test_numeric_gradient(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (int64_t rows = 17; rows <= 20; rows++) { /* rows that fill the vectors, and rows that do not */
            struct problem p;
            double gradient[MOST_ROWS], largest = 0;
            const double h = 1e-6;
            draw(&p, rows, 4, 5, rows == 18 ? 0.7 : 0);
            p.options.scaled = kind;
            value_of(&p, gradient);
            for (int64_t n = 0; n < rows; n++) largest = fmax(largest, fabs(gradient[n]));
            assert_true(largest > 1e-6);
            for (int64_t n = 0; n < rows; n++) {
                double kept = p.w[n];
                p.w[n] = kept + h;
                double up = l2r_hsic_value(&p.hsic, NULL, p.w);
                p.w[n] = kept - h;
                double down = l2r_hsic_value(&p.hsic, NULL, p.w);
                p.w[n] = kept;
                if (fabs((up - down) / (2 * h) - gradient[n]) > 1e-7 * largest)
                    fail_msg("row %d: slope %.12g, gradient %.12g", (int)n, (up - down) / (2 * h), gradient[n]);
            }
            l2r_arena_clear(&p.arena);
        }
}

static void test_ends(void **state)
{
    (void)state;
    struct problem p;
    double gradient[MOST_ROWS];
    draw(&p, 20, 1, 6, 0); /* one block has nothing to depend on */
    assert_true(fabs(value_of(&p, gradient)) < 1e-15);
    for (int n = 0; n < 20; n++) assert_true(fabs(gradient[n]) < 1e-15);
    l2r_arena_clear(&p.arena);
    /* A constant block is left out, whatever the weights: three blocks are then worth two. */
    draw(&p, 20, 3, 2, 0);
    for (int n = 0; n < 20; n++) p.z[n * 6 + 2] = 5, p.z[n * 6 + 3] = -1;
    double three = value_of(&p, NULL);
    assert_int_equal(p.hsic.matrices.count, 2);
    l2r_arena_clear(&p.arena);
    for (int n = 0; n < 20; n++) {
        double row[] = {p.z[n * 6], p.z[n * 6 + 1], p.z[n * 6 + 4], p.z[n * 6 + 5]};
        memmove(p.z + n * 4, row, sizeof row);
    }
    p.blocks = 2;
    expect_near(three, value_of(&p, NULL), 0);
    l2r_arena_clear(&p.arena);
    /* Most rows alike: the median distance is 0, the mean takes its place. */
    draw(&p, 20, 2, 2, 0);
    for (int i = 0; i < 17 * 4; i++) p.z[i] = 1;
    assert_true(isfinite(value_of(&p, gradient)));
    for (int n = 0; n < 20; n++) assert_true(isfinite(gradient[n]));
    l2r_arena_clear(&p.arena);
    draw(&p, 1, 2, 2, 0);
    assert_true(value_of(&p, gradient) == 0);
    l2r_arena_clear(&p.arena);
}

static void test_threads(void **state)
{
    (void)state;
    double gradient[2][MOST_ROWS], value[2];
    for (int threads = 1; threads <= 2; threads++) {
        struct problem p;
        draw(&p, 39, 4, 6, 0);
        l2r_threads_set(threads);
        value[threads - 1] = value_of(&p, gradient[threads - 1]);
        l2r_arena_clear(&p.arena);
    }
    assert_memory_equal(&value[0], &value[1], sizeof value[0]);
    assert_memory_equal(gradient[0], gradient[1], 39 * sizeof(double));
}

/* Two causes that agree in sign for most rows: the rows that break the agreement must gain weight, and the HSIC must
 * fall. */
static void test_weights_find_the_breakers(void **state)
{
    (void)state;
    enum { ROWS = 40 };
    struct problem p = {.rows = ROWS, .blocks = 2, .dim = 3};
    struct l2r_rng rng = l2r_rng_at(4, L2R_RANDOM_TEST, 0);
    struct l2r_inner_options inner = {.steps = 50, .lr = 0.1};
    double sums[2];
    struct l2r_strata one_class = {1, NULL, sums};
    struct l2r_inner_report report;
    double w[ROWS], logits[ROWS] = {0}, scratch[6 * ROWS], with = 0, without = 0;
    for (int n = 0; n < ROWS; n++) {
        double a = n % 2 ? 1 : -1, b = n < 6 ? -a : a;
        for (int i = 0; i < 6; i++) p.z[n * 6 + i] = (i < 3 ? a : b) + 0.3 * l2r_rng_normal(&rng);
        p.w[n] = 1;
    }
    double before = value_of(&p, NULL);
    struct l2r_objective objective = l2r_hsic_objective(&p.hsic);
    assert_int_equal(objective.n_rows, ROWS);
    l2r_learn_weights(w, logits, &report, &objective, NULL, NULL, &one_class, ROWS, &inner, scratch);
    for (int n = 0; n < ROWS; n++) *(n < 6 ? &with : &without) += w[n];
    expect_near(report.before, before, 0);
    assert_true(report.moved && report.after < 0.7 * report.before);
    assert_true(with / 6 > 1.5 * without / (ROWS - 6));
    l2r_arena_clear(&p.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),       cmocka_unit_test(test_kernel),
        cmocka_unit_test(test_numeric_gradient), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_threads),          cmocka_unit_test(test_weights_find_the_breakers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
