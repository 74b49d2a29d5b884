/* SPDX-License-Identifier: MIT
 * l2r/reweight.h: weights of plain arrays lower the dependence on features they were not learned from, meet a sample
 * size, keep classes, and depend on nothing but arrays, options and seed; slopes against differences; refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "support/calls.h"
#include "support/messages.h"
#include <l2r/l2r.h>

#include <math.h>
#include <string.h>

enum { N = 400, D = 6 };
static float z[N * D];
static int64_t labels[N];

/* Columns 0 and 1 agree in four of five rows, and so do 2 and 3; 4 and 5 stand alone. */
static void draw(void)
{
    struct l2r_rng rng = l2r_rng_at(5, L2R_RANDOM_TEST, 0);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < D; j++) z[i * D + j] = (float)l2r_rng_normal(&rng);
        bool agree = i % 5 > 0;
        for (int64_t j = 0; j < 4; j += 2) {
            float shift = i % 2 ? 1.5f : -1.5f;
            z[i * D + j] += shift;
            z[i * D + j + 1] += agree ? shift : -shift;
        }
        labels[i] = i % 3 == 0 ? -7 : 1000000007;
    }
}

static int setup(void **state)
{
    (void)state;
    draw();
    return 0;
}

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%g, expected %g within %g", value, expected, tolerance);
}

static double mean_of(const float *w, int64_t label)
{
    double sum = 0, n = 0;
    for (int64_t i = 0; i < N; i++)
        if (label == 0 || labels[i] == label) sum += (double)w[i], n++;
    return sum / n;
}

static void weights_lower_dependence(void **state)
{
    (void)state;
    float w[N], again[N];
    double value, equal;
    struct l2r_decorrelation found = L2R_DECORRELATION_INIT;
    struct l2r_reweight_options options = L2R_REWEIGHT_OPTIONS_INIT;
    options.ess = 0.7;
    options.seed = 3;
    OK(l2r_decorrelate(w, &found, z, labels, N, D, &options, &error));
    assert_true(found.dependence_after < 0.6 * found.dependence_before);
    assert_true(found.dependence_after < 0.6 * found.dependence_shuffled);
    near(found.ess, 0.7, 1e-6);
    near(l2r_ess(w, N), found.ess, 1e-6);
    near(mean_of(w, -7), 1, 1e-5);
    near(mean_of(w, 1000000007), 1, 1e-5);
    OK(l2r_dependence(&value, NULL, NULL, z, w, N, D, &options, &error));
    near(value, found.dependence_after, 1e-5 * value);
    OK(l2r_dependence(&equal, NULL, NULL, z, NULL, N, D, &options, &error));
    near(equal, found.dependence_before, 1e-9 * equal);
    for (int64_t i = 0; i < N; i++) again[i] = 5 * w[i]; /* their scale is nothing */
    OK(l2r_dependence(&equal, NULL, NULL, z, again, N, D, &options, &error));
    near(equal, value, 1e-5 * value);
    l2r_threads_set(1);
    OK(l2r_decorrelate(again, NULL, z, labels, N, D, &options, &error));
    l2r_threads_set(0);
    assert_memory_equal(w, again, sizeof w);
    options.seed = 4;
    OK(l2r_decorrelate(again, NULL, z, labels, N, D, &options, &error));
    int moved = 0;
    for (int64_t i = 0; i < N; i++) moved += w[i] != again[i];
    assert_true(moved > N / 2);
}

static void strength(void **state)
{
    (void)state;
    float w[N], from[N];
    struct l2r_decorrelation found = L2R_DECORRELATION_INIT;
    struct l2r_reweight_options options = L2R_REWEIGHT_OPTIONS_INIT;
    OK(l2r_decorrelate(w, &found, z, NULL, N, D, NULL, &error)); /* the defaults, and no target */
    assert_true(found.ess > 0.1 && found.ess < 0.99 && found.dependence_after < found.dependence_before);
    near(mean_of(w, 0), 1, 1e-5);
    memcpy(from, w, sizeof w);
    options.start = from;
    options.n_steps = 1;
    options.learning_rate = 1e-6;
    OK(l2r_decorrelate(w, &found, z, NULL, N, D, &options, &error)); /* goes on where it was */
    for (int64_t i = 0; i < N; i++) near((double)w[i], (double)from[i], 1e-4 * (double)from[i] + 1e-6);
    options.ess = 1;
    OK(l2r_decorrelate(w, &found, z, NULL, N, D, &options, &error));
    for (int64_t i = 0; i < N; i++) assert_true(w[i] == 1);
    assert_true(found.dependence_after == found.dependence_before && found.ess == 1);
}

/* Against what differences say; ten rows of the arrays, all of which are drawn. */
static void slopes(void **state)
{
    (void)state;
    enum { ROWS = 40 };
    float w[ROWS], d_w[ROWS], d_z[ROWS * D], moved[ROWS * D];
    double value, low, high, most_w = 0, most_z = 0;
    struct l2r_reweight_options options = L2R_REWEIGHT_OPTIONS_INIT;
    options.pairs = L2R_PAIRS_ALL;
    for (int i = 0; i < ROWS; i++) w[i] = 0.5f + (float)(i % 4) / 3;
    OK(l2r_dependence(&value, d_w, d_z, z, w, ROWS, D, &options, &error));
    for (int i = 0; i < ROWS; i++) most_w = fmax(most_w, fabs((double)d_w[i]));
    for (int i = 0; i < ROWS * D; i++) most_z = fmax(most_z, fabs((double)d_z[i]));
    assert_true(most_w > 0 && most_z > 0);
    for (int i = 0; i < ROWS; i += 7) {
        float kept = w[i];
        w[i] = kept + 0.01f;
        OK(l2r_dependence(&high, NULL, NULL, z, w, ROWS, D, &options, &error));
        w[i] = kept - 0.01f;
        OK(l2r_dependence(&low, NULL, NULL, z, w, ROWS, D, &options, &error));
        w[i] = kept;
        near((high - low) / 0.02, (double)d_w[i], 0.02 * most_w);
    }
    for (int i = 0; i < ROWS * D; i += 17) {
        memcpy(moved, z, sizeof moved);
        moved[i] = z[i] + 0.01f;
        OK(l2r_dependence(&high, NULL, NULL, moved, w, ROWS, D, &options, &error));
        moved[i] = z[i] - 0.01f;
        OK(l2r_dependence(&low, NULL, NULL, moved, w, ROWS, D, &options, &error));
        near((high - low) / 0.02, (double)d_z[i], 0.02 * most_z);
    }
    options.n_rows = 20; /* the others are not drawn */
    OK(l2r_dependence(&value, d_w, d_z, z, w, ROWS, D, &options, &error));
    int still = 0;
    for (int i = 0; i < ROWS; i++) still += d_w[i] == 0 && d_z[i * D] == 0 && d_z[i * D + 1] == 0;
    assert_int_equal(still, 20);
}

static void pairs(void **state)
{
    (void)state;
    static const int32_t together[D] = {0, 0, 1, 1, 2, 3};
    int32_t clusters[D];
    float w[N];
    double all, across, within;
    struct l2r_decorrelation found = L2R_DECORRELATION_INIT;
    struct l2r_reweight_options options = L2R_REWEIGHT_OPTIONS_INIT;
    OK(l2r_dependence(&all, NULL, NULL, z, NULL, N, D, &options, &error));
    options.clusters = together;
    options.n_clusters = 4;
    options.pairs = L2R_PAIRS_ACROSS;
    OK(l2r_dependence(&across, NULL, NULL, z, NULL, N, D, &options, &error));
    options.pairs = L2R_PAIRS_WITHIN;
    OK(l2r_dependence(&within, NULL, NULL, z, NULL, N, D, &options, &error));
    near(across + within, all, 1e-5 * all); /* every pair is one or the other */
    found.clusters = clusters;
    OK(l2r_decorrelate(w, &found, z, NULL, N, D, &options, &error));
    assert_memory_equal(clusters, together, sizeof together);
    assert_true(found.dependence_after < 0.6 * found.dependence_before);
    options.clusters = NULL; /* found here */
    options.n_clusters = 2;
    options.n_windows = 4;
    OK(l2r_decorrelate(w, &found, z, NULL, N, D, &options, &error));
    int seen[2] = {0, 0};
    for (int i = 0; i < D; i++) {
        assert_in_range(clusters[i], 0, 1);
        seen[clusters[i]]++;
    }
    assert_true(seen[0] > 0 && seen[1] > 0);
    options.n_clusters = 1; /* no pair is across */
    options.pairs = L2R_PAIRS_ACROSS;
    OK(l2r_dependence(&across, NULL, NULL, z, NULL, N, D, &options, &error));
    near(across, 0, 1e-12);
    static const int32_t third[D] = {0, 1, 2, 2, 3, 4};
    static const float importance[D] = {0, 0, 2, 1, 0, 0};
    options.pairs = L2R_PAIRS_WITHIN;
    options.clusters = third;
    options.n_clusters = 5; /* one pair is left */
    OK(l2r_dependence(&within, NULL, NULL, z, NULL, N, D, &options, &error));
    options.pairs = L2R_PAIRS_ALL;
    options.importance = importance;
    OK(l2r_dependence(&all, NULL, NULL, z, NULL, N, D, &options, &error));
    near(all, 4 * within, 1e-5 * all);
}

/* Rows that were weighted before: what they bring is part of L, their weights stay. */
static void queued(void **state)
{
    (void)state;
    enum { HALF = N / 2 };
    float w[HALF], before[HALF];
    double alone, with;
    struct l2r_decorrelation found = L2R_DECORRELATION_INIT;
    struct l2r_reweight_options options = L2R_REWEIGHT_OPTIONS_INIT;
    OK(l2r_decorrelate(before, &found, z, NULL, HALF, D, &options, &error));
    OK(l2r_dependence(&alone, NULL, NULL, z + HALF * D, NULL, HALF, D, &options, &error));
    options.queued_z = z;
    options.queued_w = before;
    options.n_queued = HALF;
    OK(l2r_dependence(&with, NULL, NULL, z + HALF * D, NULL, HALF, D, &options, &error));
    assert_true(with < 0.9 * alone); /* half of the rows are decorrelated already */
    OK(l2r_decorrelate(w, &found, z + HALF * D, NULL, HALF, D, &options, &error));
    near(found.dependence_before, with, 1e-9 * with);
    assert_true(found.dependence_after < found.dependence_before);
}

static bool stop_now(void *context)
{
    return context == NULL;
}

static void refusals(void **state)
{
    (void)state;
    float w[N], bad[N * D];
    double value;
    int32_t clusters[D] = {0};
    struct l2r_decorrelation found = L2R_DECORRELATION_INIT;
    struct l2r_reweight_options o = L2R_REWEIGHT_OPTIONS_INIT;
    memcpy(bad, z, sizeof bad);
    bad[3 * D + 2] = NAN;
    w[0] = -1;
    refused(l2r_decorrelate(w, NULL, bad, NULL, N, D, NULL, &error), "row 3, column 2");
    refused(l2r_decorrelate(NULL, NULL, z, NULL, N, D, NULL, &error), "w is NULL");
    refused(l2r_decorrelate(w, NULL, NULL, NULL, N, D, NULL, &error), "z is NULL");
    refused(l2r_decorrelate(w, NULL, z, NULL, 7, D, NULL, &error), "n = 7");
    refused(l2r_decorrelate(w, NULL, z, NULL, N, 0, NULL, &error), "d = 0");
    found.size = 3;
    refused(l2r_decorrelate(w, &found, z, NULL, N, D, NULL, &error), "found.size");
    assert_true(w[0] == -1);
    for (int64_t i = 0; i < N; i++) w[i] = 0;
    refused(l2r_dependence(&value, NULL, NULL, z, w, N, D, NULL, &error), "all 0");
    w[5] = -1;
    w[6] = 2;
    refused(l2r_dependence(&value, NULL, NULL, z, w, N, D, NULL, &error), "w[5] = -1");
    refused(l2r_dependence(NULL, NULL, NULL, z, NULL, N, D, NULL, &error), "value is NULL");
    o.ess = 1.5;
    refused(l2r_decorrelate(w, NULL, z, NULL, N, D, &o, &error), "options.ess");
    o.ess = 0;
    o.pairs = (enum l2r_pairs)3;
    refused(l2r_decorrelate(w, NULL, z, NULL, N, D, &o, &error), "options.pairs");
    o.pairs = L2R_PAIRS_ACROSS;
    clusters[4] = 4;
    o.clusters = clusters;
    refused(l2r_decorrelate(w, NULL, z, NULL, N, D, &o, &error), "options.clusters[4]");
    o.clusters = NULL;
    o.n_queued = 3;
    refused(l2r_decorrelate(w, NULL, z, NULL, N, D, &o, &error), "options.queued_z");
    o.n_queued = 0;
    o.n_steps = -1;
    refused(l2r_decorrelate(w, NULL, z, NULL, N, D, &o, &error), "options.n_steps");
    o.n_steps = 0;
    o.learning_rate = (double)NAN;
    refused(l2r_decorrelate(w, NULL, z, NULL, N, D, &o, &error), "options.learning_rate");
    o.learning_rate = 0;
    struct l2r_watch watch = L2R_WATCH_INIT;
    watch.stop = stop_now;
    OK(l2r_watch_set(&watch, &error));
    assert_int_equal(l2r_decorrelate(w, NULL, z, NULL, N, D, &o, &error), L2R_ERR_INTERRUPTED);
    expect_message(error.message, "0 steps of the weights");
    OK(l2r_watch_set(NULL, &error));
    assert_true(l2r_ess(NULL, 3) == 0 && l2r_ess(w, 0) == 0 && l2r_ess((const float[]){2, 2}, 2) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_lower_dependence),
        cmocka_unit_test(strength),
        cmocka_unit_test(slopes),
        cmocka_unit_test(pairs),
        cmocka_unit_test(queued),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
