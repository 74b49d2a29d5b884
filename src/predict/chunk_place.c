/* SPDX-License-Identifier: MIT
 *
 * See chunk_place.h. Text moves while it grows, so that rows hold places in it, as offsets, until the chunk is complete.
 */
#include "predict/chunk_place.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = L2R_CHUNK_ROWS };
static const size_t nowhere = SIZE_MAX;

enum l2r_status l2r_chunk_place_init(struct l2r_chunk_place *p, struct l2r_error *error)
{
    *p = (struct l2r_chunk_place){.rows = l2r_alloc(ROWS, sizeof *p->rows),
                                  .molecules = l2r_alloc(ROWS, sizeof *p->molecules),
                                  .graph = l2r_alloc(ROWS, sizeof *p->graph),
                                  .numbers = l2r_alloc(ROWS, sizeof *p->numbers)};
    if (!p->rows || !p->molecules || !p->graph || !p->numbers) {
        l2r_chunk_place_clear(p);
        return l2r_fail_memory(error, ROWS * sizeof *p->molecules, "a chunk of a table");
    }
    for (int32_t i = 0; i < ROWS; i++) p->numbers[i] = i;
    return L2R_OK;
}

void l2r_chunk_place_clear(struct l2r_chunk_place *p)
{
    l2r_dataset_free(p->data);
    l2r_free(p->text);
    l2r_free(p->rows);
    l2r_free(p->molecules);
    l2r_free(p->graph);
    l2r_free(p->numbers);
    *p = (struct l2r_chunk_place){0};
}

/* Appends bytes and a 0; where they lie, or `nowhere` when out of memory. */
static size_t put(struct l2r_chunk_place *p, const char *bytes, size_t length)
{
    if (!l2r_reserve((void **)&p->text, &p->capacity, p->used + length + 1, 1)) return nowhere;
    size_t at = p->used;
    memcpy(p->text + at, bytes, length);
    p->text[at + length] = '\0';
    p->used += length + 1;
    return at;
}

/* What is kept of a row while its chunk grows. */
struct places {
    size_t raw, smiles, problem; /* `nowhere`: there is none */
};

static bool take(struct l2r_chunk_place *p, struct places *at, const struct l2r_csv_record *record, int32_t smiles)
{
    struct l2r_table_row *row = &p->rows[p->chunk.n];
    *row = (struct l2r_table_row){.raw_length = record->raw_length, .line = record->line, .graph = -1};
    *at = (struct places){put(p, record->raw, record->raw_length), nowhere, nowhere};
    bool stored = at->raw != nowhere;
    if (record->problem) {
        at->problem = put(p, record->problem, strlen(record->problem));
        stored = stored && at->problem != nowhere;
    } else {
        const struct l2r_csv_field *field = smiles < record->n_fields ? &record->fields[smiles] : NULL;
        at->smiles = field ? put(p, field->text, field->length) : put(p, "", 0);
        stored = stored && at->smiles != nowhere;
    }
    if (stored) p->chunk.n++;
    return stored;
}

static enum l2r_status read_rows(struct l2r_chunk_place *p, struct places *at, struct l2r_csv *csv, int32_t smiles,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_csv_record *record;
    while (p->chunk.n < ROWS && p->used < L2R_CHUNK_BYTES) {
        L2R_TRY(l2r_csv_next(&record, csv, error));
        if (!record) break;
        if (!take(p, &at[p->chunk.n], record, smiles)) {
            status = l2r_fail_memory(error, p->used + record->raw_length, "the rows of a table");
            goto done;
        }
    }
done:
    return status;
}

static enum l2r_status read_molecules(struct l2r_chunk_place *p, const struct places *at, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t n = p->chunk.n;
    for (int64_t i = 0; i < n; i++) {
        struct l2r_table_row *row = &p->rows[i];
        row->raw = p->text + at[i].raw;
        if (at[i].problem != nowhere) row->problem = p->text + at[i].problem;
        p->molecules[i].smiles = at[i].smiles != nowhere ? p->text + at[i].smiles : NULL;
    }
    L2R_TRY(l2r_molecules_read(p->molecules, n, false, error));
    L2R_TRY(l2r_molecules_pack(&p->data, p->graph, p->molecules, n, error));
    for (int64_t i = 0; i < n; i++) {
        p->rows[i].graph = p->graph[i];
        p->chunk.n_graphs += p->graph[i] >= 0;
    }
    p->chunk.data = p->data;
done:
    return status;
}

/* Reasons live in the molecules' rows, which the next chunk of this place overwrites and not before. */
static void take_reasons(struct l2r_chunk_place *p)
{
    for (int64_t i = 0; i < p->chunk.n; i++)
        if (p->rows[i].graph < 0 && !p->rows[i].problem) p->rows[i].problem = p->molecules[i].reason;
}

void l2r_chunk_place_fill(struct l2r_chunk_place *p, struct l2r_csv *csv, int32_t smiles_column)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error *error = &p->error;
    struct places *at = l2r_alloc_raw(ROWS, sizeof *at);
    l2r_dataset_free(p->data);
    p->data = NULL;
    p->used = 0;
    p->chunk = (struct l2r_table_chunk){.rows = p->rows, .graphs = p->numbers};
    if (!at) {
        status = l2r_fail_memory(error, ROWS * sizeof *at, "a chunk of a table");
        goto done;
    }
    L2R_TRY(read_rows(p, at, csv, smiles_column, error));
    if (p->chunk.n > 0) L2R_TRY(read_molecules(p, at, error));
    take_reasons(p);
done:
    for (int64_t i = 0; i < p->chunk.n; i++) l2r_molecule_graph_clear(&p->molecules[i].molecule);
    l2r_free(at);
    p->status = status;
}

/* As read_rows counts. */
enum l2r_status l2r_chunk_skip(struct l2r_csv *csv, int32_t smiles, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_csv_record *record;
    size_t used = 0;
    for (int64_t n = 0; n < ROWS && used < L2R_CHUNK_BYTES; n++) {
        L2R_TRY(l2r_csv_next(&record, csv, error));
        if (!record) break;
        size_t other = smiles < record->n_fields ? record->fields[smiles].length : 0;
        if (record->problem) other = strlen(record->problem);
        used += record->raw_length + other + 2;
    }
done:
    return status;
}
