/* SPDX-License-Identifier: MIT
 *
 * Reads one column of a CSV table with a header, row g + 1 for graph g. A quoted field may hold commas and doubled quotes.
 */
#include "data/formats/ogb/mapping.h"

#include "base/memory.h"
#include "data/formats/ogb/tables.h"
#include "io/file.h"
#include "io/lines.h"

#include <stdio.h>
#include <string.h>

enum { MOST_COLUMNS = 10000, LONGEST = 1 << 16 };

bool l2r_csv_field(char *out, size_t size, const char *text, const char *stop, int column)
{
    size_t length = 0;
    bool quoted = false;
    for (; text < stop; text++) {
        if (*text == '"' && quoted && text + 1 < stop && text[1] == '"')
            text++; /* a doubled quote is one */
        else if (*text == '"') {
            quoted = !quoted;
            continue;
        } else if (*text == ',' && !quoted) {
            if (column-- == 0) break;
            continue;
        }
        if (column != 0) continue;
        if (length + 1 >= size) return false;
        out[length++] = *text;
    }
    out[length] = '\0';
    return column <= 0;
}

static enum l2r_status find_column(int *column, struct l2r_lines *lines, char *field, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_lines_next(lines, error));
    *column = 0;
    while (lines->text != NULL && *column < MOST_COLUMNS &&
           l2r_csv_field(field, LONGEST, lines->text, lines->stop, *column)) {
        if (strcmp(field, "smiles") == 0) return L2R_OK;
        (*column)++;
    }
    status = l2r_lines_fail(lines, error, "no column is called smiles");
done:
    return status;
}

/* Which of the graphs asked for are graph g: first[g], then next[…], -1 at the end. The table is not read beyond the last. */
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

static enum l2r_status read_table(char **smiles, struct l2r_lines *lines, const struct wanted *wanted, char *field,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int column;
    L2R_TRY(find_column(&column, lines, field, error));
    for (int32_t g = 0; g <= wanted->last; g++) {
        L2R_TRY(l2r_lines_next(lines, error));
        if (lines->text == NULL) {
            status = l2r_lines_fail(lines, error, "the table ends before graph %d", (int)g);
            goto done;
        }
        if (wanted->first[g] < 0) continue;
        if (!l2r_csv_field(field, LONGEST, lines->text, lines->stop, column)) {
            status = l2r_lines_fail(lines, error, "no SMILES in column %d", column + 1);
            goto done;
        }
        field[strcspn(field, " \t")] = '\0'; /* some end with a blank */
        for (int64_t i = wanted->first[g]; i >= 0; i = wanted->next[i]) {
            smiles[i] = l2r_strdup(field);
            if (smiles[i] == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a SMILES");
        }
    }
done:
    return status;
}

static const struct l2r_entry *find_table(const struct l2r_source *source)
{
    char root[4096], name[4200];
    int n_found;
    if (!l2r_ogb_find_root(root, sizeof root, &n_found, source) || n_found != 1) return NULL;
    snprintf(name, sizeof name, "%smapping/mol.csv.gz", root);
    const struct l2r_entry *entry = l2r_source_find(source, name);
    name[strlen(name) - 3] = '\0';
    return entry != NULL ? entry : l2r_source_find(source, name);
}

enum l2r_status l2r_smiles_read(char **smiles, const char *where, const int32_t *graphs, int64_t n,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_source *source = NULL;
    struct l2r_lines lines = {0};
    struct wanted wanted = {0};
    char *field = NULL;
    for (int64_t i = 0; i < n; i++) smiles[i] = NULL;
    if (!l2r_path_is_dir(where) && !l2r_path_is_file(where)) return L2R_OK; /* a generator */
    L2R_TRY(l2r_source_open(&source, where, error));
    const struct l2r_entry *entry = find_table(source);
    if (entry == NULL) goto done;
    field = l2r_alloc(LONGEST, 1);
    if (field == NULL || !wanted_init(&wanted, graphs, n))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a table of SMILES");
    L2R_TRY(l2r_lines_open(&lines, source, entry, error));
    lines.keep_empty = true;
    L2R_TRY(read_table(smiles, &lines, &wanted, field, error));
done:
    for (int64_t i = 0; status != L2R_OK && i < n; i++) {
        l2r_free(smiles[i]);
        smiles[i] = NULL;
    }
    l2r_lines_close(&lines);
    l2r_source_free(source);
    l2r_free(field);
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
    for (int64_t i = 0; !stored && i < n; i++) {
        l2r_free(smiles[i]);
        smiles[i] = NULL;
    }
    return stored ? L2R_OK : l2r_fail(error, L2R_ERR_MEMORY, "out of memory for %lld SMILES", (long long)n);
}
