/* SPDX-License-Identifier: MIT
 *
 * The width of vectors: clones of one loop agree, the words of L2R_VECTOR, and the width that is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/gemm.h"
#include "kernels/vector.h"
#include "nn/network.h"

#include <l2r/status.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 203 };

L2R_CLONES(static, multiply_add, (float *restrict y, const float *restrict a, const float *restrict b, int64_t n),
           (y, a, b, n))
{
    for (int64_t i = 0; i < n; i++) y[i] = y[i] + a[i] * b[i];
}

L2R_FUSED_CLONES(static, fused, (float *restrict y, const float *restrict a, const float *restrict b, int64_t n),
                 (y, a, b, n))
{
    for (int64_t i = 0; i < n; i++) y[i] = y[i] + a[i] * b[i];
}

L2R_CLONES_OF(double, dot, (const float *a, const float *b, int64_t n), (a, b, n))
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

static float a[N], b[N];

static int fill(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++) {
        a[i] = sinf((float)i);
        b[i] = cosf(0.7F * (float)i);
    }
    return 0;
}

static void clones_agree(void **state)
{
    float plain[N], near[N], first[N];
    double sum = 0;
    (void)state;
    for (int width = L2R_VECTOR_BASELINE; width <= (int)l2r_vector_widest(); width++) {
        l2r_vector_use((enum l2r_vector)width);
        assert_int_equal(l2r_vector(), width);
        memcpy(plain, b, sizeof plain);
        memcpy(near, b, sizeof near);
        multiply_add(plain, a, b, N);
        fused(near, a, b, N);
        double own = dot(a, b, N);
        if (width == L2R_VECTOR_BASELINE) {
            memcpy(first, plain, sizeof first);
            sum = own;
        }
        assert_memory_equal(plain, first, sizeof first);
        assert_true(own == sum);
        /* A fused result is the rounded exact one; the other is rounded twice. |y|, |a·b| ≤ 1, so 2 ulp of 2. */
        for (int i = 0; i < N; i++) assert_true(fabsf(near[i] - first[i]) <= 2.4e-7F);
    }
}

static void words_of_the_environment(void **state)
{
    static const char *const words[] = {"", "baseline", "avx2", "avx512"};
    struct l2r_error error;
    struct l2r_network network;
    (void)state;
    for (int width = L2R_VECTOR_BASELINE; width <= L2R_VECTOR_AVX512; width++) {
        setenv("L2R_VECTOR", words[width], 1);
        enum l2r_status status = l2r_vector_check(&error);
        if (width <= (int)l2r_vector_widest()) {
            assert_int_equal(status, L2R_OK);
            assert_int_equal(l2r_vector_choose(), width);
        } else if (status != L2R_OK) { /* the processor has less; or only this build has */
            assert_int_equal(status, L2R_ERR_ARGUMENT);
            assert_non_null(strstr(error.message, words[width]));
            assert_int_equal(l2r_vector_choose(), l2r_vector_widest());
        }
    }
    setenv("L2R_VECTOR", "avx3", 1);
    assert_int_equal(l2r_vector_check(&error), L2R_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "L2R_VECTOR=avx3"));
    assert_non_null(strstr(error.message, "avx512, avx2 or baseline"));
    assert_int_equal(l2r_vector_choose(), l2r_vector_widest());
    assert_int_equal(l2r_network_init(&network, l2r_model_find("gin"), NULL, NULL, 0, &error), L2R_ERR_ARGUMENT);
    l2r_network_clear(&network);
    for (int i = 0; i < 2; i++) {
        if (i == 0) setenv("L2R_VECTOR", "", 1);
        if (i == 1) unsetenv("L2R_VECTOR");
        assert_int_equal(l2r_vector_check(&error), L2R_OK);
        assert_int_equal(l2r_vector_choose(), l2r_vector_widest());
    }
}

/* Alone in its process: oneDNN takes a width once. */
static void products_have_the_width_too(void **state)
{
    float c[4] = {0};
    const float x[4] = {1, 2, 3, 4};
    (void)state;
    setenv("L2R_VECTOR", "baseline", 1);
    l2r_vector_choose();
    l2r_gemm(c, 2, 0, (struct l2r_matrix){x, 2, false}, (struct l2r_matrix){x, 2, false}, 2, 2, 2);
    assert_true(c[0] == 7 && c[1] == 10 && c[2] == 15 && c[3] == 22);
    assert_string_equal(l2r_vector_width(), "baseline");
    unsetenv("L2R_VECTOR");
    l2r_vector_choose();
    assert_true(l2r_vector_widest() == L2R_VECTOR_BASELINE || strstr(l2r_vector_width(), "/baseline") != NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clones_agree),
        cmocka_unit_test(words_of_the_environment),
        cmocka_unit_test(products_have_the_width_too),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
