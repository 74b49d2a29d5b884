/* SPDX-License-Identifier: MIT
 *
 * A reader to copy, for graphs in two tables of integers without header lines:
 *
 *     graphs.csv   nodes,class     one row per graph
 *     edges.csv    graph,u,v       one row per edge; graphs count from 0 and come in order, nodes from 0 in each graph
 *
 * As src/data/formats/edge_table/edge_table.c it is recognised in every folder and archive that --data names. Both
 * files are read side by side, so only the current graph is held in memory. docs/adding-a-reader.md walks through it.
 */
#include "base/memory.h"
#include "data/builder.h"
#include "data/reader.h"
#include "io/file.h"
#include "io/lines.h"

struct edge_table {
    struct l2r_lines graphs, edges;
    struct l2r_builder *builder;
    int64_t next[3]; /* the row of edges.csv that comes next */
    bool more;       /* false: there is none */
    int32_t *ends;   /* [edges of this graph × 2] */
    size_t room;
};

static bool recognise(const struct l2r_source *source)
{
    return l2r_source_find(source, "graphs.csv") && l2r_source_find(source, "edges.csv");
}

static enum l2r_status check_edge(const struct edge_table *t, int64_t graph, int64_t n_nodes, struct l2r_error *error)
{
    for (int k = 1; k < 3; k++)
        if (t->next[k] < 0 || t->next[k] >= n_nodes)
            return l2r_lines_fail(&t->edges, error, "node %lld is outside 0..%lld, the nodes of graph %lld",
                                  (long long)t->next[k], (long long)n_nodes - 1, (long long)graph);
    return L2R_OK;
}

/* Collects the rows of edges.csv that belong to the graph, and gives it to the builder. */
static enum l2r_status read_graph(struct edge_table *t, int64_t graph, const int64_t row[2], struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t n = 0;
    for (; t->more && t->next[0] == graph; n++) {
        L2R_TRY(check_edge(t, graph, row[0], error));
        if (!l2r_reserve((void **)&t->ends, &t->room, 2 * n + 2, sizeof *t->ends))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the edges of graph %lld", (long long)graph);
        t->ends[2 * n] = (int32_t)t->next[1];
        t->ends[2 * n + 1] = (int32_t)t->next[2];
        L2R_TRY(l2r_lines_ints(&t->edges, t->next, 3, &t->more, error));
    }
    const float label = (float)row[1];
    const struct l2r_graph_view view = {
        .n_nodes = row[0], .n_edges = (int64_t)n, .edges = t->ends, .labels = &label, .part = L2R_PART_NONE};
    L2R_TRY(l2r_builder_add(t->builder, &view, error));
done:
    return status;
}

static enum l2r_status read_tables(struct edge_table *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t row[2], n = 0;
    bool more;
    L2R_TRY(l2r_lines_ints(&t->edges, t->next, 3, &t->more, error));
    for (;; n++) {
        L2R_TRY(l2r_lines_ints(&t->graphs, row, 2, &more, error));
        if (!more) break;
        L2R_TRY(read_graph(t, n, row, error));
    }
    if (t->more)
        status =
            l2r_lines_fail(&t->edges, error, "graph %lld is out of order or outside 0..%lld, the rows of graphs.csv",
                           (long long)t->next[0], (long long)n - 1);
done:
    return status;
}

static enum l2r_status read_edge_table(struct l2r_dataset **data, struct l2r_source *source, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct edge_table t = {0};
    char name[64];
    l2r_path_base(name, sizeof name, source->path);
    const struct l2r_schema schema = {
        .name = name, .task = L2R_TASK_MULTICLASS, .n_tasks = 1, .degree_as_feature = true};
    L2R_TRY(l2r_lines_open(&t.graphs, source, l2r_source_find(source, "graphs.csv"), error));
    L2R_TRY(l2r_lines_open(&t.edges, source, l2r_source_find(source, "edges.csv"), error));
    L2R_TRY(l2r_builder_new(&t.builder, &schema, error));
    L2R_TRY(read_tables(&t, error));
    L2R_TRY(l2r_builder_finish(data, t.builder, error));
done:
    l2r_builder_free(t.builder);
    l2r_lines_close(&t.graphs);
    l2r_lines_close(&t.edges);
    l2r_free(t.ends);
    return status;
}

const struct l2r_reader l2r_reader_edge_table = {
    .name = "edge_table",
    .description = "two tables of integers, graphs.csv and edges.csv; a folder or an archive",
    .recognise = recognise,
    .read = read_edge_table,
};
