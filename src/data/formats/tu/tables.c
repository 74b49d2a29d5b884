/* SPDX-License-Identifier: MIT
 *
 * The tables of tu.h with a row per graph or node, but for the node labels (labels.c). The label rows say how many
 * graphs there are and the indicator rows how many nodes; all other tables must agree. Nodes may come in any order of
 * graphs; they are put in the order of the graphs here. */
#include "data/formats/tu/tu.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { MAX_REALS = 65536, MAX_TASKS = 4096 };

enum l2r_status l2r_tu_open(struct l2r_lines *lines, const struct l2r_source *source, const char *prefix,
                            const char *suffix, struct l2r_error *error)
{
    const struct l2r_entry *entry = l2r_source_find2(source, prefix, suffix);
    *lines = (struct l2r_lines){0};
    if (!entry)
        return l2r_fail(error, L2R_ERR_FORMAT, "%s/%s%s: the file is missing; a TU data set needs it", source->path,
                        prefix, suffix);
    return l2r_lines_open(lines, source, entry, error);
}

static bool has(const struct l2r_tu_tables *t, const char *suffix)
{
    return l2r_source_find2(t->source, t->prefix, suffix) != NULL;
}

/* Classes are numbered in ascending order of the source's integers, which is known only at the end of the file. */
static enum l2r_status read_classes(struct l2r_tu_tables *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_lines lines = {0};
    size_t capacity = 0;
    int64_t *values = NULL, value, n = 0;
    bool more;
    t->task = L2R_TASK_MULTICLASS;
    t->n_tasks = 1;
    L2R_TRY(l2r_tu_open(&lines, t->source, t->prefix, "_graph_labels.txt", error));
    for (;; n++) {
        L2R_TRY(l2r_lines_ints(&lines, &value, 1, &more, error));
        if (!more) break;
        if (!l2r_reserve((void **)&values, &capacity, (size_t)n + 1, sizeof *values) ||
            l2r_vocabulary_add(&t->classes, value) < 0)
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: graph labels");
        values[n] = value;
    }
    t->labels = l2r_alloc_raw((size_t)n, sizeof *t->labels);
    if (!t->labels || !l2r_vocabulary_sort(&t->classes)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: graph labels");
    if (t->classes.n > 1 << 24)
        status = l2r_lines_fail(&lines, error, "there are more than %d classes; is this a regression?", 1 << 24);
    for (int64_t g = 0; g < n; g++) t->labels[g] = (float)l2r_vocabulary_index(&t->classes, values[g]);
    t->n_graphs = n;
done:
    l2r_free(values);
    l2r_lines_close(&lines);
    return status;
}

/* Rows of reals in a growing array, for a table whose length and width are found on the way. */
static enum l2r_status read_reals(float **values, int32_t *columns, int64_t *n_rows, struct l2r_lines *lines,
                                  int32_t limit, bool missing, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t capacity = 0;
    double *row = NULL;
    bool more;
    L2R_TRY(l2r_lines_columns(lines, columns, limit, error));
    row = l2r_alloc_raw((size_t)*columns, sizeof *row);
    if (!row) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %d columns", (int)*columns);
    for (*n_rows = 0;; ++*n_rows) {
        L2R_TRY(l2r_lines_reals(lines, row, *columns, missing, &more, error));
        if (!more) break;
        size_t used = (size_t)*n_rows * (size_t)*columns;
        if (!l2r_reserve((void **)values, &capacity, used + (size_t)*columns, sizeof **values))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a table of %d columns", (int)*columns);
        for (int32_t k = 0; k < *columns; k++) (*values)[used + (size_t)k] = (float)row[k];
    }
done:
    l2r_free(row);
    return status;
}

static enum l2r_status read_targets(struct l2r_tu_tables *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_lines lines = {0};
    t->task = L2R_TASK_REGRESSION;
    L2R_TRY(l2r_tu_open(&lines, t->source, t->prefix, "_graph_attributes.txt", error));
    L2R_TRY(read_reals(&t->labels, &t->n_tasks, &t->n_graphs, &lines, MAX_TASKS, true, error));
done:
    l2r_lines_close(&lines);
    return status;
}

/* The name of the file that determines the number of graphs. */
static const char *graph_table(const struct l2r_tu_tables *t)
{
    return t->task == L2R_TASK_REGRESSION ? "_graph_attributes.txt" : "_graph_labels.txt";
}

/* node_start counts the nodes of each graph while the rows come in, and is summed up at the end. Graphs without nodes
 * are counted and reported: they may be intended, or the end of the file may be missing. */
static enum l2r_status read_indicator(struct l2r_tu_tables *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_lines lines = {0};
    size_t room = 0, local_room = 0;
    int64_t graph;
    bool more;
    t->node_start = l2r_alloc((size_t)t->n_graphs + 1, sizeof *t->node_start);
    if (!t->node_start) return l2r_fail_memory(error, (size_t)t->n_graphs * sizeof *t->node_start, "graph sizes");
    L2R_TRY(l2r_tu_open(&lines, t->source, t->prefix, "_graph_indicator.txt", error));
    for (;; t->n_nodes++) {
        L2R_TRY(l2r_lines_ints(&lines, &graph, 1, &more, error));
        if (!more) break;
        if (graph < 1 || graph > t->n_graphs) {
            status = l2r_lines_fail(&lines, error, "graph id %lld is outside 1..%lld (from %s%s)", (long long)graph,
                                    (long long)t->n_graphs, t->name, graph_table(t));
            goto done;
        }
        size_t n = (size_t)t->n_nodes;
        if (n >= INT32_MAX - 1 || !l2r_reserve((void **)&t->graph_of, &room, n + 1, sizeof *t->graph_of) ||
            !l2r_reserve((void **)&t->local, &local_room, n + 1, sizeof *t->local))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %zu nodes", n);
        t->graph_of[n] = (int32_t)graph - 1;
        t->local[n] = (int32_t)t->node_start[graph]++;
    }
    if (t->n_nodes == 0) {
        lines.number = 1;
        status = l2r_lines_fail(&lines, error, "the file is empty, expected the graph of each node");
        goto done;
    }
    for (int64_t g = 0; g < t->n_graphs; g++) {
        if (t->node_start[g + 1] == 0 && t->n_empty++ == 0) t->first_empty = g + 1;
        t->node_start[g + 1] += t->node_start[g];
    }
done:
    l2r_lines_close(&lines);
    return status;
}

enum l2r_status l2r_tu_wrong_nodes(const struct l2r_tu_tables *t, const struct l2r_lines *lines,
                                   struct l2r_error *error)
{
    char because[128];
    snprintf(because, sizeof because, "nodes in %.64s_graph_indicator.txt", t->name);
    return l2r_lines_wrong_count(lines, t->n_nodes, because, error);
}

static enum l2r_status read_node_reals(struct l2r_tu_tables *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_lines lines = {0};
    double *row = NULL;
    bool more;
    L2R_TRY(l2r_tu_open(&lines, t->source, t->prefix, "_node_attributes.txt", error));
    L2R_TRY(l2r_lines_columns(&lines, &t->n_reals, MAX_REALS, error));
    size_t columns = (size_t)t->n_reals;
    t->node_real = l2r_alloc_raw((size_t)t->n_nodes * columns, sizeof *t->node_real);
    row = l2r_alloc_raw(columns, sizeof *row);
    if (!t->node_real || !row) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: node attributes");
    for (int64_t i = 0;; i++) {
        L2R_TRY(l2r_lines_reals(&lines, row, t->n_reals, false, &more, error));
        if (more != (i < t->n_nodes)) {
            status = l2r_tu_wrong_nodes(t, &lines, error);
            goto done;
        }
        if (!more) break;
        float *to = t->node_real + (size_t)l2r_tu_place(t, i) * columns;
        for (size_t k = 0; k < columns; k++) to[k] = (float)row[k];
    }
done:
    l2r_free(row);
    l2r_lines_close(&lines);
    return status;
}

enum l2r_status l2r_tu_edge_reals_read(struct l2r_tu *tu, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_lines lines = {0};
    const struct l2r_tu_tables *t = &tu->tables;
    int64_t n = 0;
    if (!has(t, "_edge_attributes.txt")) return L2R_OK;
    L2R_TRY(l2r_tu_open(&lines, t->source, t->prefix, "_edge_attributes.txt", error));
    L2R_TRY(read_reals(&tu->edge_real, &tu->n_edge_reals, &n, &lines, MAX_REALS, false, error));
    if (n == 0 || (tu->edge_rows && n != tu->n_edge_rows)) {
        lines.number = n + (n == 0);
        status = l2r_lines_fail(&lines, error, "the file has %lld rows, expected one for each line of %s_A.txt",
                                (long long)n, t->name);
        goto done;
    }
    if (!tu->edge_rows) tu->edge_label_lines = (struct l2r_lines){.source = t->source, .entry = lines.entry};
    tu->n_edge_rows = n;
done:
    l2r_lines_close(&lines);
    return status;
}

static enum l2r_status read_weights(struct l2r_tu_tables *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_lines lines = {0};
    int32_t columns = 0;
    int64_t n = 0;
    L2R_TRY(l2r_tu_open(&lines, t->source, t->prefix, "_graph_weights.txt", error));
    L2R_TRY(read_reals(&t->weight, &columns, &n, &lines, 1, false, error));
    for (int64_t g = 0; g < n; g++) {
        lines.number = g + 1;
        if (t->weight[g] >= 0) continue;
        status = l2r_lines_fail(&lines, error, "a weight must be 0 or more");
        goto done;
    }
    if (n != t->n_graphs) {
        char because[128];
        snprintf(because, sizeof because, "graphs in %.64s%s", t->name, graph_table(t));
        status = l2r_lines_wrong_count(&lines, t->n_graphs, because, error);
    }
done:
    l2r_lines_close(&lines);
    return status;
}

static enum l2r_status read_marks(struct l2r_tu_tables *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_lines lines = {0};
    int64_t mark;
    bool more;
    L2R_TRY(l2r_tu_open(&lines, t->source, t->prefix, "_node_marks.txt", error));
    t->node_mark = l2r_alloc_raw((size_t)t->n_nodes, 1);
    if (!t->node_mark) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: node marks");
    for (int64_t i = 0;; i++) {
        L2R_TRY(l2r_lines_ints(&lines, &mark, 1, &more, error));
        if (more != (i < t->n_nodes)) {
            status = l2r_tu_wrong_nodes(t, &lines, error);
            goto done;
        }
        if (!more) break;
        if (mark < 0 || mark > 255) {
            status = l2r_lines_fail(&lines, error, "mark %lld is outside 0..255", (long long)mark);
            goto done;
        }
        t->node_mark[l2r_tu_place(t, i)] = (uint8_t)mark;
    }
done:
    l2r_lines_close(&lines);
    return status;
}

static enum l2r_status read_split(struct l2r_tu_tables *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_lines lines = {0};
    L2R_TRY(l2r_tu_open(&lines, t->source, t->prefix, "_split.txt", error));
    for (int64_t g = 0;; g++) {
        L2R_TRY(l2r_lines_next(&lines, error));
        if ((lines.text != NULL) != (g < t->n_graphs)) {
            char because[128];
            snprintf(because, sizeof because, "graphs in %.64s%s", t->name, graph_table(t));
            status = l2r_lines_wrong_count(&lines, t->n_graphs, because, error);
            goto done;
        }
        if (!lines.text) break;
        int part = l2r_part_named(lines.text, (size_t)(lines.stop - lines.text));
        if (part < 0) {
            status = l2r_lines_fail(&lines, error, "expected train, valid, test, id-valid, id-test or none");
            goto done;
        }
        t->part[g] = (uint8_t)part;
    }
done:
    l2r_lines_close(&lines);
    return status;
}

enum l2r_status l2r_tu_tables_read(struct l2r_tu_tables *t, const struct l2r_source *source, const char *prefix,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *t = (struct l2r_tu_tables){.source = source};
    l2r_vocabulary_init(&t->classes);
    snprintf(t->prefix, sizeof t->prefix, "%s", prefix);
    t->name = strrchr(t->prefix, '/') ? strrchr(t->prefix, '/') + 1 : t->prefix;
    L2R_TRY(!has(t, "_graph_labels.txt") && has(t, "_graph_attributes.txt") ? read_targets(t, error)
                                                                            : read_classes(t, error));
    if (t->n_graphs == 0 || t->n_graphs >= INT32_MAX - 1)
        L2R_FAIL(L2R_ERR_FORMAT, "%s/%s%s:1: the file %s", source->path, prefix, graph_table(t),
                 t->n_graphs ? "has too many rows" : "is empty, expected one row per graph");
    t->part = l2r_alloc_raw((size_t)t->n_graphs, 1);
    if (!t->part) return l2r_fail_memory(error, (size_t)t->n_graphs, "a split");
    memset(t->part, L2R_PART_NONE, (size_t)t->n_graphs);
    L2R_TRY(read_indicator(t, error));
    if (has(t, "_node_labels.txt")) L2R_TRY(l2r_tu_node_labels_read(t, error));
    if (has(t, "_node_attributes.txt")) L2R_TRY(read_node_reals(t, error));
    if (has(t, "_node_marks.txt")) L2R_TRY(read_marks(t, error));
    if (has(t, "_split.txt")) L2R_TRY(read_split(t, error));
    L2R_TRY(l2r_tu_environments_read(t, error));
    if (has(t, "_graph_weights.txt")) L2R_TRY(read_weights(t, error));
done:
    return status;
}

void l2r_tu_tables_clear(struct l2r_tu_tables *t)
{
    l2r_free(t->labels);
    l2r_vocabulary_clear(&t->classes);
    l2r_free(t->part);
    l2r_free(t->weight);
    l2r_free(t->graph_of);
    l2r_free(t->local);
    l2r_free(t->node_start);
    l2r_label_columns_clear(&t->node_labels);
    l2r_free(t->node_rows);
    l2r_free(t->node_real);
    l2r_free(t->node_mark);
    l2r_free(t->environment);
    l2r_distinct_texts_clear(&t->environment_names);
    *t = (struct l2r_tu_tables){0};
}
