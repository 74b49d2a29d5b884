/* SPDX-License-Identifier: MIT
 *
 * Levels of a batch against colours found by comparing every pair of nodes, on random graphs of every kind; and of
 * larger graphs: hubs, graphs that are not worth a search, any number of threads, and too little memory.
 */
#include "batch/levels.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/threads.h"
#include "support/messages.h"
#include "support/random_graphs.h"

#include <stdlib.h>

/* ---- What a row of a level must be, seen from a node that it stands for ---- */

enum { DEPTH = 4, LONGEST = 2 * MOST_EDGES /* most neighbours of a node that is looked at */ };

struct made {
    struct l2r_arena arena;
    struct l2r_batch batch;
    struct l2r_levels levels;
};

static struct made make(const struct l2r_dataset *data, int64_t n_graphs, int64_t depth, bool degrees)
{
    struct made m;
    struct l2r_error error;
    int32_t *graphs = calloc((size_t)n_graphs + 1, sizeof *graphs);
    assert_non_null(graphs);
    for (int32_t i = 0; i < n_graphs; i++) graphs[i] = i;
    l2r_arena_init(&m.arena);
    assert_int_equal(l2r_batch_make(&m.batch, &m.arena, data, graphs, n_graphs, &error), L2R_OK);
    struct l2r_sharing sharing = {.depth = depth, .arcs = true, .degrees = degrees};
    assert_int_equal(l2r_levels_make(&m.levels, &m.arena, &m.batch, data, &sharing, &error), L2R_OK);
    free(graphs);
    return m;
}

static void drop(struct made *m, struct l2r_dataset *data)
{
    l2r_arena_clear(&m->arena);
    l2r_dataset_free(data);
}

static int64_t others(const struct l2r_batch *b, int64_t v)
{
    int64_t n = 0;
    for (int64_t e = b->graph.arc_start[v]; e < b->graph.arc_start[v + 1]; e++) n += b->graph.neighbour[e] != v;
    return n;
}

/* Row r, as node v sees it: own row and arcs lead to the rows of the level before. */
static void check_row(const struct l2r_batch *b, const struct l2r_level *level, const int32_t *before, int64_t r,
                      int64_t v, bool degrees)
{
    const struct l2r_adjacency *g = &level->graph;
    int64_t expected[LONGEST], found[LONGEST], n = g->arc_start[r + 1] - g->arc_start[r];
    double norms_expected = 0, norms_found = 0;
    assert_int_equal(level->map.self[r], before[v]);
    assert_int_equal(n, b->graph.arc_start[v + 1] - b->graph.arc_start[v]);
    for (int64_t k = 0; k < n; k++) {
        int64_t e = b->graph.arc_start[v] + k, f = g->arc_start[r] + k, u = b->graph.neighbour[e];
        expected[k] = (int64_t)before[u] * 1000 + b->graph.arc_type[e];
        found[k] = (int64_t)g->neighbour[f] * 1000 + g->arc_type[f];
        double both = 1 / sqrt((double)((others(b, v) + 1) * (others(b, u) + 1)));
        /* a weighted sum tells whether each norm stands beside the right neighbour */
        norms_expected += u == v ? 0 : both * (double)(1 + expected[k]);
        if (degrees) norms_found += (double)level->map.arc_norm[f] * (double)(1 + found[k]);
    }
    qsort(expected, (size_t)n, sizeof *expected, l2r_compare_i64);
    qsort(found, (size_t)n, sizeof *found, l2r_compare_i64);
    assert_memory_equal(found, expected, (size_t)n * sizeof *found);
    if (!degrees) return;
    assert_true(fabs(norms_found - norms_expected) <= 1e-4 * (1 + norms_expected));
    assert_true(fabs((double)g->inverse_root_degree[r] - 1 / sqrt((double)(others(b, v) + 1))) < 1e-6);
}

/* ---- Random graphs ---- */

enum { COPIES = 3, GRAPHS = COPIES * ODD_GRAPHS, NODES = GRAPHS * MOST_NODES };

/* Some graphs, each several times with its nodes in another order: there is something to share. */
static struct l2r_dataset *repeated(enum graph_kind kind, uint64_t seed)
{
    static struct test_graph graphs[GRAPHS];
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_TEST, (uint64_t)kind);
    draw_odd_graphs(graphs, kind, &rng);
    for (int i = ODD_GRAPHS; i < GRAPHS; i++) graphs[i] = shuffle_graph(&graphs[i - ODD_GRAPHS], kind, &rng);
    return data_set_of(graphs, GRAPHS, kind);
}

/* What a node sees: (colour, type, loop) of its arcs, sorted. */
struct seen {
    int64_t item[LONGEST];
    int64_t n;
};

static struct seen look(const struct l2r_batch *b, const int32_t *colour, int64_t v)
{
    struct seen s = {.n = b->graph.arc_start[v + 1] - b->graph.arc_start[v]};
    assert_true(s.n <= LONGEST);
    for (int64_t k = 0; k < s.n; k++) {
        int64_t e = b->graph.arc_start[v] + k, u = b->graph.neighbour[e];
        s.item[k] = ((int64_t)colour[u] * 1000 + b->graph.arc_type[e]) * 2 + (u == v);
    }
    qsort(s.item, (size_t)s.n, sizeof s.item[0], l2r_compare_i64);
    return s;
}

/* The next depth by comparing with every node before. */
static int32_t refine(int32_t *to, const struct l2r_batch *b, const int32_t *colour)
{
    int32_t n = 0;
    for (int64_t v = 0; v < b->n_nodes; v++) {
        struct seen mine = look(b, colour, v);
        to[v] = -1;
        for (int64_t w = 0; w < v && to[v] < 0; w++) {
            struct seen its = look(b, colour, w);
            if (colour[v] == colour[w] && mine.n == its.n &&
                memcmp(mine.item, its.item, (size_t)mine.n * sizeof mine.item[0]) == 0)
                to[v] = to[w];
        }
        if (to[v] < 0) to[v] = n++;
    }
    return n;
}

static void check(const struct l2r_batch *b, const struct l2r_levels *levels, bool degrees)
{
    static int32_t colour[2][NODES], before[NODES];
    int32_t *now = colour[0], *next = colour[1];
    for (int64_t v = 0; v < b->n_nodes; v++) {
        before[v] = b->nodes.type[v];
        now[v] = degrees ? b->nodes.type[v] * 1000 + (int32_t)others(b, v) : b->nodes.type[v];
    }
    for (int64_t i = 0; i < levels->n; i++) {
        const struct l2r_level *level = &levels->level[i];
        int32_t n = refine(next, b, now);
        int64_t total = 0, rows = level->graph.n_nodes;
        assert_ptr_equal(level->graph.map, &level->map);
        if (level->row) {
            assert_int_equal(rows, n);
            assert_int_equal(level->counts.total, b->n_nodes);
            for (int64_t v = 0; v < b->n_nodes; v++)
                assert_int_equal(level->row[v], next[v]); /* first come, first numbered */
            for (int64_t r = 0; r < rows; r++) total += (int64_t)level->counts.count[r];
            assert_int_equal(total, b->n_nodes);
        } else {
            assert_int_equal(rows, b->n_nodes);
            assert_int_equal(i + 1, levels->n);
            assert_null(level->counts.count);
        }
        for (int64_t v = 0; v < b->n_nodes; v++)
            check_row(b, level, before, level->row ? level->row[v] : v, v, degrees);
        int64_t sources = 0;
        for (int64_t v = 0; v < b->n_nodes; v++) sources = before[v] >= sources ? before[v] + 1 : sources;
        assert_int_equal(level->map.n_sources, sources);
        for (int64_t v = 0; level->row && v < b->n_nodes; v++) before[v] = level->row[v];
        int32_t *spare = now;
        now = next, next = spare;
    }
}

static void test_random(void **state)
{
    (void)state;
    for (int kind = 0; kind < GRAPH_KINDS; kind++)
        for (uint64_t seed = 0; seed < 6; seed++)
            for (int degrees = 0; degrees < 2; degrees++) {
                struct l2r_dataset *data = repeated((enum graph_kind)kind, seed);
                struct made m = make(data, data->n_graphs, DEPTH, degrees);
                assert_int_equal(m.levels.n, DEPTH); /* three copies of everything: sharing never ends */
                check(&m.batch, &m.levels, degrees);
                for (int64_t i = 0; i < m.levels.n; i++)
                    assert_true(m.levels.level[i].graph.n_nodes * COPIES <= m.batch.n_nodes);
                drop(&m, data);
            }
}

static void test_ends(void **state)
{
    (void)state;
    for (int degrees = 0; degrees < 2; degrees++) { /* single graphs: soon all nodes differ */
        struct l2r_rng rng = l2r_rng_at(9, L2R_RANDOM_TEST, 1);
        struct test_graph graph = draw_graph(LABELLED, 24, 40, &rng);
        struct l2r_dataset *data = data_set_of(&graph, 1, LABELLED);
        struct made m = make(data, 1, DEPTH, degrees);
        assert_true(m.levels.n >= 1 && m.levels.n < DEPTH);
        assert_null(m.levels.level[m.levels.n - 1].row);
        check(&m.batch, &m.levels, degrees);
        drop(&m, data);
    }
    struct l2r_rng rng = l2r_rng_at(9, L2R_RANDOM_TEST, 2);
    struct test_graph pair = draw_graph(MOLECULES, 2, 1, &rng);
    pair.node_rows[0] = 0, pair.node_rows[2] = 1;
    struct l2r_dataset *data = data_set_of(&pair, 1, MOLECULES);
    struct made m = make(data, 1, DEPTH, false);
    assert_int_equal(m.levels.n, 0); /* two nodes, two types */
    drop(&m, data);
    data = data_set_of(&pair, 1, MOLECULES);
    m = make(data, 0, DEPTH, true); /* no graph at all */
    for (int64_t i = 0; i < m.levels.n; i++) assert_int_equal(m.levels.level[i].graph.n_nodes, 0);
    drop(&m, data);
    data = repeated(BARE, 1);
    m = make(data, data->n_graphs, 0, true);
    assert_int_equal(m.levels.n, 0);
    drop(&m, data);
}

/* The features along the neighbour lists of graph 0's nodes are the same whatever else is in the batch. */
static void test_order(void **state)
{
    (void)state;
    struct l2r_dataset *data = repeated(MOLECULES, 3);
    struct made all = make(data, data->n_graphs, 1, false), some = make(data, ODD_GRAPHS + 1, 1, false);
    for (int64_t v = 0; v < all.batch.node_start[1]; v++) {
        const struct l2r_level *a = &all.levels.level[0], *b = &some.levels.level[0];
        int64_t r = a->row[v], s = b->row ? b->row[v] : v;
        for (int64_t k = 0; k < a->graph.arc_start[r + 1] - a->graph.arc_start[r]; k++) {
            int64_t e = a->graph.arc_start[r] + k, f = b->graph.arc_start[s] + k;
            assert_memory_equal(all.batch.nodes.rows + 2 * a->graph.neighbour[e],
                                some.batch.nodes.rows + 2 * b->graph.neighbour[f], 2 * sizeof(int32_t));
            assert_memory_equal(all.batch.arcs.rows + 2 * a->graph.arc_type[e],
                                some.batch.arcs.rows + 2 * b->graph.arc_type[f], 2 * sizeof(int32_t));
        }
    }
    l2r_arena_clear(&some.arena);
    drop(&all, data);
}

/* ---- Large graphs ---- */

/* Graphs of one categorical feature of three values, given by their edges. */
static struct l2r_builder *open_builder(void)
{
    static const int32_t vocabulary[] = {3};
    static const int64_t classes[] = {0, 1};
    struct l2r_schema schema = {.name = "large",
                                .task = L2R_TASK_MULTICLASS,
                                .n_tasks = 1,
                                .n_node_columns = 1,
                                .node_vocabulary = vocabulary,
                                .n_classes = 2,
                                .class_value = classes};
    struct l2r_builder *builder;
    assert_int_equal(l2r_builder_new(&builder, &schema, NULL), L2R_OK);
    return builder;
}

static void add(struct l2r_builder *builder, int64_t n, const int32_t *rows, const int32_t *edges, int64_t n_edges)
{
    static const float label = 0;
    struct l2r_graph_view view = {
        .n_nodes = n, .n_edges = n_edges, .edges = edges, .node_rows = rows, .labels = &label, .part = L2R_PART_NONE};
    assert_int_equal(l2r_builder_add(builder, &view, NULL), L2R_OK);
}

static struct l2r_dataset *close_builder(struct l2r_builder *builder)
{
    struct l2r_dataset *data;
    assert_int_equal(l2r_builder_finish(&data, builder, NULL), L2R_OK);
    l2r_builder_free(builder);
    return data;
}

enum { LEAVES = 4000 };

/* Two stars of many leaves of alternating types, and one that differs in a single leaf. */
static struct l2r_dataset *stars(void)
{
    static int32_t edges[2 * LEAVES], rows[LEAVES + 1];
    struct l2r_builder *builder = open_builder();
    for (int star = 0; star < 3; star++) {
        for (int32_t i = 0; i < LEAVES; i++) {
            int32_t leaf = star == 1 ? LEAVES - 1 - i : i; /* another order */
            edges[2 * i] = 0, edges[2 * i + 1] = leaf + 1;
            rows[leaf + 1] = leaf % 2 + 1;
        }
        if (star == 2) rows[7] = rows[7] == 1 ? 2 : 1;
        add(builder, LEAVES + 1, rows, edges, LEAVES);
    }
    return close_builder(builder);
}

enum { DENSE = 40, LARGE = 6000, LARGE_EDGES = 6 * LARGE };

/* Many neighbours, or a sample of nodes that all differ: no search, the rows of level 1 are the nodes, and right. */
static void test_not_worth_it(void **state)
{
    (void)state;
    static int32_t edges[2 * LARGE_EDGES], rows[LARGE];
    struct l2r_rng rng = l2r_rng_at(5, L2R_RANDOM_TEST, 0);
    for (int large = 0; large < 2; large++) {
        struct l2r_builder *builder = open_builder();
        int64_t n = large ? LARGE : DENSE, n_edges = 0;
        for (int64_t v = 0; v < n; v++) rows[v] = (int32_t)l2r_rng_below(&rng, 3);
        for (int32_t u = 0; !large && u < n; u++)
            for (int32_t v = 0; v < u; v++, n_edges++) edges[2 * n_edges] = u, edges[2 * n_edges + 1] = v;
        for (; large && n_edges < LARGE_EDGES; n_edges++)
            for (int k = 0; k < 2; k++) edges[2 * n_edges + k] = (int32_t)l2r_rng_below(&rng, LARGE);
        add(builder, n, rows, edges, n_edges);
        struct l2r_dataset *data = close_builder(builder);
        struct made m = make(data, 1, DEPTH, true);
        assert_int_equal(m.levels.n, 1);
        assert_null(m.levels.level[0].row);
        for (int64_t v = 0; v < n; v++) check_row(&m.batch, &m.levels.level[0], m.batch.nodes.type, v, v, true);
        drop(&m, data);
    }
}

static void test_hubs(void **state)
{
    (void)state;
    struct l2r_dataset *data = stars();
    struct made m = make(data, 3, 2, true);
    assert_int_equal(m.levels.n, 2);
    assert_int_equal(m.levels.level[0].graph.n_nodes, 4); /* two hubs, two sorts of leaves */
    assert_int_equal(m.levels.level[1].graph.n_nodes, 6); /* leaves now know their hub */
    const int32_t *row = m.levels.level[0].row;
    assert_int_equal(row[0], row[LEAVES + 1]);
    assert_int_not_equal(row[0], row[2 * (LEAVES + 1)]);
    drop(&m, data);
}

static void test_threads(void **state)
{
    (void)state;
    struct l2r_dataset *data = stars();
    l2r_threads_set(1);
    struct made one = make(data, 3, 2, true);
    l2r_threads_set(3);
    struct made three = make(data, 3, 2, true);
    for (int64_t i = 0; i < 2; i++) {
        const struct l2r_level *a = &one.levels.level[i], *b = &three.levels.level[i];
        assert_int_equal(a->graph.n_arcs, b->graph.n_arcs);
        assert_memory_equal(a->row, b->row, (size_t)one.batch.n_nodes * sizeof *a->row);
        assert_memory_equal(a->graph.neighbour, b->graph.neighbour, (size_t)a->graph.n_arcs * sizeof(int32_t));
        assert_memory_equal(a->map.arc_norm, b->map.arc_norm, (size_t)a->graph.n_arcs * sizeof(l2r_real));
    }
    l2r_threads_set(0);
    l2r_arena_clear(&three.arena);
    drop(&one, data);
}

static void test_memory(void **state)
{
    (void)state;
    struct l2r_dataset *data = stars();
    struct made m = make(data, 3, 1, true);
    struct l2r_sharing sharing = {.depth = 2, .arcs = true, .degrees = true};
    enum l2r_status status = L2R_ERR_MEMORY;
    l2r_threads_set(1);
    for (long k = 0; status != L2R_OK; k++) {
        struct l2r_error error = {0};
        struct l2r_arena arena;
        struct l2r_levels levels;
        l2r_arena_init(&arena);
        l2r_memory_fail_at(k, false);
        status = l2r_levels_make(&levels, &arena, &m.batch, data, &sharing, &error);
        l2r_memory_fail_at(-1, false);
        if (k < 2) assert_int_equal(status, L2R_ERR_MEMORY);
        if (status != L2R_OK) expect_message(error.message, "the equal neighbourhoods of a batch");
        l2r_arena_clear(&arena);
        assert_true(k < 100);
    }
    l2r_threads_set(0);
    drop(&m, data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_ends),
                                       cmocka_unit_test(test_order),  cmocka_unit_test(test_not_worth_it),
                                       cmocka_unit_test(test_hubs),   cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
