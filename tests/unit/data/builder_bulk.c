/* SPDX-License-Identifier: MIT
 * All graphs at once give the bytes that graph by graph gives: with repeated edges, self loops, edges in order and in
 * none, features whose only edge was dropped, open vocabularies, degrees; for one thread and for three. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rng.h"
#include "data/builder.h"
#include "data/dataset.h"
#include "support/messages.h"

#include <math.h>
#include <string.h>

enum { GRAPHS = 700, MOST_NODES = 24, MOST_EDGES = 90, COLUMNS = 2 };

static struct l2r_error error;

/* The same graphs in both forms. */
struct sample {
    int64_t n_nodes[GRAPHS], n_edges[GRAPHS], nodes, edges;
    int32_t edge[GRAPHS * MOST_EDGES * 2];
    int32_t node_row[GRAPHS * MOST_NODES * COLUMNS], edge_row[GRAPHS * MOST_EDGES * COLUMNS];
    float label[GRAPHS];
    uint8_t part[GRAPHS];
    struct l2r_distinct node_rows, edge_rows;
    int32_t *node_type, *edge_type;
};

static int32_t below(struct l2r_rng *rng, int32_t n)
{
    return (int32_t)l2r_rng_below(rng, (uint64_t)n);
}

/* kind 0: any edges; 1: each edge both ways in order, as TU tables have them; 2: simple and sparse. */
static void make_edges(struct sample *s, struct l2r_rng *rng, int g, int kind)
{
    int32_t n = (int32_t)s->n_nodes[g], *to = s->edge + 2 * s->edges;
    bool seen[MOST_NODES][MOST_NODES] = {{false}};
    int64_t m = 0;
    for (int i = 0; n > 0 && i < (kind == 0 ? below(rng, MOST_EDGES) : n); i++) {
        int32_t u = below(rng, n), v = below(rng, n);
        if (kind == 0) {
            to[2 * m] = u;
            to[2 * m++ + 1] = v;
        } else if (!seen[u][v]) {
            seen[u][v] = seen[v][u] = true;
            if (kind == 2) to[2 * m] = u, to[2 * m++ + 1] = v;
        }
    }
    for (int32_t v = 0; kind == 1 && v < n; v++)
        for (int32_t u = 0; u < n; u++)
            if (seen[u][v] && m < MOST_EDGES) to[2 * m] = u, to[2 * m++ + 1] = v;
    s->n_edges[g] = m;
}

static struct sample *make_sample(uint64_t seed)
{
    struct sample *s = l2r_alloc(1, sizeof *s);
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_TEST, 0);
    assert_non_null(s);
    for (int g = 0; g < GRAPHS; g++) {
        s->n_nodes[g] = below(&rng, MOST_NODES);
        s->label[g] = g % 5 == 0 ? NAN : (float)below(&rng, 2);
        s->part[g] = (uint8_t)(seed % 2 ? below(&rng, 4) : L2R_PART_NONE);
        make_edges(s, &rng, g, g % 3);
        s->nodes += s->n_nodes[g];
        s->edges += s->n_edges[g];
    }
    s->node_type = l2r_alloc((size_t)s->nodes, sizeof *s->node_type);
    s->edge_type = l2r_alloc((size_t)s->edges, sizeof *s->edge_type);
    assert_true(s->node_type && s->edge_type);
    l2r_distinct_init(&s->node_rows, COLUMNS);
    l2r_distinct_init(&s->edge_rows, COLUMNS);
    for (int64_t i = 0; i < s->nodes; i++) {
        int32_t *row = s->node_row + i * COLUMNS;
        for (int k = 0; k < COLUMNS; k++) row[k] = below(&rng, 4);
        s->node_type[i] = l2r_distinct_add(&s->node_rows, row);
    }
    for (int64_t i = 0; i < s->edges; i++) {
        int32_t *row = s->edge_row + i * COLUMNS;
        for (int k = 0; k < COLUMNS; k++) row[k] = below(&rng, 300); /* many rows occur once */
        s->edge_type[i] = l2r_distinct_add(&s->edge_rows, row);
    }
    return s;
}

static void free_sample(struct sample *s)
{
    l2r_distinct_clear(&s->node_rows);
    l2r_distinct_clear(&s->edge_rows);
    l2r_free(s->node_type);
    l2r_free(s->edge_type);
    l2r_free(s);
}

static struct l2r_schema schema_for(bool nodes, bool edges)
{
    return (struct l2r_schema){.name = "s",
                               .task = L2R_TASK_BINARY,
                               .n_tasks = 1,
                               .n_node_columns = nodes ? COLUMNS : 0,
                               .n_edge_columns = edges ? COLUMNS : 0,
                               .degree_as_feature = !nodes};
}

static struct l2r_dataset *one_by_one(const struct sample *s, const struct l2r_schema *schema)
{
    struct l2r_builder *builder;
    struct l2r_dataset *data;
    int64_t node = 0, edge = 0;
    assert_int_equal(l2r_builder_new(&builder, schema, &error), L2R_OK);
    for (int g = 0; g < GRAPHS; node += s->n_nodes[g], edge += s->n_edges[g], g++) {
        const struct l2r_graph_view view = {.n_nodes = s->n_nodes[g],
                                            .n_edges = s->n_edges[g],
                                            .edges = s->edge + 2 * edge,
                                            .node_rows = s->node_row + node * COLUMNS,
                                            .edge_rows = s->edge_row + edge * COLUMNS,
                                            .labels = &s->label[g],
                                            .part = s->part[g]};
        assert_int_equal(l2r_builder_add(builder, &view, &error), L2R_OK);
    }
    assert_int_equal(l2r_builder_finish(&data, builder, &error), L2R_OK);
    l2r_builder_free(builder);
    return data;
}

static enum l2r_status at_once(struct l2r_dataset **data, struct sample *s, const struct l2r_schema *schema)
{
    enum l2r_status status = L2R_OK;
    struct l2r_builder *builder = NULL;
    const struct l2r_bulk bulk = {.n_graphs = GRAPHS,
                                  .n_nodes = s->n_nodes,
                                  .n_edges = s->n_edges,
                                  .edges = s->edge,
                                  .node_type = schema->n_node_columns ? &s->node_type : NULL,
                                  .node_rows = &s->node_rows,
                                  .edge_type = schema->n_edge_columns ? s->edge_type : NULL,
                                  .edge_rows = &s->edge_rows,
                                  .labels = s->label,
                                  .part = s->part};
    *data = NULL;
    if ((status = l2r_builder_new(&builder, schema, &error)) == L2R_OK &&
        (status = l2r_builder_add_bulk(builder, &bulk, &error)) == L2R_OK)
        status = l2r_builder_finish(data, builder, &error);
    l2r_builder_free(builder);
    return status;
}

static void same_bytes_as_one_by_one(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 16; seed++) {
        struct sample *s = make_sample(seed);
        const struct l2r_schema schema = schema_for(seed & 4, seed & 8);
        struct l2r_dataset *expected = one_by_one(s, &schema), *data;
        l2r_threads_set(seed & 2 ? 3 : 1);
        assert_int_equal(at_once(&data, s, &schema), L2R_OK);
        assert_int_equal(l2r_dataset_check_ranges(data, &error), L2R_OK);
        assert_int_equal(l2r_dataset_check_symmetry(data, &error), L2R_OK);
        assert_int_equal(data->block_size, expected->block_size);
        assert_int_equal(data->n_arcs, expected->n_arcs);
        assert_int_equal(data->n_self_loops, expected->n_self_loops);
        assert_int_equal(data->arcs.n_types, expected->arcs.n_types);
        assert_memory_equal(data->block, expected->block, data->block_size);
        if (seed & 8) assert_true(data->arcs.n_types < s->edge_rows.n); /* some rows had dropped edges only */
        l2r_dataset_free(data);
        l2r_dataset_free(expected);
        free_sample(s);
    }
    l2r_threads_set(0);
}

static void takes_one_bulk_and_nothing_else(void **state)
{
    (void)state;
    struct sample *s = make_sample(1);
    struct l2r_schema schema = schema_for(false, true);
    struct l2r_builder *builder;
    const struct l2r_bulk bulk = {.n_graphs = 2,
                                  .n_nodes = s->n_nodes,
                                  .n_edges = s->n_edges,
                                  .edges = s->edge,
                                  .edge_type = s->edge_type,
                                  .edge_rows = &s->edge_rows,
                                  .labels = s->label,
                                  .part = s->part};
    assert_int_equal(l2r_builder_new(&builder, &schema, &error), L2R_OK);
    assert_int_equal(l2r_builder_add_bulk(builder, &bulk, &error), L2R_OK);
    assert_int_equal(l2r_builder_add_bulk(builder, &bulk, &error), L2R_ERR_ARGUMENT);
    assert_int_equal(l2r_builder_add(builder, &(struct l2r_graph_view){.part = L2R_PART_NONE}, &error),
                     L2R_ERR_ARGUMENT);
    expect_message(error.message, "all graphs of this data set were added in bulk; no more can be added");
    l2r_builder_free(builder);
    schema.task = L2R_TASK_MULTICLASS; /* whose classes would have to be learned */
    assert_int_equal(l2r_builder_new(&builder, &schema, &error), L2R_OK);
    assert_int_equal(l2r_builder_add_bulk(builder, &bulk, &error), L2R_ERR_ARGUMENT);
    l2r_builder_free(builder);
    free_sample(s);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    l2r_threads_set(1); /* allocations are made to fail in this thread only */
    for (int kind = 0; kind < 2; kind++) {
        const struct l2r_schema schema = schema_for(kind, true);
        long k = 0;
        for (enum l2r_status status = L2R_ERR_MEMORY; status != L2R_OK; k++) {
            struct sample *s = make_sample(2);
            struct l2r_dataset *data;
            l2r_memory_fail_at(k, false);
            status = at_once(&data, s, &schema);
            l2r_memory_fail_at(-1, false);
            if (status != L2R_OK) assert_int_equal(status, L2R_ERR_MEMORY);
            l2r_dataset_free(data);
            free_sample(s);
        }
        assert_true(k > 10);
    }
    l2r_threads_set(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes_as_one_by_one),
        cmocka_unit_test(takes_one_bulk_and_nothing_else),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
