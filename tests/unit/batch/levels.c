/* SPDX-License-Identifier: MIT
 * Levels of a batch against colours found by comparing every pair of nodes, on random graphs of every kind. */
#include "unit/batch/level_trial.h"

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
    qsort(s.item, (size_t)s.n, sizeof s.item[0], compare);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_ends),
                                       cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
