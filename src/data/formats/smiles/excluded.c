/* SPDX-License-Identifier: MIT
 *
 * Molecules to leave out (rows.h): those of the tables that --exclude names, by canonical SMILES. Their columns are
 * found as in any table, their labels are ignored, and rows without a molecule exclude nothing. */
#include "data/formats/smiles/rows.h"

#include "io/source.h"

#include <string.h>

static enum l2r_status take_chunk(struct l2r_distinct_texts *molecules, const struct l2r_molecule_chunk *chunk,
                                  struct l2r_error *error)
{
    for (int64_t i = 0; i < chunk->n; i++) {
        const struct l2r_molecule_row *row = &chunk->rows[i];
        if (l2r_molecule_row_is_good(row) && l2r_distinct_texts_add(molecules, row->molecule.canonical) < 0)
            return l2r_fail_memory(error, molecules->used, "excluded molecules");
    }
    return L2R_OK;
}

static enum l2r_status take_table(struct l2r_distinct_texts *molecules, const char *path, bool largest_fragment,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *defaults = NULL;
    struct l2r_source *source = NULL;
    struct l2r_molecule_table table = {0};
    struct l2r_molecule_chunk chunk = {0};
    struct l2r_csv *csv = NULL;
    const struct l2r_targets none = {.split = -1, .weight = -1, .environment = -1};
    struct l2r_error reason = {0};
    L2R_TRY(l2r_config_new(&defaults, error));
    L2R_TRY(l2r_config_declare(defaults, l2r_data_options, error));
    L2R_TRY(l2r_config_set(defaults, "largest-fragment", largest_fragment ? "true" : "false", error));
    status = l2r_source_open(&source, path, &reason);
    if (status == L2R_OK && (source->n_entries != 1 || !l2r_source_is_table(source->entries[0].name)))
        status = l2r_fail(&reason, L2R_ERR_ARGUMENT, "%s is no table of SMILES (.csv, .tsv, .txt, .sdf)", path);
    if (status == L2R_OK) status = l2r_molecule_table_find(&table, source, defaults, &reason);
    if (status != L2R_OK) L2R_FAIL(status, "`exclude`: %s", reason.message);
    L2R_TRY(l2r_molecule_chunk_init(&chunk, &table, &none, error));
    L2R_TRY(l2r_molecule_table_open(&csv, NULL, &table, error));
    do {
        L2R_TRY(l2r_molecule_chunk_read(&chunk, csv, error));
        L2R_TRY(take_chunk(molecules, &chunk, error));
    } while (chunk.n > 0);
done:
    l2r_molecule_chunk_clear(&chunk);
    l2r_csv_free(csv);
    l2r_molecule_table_clear(&table);
    l2r_source_free(source);
    l2r_config_free(defaults);
    return status;
}

enum l2r_status l2r_rows_exclude(struct l2r_rows *r, const char *list, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[4096];
    while (list && l2r_next_word(path, sizeof path, &list))
        L2R_TRY(take_table(&r->molecules, path, r->table->largest_fragment, error));
    r->n_excluded = r->molecules.n;
done:
    return status;
}
