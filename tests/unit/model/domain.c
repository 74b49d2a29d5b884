/* SPDX-License-Identifier: MIT
 * Distances by hand and against a plain loop, few rows, calibration, threads. */
#include "model/domain.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/threads.h"
#include "support/messages.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct l2r_error error;

/* Against a plain loop in double precision, with odd sizes. */
static void test_plain_loop(void **state)
{
    (void)state;
    enum { N = 77, D = 21, M = 35 };
    struct l2r_rng rng = l2r_rng_at(7, L2R_RANDOM_TEST, 0);
    float z[N * D], at[M * D], distance[M];
    struct l2r_domain domain;
    for (int i = 0; i < N * D; i++) z[i] = (float)l2r_rng_normal(&rng);
    for (int i = 0; i < M * D; i++) at[i] = (float)(2 * l2r_rng_normal(&rng));
    assert_int_equal(l2r_domain_keep(&domain, z, N, D, &error), L2R_OK);
    l2r_domain_distances(distance, &domain, at, M);
    for (int i = 0; i < M; i++) {
        double each[N], mean = 0;
        for (int r = 0; r < N; r++) {
            each[r] = 0;
            for (int k = 0; k < D; k++) each[r] += pow((double)at[i * D + k] - (double)z[r * D + k], 2);
        }
        for (int k = 0; k < L2R_DOMAIN_NEAREST; k++) {
            int best = 0;
            for (int r = 1; r < N; r++)
                if (each[r] < each[best]) best = r;
            mean += sqrt(each[best]) / L2R_DOMAIN_NEAREST;
            each[best] = INFINITY;
        }
        assert_true(fabs((double)distance[i] - mean) < 1e-5 * mean);
    }
    float back[N * D];
    l2r_domain_rows(back, &domain);
    assert_memory_equal(back, z, sizeof z);
    l2r_domain_clear(&domain);
}

/* On a line at 0, 1, 2, … every inner point has neighbours at 1, 1 and 2: s = 4/3. */
static void test_scale(void **state)
{
    (void)state;
    enum { N = 101 };
    float z[N], at[] = {50, 100 + 4, -40}, distance[3];
    struct l2r_domain domain;
    for (int i = 0; i < N; i++) z[i] = (float)i;
    assert_int_equal(l2r_domain_keep(&domain, z, N, 1, &error), L2R_OK);
    assert_int_equal(l2r_domain_measure(&domain, &error), L2R_OK);
    assert_true(fabs(domain.scale - 4.0 / 3) < 1e-6);
    l2r_domain_distances(distance, &domain, at, 3);
    assert_true(fabsf(distance[0] - 0.5F) < 1e-6F);  /* 0, 1, 1 */
    assert_true(fabsf(distance[1] - 3.75F) < 1e-5F); /* 4, 5, 6 */
    assert_true(fabsf(distance[2] - 30.75F) < 1e-4F);
    l2r_domain_clear(&domain);
}

/* Fewer rows than columns, than neighbours, than lanes; equal rows; one row: finite, and growing with the way out. */
static void test_few_rows(void **state)
{
    (void)state;
    enum { D = 50 };
    for (int64_t n = 1; n <= 10; n++)
        for (int equal = 0; equal < 2; equal++) {
            struct l2r_rng rng = l2r_rng_at(3, L2R_RANDOM_TEST, (uint64_t)n);
            float z[10 * D], far[2 * D], distance[2];
            struct l2r_domain domain;
            for (int64_t i = 0; i < n * D; i++) z[i] = equal ? 2.5F : (float)l2r_rng_normal(&rng);
            for (int i = 0; i < D; i++) far[i] = z[i], far[D + i] = z[i] + 10;
            assert_int_equal(l2r_domain_keep(&domain, z, n, D, &error), L2R_OK);
            assert_int_equal(l2r_domain_measure(&domain, &error), L2R_OK);
            assert_true(l2r_domain_is_sound(&domain));
            l2r_domain_distances(distance, &domain, far, 2);
            assert_true(isfinite(distance[0]) && isfinite(distance[1]) && distance[1] > distance[0] + 1);
            if (equal || n == 1) assert_true(distance[0] == 0);
            l2r_domain_clear(&domain);
        }
}

static void test_not_finite(void **state)
{
    (void)state;
    const float z[] = {1, 2, 4, NAN}, lost[] = {NAN, 1};
    float distance;
    struct l2r_domain domain;
    assert_int_equal(l2r_domain_keep(&domain, z, 2, 2, &error), L2R_ERR_DIVERGED);
    expect_message(error.message, "column 1 of the representation of training graph 1 is not finite");
    assert_null(domain.blocks);
    assert_int_equal(l2r_domain_keep(&domain, z, 1, 2, &error), L2R_OK);
    l2r_domain_distances(&distance, &domain, lost, 1);
    assert_false(isfinite(distance));
    l2r_domain_clear(&domain);
}

static void test_calibration(void **state)
{
    (void)state;
    const float z[] = {1, -1};
    float few[] = {3, 1, 2, 2}, *many = l2r_alloc(5000, sizeof *many);
    struct l2r_domain domain;
    assert_int_equal(l2r_domain_keep(&domain, z, 2, 1, &error), L2R_OK);
    assert_true(isnan(l2r_domain_applicability(&domain, 1)));
    assert_int_equal(l2r_domain_calibrate(&domain, few, 4, &error), L2R_OK);
    assert_true(l2r_domain_applicability(&domain, 0.5F) == 1);
    assert_true(l2r_domain_applicability(&domain, 2) == 0.75F); /* at least as far: equal ones count */
    assert_true(l2r_domain_applicability(&domain, 2.5F) == 0.25F);
    assert_true(l2r_domain_applicability(&domain, 3.5F) == 0);
    assert_true(isnan(l2r_domain_applicability(&domain, NAN)));
    for (int i = 0; i < 5000; i++) many[i] = (float)(4999 - i);
    assert_int_equal(l2r_domain_calibrate(&domain, many, 5000, &error), L2R_OK);
    assert_int_equal(domain.n_checked, L2R_DOMAIN_CHECKED);
    assert_int_equal(domain.n_valid, 5000);
    assert_true(fabsf(l2r_domain_applicability(&domain, 1250) - 0.75F) < 0.002F);
    assert_true(l2r_domain_is_sound(&domain));
    domain.checked[3] = -1;
    assert_false(l2r_domain_is_sound(&domain));
    l2r_domain_clear(&domain);
    l2r_free(many);
}

static void test_threads(void **state)
{
    (void)state;
    enum { N = 170, D = 40 };
    struct l2r_rng rng = l2r_rng_at(5, L2R_RANDOM_TEST, 0);
    float z[N * D], distance[2][N];
    struct l2r_domain domain[2];
    for (int i = 0; i < N * D; i++) z[i] = (float)l2r_rng_normal(&rng);
    for (int k = 0; k < 2; k++) {
        l2r_threads_set(k == 0 ? 1 : 3);
        assert_int_equal(l2r_domain_keep(&domain[k], z, N, D, &error), L2R_OK);
        assert_int_equal(l2r_domain_measure(&domain[k], &error), L2R_OK);
        l2r_domain_distances(distance[k], &domain[k], z, N);
    }
    assert_true(domain[0].scale == domain[1].scale);
    assert_memory_equal(distance[0], distance[1], sizeof distance[0]);
    for (int k = 0; k < 2; k++) l2r_domain_clear(&domain[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_loop), cmocka_unit_test(test_scale),       cmocka_unit_test(test_few_rows),
        cmocka_unit_test(test_not_finite), cmocka_unit_test(test_calibration), cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
