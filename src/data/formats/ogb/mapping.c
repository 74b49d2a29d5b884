/* SPDX-License-Identifier: MIT
 *
 * The SMILES of OGB graphs (ogb.h), from mapping/mol.csv.gz. The table has a header; the record after it belongs to
 * graph 0, the next to graph 1, and so on. It is read again, up to the last graph asked for, whenever graphs are drawn,
 * so that a data set need not hold every SMILES for the sake of a few pictures. */
#include "data/formats/ogb/ogb.h"

#include "base/memory.h"
#include "io/csv.h"
#include "io/file.h"

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

/* Which of the graphs asked for are graph g: first[g], then next[…], -1 at the end (a graph may be asked for twice).
 * Records after the last are not read. */
struct wanted {
    int32_t last;
    int64_t *first, *next; /* [last + 1], [n] */
};

static bool wanted_init(struct wanted *wanted, const int32_t *graphs, int64_t n)
{
    wanted->last = -1;
    for (int64_t i = 0; i < n; i++)
        if (graphs[i] > wanted->last) wanted->last = graphs[i];
    wanted->first = l2r_alloc((size_t)wanted->last + 1, sizeof *wanted->first);
    wanted->next = l2r_alloc((size_t)n, sizeof *wanted->next);
    if (wanted->first == NULL || wanted->next == NULL) return false;
    for (int32_t g = 0; g <= wanted->last; g++) wanted->first[g] = -1;
    for (int64_t i = 0; i < n; i++) {
        wanted->next[i] = wanted->first[graphs[i]];
        wanted->first[graphs[i]] = i;
    }
    return true;
}

static enum l2r_status read_table(char **smiles, struct l2r_csv *csv, const struct wanted *wanted,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_csv_record *record;
    int32_t column;
    L2R_TRY(find_column(&column, csv, error));
    for (int32_t g = 0; g <= wanted->last; g++) {
        L2R_TRY(l2r_csv_next(&record, csv, error));
        if (record == NULL) L2R_FAIL(L2R_ERR_FORMAT, "%s: the table ends before graph %d", l2r_csv_path(csv), (int)g);
        if (wanted->first[g] < 0) continue;
        if (column >= record->n_fields)
            L2R_FAIL(L2R_ERR_FORMAT, "%s:%lld: no SMILES in column %d", l2r_csv_path(csv), (long long)record->line,
                     (int)column + 1);
        const char *text = record->fields[column].text;
        size_t length = strcspn(text, " \t"); /* some end with a blank */
        for (int64_t i = wanted->first[g]; i >= 0; i = wanted->next[i]) {
            smiles[i] = l2r_alloc(length + 1, 1);
            if (smiles[i] == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a SMILES");
            memcpy(smiles[i], text, length);
        }
    }
done:
    return status;
}

static const struct l2r_entry *find_table(const struct l2r_source *source)
{
    struct l2r_ogb_tables tables = {.source = source};
    int n_found;
    if (!l2r_ogb_find_root(tables.root, sizeof tables.root, &n_found, source) || n_found != 1) return NULL;
    return l2r_ogb_find(&tables, "mapping", "mol");
}

static void free_all(char **smiles, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        l2r_free(smiles[i]);
        smiles[i] = NULL;
    }
}

enum l2r_status l2r_smiles_read(char **smiles, const char *where, const int32_t *graphs, int64_t n,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_source *source = NULL;
    struct l2r_csv *csv = NULL;
    struct wanted wanted = {0};
    for (int64_t i = 0; i < n; i++) smiles[i] = NULL;
    if (!l2r_path_is_dir(where) && !l2r_path_is_file(where)) return L2R_OK; /* a generator */
    L2R_TRY(l2r_source_open(&source, where, error));
    const struct l2r_entry *entry = find_table(source);
    if (entry == NULL) goto done;
    if (!wanted_init(&wanted, graphs, n)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a table of SMILES");
    L2R_TRY(l2r_csv_open(&csv, source, entry, ',', error));
    L2R_TRY(read_table(smiles, csv, &wanted, error));
done:
    if (status != L2R_OK) free_all(smiles, n);
    l2r_csv_free(csv);
    l2r_source_free(source);
    l2r_free(wanted.first);
    l2r_free(wanted.next);
    return status;
}

enum l2r_status l2r_smiles_find(char **smiles, const struct l2r_dataset *data, const char *where, const int32_t *graphs,
                                int64_t n, struct l2r_error *error)
{
    bool stored = true;
    if (data->smiles == NULL) return l2r_smiles_read(smiles, where, graphs, n, error);
    for (int64_t i = 0; i < n; i++) {
        smiles[i] = l2r_strdup(data->smiles + data->smiles_start[graphs[i]]);
        stored = stored && smiles[i] != NULL;
    }
    if (stored) return L2R_OK;
    free_all(smiles, n);
    return l2r_fail(error, L2R_ERR_MEMORY, "out of memory for %lld SMILES", (long long)n);
}
