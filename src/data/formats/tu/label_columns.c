/* SPDX-License-Identifier: MIT
 * See label_columns.h. */
#include "data/formats/tu/label_columns.h"

#include "base/memory.h"

#include <string.h>

enum l2r_status l2r_label_columns_begin(struct l2r_label_columns *labels, struct l2r_lines *lines,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *labels = (struct l2r_label_columns){0};
    L2R_TRY(l2r_lines_columns(lines, &labels->n_columns, L2R_MOST_LABEL_COLUMNS, error));
    size_t n = (size_t)labels->n_columns;
    labels->columns = l2r_alloc(n, sizeof *labels->columns);
    labels->sizes = l2r_alloc(n, sizeof *labels->sizes);
    if (!labels->columns || !labels->sizes) return l2r_fail_memory(error, n * sizeof *labels->columns, "labels");
    for (size_t k = 0; k < n; k++) l2r_vocabulary_init(&labels->columns[k]);
done:
    return status;
}

enum l2r_status l2r_label_columns_read(int32_t *row, bool *more, struct l2r_label_columns *labels,
                                       struct l2r_lines *lines, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t values[L2R_MOST_LABEL_COLUMNS];
    L2R_TRY(l2r_lines_ints(lines, values, labels->n_columns, more, error));
    for (int32_t k = 0; *more && k < labels->n_columns; k++) {
        row[k] = l2r_vocabulary_add(&labels->columns[k], values[k]);
        if (row[k] < 0) return l2r_fail_memory(error, 0, "labels");
    }
done:
    return status;
}

enum l2r_status l2r_label_columns_finish(struct l2r_label_columns *labels, int32_t *rows, int64_t n_rows,
                                         struct l2r_error *error)
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
