/* SPDX-License-Identifier: MIT
 *
 * The SMILES of OGB graphs (ogb.h), from mapping/mol.csv.gz. The table has a header; the record after it belongs to
 * graph 0, the next to graph 1, and so on. Graphs can be learned from without it, so what is wrong with it becomes a
 * note. */
#include "data/formats/ogb/ogb.h"

#include "base/memory.h"
#include "io/csv.h"

#include <stdio.h>
#include <string.h>

static enum l2r_status find_column(int32_t *column, struct l2r_csv *csv, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_csv_record *header;
    L2R_TRY(l2r_csv_next(&header, csv, error));
    for (*column = 0; header && *column < header->n_fields; ++*column)
        if (strcmp(header->fields[*column].text, "smiles") == 0) goto done;
    L2R_FAIL(L2R_ERR_FORMAT, "%s:1: no column is called smiles", l2r_csv_path(csv));
done:
    return status;
}

/* The first word of the cell (some end with a blank); false: memory ran out. */
static bool add(struct l2r_ogb_tables *t, const char *text)
{
    size_t length = strcspn(text, " \t");
    int64_t end = (int64_t)(t->smiles.n + length + 1);
    return l2r_array_add(&t->smiles, text, length, 1) && l2r_array_add(&t->smiles, "", 1, 1) &&
           l2r_array_add(&t->smiles_start, &end, 1, sizeof end);
}

static enum l2r_status read_table(struct l2r_ogb_tables *t, struct l2r_csv *csv, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_csv_record *record;
    const int64_t first = 0;
    int32_t column;
    L2R_TRY(find_column(&column, csv, error));
    bool kept = l2r_array_add(&t->smiles_start, &first, 1, sizeof first);
    for (int64_t g = 0; kept && g < t->n_graphs; g++) {
        L2R_TRY(l2r_csv_next(&record, csv, error));
        if (!record) L2R_FAIL(L2R_ERR_FORMAT, "%s: the table ends before graph %lld", l2r_csv_path(csv), (long long)g);
        if (column >= record->n_fields)
            L2R_FAIL(L2R_ERR_FORMAT, "%s:%lld: no SMILES in column %d", l2r_csv_path(csv), (long long)record->line,
                     (int)column + 1);
        kept = add(t, record->fields[column].text);
    }
    if (!kept) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the SMILES of a data set");
done:
    return status;
}

enum l2r_status l2r_ogb_smiles_read(struct l2r_ogb_tables *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_csv *csv = NULL;
    struct l2r_error problem = {0};
    const struct l2r_entry *entry = l2r_ogb_find(t, "mapping", "mol");
    if (!entry) return L2R_OK;
    status = l2r_csv_open(&csv, t->source, entry, ',', &problem);
    if (status == L2R_OK) status = read_table(t, csv, &problem);
    l2r_csv_free(csv);
    if (status == L2R_OK) return L2R_OK;
    l2r_array_clear(&t->smiles);
    l2r_array_clear(&t->smiles_start);
    if (status == L2R_ERR_MEMORY) return l2r_fail(error, status, "%s", problem.message);
    snprintf(t->notes, sizeof t->notes, "%.380s; the SMILES are left out\n", problem.message);
    return L2R_OK;
}
