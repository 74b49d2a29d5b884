/* SPDX-License-Identifier: MIT
 *
 * Random graphs in memory that a test can change before they become a data set. Four kinds of data, which together have
 * everything a model may be given:
 *
 *     MOLECULES    categorical node and edge features, three binary tasks with missing labels
 *     LABELLED     one categorical node feature, self loops, three classes
 *     MEASURED     real node and edge attributes beside a categorical one, two regression targets, one missing
 *     BARE         no features at all, three classes
 */
#ifndef L2R_TESTS_RANDOM_GRAPHS_H
#define L2R_TESTS_RANDOM_GRAPHS_H

#include "base/rng.h"
#include "data/builder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum graph_kind { MOLECULES, LABELLED, MEASURED, BARE, GRAPH_KINDS };
enum { MOST_NODES = 24, MOST_EDGES = 64, MOST_COLUMNS = 3 };

static const struct graph_schema {
    const char *name;
    enum l2r_task task;
    int32_t n_tasks, n_node_columns, n_edge_columns, n_node_reals, n_edge_reals;
} graph_schemas[GRAPH_KINDS] = {{"molecules", L2R_TASK_BINARY, 3, 2, 2, 0, 0},
                                {"labelled", L2R_TASK_MULTICLASS, 1, 1, 0, 0, 0},
                                {"measured", L2R_TASK_REGRESSION, 2, 1, 0, 3, 2},
                                {"bare", L2R_TASK_MULTICLASS, 1, 0, 0, 0, 0}};
static const int32_t node_vocabulary[] = {5, 3}, edge_vocabulary[] = {3, 2};

struct test_graph {
    int64_t n_nodes, n_edges;
    int32_t edges[2 * MOST_EDGES];
    int32_t node_rows[MOST_COLUMNS * MOST_NODES], edge_rows[MOST_COLUMNS * MOST_EDGES];
    float node_real[MOST_COLUMNS * MOST_NODES], edge_real[MOST_COLUMNS * MOST_EDGES];
    float labels[MOST_COLUMNS];
};

static inline void draw_labels(struct test_graph *g, enum graph_kind kind, struct l2r_rng *rng)
{
    for (int32_t k = 0; k < graph_schemas[kind].n_tasks; k++) {
        bool classes = graph_schemas[kind].task == L2R_TASK_MULTICLASS;
        bool missing = !classes && l2r_rng_below(rng, 4) == 0;
        g->labels[k] =
            kind == MEASURED ? (float)(10 + 3 * l2r_rng_normal(rng)) : (float)l2r_rng_below(rng, classes ? 3 : 2);
        if (missing) g->labels[k] = NAN;
    }
}

/* n nodes and up to n_edges edges between random pairs; with few edges some nodes have none. */
static inline struct test_graph draw_graph(enum graph_kind kind, int64_t n, int64_t n_edges, struct l2r_rng *rng)
{
    const struct graph_schema *s = &graph_schemas[kind];
    struct test_graph g = {.n_nodes = n};
    assert_true(n <= MOST_NODES && n_edges <= MOST_EDGES);
    for (int64_t i = 0; i < n * s->n_node_columns; i++)
        g.node_rows[i] = (int32_t)l2r_rng_below(rng, (uint64_t)node_vocabulary[i % s->n_node_columns]);
    for (int64_t i = 0; i < n * s->n_node_reals; i++) g.node_real[i] = (float)l2r_rng_normal(rng);
    for (int64_t e = 0; n > 0 && e < n_edges; e++) {
        int32_t u = (int32_t)l2r_rng_below(rng, (uint64_t)n), v = (int32_t)l2r_rng_below(rng, (uint64_t)n);
        if (u == v && kind != LABELLED) continue;
        g.edges[2 * g.n_edges] = u;
        g.edges[2 * g.n_edges + 1] = v;
        /* A function of the two nodes, because an edge that is listed twice keeps its first row. */
        int32_t sum = u + v;
        for (int32_t k = 0; k < s->n_edge_columns; k++)
            g.edge_rows[g.n_edges * s->n_edge_columns + k] = (sum + k) % edge_vocabulary[k];
        for (int32_t k = 0; k < s->n_edge_reals; k++)
            g.edge_real[g.n_edges * s->n_edge_reals + k] = 0.25F * (float)((sum + k) % 5) - 0.5F;
        g.n_edges++;
    }
    draw_labels(&g, kind, rng);
    return g;
}

/* The same graph with its nodes in another order and its edges listed in another order and direction. */
static inline struct test_graph shuffle_graph(const struct test_graph *g, enum graph_kind kind, struct l2r_rng *rng)
{
    const struct graph_schema *s = &graph_schemas[kind];
    struct test_graph h = *g;
    int32_t place[MOST_NODES], order[MOST_EDGES];
    for (int32_t v = 0; v < g->n_nodes; v++) place[v] = v;
    for (int32_t e = 0; e < g->n_edges; e++) order[e] = e;
    l2r_rng_shuffle(rng, place, (size_t)g->n_nodes);
    l2r_rng_shuffle(rng, order, (size_t)g->n_edges);
    for (int64_t v = 0; v < g->n_nodes; v++) {
        for (int32_t k = 0; k < s->n_node_columns; k++)
            h.node_rows[place[v] * s->n_node_columns + k] = g->node_rows[v * s->n_node_columns + k];
        for (int32_t k = 0; k < s->n_node_reals; k++)
            h.node_real[place[v] * s->n_node_reals + k] = g->node_real[v * s->n_node_reals + k];
    }
    for (int64_t e = 0; e < g->n_edges; e++) {
        bool turn = l2r_rng_below(rng, 2) == 1;
        h.edges[2 * order[e] + turn] = place[g->edges[2 * e]];
        h.edges[2 * order[e] + !turn] = place[g->edges[2 * e + 1]];
        for (int32_t k = 0; k < s->n_edge_columns; k++)
            h.edge_rows[order[e] * s->n_edge_columns + k] = g->edge_rows[e * s->n_edge_columns + k];
        for (int32_t k = 0; k < s->n_edge_reals; k++)
            h.edge_real[order[e] * s->n_edge_reals + k] = g->edge_real[e * s->n_edge_reals + k];
    }
    return h;
}

static inline struct l2r_dataset *data_set_of(const struct test_graph *graphs, int64_t n, enum graph_kind kind)
{
    const struct graph_schema *s = &graph_schemas[kind];
    static const int64_t classes[] = {-1, 3, 8};
    struct l2r_schema schema = {.name = s->name,
                                .task = s->task,
                                .n_tasks = s->n_tasks,
                                .n_node_columns = s->n_node_columns,
                                .n_edge_columns = s->n_edge_columns,
                                .n_node_reals = s->n_node_reals,
                                .n_edge_reals = s->n_edge_reals,
                                .node_vocabulary = node_vocabulary,
                                .edge_vocabulary = edge_vocabulary,
                                .n_classes = kind == LABELLED ? 3 : 0,
                                .class_value = kind == LABELLED ? classes : NULL};
    struct l2r_builder *builder;
    struct l2r_dataset *data;
    assert_int_equal(l2r_builder_new(&builder, &schema, NULL), L2R_OK);
    for (int64_t i = 0; i < n; i++) {
        struct l2r_graph_view view = {.n_nodes = graphs[i].n_nodes,
                                      .n_edges = graphs[i].n_edges,
                                      .edges = graphs[i].edges,
                                      .node_rows = graphs[i].node_rows,
                                      .edge_rows = graphs[i].edge_rows,
                                      .node_real = graphs[i].node_real,
                                      .edge_real = graphs[i].edge_real,
                                      .labels = graphs[i].labels,
                                      .part = L2R_PART_NONE};
        assert_int_equal(l2r_builder_add(builder, &view, NULL), L2R_OK);
    }
    assert_int_equal(l2r_builder_finish(&data, builder, NULL), L2R_OK);
    l2r_builder_free(builder);
    return data;
}

/* One graph of each difficult sort, with ordinary ones between them: no node at all, a single node, no edges, isolated
 * nodes. */
enum { ODD_GRAPHS = 8 };
static inline void draw_odd_graphs(struct test_graph graphs[ODD_GRAPHS], enum graph_kind kind, struct l2r_rng *rng)
{
    static const int64_t nodes[ODD_GRAPHS] = {7, 0, 1, 9, 4, 12, 2, 5}, edges[ODD_GRAPHS] = {9, 0, 0, 14, 0, 6, 1, 5};
    for (int i = 0; i < ODD_GRAPHS; i++) graphs[i] = draw_graph(kind, nodes[i], edges[i], rng);
}

#endif
