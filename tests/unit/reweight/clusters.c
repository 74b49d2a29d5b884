/* SPDX-License-Identifier: MIT
 * Clusters over time: none is lost when the correlations settle. */
#include "reweight/clusters.h"
#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { D = 12, ROWS = 40, WINDOW = 6, CLUSTERS = 4 };

/* Variables of one group share a factor, whose sign against the other groups changes from batch to batch by
 * `restless`. */
static void draw_batch(l2r_real z[ROWS * D], double restless, uint64_t place)
{
    struct l2r_rng rng = l2r_rng_at(4, L2R_RANDOM_TEST, place);
    double tie[CLUSTERS];
    for (int g = 0; g < CLUSTERS; g++) tie[g] = restless * g * l2r_rng_normal(&rng);
    for (int n = 0; n < ROWS; n++) {
        double common = l2r_rng_normal(&rng), own[CLUSTERS];
        for (int g = 0; g < CLUSTERS; g++) own[g] = l2r_rng_normal(&rng);
        for (int i = 0; i < D; i++) {
            int g = i % CLUSTERS;
            z[n * D + i] = (l2r_real)(own[g] + tie[g] * common + 0.1 * l2r_rng_normal(&rng));
        }
    }
}

static int occupied(const struct l2r_clusters *c)
{
    int used = 0, count[CLUSTERS] = {0};
    for (int i = 0; i < D; i++) count[c->cluster[i]]++;
    for (int k = 0; k < CLUSTERS; k++) used += count[k] > 0;
    return used;
}

static void test_no_cluster_is_lost(void **state)
{
    (void)state;
    struct l2r_clusters c;
    struct l2r_error error;
    l2r_real z[ROWS * D];
    assert_int_equal(l2r_clusters_init(&c, D, CLUSTERS, WINDOW, &error), L2R_OK);
    for (uint64_t epoch = 0; epoch < 12; epoch++) {
        for (uint64_t l = 0; l < WINDOW; l++) {
            draw_batch(z, pow(0.3, (double)epoch), epoch * WINDOW + l); /* it settles */
            l2r_clusters_observe(&c, z, ROWS);
        }
        l2r_clusters_refresh(&c, 1, epoch);
        assert_int_equal(occupied(&c), CLUSTERS);
    }
    l2r_clusters_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_cluster_is_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
