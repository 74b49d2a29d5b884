/* SPDX-License-Identifier: MIT
 * Weights in float: gradients close to the plain form's, ESS met, dependence lowered, clusters and queues as
 * described. */
#include "reweight/weights.h"
#include "reweight/clusters.h"
#include "reweight/dependence.h"
#include "reweight/learner.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static double class_sums[8];
static const struct l2r_strata one_class = {1, NULL, class_sums};

/* Variables 0 .. d/2 share one hidden cause, the others another; the causes agree in sign for most rows (the bias). */
static l2r_real *biased_rows(int64_t rows, int64_t d, bool *breaks)
{
    l2r_real *z = malloc((size_t)(rows * d) * sizeof *z);
    struct l2r_rng rng = l2r_rng_at(4, L2R_RANDOM_TEST, 0);
    assert_non_null(z);
    for (int64_t n = 0; n < rows; n++) {
        double a = l2r_rng_uniform(&rng) < 0.5 ? 1 : -1;
        breaks[n] = l2r_rng_uniform(&rng) < 0.15;
        double b = breaks[n] ? -a : a;
        for (int64_t i = 0; i < d; i++) z[n * d + i] = (l2r_real)((i < d / 2 ? a : b) + 0.3 * l2r_rng_normal(&rng));
    }
    return z;
}

static void open_dependence(struct l2r_dependence *dep, struct l2r_arena *arena, const l2r_real *z,
                            const int32_t *cluster, int32_t n_clusters, int64_t rows, int64_t d,
                            struct l2r_dependence_options options)
{
    struct l2r_error error;
    struct l2r_rng rng = l2r_rng_at(6, L2R_RANDOM_FOURIER, 1);
    if (l2r_dependence_init(dep, arena, z, cluster, n_clusters, rows, d, &options, &rng, &error) != L2R_OK)
        fail_msg("%s", error.message);
}

static void test_float_gradients(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{64, 40}, {256, 128}, {300, 30}};
    for (size_t s = 0; s < 3; s++)
        for (int pairs = L2R_PAIRS_ALL; pairs <= L2R_PAIRS_ACROSS; pairs++) {
            int64_t rows = shapes[s][0], d = shapes[s][1];
            bool *breaks = calloc((size_t)rows, sizeof *breaks);
            int32_t *cluster = calloc((size_t)d, sizeof *cluster);
            double *w = calloc((size_t)rows, sizeof *w), *a = calloc((size_t)rows, sizeof *a),
                   *b = calloc((size_t)rows, sizeof *b);
            l2r_real *z = biased_rows(rows, d, breaks);
            struct l2r_arena arena;
            struct l2r_dependence sample, feature;
            struct l2r_rng rng = l2r_rng_at(8, L2R_RANDOM_TEST, 0);
            for (int64_t i = 0; i < d; i++) cluster[i] = (int32_t)(i % 4);
            for (int64_t n = 0; n < rows; n++) w[n] = 0.2 + 1.6 * l2r_rng_uniform(&rng);
            l2r_arena_init(&arena);
            struct l2r_dependence_options o = {.n_f = 5, .pairs = (enum l2r_pairs)pairs, .form = L2R_FORM_SAMPLE};
            open_dependence(&sample, &arena, z, cluster, 4, rows, d, o);
            o.form = L2R_FORM_FEATURE;
            open_dependence(&feature, &arena, z, cluster, 4, rows, d, o);
            double x = l2r_dependence_value(&sample, a, w), y = l2r_dependence_value(&feature, b, w), square = 0,
                   off = 0;
            for (int64_t n = 0; n < rows; n++) square += b[n] * b[n], off += (a[n] - b[n]) * (a[n] - b[n]);
            assert_true(fabs(x - y) < 1e-4 * y);
            if (sqrt(off / square) > 1e-4)
                fail_msg("shape %d, pairs %d: the gradients are %.2g apart", (int)s, pairs, sqrt(off / square));
            l2r_arena_clear(&arena);
            free(breaks), free(cluster), free(w), free(a), free(b), free(z);
        }
}

/* The rows that break the spurious agreement of the two causes must gain weight. */
static void test_weights_find_the_breakers(void **state)
{
    (void)state;
    enum { ROWS = 200, D = 8 };
    bool breaks[ROWS];
    int32_t cluster[D] = {0, 0, 0, 0, 1, 1, 1, 1};
    double w[ROWS], logits[ROWS] = {0}, scratch[6 * ROWS];
    l2r_real *z = biased_rows(ROWS, D, breaks);
    struct l2r_arena arena;
    struct l2r_dependence dep;
    struct l2r_inner_report report;
    l2r_arena_init(&arena);
    open_dependence(&dep, &arena, z, cluster, 2, ROWS, D,
                    (struct l2r_dependence_options){.n_f = 5, .expected_steps = 50});
    struct l2r_objective objective = l2r_dependence_objective(&dep);
    struct l2r_inner_options inner = {.steps = 50, .lr = 0.05};
    assert_true(l2r_learn_weights_scratch(ROWS, ROWS) <= 6 * ROWS);
    l2r_learn_weights(w, logits, &report, &objective, NULL, NULL, &one_class, ROWS, &inner, scratch);
    double with = 0, without = 0, n_with = 0, sum = 0;
    for (int n = 0; n < ROWS; n++) {
        sum += w[n];
        with += breaks[n] ? w[n] : 0;
        without += breaks[n] ? 0 : w[n];
        n_with += breaks[n];
    }
    assert_true(fabs(sum - ROWS) < 1e-9 * ROWS);
    assert_true(report.moved && report.after < 0.6 * report.before);
    assert_true(with / n_with > 1.5 * without / (ROWS - n_with));
    inner.ess = 0.4;
    for (int n = 0; n < ROWS; n++) logits[n] = 0;
    l2r_learn_weights(w, logits, &report, &objective, NULL, NULL, &one_class, ROWS, &inner, scratch);
    assert_true(fabs(report.ess - 0.4) < 1e-9 && fabs(l2r_effective_sample_size(w, ROWS) - 0.4) < 1e-9);
    l2r_arena_clear(&arena);
    free(z);
}

static void test_strength(void **state)
{
    (void)state;
    double s[] = {0, 1, 2, 3, -1, 0.5}, w[6], scratch[6];
    for (double ess = 0.2; ess < 1; ess += 0.2) {
        l2r_softmax_weights(w, s, l2r_find_strength(s, ess, &one_class, scratch, 6), &one_class, 6);
        assert_true(fabs(l2r_effective_sample_size(w, 6) - ess) < 1e-9);
    }
    double equal[] = {2, 2, 2};
    assert_true(l2r_find_strength(equal, 0.5, &one_class, scratch, 3) == 0);
}

/* The causes are the label's own and a spurious one: without classes the weights starve one label, with them
 * neither. */
static void test_classes_are_kept(void **state)
{
    (void)state;
    enum { ROWS = 200, D = 8 };
    bool breaks[ROWS];
    int32_t cluster[D] = {0, 0, 0, 0, 1, 1, 1, 1}, label[ROWS];
    double w[ROWS], logits[ROWS] = {0}, scratch[6 * ROWS], sum[3] = {0}, n[3] = {0}, with = 0, n_with = 0;
    l2r_real *z = biased_rows(ROWS, D, breaks);
    struct l2r_arena arena;
    struct l2r_dependence dep;
    struct l2r_inner_report report;
    for (int i = 0; i < ROWS; i++) label[i] = i == 7 ? 2 : z[i * D] > 0; /* the third class has one member */
    l2r_arena_init(&arena);
    open_dependence(&dep, &arena, z, cluster, 2, ROWS, D,
                    (struct l2r_dependence_options){.n_f = 5, .expected_steps = 50});
    struct l2r_objective objective = l2r_dependence_objective(&dep);
    struct l2r_inner_options inner = {.steps = 50, .lr = 0.05, .ess = 0.6};
    struct l2r_strata strata = {3, label, class_sums};
    l2r_learn_weights(w, logits, &report, &objective, NULL, NULL, &strata, ROWS, &inner, scratch);
    for (int i = 0; i < ROWS; i++) {
        sum[label[i]] += w[i], n[label[i]]++;
        with += breaks[i] ? w[i] : 0, n_with += breaks[i];
        assert_true(fabs(logits[i] - log(w[i])) < 1e-12); /* where the next update may start */
    }
    for (int c = 0; c < 3; c++) assert_true(fabs(sum[c] / n[c] - 1) < 1e-9);
    assert_true(fabs(w[7] - 1) < 1e-12);
    assert_true(fabs(report.ess - 0.6) < 1e-9 && report.after < report.before && with / n_with > 1.2);
    l2r_arena_clear(&arena);
    free(z);
}

/* Three groups: even ones of the first six, odd ones whose sign swings from batch to batch, and four of another
 * cause. */
static void test_clusters(void **state)
{
    (void)state;
    enum { D = 10, ROWS = 60 };
    struct l2r_clusters c;
    struct l2r_error error;
    struct l2r_rng rng = l2r_rng_at(5, L2R_RANDOM_TEST, 2);
    assert_int_equal(l2r_clusters_init(&c, D, 3, 6, &error), L2R_OK);
    for (int batch = 0; batch < 8; batch++) {
        l2r_real z[ROWS * D];
        double swing = batch % 2 ? 1 : -1;
        for (int n = 0; n < ROWS; n++) {
            double cause = l2r_rng_normal(&rng), other = l2r_rng_normal(&rng);
            for (int i = 0; i < D; i++) {
                double sign = i % 2 ? swing : 1; /* odd ones flip together */
                z[n * D + i] = (l2r_real)((i < 6 ? sign * cause : other) + 0.2 * l2r_rng_normal(&rng));
            }
        }
        l2r_clusters_observe(&c, z, ROWS);
        if (batch == 0) assert_int_equal(l2r_clusters_refresh(&c, 1, 0), 0); /* one batch says nothing */
    }
    assert_true(l2r_clusters_refresh(&c, 1, 1) > 0);
    for (int i = 7; i < D; i++) assert_int_equal(c.cluster[i], c.cluster[6]); /* the steady four are together */
    for (int i = 2; i < 6; i++) assert_int_equal(c.cluster[i], c.cluster[i % 2]);
    assert_int_not_equal(c.cluster[0], c.cluster[1]);
    assert_int_not_equal(c.cluster[1], c.cluster[6]);
    assert_int_not_equal(c.cluster[0], c.cluster[6]);
    assert_int_equal(l2r_clusters_refresh(&c, 1, 2), 0); /* warm start: nothing changes without new data */
    l2r_clusters_clear(&c);
}

static void test_queue(void **state)
{
    (void)state;
    struct l2r_queue q;
    struct l2r_error error;
    l2r_real first[] = {1, 2, 3, 4}, second[] = {5, 6, 7, 8};
    double w[] = {0.5, 1.5};
    assert_int_equal(l2r_queue_init(&q, 2, 2, 2, 0.8, &error), L2R_OK);
    assert_int_equal(l2r_queue_rows(&q, 2), 0);
    l2r_queue_push(&q, first, w, 2);
    assert_int_equal(l2r_queue_rows(&q, 2), 2);
    assert_int_equal(l2r_queue_rows(&q, 1), 0); /* a short batch uses none */
    l2r_queue_push(&q, first, w, 1);
    assert_int_equal(l2r_queue_rows(&q, 2), 2);
    l2r_queue_push(&q, second, w, 2);
    assert_int_equal(l2r_queue_rows(&q, 2), 4);
    assert_true(fabs((double)q.z[0] - (0.4 * 1 + 0.6 * 5)) < 1e-6); /* α = 0.8 · 1/2 */
    assert_true((double)q.z[4] == 5);                               /* the second group took the batch as it was */
    l2r_queue_push(&q, first, w, 2);
    assert_true(fabs((double)q.z[4] - (0.8 * 5 + 0.2 * 1)) < 1e-6);
    assert_true(fabs((double)q.w[3] - 1.5) < 1e-6);
    l2r_queue_clear(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float_gradients),  cmocka_unit_test(test_weights_find_the_breakers),
        cmocka_unit_test(test_classes_are_kept), cmocka_unit_test(test_strength),
        cmocka_unit_test(test_clusters),         cmocka_unit_test(test_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
