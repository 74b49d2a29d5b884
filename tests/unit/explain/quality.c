/* SPDX-License-Identifier: MIT
 * Scores of explanations whose importances are written by hand: precision with ties, the choice of important edges,
 * truth from marks. */
#include "explain/explainer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void expect_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-12)) fail_msg("%.15g instead of %.15g", found, expected);
}

static void test_precision(void **state)
{
    (void)state;
    float scratch[6];
    const float value[] = {0.9F, 0.1F, 0.5F, 0.5F, 0.5F, 0.2F};
    expect_near(l2r_precision_at_k(value, (const float[]){1, 0, 0, 0, 0, 0}, scratch, 6), 1);
    expect_near(l2r_precision_at_k(value, (const float[]){0, 1, 0, 0, 0, 0}, scratch, 6), 0);
    /* k = 2: the first for sure, then one of three that tie, one of which is true */
    expect_near(l2r_precision_at_k(value, (const float[]){1, 0, 0, 1, 0, 0}, scratch, 6), (1 + 1.0 / 3) / 2);
    expect_near(l2r_precision_at_k(value, (const float[]){1, 1, 1, 1, 1, 1}, scratch, 6), 1);
    assert_true(isnan(l2r_precision_at_k(value, (const float[]){0, 0, 0, 0, 0, 0}, scratch, 6)));
    assert_true(isnan(l2r_precision_at_k(value, value, scratch, 0)));
}

static void expect_chosen(const float *edge, int64_t n_edges, int64_t n, const char *expected)
{
    uint8_t important[8];
    float copy[8];
    memcpy(copy, edge, (size_t)n_edges * sizeof *edge);
    struct l2r_explanation e = {.n_edges = n_edges, .edge = copy, .important = important};
    assert_int_equal(l2r_quality_choose(&e, n, NULL), L2R_OK);
    for (int64_t i = 0; i < n_edges; i++)
        if (important[i] != (expected[i] == '1'))
            fail_msg("%d chosen, edge %d is not as in %s", (int)n, (int)i, expected);
    l2r_free(e.important_node);
}

static void test_choice(void **state)
{
    (void)state;
    const float edge[] = {0.5F, 0.9F, 0.5F, 0.51F, 0.5F};
    expect_chosen(edge, 5, 0, "01010"); /* above one half, which is not one half */
    expect_chosen(edge, 5, 1, "01000");
    expect_chosen(edge, 5, 3, "11010"); /* the first of those that tie */
    expect_chosen(edge, 5, 4, "11110");
    expect_chosen(edge, 5, 5, "11111");
    expect_chosen(edge, 5, 99, "11111");
    expect_chosen(edge, 0, 2, "");
}

/* A triangle 0-1-2 of mark 1 with a tail 2-3, and a node 4 alone. */
static void test_truth(void **state)
{
    (void)state;
    int32_t ends[] = {0, 1, 0, 2, 1, 2, 2, 3};
    float edge[] = {0.9F, 0.8F, 0.3F, 0.4F}, node[] = {0.85F, 0.6F, 0.5F, 0.4F, 0};
    uint8_t mark[] = {1, 1, 1, 2, 0};
    struct l2r_explanation e = {.n_nodes = 5, .n_edges = 4, .ends = ends, .edge = edge, .node = node, .mark = mark};
    assert_int_equal(l2r_quality_truth(&e, 1, NULL), L2R_OK);
    expect_near(e.node_auc, 1);
    expect_near(e.node_precision, 1);
    expect_near(e.edge_auc, 2.0 / 3);
    expect_near(e.edge_precision, 2.0 / 3);
    assert_int_equal(l2r_quality_truth(&e, 2, NULL), L2R_OK);
    expect_near(e.node_auc, 0.25);
    assert_true(isnan(e.edge_auc) && isnan(e.edge_precision)); /* no edge has both ends in it */
    e.mark = NULL;
    assert_int_equal(l2r_quality_truth(&e, 1, NULL), L2R_OK);
    assert_true(isnan(e.node_auc) && isnan(e.node_precision));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_precision), cmocka_unit_test(test_choice),
                                       cmocka_unit_test(test_truth)};
    return cmocka_run_group_tests_name("quality of explanations", tests, NULL, NULL);
}
