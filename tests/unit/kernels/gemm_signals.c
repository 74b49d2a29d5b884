/* SPDX-License-Identifier: MIT
 *
 * Products while signals are handled on the same stack, as in a program with a timer or a Ctrl-C: the heap stays whole
 * and the numbers are those of an undisturbed product. oneDNN's code keeps pointers where the kernel would put the
 * frame of a signal, so l2r_gemm_serial lets signals wait.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "kernels/gemm.h"

#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

enum { M = 600, N = 160, K = 600, SIGNALS = 300 };

static volatile sig_atomic_t n_signals;

static void count(int number)
{
    (void)number;
    n_signals++;
}

static void ring(int microseconds)
{
    struct timeval every = {.tv_usec = microseconds};
    struct itimerval timer = {every, every};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void test_products(void **state)
{
    (void)state;
    float *a = l2r_alloc((size_t)M * K, sizeof *a), *b = l2r_alloc((size_t)K * N, sizeof *b);
    float *quiet = l2r_alloc((size_t)M * N, sizeof *quiet), *c = l2r_alloc((size_t)M * N, sizeof *c);
    struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART}, before;
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(quiet);
    assert_non_null(c);
    for (int i = 0; i < M * K; i++) a[i] = (float)(i % 17) - 8;
    for (int i = 0; i < K * N; i++) b[i] = (float)(i % 13) - 6;
    mallopt(M_PERTURB, 123); /* memory that is freed and used is seen */
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, &before);
    for (int form = 0; form < 4; form++) {
        struct l2r_matrix left = {a, form & 1 ? M : K, form & 1}, right = {b, form & 2 ? K : N, form >> 1};
        l2r_gemm_serial(quiet, N, 0, left, right, M, N, K);
        n_signals = 0;
        ring(300);
        while (n_signals < SIGNALS) {
            memset(c, 0, (size_t)M * N * sizeof *c);
            l2r_gemm_serial(c, N, 0, left, right, M, N, K);
            assert_memory_equal(c, quiet, (size_t)M * N * sizeof *c);
        }
        ring(0);
    }
    sigaction(SIGALRM, &before, NULL);
    mallopt(M_PERTURB, 0);
    l2r_free(a);
    l2r_free(b);
    l2r_free(quiet);
    l2r_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
