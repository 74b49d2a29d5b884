/* SPDX-License-Identifier: MIT
 *
 * NAME_node_labels.txt and NAME_edge_labels.txt (tu.h): columns of integers that become columns of categories. First
 * the columns and their numbering, then the two tables.
 *
 * Numbers follow the order of the integers and not that of the lines, so that two files that list the same graphs in
 * another order give the same vocabulary, and a trained embedding keeps its meaning. */
#include "data/formats/tu/tu.h"

#include "base/memory.h"

#include <string.h>

enum { MOST_COLUMNS = 1024 };

/* Counts the columns of the table's first row. */
static enum l2r_status begin(struct l2r_label_columns *labels, struct l2r_lines *lines, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *labels = (struct l2r_label_columns){0};
    L2R_TRY(l2r_lines_columns(lines, &labels->n_columns, MOST_COLUMNS, error));
    size_t n = (size_t)labels->n_columns;
    labels->columns = l2r_alloc(n, sizeof *labels->columns);
    labels->sizes = l2r_alloc(n, sizeof *labels->sizes);
    if (!labels->columns || !labels->sizes) return l2r_fail_memory(error, n * sizeof *labels->columns, "labels");
    for (size_t k = 0; k < n; k++) l2r_vocabulary_init(&labels->columns[k]);
done:
    return status;
}

/* The provisional numbers of the next row, into row [n_columns]; *more is false at the end of the table. */
static enum l2r_status read_row(int32_t *row, bool *more, struct l2r_label_columns *labels, struct l2r_lines *lines,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t values[MOST_COLUMNS];
    L2R_TRY(l2r_lines_ints(lines, values, labels->n_columns, more, error));
    for (int32_t k = 0; *more && k < labels->n_columns; k++) {
        row[k] = l2r_vocabulary_add(&labels->columns[k], values[k]);
        if (row[k] < 0) return l2r_fail_memory(error, 0, "labels");
    }
done:
    return status;
}

/* Makes the numbers of rows [n_rows × n_columns] final: each becomes its value's rank in the column. */
static enum l2r_status finish(struct l2r_label_columns *labels, int32_t *rows, int64_t n_rows, struct l2r_error *error)
{
    size_t total = 0, at = 0;
    for (int32_t k = 0; k < labels->n_columns; k++) {
        if (!l2r_vocabulary_sort(&labels->columns[k])) return l2r_fail_memory(error, 0, "labels");
        labels->sizes[k] = labels->columns[k].n;
        total += (size_t)labels->sizes[k];
    }
    labels->values = l2r_alloc_raw(total, sizeof *labels->values);
    if (!labels->values) return l2r_fail_memory(error, total * sizeof *labels->values, "labels");
    for (int32_t k = 0; k < labels->n_columns; k++) {
        memcpy(labels->values + at, labels->columns[k].values, (size_t)labels->sizes[k] * sizeof *labels->values);
        at += (size_t)labels->sizes[k];
    }
    for (int64_t i = 0; i < n_rows; i++)
        for (int32_t k = 0; k < labels->n_columns; k++, rows++) *rows = labels->columns[k].rank[*rows];
    return L2R_OK;
}

void l2r_label_columns_clear(struct l2r_label_columns *labels)
{
    for (int32_t k = 0; labels->columns && k < labels->n_columns; k++) l2r_vocabulary_clear(&labels->columns[k]);
    l2r_free(labels->columns);
    l2r_free(labels->sizes);
    l2r_free(labels->values);
    *labels = (struct l2r_label_columns){0};
}

enum l2r_status l2r_tu_node_labels_read(struct l2r_tu_tables *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_lines lines = {0};
    int32_t row[MOST_COLUMNS];
    bool more;
    L2R_TRY(l2r_tu_open(&lines, t->source, t->prefix, "_node_labels.txt", error));
    L2R_TRY(begin(&t->node_labels, &lines, error));
    size_t columns = (size_t)t->node_labels.n_columns;
    t->node_rows = l2r_alloc_raw((size_t)t->n_nodes * columns, sizeof *t->node_rows);
    if (!t->node_rows) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: node labels");
    for (int64_t i = 0;; i++) {
        L2R_TRY(read_row(row, &more, &t->node_labels, &lines, error));
        if (more != (i < t->n_nodes)) {
            status = l2r_tu_wrong_nodes(t, &lines, error);
            goto done;
        }
        if (!more) break;
        memcpy(t->node_rows + (size_t)l2r_tu_place(t, i) * columns, row, columns * sizeof *row);
    }
    L2R_TRY(finish(&t->node_labels, t->node_rows, t->n_nodes, error));
done:
    l2r_lines_close(&lines);
    return status;
}

/* How many rows there are is not known yet: NAME_A.txt, which must have as many lines, is read later. */
static enum l2r_status keep_edge_rows(struct l2r_tu *tu, struct l2r_lines *lines, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t row[MOST_COLUMNS];
    size_t columns = (size_t)tu->edge_labels.n_columns, room = 0;
    bool more;
    for (;; tu->n_edge_rows++) {
        L2R_TRY(read_row(row, &more, &tu->edge_labels, lines, error));
        if (!more) break;
        size_t used = (size_t)tu->n_edge_rows * columns;
        if (!l2r_reserve((void **)&tu->edge_rows, &room, used + columns, sizeof *row))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: edge labels");
        memcpy(tu->edge_rows + used, row, columns * sizeof *row);
    }
    if (tu->n_edge_rows == 0) {
        lines->number = 1;
        status = l2r_lines_fail(lines, error, "the file is empty, expected one row for each line of %s_A.txt",
                                tu->tables.name);
    }
done:
    return status;
}

enum l2r_status l2r_tu_edge_labels_read(struct l2r_tu *tu, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_lines lines = {0};
    const struct l2r_tu_tables *t = &tu->tables;
    const struct l2r_entry *entry = l2r_source_find2(t->source, t->prefix, "_edge_labels.txt");
    if (!entry) return L2R_OK;
    tu->edge_label_lines = (struct l2r_lines){.source = t->source, .entry = entry};
    L2R_TRY(l2r_lines_open(&lines, t->source, entry, error));
    L2R_TRY(begin(&tu->edge_labels, &lines, error));
    L2R_TRY(keep_edge_rows(tu, &lines, error));
    L2R_TRY(finish(&tu->edge_labels, tu->edge_rows, tu->n_edge_rows, error));
done:
    l2r_lines_close(&lines);
    return status;
}
