/* SPDX-License-Identifier: MIT
 * See chunk_place.h. */
#include "predict/chunk_place.h"

#include "base/memory.h"

enum l2r_status l2r_chunk_place_init(struct l2r_chunk_place *p, const struct l2r_molecule_table *table,
                                     struct l2r_error *error)
{
    *p = (struct l2r_chunk_place){.rows = l2r_alloc(L2R_CHUNK_ROWS, sizeof *p->rows),
                                  .numbers = l2r_alloc(L2R_CHUNK_ROWS, sizeof *p->numbers)};
    if (!p->rows || !p->numbers) return l2r_fail_memory(error, L2R_CHUNK_ROWS * sizeof *p->rows, "a chunk of a table");
    for (int32_t i = 0; i < L2R_CHUNK_ROWS; i++) p->numbers[i] = i;
    return l2r_molecule_chunk_init(&p->molecules, table, NULL, error);
}

void l2r_chunk_place_clear(struct l2r_chunk_place *p)
{
    l2r_dataset_free(p->data);
    l2r_molecule_chunk_clear(&p->molecules);
    l2r_free(p->rows);
    l2r_free(p->numbers);
    *p = (struct l2r_chunk_place){0};
}

/* Texts and reasons live in the molecules' chunk, which the next chunk of this place overwrites and not before. */
static void show_rows(struct l2r_chunk_place *p)
{
    for (int64_t i = 0; i < p->molecules.n; i++) {
        const struct l2r_molecule_row *row = &p->molecules.rows[i];
        bool good = l2r_molecule_row_is_good(row);
        p->rows[i] = (struct l2r_table_row){.raw = row->raw,
                                            .raw_length = row->raw_length,
                                            .line = row->line,
                                            .graph = good ? (int32_t)p->chunk.n_graphs++ : -1,
                                            .problem = good ? NULL : row->reason};
    }
}

void l2r_chunk_place_fill(struct l2r_chunk_place *p, struct l2r_csv *csv)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error *error = &p->error;
    l2r_dataset_free(p->data);
    p->data = NULL;
    p->chunk = (struct l2r_table_chunk){.rows = p->rows, .graphs = p->numbers};
    L2R_TRY(l2r_molecule_chunk_read(&p->molecules, csv, error));
    L2R_TRY(l2r_molecule_chunk_pack(&p->data, &p->molecules, error));
    show_rows(p);
    p->chunk.n = p->molecules.n;
    p->chunk.data = p->data;
done:
    l2r_molecule_chunk_drop(&p->molecules);
    p->status = status;
}
