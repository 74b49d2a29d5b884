/* SPDX-License-Identifier: MIT
 * See tu_edges.h. Rows are read quickly in batches (lines.h). Most edges of a batch continue the graph that is being read and
 * are kept in a tight loop; any other one goes through take_edge, which knows all that can be wrong with it. */
#include "data/formats/tu/edges.h"

#include "base/memory.h"

#include <string.h>

enum l2r_status l2r_tu_add_graph(struct l2r_tu *tu, int64_t g, size_t first, size_t n, struct l2r_error *error)
{
    const struct l2r_tu_tables *t = &tu->tables;
    int64_t node = t->node_start[g];
    const struct l2r_graph_view view = {
        .n_nodes = t->node_start[g + 1] - node,
        .n_edges = (int64_t)n,
        .edges = tu->edges ? tu->edges + 2 * first : NULL,
        .node_rows = t->node_rows ? t->node_rows + node * t->node_labels.n_columns : NULL,
        .edge_rows = tu->edge_rows ? tu->edge_rows + first * (size_t)tu->edge_labels.n_columns : NULL,
        .node_real = t->node_real ? t->node_real + node * t->n_reals : NULL,
        .node_mark = t->node_mark ? t->node_mark + node : NULL,
        .labels = t->labels + g * t->n_tasks,
        .part = t->part[g],
    };
    return l2r_builder_add(tu->builder, &view, error);
}

enum l2r_status l2r_tu_flush(struct l2r_tu *tu, int64_t graph, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (; tu->next_graph < graph; tu->next_graph++) {
        L2R_TRY(l2r_tu_add_graph(tu, tu->next_graph, 0, tu->n_edges, error));
        tu->n_edges = 0;
    }
done:
    return status;
}

static enum l2r_status keep_edge(struct l2r_tu *tu, const int64_t ends[2], struct l2r_lines *labels,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_tu_tables *t = &tu->tables;
    size_t n = tu->n_edges, columns = (size_t)tu->edge_labels.n_columns;
    if (!l2r_reserve((void **)&tu->edges, &tu->edge_room, 2 * n + 2, sizeof *tu->edges) ||
        (tu->collect && !l2r_reserve((void **)&tu->edge_graph, &tu->graph_room, n + 1, sizeof *tu->edge_graph)) ||
        !l2r_reserve((void **)&tu->edge_rows, &tu->row_room, (n + 1) * columns, sizeof *tu->edge_rows))
        return l2r_fail_memory(error, n * sizeof *tu->edges, "edges");
    tu->edges[2 * n] = t->local[ends[0] - 1];
    tu->edges[2 * n + 1] = t->local[ends[1] - 1];
    if (tu->collect) tu->edge_graph[n] = t->graph_of[ends[0] - 1];
    if (columns > 0)
        L2R_TRY(l2r_label_columns_row(tu->edge_rows + n * columns, &tu->edge_labels, tu->label_values, labels, error));
    tu->n_edges++;
done:
    return status;
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

static enum l2r_status read_edge_label(struct l2r_tu *tu, struct l2r_lines *labels, struct l2r_error *error)
{
    bool more;
    enum l2r_status status = l2r_lines_ints(labels, tu->label_values, tu->edge_labels.n_columns, &more, error);
    if (status == L2R_OK && !more)
        status = l2r_lines_fail(labels, error, "the file ends after %lld rows, but %s_A.txt goes on",
                                (long long)labels->number, tu->tables.name);
    return status;
}

/* One edge; *in_order false: it leads back to a finished graph and was not taken. */
static enum l2r_status take_edge(struct l2r_tu *tu, const int64_t ends[2], const struct l2r_lines *lines,
                                 struct l2r_lines *labels, bool *in_order, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(check_ends(tu, ends, lines, error));
    if (tu->has_edge_labels) L2R_TRY(read_edge_label(tu, labels, error));
    int64_t graph = tu->tables.graph_of[ends[0] - 1];
    if (!tu->collect && graph != tu->next_graph) {
        *in_order = graph > tu->next_graph;
        if (!*in_order) goto done;
        L2R_TRY(l2r_tu_flush(tu, graph, error));
    }
    L2R_TRY(keep_edge(tu, ends, labels, error));
done:
    return status;
}

/* How many of n edges, from the first one on, simply continue the graph that is being read. They are kept. */
static int64_t keep_plain(struct l2r_tu *tu, const int32_t *ends, int64_t n)
{
    const struct l2r_tu_tables *t = &tu->tables;
    int64_t i = 0;
    if (tu->has_edge_labels || tu->collect) return 0;
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
static enum l2r_status take_batch(struct l2r_tu *tu, int64_t n, struct l2r_lines *lines, struct l2r_lines *labels,
                                  bool *in_order, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t last = lines->number;
    for (int64_t i = 0; i < n && *in_order; i++) {
        i += keep_plain(tu, tu->batch + 2 * i, n - i);
        if (i == n) break;
        lines->number = last - (n - i - 1);
        L2R_TRY(take_edge(tu, (int64_t[]){tu->batch[2 * i], tu->batch[2 * i + 1]}, lines, labels, in_order, error));
    }
    lines->number = last;
done:
    return status;
}

enum l2r_status l2r_tu_edges_read(struct l2r_tu *tu, bool *in_order, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_tu_tables *t = &tu->tables;
    struct l2r_lines lines = {0}, labels = {0};
    int64_t ends[2], rows = 0;
    bool more = true;
    *in_order = true;
    tu->n_edges = 0;
    tu->next_graph = 0;
    L2R_TRY(l2r_tu_open(&lines, t->source, t->prefix, "_A.txt", error));
    if (tu->has_edge_labels) L2R_TRY(l2r_tu_open(&labels, t->source, t->prefix, "_edge_labels.txt", error));
    while (more && *in_order) {
        int64_t n = l2r_lines_quick(&lines, tu->batch, L2R_TU_BATCH, 2, (int32_t)t->n_nodes + 1);
        L2R_TRY(take_batch(tu, n, &lines, &labels, in_order, error));
        rows += n;
        if (n == L2R_TU_BATCH || !*in_order) continue;
        L2R_TRY(l2r_lines_ints(&lines, ends, 2, &more, error));
        if (more) L2R_TRY(take_edge(tu, ends, &lines, &labels, in_order, error));
        rows += more;
    }
    if (!*in_order) goto done;
    if (rows == 0)
        L2R_FAIL(L2R_ERR_FORMAT, "%s/%s_A.txt:1: the file is empty, expected one edge per line", t->source->path,
                 t->prefix);
    if (tu->has_edge_labels) {
        L2R_TRY(l2r_lines_next(&labels, error));
        if (labels.text)
            status = l2r_lines_fail(&labels, error, "the file has more than %lld rows, the number of edges in %s_A.txt",
                                    (long long)rows, t->name);
    }
done:
    l2r_lines_close(&lines);
    l2r_lines_close(&labels);
    return status;
}
