/* SPDX-License-Identifier: MIT
 * Levels of larger graphs: hubs, graphs that are not worth a search, any number of threads, and too little memory. */
#include "base/memory.h"
#include "base/threads.h"
#include "unit/batch/level_trial.h"

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
    struct l2r_sharing sharing = {2, true, true};
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
        if (status != L2R_OK) assert_non_null(strstr(error.message, "the equal neighbourhoods of a batch"));
        l2r_arena_clear(&arena);
        assert_true(k < 100);
    }
    l2r_threads_set(0);
    drop(&m, data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_not_worth_it), cmocka_unit_test(test_hubs),
                                       cmocka_unit_test(test_threads), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
