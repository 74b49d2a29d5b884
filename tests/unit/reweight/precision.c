/* SPDX-License-Identifier: MIT
 * Float gradients of the sample space form at the sizes of training, where it cancels most: equal weights, many rows,
 * large clusters. The feature space form, which cancels nothing, is the measure. And the same bits for any number of
 * threads. */
#include "base/threads.h"
#include "reweight/dependence.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_ROWS = 1024, MOST_D = 128, CAUSES = 8 };

static l2r_real z[MOST_ROWS * MOST_D];
static double w[MOST_ROWS];

static void draw(int64_t rows, int64_t d, double spread)
{
    struct l2r_rng rng = l2r_rng_at(5, L2R_RANDOM_TEST, 0);
    double sum = 0;
    for (int64_t n = 0; n < rows; n++) {
        double cause[CAUSES];
        for (int i = 0; i < CAUSES; i++) cause[i] = l2r_rng_normal(&rng);
        for (int64_t i = 0; i < d; i++) z[n * d + i] = (l2r_real)(cause[i % CAUSES] + l2r_rng_normal(&rng));
        sum += w[n] = exp(spread * l2r_rng_normal(&rng));
    }
    for (int64_t n = 0; n < rows; n++) w[n] *= (double)rows / sum;
}

static double evaluate(double *gradient, int64_t rows, int64_t d, int32_t clusters, bool scaled,
                       enum l2r_dependence_form form)
{
    int32_t cluster[MOST_D];
    struct l2r_dependence_options options = {
        .n_f = 5, .pairs = clusters > 0 ? L2R_PAIRS_ACROSS : L2R_PAIRS_ALL, .scaled = scaled, .form = form};
    struct l2r_rng rng = l2r_rng_at(6, L2R_RANDOM_FOURIER, 0);
    struct l2r_arena arena;
    struct l2r_dependence dep;
    struct l2r_error error;
    for (int64_t i = 0; i < d; i++) cluster[i] = clusters > 0 ? (int32_t)i % clusters : 0;
    l2r_arena_init(&arena);
    if (l2r_dependence_init(&dep, &arena, z, cluster, clusters > 0 ? clusters : 1, rows, d, &options, &rng, &error) !=
        L2R_OK)
        fail_msg("%s", error.message);
    double value = l2r_dependence_value(&dep, gradient, w);
    l2r_arena_clear(&arena);
    return value;
}

static double distance(const double *a, const double *b, int64_t n)
{
    double off = 0, square = 0;
    for (int64_t i = 0; i < n; i++) off += (a[i] - b[i]) * (a[i] - b[i]), square += b[i] * b[i];
    return sqrt(off / square);
}

static void test_close_to_direct_form(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{256, 64}, {MOST_ROWS, MOST_D}, {100, 20}, {MOST_ROWS, 6}};
    static const int32_t clusters[] = {0, 2, 4, 6};
    static double sample[MOST_ROWS], feature[MOST_ROWS];
    for (int s = 0; s < 4; s++)
        for (int c = 0; c < 4; c++)
            for (int kind = 0; kind < 4; kind++) {
                int64_t rows = shapes[s][0], d = shapes[s][1];
                bool scaled = kind & 1;
                draw(rows, d, kind & 2 ? 0.3 : 0);
                double x = evaluate(sample, rows, d, clusters[c], scaled, L2R_FORM_SAMPLE),
                       y = evaluate(feature, rows, d, clusters[c], scaled, L2R_FORM_FEATURE),
                       apart = distance(sample, feature, rows);
                if (!(apart <= 1e-4))
                    fail_msg("%lld rows, %lld variables, %d clusters, kind %d: gradients are %.2g apart",
                             (long long)rows, (long long)d, (int)clusters[c], kind, apart);
                if (!(fabs(x - y) <= 1e-4 * y)) fail_msg("values %.9g and %.9g", x, y);
            }
}

static void test_same_bits(void **state)
{
    (void)state;
    static double one[300], several[300];
    draw(300, 40, 0.3);
    for (int32_t clusters = 0; clusters <= 3; clusters += 3) {
        l2r_threads_set(1);
        double x = evaluate(one, 300, 40, clusters, true, L2R_FORM_SAMPLE);
        for (int threads = 2; threads <= 5; threads++) {
            l2r_threads_set(threads);
            double y = evaluate(several, 300, 40, clusters, true, L2R_FORM_SAMPLE);
            assert_memory_equal(&x, &y, sizeof x);
            assert_memory_equal(one, several, sizeof one);
        }
    }
    l2r_threads_set(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_close_to_direct_form), cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
