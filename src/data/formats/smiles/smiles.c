/* SPDX-License-Identifier: MIT
 *
 * Tables of SMILES: one molecule a row, labels in other columns, gzip or not.
 *
 *     smiles,p_np            molecule_table.h finds the columns, targets.h the labels, in a first pass
 *     CCO,1                  a second pass reads chunks of rows: cells here, molecules on all threads (molecules.h)
 *     c1ccccc1O,             a missing label is NaN
 *     C(C,0                  left out and noted, or an error (--on-bad-smiles)
 *
 * Besides the graphs the data set keeps each molecule's SMILES, line and scaffold, and its value of --split-column.
 */
#include "data/formats/smiles/rows.h"
#include "data/reader.h"
#include "io/source.h"

#include <stdio.h>
#include <string.h>

static bool recognise(const struct l2r_source *source)
{
    return source->n_entries == 1 && (source->kind == L2R_SOURCE_FILE || source->kind == L2R_SOURCE_MEMORY) &&
           l2r_source_is_table(source->entries[0].name);
}

/* "data/my.csv.gz" -> "my". */
static void name_of(char *out, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(out, size, "%s", slash ? slash + 1 : path);
    size_t length = strlen(out);
    if (length > 3 && strcmp(out + length - 3, ".gz") == 0) out[length - 3] = '\0';
    char *dot = strrchr(out, '.');
    if (dot && dot != out) *dot = '\0';
}

static enum l2r_status read_smiles(struct l2r_dataset **data, struct l2r_source *source,
                                   const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_molecule_table table = {0};
    struct l2r_targets targets = {0};
    struct l2r_molecule_rows *rows = NULL;
    struct l2r_csv *csv = NULL;
    char name[64];
    bool more = true;
    name_of(name, sizeof name, source->entries[0].name);
    L2R_TRY(l2r_molecule_table_find(&table, source, options, error));
    L2R_TRY(l2r_targets_find(&targets, &table, options, error));
    L2R_TRY(
        l2r_molecule_rows_new(&rows, name, &table, &targets, l2r_config_is(options, "on-bad-smiles", "fail"), error));
    L2R_TRY(l2r_molecule_table_open(&csv, &table, error));
    while (more) L2R_TRY(l2r_molecule_rows_read(&more, rows, csv, error));
    L2R_TRY(l2r_molecule_rows_finish(data, rows, error));
done:
    l2r_csv_free(csv);
    l2r_molecule_rows_free(rows);
    l2r_targets_clear(&targets);
    l2r_molecule_table_clear(&table);
    return status;
}

const struct l2r_reader l2r_reader_smiles = {
    .name = "smiles",
    .description = "tables of SMILES (.csv, .tsv, .txt; also .gz) with labels in other columns; needs RDKit",
    .recognise = recognise,
    .read_with = read_smiles,
};
