/* SPDX-License-Identifier: MIT
 *
 * Student's t against printed tables and hand-computed intervals; baselines counted by hand.
 */
#include "metrics/statistics.h"

#include "reproduce/baselines.h"
#include "support/messages.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void quantiles_are_those_of_the_tables(void **state)
{
    static const struct {
        int64_t degrees;
        double t;
    } table[] = {{1, 12.7062}, {2, 4.3027},  {3, 3.1824},  {4, 2.7764},
                 {9, 2.2622},  {10, 2.2281}, {30, 2.0423}, {120, 1.9799}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_true(fabs(l2r_student_quantile(0.95, table[i].degrees) - table[i].t) < 5e-5);
    assert_true(fabs(l2r_student_quantile(0.99, 5) - 4.0321) < 5e-5);
    assert_true(fabs(l2r_student_within(1, 1) - 0.5) < 1e-15); /* Cauchy: arctan 1 = π/4 */
    assert_true(l2r_student_within(0, 7) == 0);
}

static void interval_by_hand(void **state)
{
    /* mean 2, deviations −1 0 1: s = 1, half = 4.302653 / √3 = 2.484138 */
    const double values[] = {1, 2, 3};
    (void)state;
    struct l2r_interval i = l2r_interval_of(values, 3);
    assert_true(i.n == 3 && i.mean == 2);
    assert_true(fabs(i.low - (2 - 2.484138)) < 1e-6 && fabs(i.high - (2 + 2.484138)) < 1e-6);
    i = l2r_interval_of(values, 1);
    assert_true(i.mean == 1 && isnan(i.low) && isnan(i.high));
    assert_true(isnan(l2r_interval_of(values, 0).mean));
}

/* Graphs of so many nodes and such classes, without arcs. */
struct graphs {
    struct l2r_dataset data;
    int64_t node_start[11];
    float labels[10];
    int32_t order[10];
    struct l2r_split split;
};

static void fill(struct graphs *g, const int *nodes, const int *classes, int n_train, int n)
{
    *g = (struct graphs){0};
    for (int i = 0; i < n; i++) {
        g->node_start[i + 1] = g->node_start[i] + nodes[i];
        g->labels[i] = (float)classes[i];
        g->order[i] = i;
    }
    g->data = (struct l2r_dataset){.task = L2R_TASK_MULTICLASS,
                                   .n_tasks = 1,
                                   .n_classes = 2,
                                   .n_graphs = n,
                                   .node_start = g->node_start,
                                   .labels = g->labels};
    g->split = (struct l2r_split){.n_graphs = n, .graphs = g->order, .start = {0, n_train, n_train, n}};
}

static void baselines_by_hand(void **state)
{
    /* Training: class 0 up to 4 nodes and once at 9, class 1 at 6 and 8. Best threshold: 4, right in 4 of 5. */
    const int nodes[] = {3, 4, 6, 8, 9, 2, 10, 11, 12};
    const int classes[] = {0, 0, 1, 1, 0, 0, 1, 1, 0};
    struct graphs g;
    struct l2r_baselines b, again;
    (void)state;
    fill(&g, nodes, classes, 5, 9);
    assert_int_equal(l2r_baselines_make(&b, &g.data, &g.split, NULL), L2R_OK);
    assert_int_equal(b.nodes, 4);
    assert_true(fabs(b.train_threshold - 0.8) < 1e-12);
    assert_true(fabs(b.constant_train.accuracy - 0.5) < 1e-12); /* class 0 */
    assert_true(fabs(b.constant_train.balanced_accuracy - 0.5) < 1e-12);
    assert_true(fabs(b.threshold.accuracy - 0.75) < 1e-12); /* the 12 nodes of class 0 are missed */
    assert_true(fabs(b.threshold.balanced_accuracy - 0.75) < 1e-12);
    json_t *object = l2r_baselines_to_json(&b);
    assert_true(l2r_baselines_from_json(&again, object));
    assert_memory_equal(&again, &b, sizeof b);
    json_object_del(object, "threshold");
    assert_false(l2r_baselines_from_json(&again, object));
    json_decref(object);
}

static void baselines_need_classes(void **state)
{
    const int nodes[] = {3, 4}, classes[] = {0, 1};
    struct graphs g;
    struct l2r_baselines b;
    struct l2r_error error;
    (void)state;
    fill(&g, nodes, classes, 1, 2);
    g.data.task = L2R_TASK_REGRESSION;
    strcpy(g.data.name, "esol");
    assert_int_equal(l2r_baselines_make(&b, &g.data, &g.split, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "esol: baselines need classes and training graphs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_those_of_the_tables),
        cmocka_unit_test(interval_by_hand),
        cmocka_unit_test(baselines_by_hand),
        cmocka_unit_test(baselines_need_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
