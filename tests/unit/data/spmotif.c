/* SPDX-License-Identifier: MIT
 * SPMotif: counts, shares and sizes against the published recipe. Frequencies meet their rates within 4 sigma, means of
 * sizes meet what follows from the widths, and what the published notebook prints, within 4 standard errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/generated.h"
#include "support/messages.h"

#include <math.h>
#include <string.h>

/* The base's edges tell its kind apart: a tree has n - 1, a ladder 3n/2 - 2, a wheel 2n - 2. A tree of one node, a
 * ladder of one rung and a wheel of two nodes are all paths, but no such ladder or wheel is drawn. */
static int base_of(const struct l2r_dataset *data, int64_t g, int *motif_edges, int *hooks)
{
    int64_t first = data->node_start[g], n = 0, edges = 0;
    *motif_edges = *hooks = 0;
    for (int64_t v = first; v < data->node_start[g + 1]; v++) {
        n += data->node_mark[v] == 0;
        for (int64_t a = data->arc_start[v]; a < data->arc_start[v + 1]; a++) {
            int both = data->node_mark[v] + data->node_mark[first + data->neighbour[a]];
            edges += both == 0;
            *hooks += both == 1;
            *motif_edges += both == 2;
        }
    }
    *hooks /= 2;
    *motif_edges /= 2;
    if (edges / 2 == n - 1) return 0;
    return edges / 2 == 3 * n / 2 - 2 ? 1 : edges / 2 == 2 * n - 2 ? 2 : -1;
}

static void has_the_published_counts_and_shares(void **state)
{
    (void)state;
    struct l2r_dataset *data = generated("spmotif:bias=0.7");
    static const int64_t expected[3] = {3000, 3000, 6000};
    static const int motif_edges[3] = {5, 6, 7};
    static const char *const names[3] = {"tree", "ladder", "wheel"};
    int64_t count[3][3][3] = {{{0}}}; /* by part, label, base */
    assert_int_equal(data->n_graphs, 12000);
    assert_int_equal(data->n_classes, 3);
    assert_int_equal(data->n_node_reals, 4);
    assert_int_equal(data->n_environments, 3);
    for (int k = 0; k < 3; k++) assert_string_equal(l2r_dataset_environment_name(data, k), names[k]);
    assert_null(l2r_dataset_environment_name(data, 3));
    for (int64_t g = 0; g < data->n_graphs; g++) {
        int edges, hooks, label = (int)data->labels[g];
        assert_int_equal(base_of(data, g, &edges, &hooks), data->environment[g]);
        assert_int_equal(edges, motif_edges[label]);
        assert_int_equal(hooks, 1);
        count[data->official[g]][label][data->environment[g]]++;
    }
    for (int part = 0; part < 3; part++)
        for (int label = 0; label < 3; label++) {
            int64_t n = count[part][label][0] + count[part][label][1] + count[part][label][2];
            assert_int_equal(n, expected[part] / 3);
            for (int base = 0; base < 3; base++)
                assert_rate(count[part][label][base], n, part > 0 ? 1.0 / 3 : base == label ? 0.7 : 0.15);
        }
    l2r_dataset_free(data);
}

static void features_are_uniform(void **state)
{
    (void)state;
    struct l2r_dataset *data = generated("spmotif:train=300,valid=0,test=0");
    double sum = 0, squares = 0;
    int64_t n = data->n_nodes * 4;
    for (int64_t i = 0; i < n; i++) {
        double x = (double)data->node_real[i];
        assert_true(x >= 0 && x <= 1);
        sum += x;
        squares += x * x;
    }
    assert_true(fabs(sum / (double)n - 0.5) < 4 * sqrt(1.0 / 12 / (double)n));
    assert_true(fabs(squares / (double)n - 1.0 / 3) < 4 * sqrt(4.0 / 45 / (double)n));
    l2r_dataset_free(data);
}

/* Mean nodes and edges of the graphs of one part: within 4 standard errors of what the widths say, and no further from
 * the published mean of as many graphs than two such samples may lie apart. */
static void assert_sizes(const struct l2r_dataset *data, int part, double nodes, double edges, double node_spread,
                         const double published[2])
{
    double n = 0, sum_nodes = 0, sum_edges = 0;
    for (int64_t g = 0; g < data->n_graphs; g++) {
        if (data->official[g] != part) continue;
        n++;
        sum_nodes += (double)l2r_dataset_nodes_of(data, g);
        sum_edges += (double)l2r_dataset_arcs_of(data, g) / 2;
    }
    double slack = 4 * node_spread / sqrt(n);
    if (fabs(sum_nodes / n - nodes) > slack || fabs(sum_edges / n - edges) > 1.5 * slack)
        fail_msg("%.2f nodes and %.2f edges, expected %.2f and %.2f", sum_nodes / n, sum_edges / n, nodes, edges);
    assert_true(fabs(sum_nodes / n - published[0]) < 1.5 * slack && fabs(sum_edges / n - published[1]) < 2.2 * slack);
}

/* Over heights 0..2 and 2 or 3 children a tree has (1 + 3.5 + 10)/3 nodes; a ladder has 2·9.5, a wheel 17; the motif 5
 * nodes, 6 edges on average and its hook. The notebook of the authors prints, over their 3000 graphs of bias 1/3, 18.82
 * nodes a graph, and over the large test part 89.54 to 89.99. */
static void has_the_published_sizes(void **state)
{
    (void)state;
    struct l2r_dataset *data = generated("spmotif:bias=0.33333333,test-bases=large");
    double small = (14.5 / 3 + 19 + 17) / 3 + 5, small_edges = (14.5 / 3 - 1 + 26.5 + 32) / 3 + 7;
    double tree = (15 + 31 + 63 + 40 + 121 + 364) / 6.0;
    double large = (tree + 79 + 69.5) / 3 + 5, large_edges = (tree - 1 + 116.5 + 137) / 3 + 7;
    assert_sizes(data, L2R_PART_TRAIN, small, small_edges, 6.6, (double[]){18.78, 28.05});
    assert_sizes(data, L2R_PART_VALID, small, small_edges, 6.6, (double[]){18.55, 27.80});
    assert_sizes(data, L2R_PART_TEST, large, large_edges, 73, (double[]){89.76, 126.31});
    l2r_dataset_free(data);
}

/* 4 edges end in each of the crane's first node, 2 or 3 in the others, one more in the hook. */
static void degrees_follow_from_the_shapes(void **state)
{
    (void)state;
    struct l2r_dataset *data = generated("spmotif:train=90,valid=0,test=0");
    static const int degrees[3][5] = {{3, 2, 2, 2, 2}, {3, 3, 2, 2, 3}, {5, 2, 3, 3, 2}};
    for (int64_t g = 0; g < data->n_graphs; g++) {
        int64_t motif = data->node_start[g + 1] - 5;
        for (int i = 0; i < 5; i++) {
            assert_int_equal(data->node_mark[motif + i], 1);
            assert_int_equal(data->arc_start[motif + i + 1] - data->arc_start[motif + i],
                             degrees[(int)data->labels[g]][i]);
        }
    }
    l2r_dataset_free(data);
}

static void larger_sets_start_with_smaller_ones(void **state)
{
    (void)state;
    struct l2r_dataset *a = generated("spmotif:train=30,valid=0,test=0"),
                       *b = generated("spmotif:train=60,valid=0,test=0");
    struct l2r_dataset *c = generated("spmotif:train=30,valid=0,test=0,seed=1");
    assert_memory_equal(a->environment, b->environment, 30 * sizeof *a->environment);
    assert_memory_equal(a->node_real, b->node_real, (size_t)(a->n_nodes * 4) * sizeof *a->node_real);
    assert_memory_equal(a->neighbour, b->neighbour, (size_t)a->n_arcs * sizeof *a->neighbour);
    assert_true(a->n_nodes != c->n_nodes || memcmp(a->node_real, c->node_real, 64) != 0);
    l2r_dataset_free(a);
    l2r_dataset_free(b);
    l2r_dataset_free(c);
}

static void sizes_can_be_chosen(void **state)
{
    (void)state;
    struct l2r_dataset *data = generated("spmotif:bias=1,tree=3,ladder=4-5,wheel=7,train=30,valid=0,test=0");
    for (int64_t g = 0; g < data->n_graphs; g++) {
        int64_t n = l2r_dataset_nodes_of(data, g) - 5;
        if (data->environment[g] == 0) assert_true(n == 15 || n == 40);
        if (data->environment[g] == 1) assert_true(n == 8 || n == 10);
        if (data->environment[g] == 2) assert_int_equal(n, 7);
    }
    l2r_dataset_free(data);
    static const char *const bad[][2] = {
        {"spmotif:tree=10", "spmotif: tree=10; expected a range such as 0-2 within 0-9"},
        {"spmotif:ladder=5-4", "spmotif: ladder=5-4; expected a range such as 8-11 within 1-1000"},
        {"spmotif:wheel=4-x", "spmotif: wheel=4-x; expected a range such as 8-11 within 1-1000"},
        {"spmotif:train=0,valid=0,test=0", "spmotif: train, valid and test are all 0; at least one graph is needed"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(l2r_dataset_load(&data, bad[i][0], false, &error), L2R_ERR_ARGUMENT);
        expect_message(error.message, bad[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_published_counts_and_shares),
        cmocka_unit_test(features_are_uniform),
        cmocka_unit_test(has_the_published_sizes),
        cmocka_unit_test(degrees_follow_from_the_shapes),
        cmocka_unit_test(larger_sets_start_with_smaller_ones),
        cmocka_unit_test(sizes_can_be_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
