/* SPDX-License-Identifier: MIT
 *
 * Pooling by score: ⌈ratio·n⌉ nodes of EVERY graph stay, ties go to the lower node number, no graph that has nodes is
 * lost, and the smaller graph is the one between those that stay. Choices are compared with sorting.
 */
#include "nn/top_k_pool.h"

#include "base/rng.h"
#include "base/threads.h"
#include "kernels/top_k.h"
#include "support/messages.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_count(void **state)
{
    (void)state;
    assert_int_equal(l2r_keep_count(0.8, 5), 4);
    assert_int_equal(l2r_keep_count(0.8, 6), 5);
    assert_int_equal(l2r_keep_count(0.5, 7), 4);
    assert_int_equal(l2r_keep_count(0.55, 100), 55); /* 0.55·100 is 55.00000000000001 */
    assert_int_equal(l2r_keep_count(0.07, 100), 7);
    assert_int_equal(l2r_keep_count(0.001, 3), 1);
    assert_int_equal(l2r_keep_count(0.8, 0), 0);
    for (int64_t percent = 1; percent <= 100; percent++)
        for (int64_t n = 0; n <= 3000; n += n < 300 ? 1 : 97) {
            int64_t exact = (percent * n + 99) / 100;
            assert_int_equal(l2r_keep_count((double)percent / 100, n), exact);
        }
}

enum { MOST = 3000 };
static int32_t keep[MOST], place[MOST];
static l2r_real scratch[MOST];

/* One graph of n nodes, of which k stay. */
static void choose(const l2r_real *score, int32_t n, int32_t k)
{
    const int32_t start[] = {0, n}, kept_start[] = {0, k};
    memset(keep, 0xee, sizeof keep);
    l2r_top_k(keep, place, score, start, kept_start, scratch, 1);
}

static void test_ties(void **state)
{
    (void)state;
    const l2r_real equal[] = {2, 2, 2, 2, 2}, some[] = {-1, 5, 3, 3, 3, -7}, zeros[] = {0, 0, 0};
    choose(equal, 5, 3);
    assert_memory_equal(keep, ((int32_t[]){0, 1, 2}), 3 * sizeof *keep);
    choose(some, 6, 3);
    assert_memory_equal(keep, ((int32_t[]){1, 2, 3}), 3 * sizeof *keep);
    assert_memory_equal(place, ((int32_t[]){-1, 0, 1, 2, -1, -1}), 6 * sizeof *place);
    choose(zeros, 3, 1);
    assert_int_equal(keep[0], 0);
    /* Scores that differ by rounding alone are equal, whatever their size. */
    for (double size = 1e-20; size < 1e21; size *= 1e10) {
        l2r_real noisy[] = {(l2r_real)(0.7 * size), (l2r_real)(0.7000002 * size), (l2r_real)(-0.9 * size),
                            (l2r_real)(0.7000004 * size)};
        choose(noisy, 4, 2);
        assert_memory_equal(keep, ((int32_t[]){0, 1}), 2 * sizeof *keep);
    }
}

static void test_odd_scores(void **state)
{
    (void)state;
    const l2r_real with_nan[] = {1, 2, (l2r_real)NAN, 3}, all_nan[] = {(l2r_real)NAN, (l2r_real)NAN},
                   infinite[] = {(l2r_real)-INFINITY, 1, (l2r_real)INFINITY, 0};
    choose(with_nan, 4, 2);
    assert_memory_equal(keep, ((int32_t[]){2, 3}), 2 * sizeof *keep);
    choose(all_nan, 2, 1);
    assert_int_equal(keep[0], 0);
    choose(infinite, 4, 3);
    assert_memory_equal(keep, ((int32_t[]){1, 2, 3}), 3 * sizeof *keep);
}

static const l2r_real *sorted_by;
static int by_score(const void *a, const void *b)
{
    int32_t u = *(const int32_t *)a, v = *(const int32_t *)b;
    if (sorted_by[u] != sorted_by[v]) return sorted_by[u] > sorted_by[v] ? -1 : 1;
    return u < v ? -1 : 1;
}
static int by_number(const void *a, const void *b)
{
    return *(const int32_t *)a < *(const int32_t *)b ? -1 : 1;
}

/* Many graphs at once, scores with many ties, against sorting. */
static void test_against_sorting(void **state)
{
    (void)state;
    struct l2r_rng rng = l2r_rng_at(1, L2R_RANDOM_TEST, 40);
    static l2r_real score[MOST];
    int32_t start[32] = {0}, kept_start[32] = {0}, order[MOST];
    for (int i = 0; i < 31; i++) {
        int32_t n = i % 7 == 3 ? 0 : (int32_t)l2r_rng_below(&rng, i == 30 ? 900 : 60);
        start[i + 1] = start[i] + n;
        kept_start[i + 1] = kept_start[i] + (int32_t)l2r_keep_count(0.1 * (1 + i % 10), n);
    }
    for (int i = 0; i < start[31]; i++) score[i] = (l2r_real)((double)l2r_rng_below(&rng, 64) / 32 - 1);
    l2r_top_k(keep, place, score, start, kept_start, scratch, 31);
    sorted_by = score;
    for (int g = 0; g < 31; g++) {
        int32_t n = start[g + 1] - start[g], k = kept_start[g + 1] - kept_start[g];
        for (int32_t i = 0; i < n; i++) order[i] = start[g] + i;
        qsort(order, (size_t)n, sizeof *order, by_score);
        qsort(order, (size_t)k, sizeof *order, by_number);
        assert_memory_equal(keep + kept_start[g], order, (size_t)k * sizeof *order);
    }
    for (int i = 0; i < start[31]; i++) assert_true(place[i] < 0 || keep[place[i]] == i);
}

/* Graph 0 is the path 0-1-2-3 with a self loop at 2, graph 1 is empty, graph 2 one node, graph 3 the triangle 5-6-7. */
static const int32_t arc_start[] = {0, 1, 3, 6, 7, 7, 9, 11, 13};
static const int32_t neighbour[] = {1, 0, 2, 1, 2, 3, 2, 6, 7, 5, 7, 5, 6};
static const int32_t arc_type[] = {4, 4, 3, 3, 9, 2, 2, 1, 0, 1, 5, 0, 5};
static const int32_t node_start[] = {0, 4, 4, 5, 8};
static const l2r_real norm[8] = {0};
static const struct l2r_batch batch = {.n_graphs = 4,
                                       .n_nodes = 8,
                                       .graph = {8, 13, arc_start, neighbour, arc_type, norm, NULL},
                                       .node_start = node_start,
                                       .arcs = {.n = 10, .type = arc_type}};

static void test_level(void **state)
{
    (void)state;
    struct l2r_tape t;
    struct l2r_batch level;
    l2r_real x[16], score[] = {-3, 1, 2, 3, -9, 1, 1, 1};
    for (int i = 0; i < 16; i++) x[i] = (l2r_real)(i + 1);
    l2r_tape_init(&t);
    l2r_node out = l2r_top_k_pool(&t, &level, &batch, l2r_constant(&t, x, 8, 2), l2r_constant(&t, score, 8, 1), 0.6);
    assert_int_equal(t.status, L2R_OK);
    /* 3 of 4, 0 of 0, 1 of 1, 2 of 3: nodes 1 2 3 | | 4 | 5 6. */
    assert_memory_equal(level.node_start, ((int32_t[]){0, 3, 3, 4, 6}), 5 * sizeof(int32_t));
    assert_int_equal(level.n_nodes, 6);
    assert_int_equal(level.n_graphs, 4);
    assert_int_equal(level.graph.n_nodes, 6);
    assert_int_equal(level.graph.n_arcs, 7);
    assert_memory_equal(level.graph.arc_start, ((int32_t[]){0, 1, 4, 5, 5, 6, 7}), 7 * sizeof(int32_t));
    assert_memory_equal(level.graph.neighbour, ((int32_t[]){1, 0, 1, 2, 1, 5, 4}), 7 * sizeof(int32_t));
    assert_memory_equal(level.graph.arc_type, ((int32_t[]){3, 3, 9, 2, 2, 1, 1}), 7 * sizeof(int32_t));
    assert_ptr_equal(level.arcs.type, level.graph.arc_type);
    assert_int_equal(level.arcs.n, 10);
    const double degrees[] = {2, 3, 2, 1, 2, 2}; /* neighbours other than itself, and 1 */
    for (int i = 0; i < 6; i++)
        assert_true(fabs((double)level.graph.inverse_root_degree[i] - 1 / sqrt(degrees[i])) < 1e-7);
    const struct l2r_value *value = l2r_value_of(&t, out);
    assert_int_equal(value->rows, 6);
    assert_true(fabs((double)value->data[2] - 5 * tanh(2)) < 1e-6);
    assert_true(fabs((double)value->data[7] - 10 * tanh(-9)) < 1e-6); /* the only node of its graph stays */
    l2r_tape_clear(&t);
}

static void test_refusal(void **state)
{
    (void)state;
    struct l2r_tape t;
    struct l2r_batch level;
    l2r_real x[16] = {0};
    l2r_tape_init(&t);
    l2r_node nodes = l2r_constant(&t, x, 8, 2), scores = l2r_constant(&t, x, 7, 1);
    assert_int_equal(l2r_top_k_pool(&t, &level, &batch, nodes, scores, 0.5).id, -1);
    expect_message(t.error.message, "top-k pool: 7 × 1 scores for 8 nodes");
    l2r_tape_clear(&t);
}

/* A batch large enough for several chunks of work. */
static void test_threads(void **state)
{
    (void)state;
    enum { GRAPHS = 40, NODES = 60 * GRAPHS };
    static int32_t starts[NODES + 1], next[2 * NODES], types[2 * NODES], graphs[GRAPHS + 1];
    static l2r_real norms[NODES], x[NODES], score[NODES];
    struct l2r_rng rng = l2r_rng_at(2, L2R_RANDOM_TEST, 41);
    for (int g = 0; g <= GRAPHS; g++) graphs[g] = 60 * g;
    for (int v = 0; v < NODES; v++) { /* rings of 60 */
        int first = v / 60 * 60, before = first + (v - first + 59) % 60, after = first + (v - first + 1) % 60;
        starts[v + 1] = starts[v] + 2;
        next[2 * v] = before < after ? before : after;
        next[2 * v + 1] = before < after ? after : before;
        x[v] = (l2r_real)l2r_rng_normal(&rng);
        score[v] = (l2r_real)l2r_rng_normal(&rng);
    }
    struct l2r_batch level[2], rings = {.n_graphs = GRAPHS,
                                        .n_nodes = NODES,
                                        .graph = {NODES, 2 * NODES, starts, next, types, norms, NULL},
                                        .node_start = graphs};
    struct l2r_tape t[2];
    l2r_node out[2];
    for (int k = 0; k < 2; k++) {
        l2r_threads_set(k + 1);
        l2r_tape_init(&t[k]);
        out[k] = l2r_top_k_pool(&t[k], &level[k], &rings, l2r_constant(&t[k], x, NODES, 1),
                                l2r_constant(&t[k], score, NODES, 1), 0.7);
        assert_int_equal(level[k].n_nodes, 42 * GRAPHS);
    }
    l2r_threads_set(0);
    assert_int_equal(level[0].graph.n_arcs, level[1].graph.n_arcs);
    size_t arcs = (size_t)level[0].graph.n_arcs, nodes = (size_t)level[0].n_nodes;
    assert_memory_equal(level[0].graph.neighbour, level[1].graph.neighbour, arcs * sizeof(int32_t));
    assert_memory_equal(l2r_value_of(&t[0], out[0])->data, l2r_value_of(&t[1], out[1])->data, nodes * sizeof(l2r_real));
    l2r_tape_clear(&t[0]);
    l2r_tape_clear(&t[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_count),      cmocka_unit_test(test_ties),
                                       cmocka_unit_test(test_odd_scores), cmocka_unit_test(test_against_sorting),
                                       cmocka_unit_test(test_level),      cmocka_unit_test(test_refusal),
                                       cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests_name("top-k pool", tests, NULL, NULL);
}
