/* SPDX-License-Identifier: MIT
 *
 * NAME_A.txt (tu.h), streamed into the builder.
 *
 *     lines --quick parser--> batch of 1024 rows --keep_plain--> edges of the current graph --flush--> builder
 *                                                \-take_edge-> anything unusual, one edge at a time
 *
 * Most edges of a batch continue the graph that is being read and are kept in a tight loop. Any other edge goes through
 * take_edge, which checks everything and reports the line. Edges that do not come graph by graph are collected in a
 * second pass and sorted; the data set comes out the same. */
#include "data/formats/tu/tu.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

/* Gives graph g with edges [first, first + n) of the buffer to the builder. */
static enum l2r_status add_graph(struct l2r_tu *tu, int64_t g, size_t first, size_t n, struct l2r_error *error)
{
    const struct l2r_tu_tables *t = &tu->tables;
    int64_t node = t->node_start[g], row = tu->first_row + (int64_t)first;
    const struct l2r_graph_view view = {
        .n_nodes = t->node_start[g + 1] - node,
        .n_edges = (int64_t)n,
        .edges = tu->edges ? tu->edges + 2 * first : NULL,
        .node_rows = t->node_rows ? t->node_rows + node * t->node_labels.n_columns : NULL,
        .edge_rows = tu->edge_rows ? tu->edge_rows + row * tu->edge_labels.n_columns : NULL,
        .node_real = t->node_real ? t->node_real + node * t->n_reals : NULL,
        .node_mark = t->node_mark ? t->node_mark + node : NULL,
        .edge_real = tu->edge_real ? tu->edge_real + row * tu->n_edge_reals : NULL,
        .weight = t->weight ? t->weight + g : NULL,
        .labels = t->labels + g * t->n_tasks,
        .part = t->part[g],
    };
    return l2r_builder_add(tu->builder, &view, error);
}

/* All graphs before `graph` are complete and go to the builder: the first with the edges held, the others without
 * any. */
static enum l2r_status flush(struct l2r_tu *tu, int64_t graph, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (; tu->next_graph < graph; tu->next_graph++) {
        L2R_TRY(add_graph(tu, tu->next_graph, 0, tu->n_edges, error));
        tu->first_row += (int64_t)tu->n_edges;
        tu->n_edges = 0;
    }
done:
    return status;
}

static enum l2r_status keep_edge(struct l2r_tu *tu, const int64_t ends[2], struct l2r_error *error)
{
    const struct l2r_tu_tables *t = &tu->tables;
    size_t n = tu->n_edges;
    if (!l2r_reserve((void **)&tu->edges, &tu->edge_room, 2 * n + 2, sizeof *tu->edges) ||
        (tu->collect && !l2r_reserve((void **)&tu->edge_graph, &tu->graph_room, n + 1, sizeof *tu->edge_graph)))
        return l2r_fail_memory(error, n * sizeof *tu->edges, "edges");
    tu->edges[2 * n] = t->local[ends[0] - 1];
    tu->edges[2 * n + 1] = t->local[ends[1] - 1];
    if (tu->collect) tu->edge_graph[n] = t->graph_of[ends[0] - 1];
    tu->n_edges++;
    return L2R_OK;
}

static enum l2r_status check_ends(const struct l2r_tu *tu, const int64_t ends[2], const struct l2r_lines *lines,
                                  struct l2r_error *error)
{
    const struct l2r_tu_tables *t = &tu->tables;
    for (int i = 0; i < 2; i++)
        if (ends[i] < 1 || ends[i] > t->n_nodes)
            return l2r_lines_fail(lines, error, "node id %lld is outside 1..%lld (from %s_graph_indicator.txt)",
                                  (long long)ends[i], (long long)t->n_nodes, t->name);
    int32_t a = t->graph_of[ends[0] - 1], b = t->graph_of[ends[1] - 1];
    if (a != b)
        return l2r_lines_fail(lines, error, "the edge %lld, %lld joins graph %d and graph %d", (long long)ends[0],
                              (long long)ends[1], a + 1, b + 1);
    return L2R_OK;
}

static bool has_rows(const struct l2r_tu *tu)
{
    return tu->edge_rows || tu->edge_real;
}

/* How many more edges may come: with a table of labels or attributes, one for each of its rows. */
static int64_t rows_left(const struct l2r_tu *tu)
{
    return has_rows(tu) ? tu->n_edge_rows - tu->first_row - (int64_t)tu->n_edges : INT64_MAX;
}

/* One edge; *in_order false: it leads back to a finished graph and was not taken. */
static enum l2r_status take_edge(struct l2r_tu *tu, const int64_t ends[2], const struct l2r_lines *lines,
                                 bool *in_order, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(check_ends(tu, ends, lines, error));
    if (rows_left(tu) == 0) {
        tu->edge_label_lines.number = tu->n_edge_rows;
        status = l2r_lines_fail(&tu->edge_label_lines, error, "the file ends after %lld rows, but %s_A.txt goes on",
                                (long long)tu->n_edge_rows, tu->tables.name);
        goto done;
    }
    int64_t graph = tu->tables.graph_of[ends[0] - 1];
    if (!tu->collect && graph != tu->next_graph) {
        *in_order = graph > tu->next_graph;
        if (!*in_order) goto done;
        L2R_TRY(flush(tu, graph, error));
    }
    L2R_TRY(keep_edge(tu, ends, error));
done:
    return status;
}

/* Keeps the edges at the front of a batch that continue the graph being read, and returns how many. */
static int64_t keep_plain(struct l2r_tu *tu, const int32_t *ends, int64_t n)
{
    const struct l2r_tu_tables *t = &tu->tables;
    int64_t i = 0;
    if (tu->collect) return 0;
    if (n > rows_left(tu)) n = rows_left(tu);
    if (!l2r_reserve((void **)&tu->edges, &tu->edge_room, 2 * (tu->n_edges + (size_t)n), sizeof *tu->edges)) return 0;
    int32_t *to = tu->edges + 2 * tu->n_edges;
    for (; i < n; i++) {
        int32_t u = ends[2 * i] - 1, v = ends[2 * i + 1] - 1;
        if (u < 0 || v < 0 || t->graph_of[u] != tu->next_graph || t->graph_of[v] != tu->next_graph) break;
        to[2 * i] = t->local[u];
        to[2 * i + 1] = t->local[v];
    }
    tu->n_edges += (size_t)i;
    return i;
}

/* Rows that were read quickly. An edge that is not plain is taken with its own line number for messages. */
static enum l2r_status take_batch(struct l2r_tu *tu, int64_t n, struct l2r_lines *lines, bool *in_order,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t last = lines->number;
    for (int64_t i = 0; i < n && *in_order; i++) {
        i += keep_plain(tu, tu->batch + 2 * i, n - i);
        if (i == n) break;
        lines->number = last - (n - i - 1);
        L2R_TRY(take_edge(tu, (int64_t[]){tu->batch[2 * i], tu->batch[2 * i + 1]}, lines, in_order, error));
    }
    lines->number = last;
done:
    return status;
}

/* Edges in the order of their graphs, otherwise in the order of the file: a counting sort. */
static enum l2r_status sort_edges(struct l2r_tu *tu, int64_t *start, struct l2r_error *error)
{
    size_t columns = (size_t)tu->edge_labels.n_columns, n_reals = (size_t)tu->n_edge_reals;
    int32_t *edges = l2r_alloc_raw(2 * tu->n_edges, sizeof *edges);
    int32_t *rows = l2r_alloc_raw(columns * tu->n_edges, sizeof *rows);
    float *reals = l2r_alloc_raw(n_reals * tu->n_edges, sizeof *reals);
    if (!edges || !rows || !reals) {
        l2r_free(edges);
        l2r_free(rows);
        l2r_free(reals);
        return l2r_fail_memory(error, 2 * tu->n_edges * sizeof *edges, "edges");
    }
    for (size_t e = 0; e < tu->n_edges; e++) start[tu->edge_graph[e] + 1]++;
    for (int64_t g = 0; g < tu->tables.n_graphs; g++) start[g + 1] += start[g];
    for (size_t e = 0; e < tu->n_edges; e++) {
        size_t to = (size_t)start[tu->edge_graph[e]]++;
        assert(tu->edges && (columns == 0 || tu->edge_rows) && (n_reals == 0 || tu->edge_real));
        memcpy(edges + 2 * to, tu->edges + 2 * e, 2 * sizeof *edges);
        if (columns > 0) memcpy(rows + columns * to, tu->edge_rows + columns * e, columns * sizeof *rows);
        if (n_reals > 0) memcpy(reals + n_reals * to, tu->edge_real + n_reals * e, n_reals * sizeof *reals);
    }
    /* start[g] has moved to the end of g, where g + 1 begins. */
    memmove(start + 1, start, (size_t)tu->tables.n_graphs * sizeof *start);
    start[0] = 0;
    l2r_free(tu->edges);
    l2r_free(tu->edge_rows);
    l2r_free(tu->edge_real);
    tu->edges = edges;
    tu->edge_rows = rows;
    tu->edge_real = reals;
    return L2R_OK;
}

static enum l2r_status add_collected(struct l2r_tu *tu, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t *start = l2r_alloc((size_t)tu->tables.n_graphs + 1, sizeof *start);
    if (!start) return l2r_fail_memory(error, (size_t)tu->tables.n_graphs * sizeof *start, "edges");
    L2R_TRY(sort_edges(tu, start, error));
    for (int64_t g = 0; g < tu->tables.n_graphs; g++)
        L2R_TRY(add_graph(tu, g, (size_t)start[g], (size_t)(start[g + 1] - start[g]), error));
done:
    l2r_free(start);
    return status;
}

static enum l2r_status read_lines(struct l2r_tu *tu, struct l2r_lines *lines, bool *in_order, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t ends[2];
    bool more = true;
    while (more && *in_order) {
        int64_t n = l2r_lines_quick(lines, tu->batch, L2R_TU_BATCH, 2, (int32_t)tu->tables.n_nodes + 1);
        L2R_TRY(take_batch(tu, n, lines, in_order, error));
        if (n == L2R_TU_BATCH || !*in_order) continue;
        L2R_TRY(l2r_lines_ints(lines, ends, 2, &more, error));
        if (more) L2R_TRY(take_edge(tu, ends, lines, in_order, error));
    }
done:
    return status;
}

enum l2r_status l2r_tu_edges_read(struct l2r_tu *tu, bool *in_order, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_tu_tables *t = &tu->tables;
    struct l2r_lines lines = {0};
    *in_order = true;
    tu->n_edges = 0;
    tu->first_row = tu->next_graph = 0;
    L2R_TRY(l2r_tu_open(&lines, t->source, t->prefix, "_A.txt", error));
    L2R_TRY(read_lines(tu, &lines, in_order, error));
    if (!*in_order) goto done;
    int64_t rows = tu->first_row + (int64_t)tu->n_edges;
    if (rows == 0)
        L2R_FAIL(L2R_ERR_FORMAT, "%s/%s_A.txt:1: the file is empty, expected one edge per line", t->source->path,
                 t->prefix);
    if (has_rows(tu) && rows_left(tu) > 0) {
        tu->edge_label_lines.number = rows + 1;
        status = l2r_lines_fail(&tu->edge_label_lines, error,
                                "the file has more than %lld rows, the number of edges in %s_A.txt", (long long)rows,
                                t->name);
        goto done;
    }
    L2R_TRY(tu->collect ? add_collected(tu, error) : flush(tu, t->n_graphs, error));
done:
    l2r_lines_close(&lines);
    return status;
}
