/* SPDX-License-Identifier: MIT
 *
 * TU data sets (Morris et al. 2020): text tables NAME_*.txt, in a folder or an archive, directly or one folder deep.
 *
 *     NAME_A.txt            "u, v" a line: an edge, nodes counted from 1 through the whole set
 *     NAME_edge_labels.txt  optional: integers for each line of NAME_A.txt
 *     the rest              tu_tables.h
 *
 * NAME_A.txt (362 MB for COLLAB) is streamed. Usually its lines come graph by graph; then each graph goes to the builder
 * when the next one begins. If a line ever leads back to an earlier graph, reading starts again and collects all edges
 * first. Edge attributes are not used. A set without node labels and attributes gets the degree as its node feature. */
#include "base/memory.h"
#include "data/formats/tu/edges.h"
#include "data/reader.h"

#include <string.h>

static const char *find_prefix(const struct l2r_source *source, char *prefix, size_t size, int *n_found)
{
    static const char *const endings[] = {"_A.txt", "_graph_indicator.txt"};
    *n_found = 0;
    for (int i = 0; i < 2 && *n_found == 0; i++) {
        size_t from = 0, cut = strlen(endings[i]);
        for (const struct l2r_entry *e; (e = l2r_source_match(source, endings[i], 1, &from)); ++*n_found) {
            size_t length = strlen(e->name) - cut;
            if (*n_found > 0 || length >= size) continue;
            memcpy(prefix, e->name, length);
            prefix[length] = '\0';
        }
    }
    return *n_found ? prefix : NULL;
}

static bool recognise(const struct l2r_source *source)
{
    char prefix[4096];
    int n;
    return find_prefix(source, prefix, sizeof prefix, &n) != NULL;
}

static enum l2r_status new_builder(struct l2r_tu *tu, struct l2r_error *error)
{
    const struct l2r_tu_tables *t = &tu->tables;
    const struct l2r_schema schema = {
        .name = t->name,
        .task = t->task,
        .n_tasks = t->n_tasks,
        .n_node_columns = t->node_labels.n_columns,
        .n_edge_columns = tu->edge_labels.n_columns,
        .n_node_reals = t->n_reals,
        .node_vocabulary = t->node_labels.sizes,
        .edge_vocabulary = tu->edge_labels.sizes,
        .node_value = t->node_labels.values,
        .edge_value = tu->edge_labels.values,
        .n_classes = t->classes.n,
        .class_value = t->task == L2R_TASK_MULTICLASS ? t->classes.values : NULL,
        .has_marks = t->node_mark != NULL,
        .degree_as_feature = t->node_labels.n_columns == 0 && t->n_reals == 0,
    };
    l2r_builder_free(tu->builder);
    return l2r_builder_new(&tu->builder, &schema, error);
}

/* Edges in the order of their graphs, otherwise in the order of the file: a counting sort. */
static enum l2r_status sort_edges(struct l2r_tu *tu, int64_t *start, struct l2r_error *error)
{
    size_t columns = (size_t)tu->edge_labels.n_columns;
    int32_t *edges = l2r_alloc_raw(2 * tu->n_edges, sizeof *edges);
    int32_t *rows = l2r_alloc_raw(columns * tu->n_edges, sizeof *rows);
    if (!edges || !rows) {
        l2r_free(edges);
        l2r_free(rows);
        return l2r_fail_memory(error, 2 * tu->n_edges * sizeof *edges, "edges");
    }
    for (size_t e = 0; e < tu->n_edges; e++) start[tu->edge_graph[e] + 1]++;
    for (int64_t g = 0; g < tu->tables.n_graphs; g++) start[g + 1] += start[g];
    for (size_t e = 0; e < tu->n_edges; e++) {
        size_t to = (size_t)start[tu->edge_graph[e]]++;
        memcpy(edges + 2 * to, tu->edges + 2 * e, 2 * sizeof *edges);
        if (columns > 0) memcpy(rows + columns * to, tu->edge_rows + columns * e, columns * sizeof *rows);
    }
    /* start[g] has moved to the end of g, where g + 1 begins. */
    memmove(start + 1, start, (size_t)tu->tables.n_graphs * sizeof *start);
    start[0] = 0;
    l2r_free(tu->edges);
    l2r_free(tu->edge_rows);
    tu->edges = edges;
    tu->edge_rows = rows;
    return L2R_OK;
}

static enum l2r_status add_collected(struct l2r_tu *tu, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t *start = l2r_alloc((size_t)tu->tables.n_graphs + 1, sizeof *start);
    if (!start) return l2r_fail_memory(error, (size_t)tu->tables.n_graphs * sizeof *start, "edges");
    L2R_TRY(sort_edges(tu, start, error));
    for (int64_t g = 0; g < tu->tables.n_graphs; g++)
        L2R_TRY(l2r_tu_add_graph(tu, g, (size_t)start[g], (size_t)(start[g + 1] - start[g]), error));
done:
    l2r_free(start);
    return status;
}

static enum l2r_status learn_edge_labels(struct l2r_tu *tu, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_lines lines = {0};
    int64_t rows;
    tu->has_edge_labels = true;
    L2R_TRY(l2r_tu_open(&lines, tu->tables.source, tu->tables.prefix, "_edge_labels.txt", error));
    L2R_TRY(l2r_label_columns_read(&tu->edge_labels, &rows, &lines, error));
    if (rows == 0) {
        lines.number = 1;
        status = l2r_lines_fail(&lines, error, "the file is empty, expected one row for each line of %s_A.txt",
                                tu->tables.name);
        goto done;
    }
    tu->label_values = l2r_alloc_raw((size_t)tu->edge_labels.n_columns, sizeof *tu->label_values);
    if (!tu->label_values) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: edge labels");
done:
    l2r_lines_close(&lines);
    return status;
}

static enum l2r_status read_tu(struct l2r_dataset **data, struct l2r_source *source, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_tu tu = {0};
    char prefix[4096];
    int n_found;
    bool in_order = true;
    if (!find_prefix(source, prefix, sizeof prefix, &n_found) || n_found > 1)
        L2R_FAIL(L2R_ERR_FORMAT, "%s holds %d TU data sets; name the folder of one", source->path, n_found);
    L2R_TRY(l2r_tu_tables_read(&tu.tables, source, prefix, error));
    if (l2r_source_find2(source, prefix, "_edge_labels.txt")) L2R_TRY(learn_edge_labels(&tu, error));
    L2R_TRY(new_builder(&tu, error));
    L2R_TRY(l2r_tu_edges_read(&tu, &in_order, error));
    if (in_order) {
        L2R_TRY(l2r_tu_flush(&tu, tu.tables.n_graphs, error));
    } else {
        tu.collect = true;
        L2R_TRY(new_builder(&tu, error));
        L2R_TRY(l2r_tu_edges_read(&tu, &in_order, error));
        L2R_TRY(add_collected(&tu, error));
    }
    L2R_TRY(l2r_builder_finish(data, tu.builder, error));
done:
    l2r_builder_free(tu.builder);
    l2r_tu_tables_clear(&tu.tables);
    l2r_label_columns_clear(&tu.edge_labels);
    l2r_free(tu.edges);
    l2r_free(tu.edge_rows);
    l2r_free(tu.edge_graph);
    l2r_free(tu.label_values);
    return status;
}

const struct l2r_reader l2r_reader_tu = {
    .name = "tu",
    .description = "TU text tables: NAME_A.txt, NAME_graph_indicator.txt, …; a folder or an archive",
    .recognise = recognise,
    .read = read_tu,
};
