/* SPDX-License-Identifier: MIT
 *
 * Rows of a table to molecules (smiles.h). The records of a chunk are read by one thread, which copies what is needed
 * of them into the chunk's arena; then all threads turn SMILES into molecules, each row by itself, so the result does
 * not depend on the threads. An invalid row keeps its reason; a failure of the system (memory, no RDKit) is an error,
 * and of several that of the first row is reported. */
#include "data/formats/smiles/smiles.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/threads.h"
#include "base/watch.h"
#include "data/features.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    ROWS_AT_ONCE = 32, /* what a thread takes: some ten milliseconds of work */
};

enum l2r_status l2r_molecule_chunk_init(struct l2r_molecule_chunk *chunk, const struct l2r_molecule_table *table,
                                        const struct l2r_targets *targets, struct l2r_error *error)
{
    *chunk = (struct l2r_molecule_chunk){.table = table, .targets = targets};
    l2r_arena_init(&chunk->texts);
    int64_t numbers = (targets ? targets->n : 0) + table->n_features;
    chunk->room = numbers * L2R_CHUNK_ROWS <= L2R_CHUNK_NUMBERS ? L2R_CHUNK_ROWS
                  : numbers <= L2R_CHUNK_NUMBERS                ? L2R_CHUNK_NUMBERS / numbers
                                                                : 1;
    size_t rows = (size_t)chunk->room, labels = targets ? rows * (size_t)targets->n : 0;
    chunk->rows = l2r_alloc(rows, sizeof *chunk->rows);
    chunk->labels = l2r_alloc(labels, sizeof *chunk->labels);
    chunk->bounds = l2r_alloc(labels, sizeof *chunk->bounds);
    chunk->weights = l2r_alloc(targets ? rows : 0, sizeof *chunk->weights);
    chunk->features = l2r_alloc(rows * (size_t)table->n_features, sizeof *chunk->features);
    if (chunk->rows && chunk->labels && chunk->bounds && chunk->weights && chunk->features) return L2R_OK;
    return l2r_fail_memory(error, rows * sizeof *chunk->rows, "a chunk of a table");
}

bool l2r_molecule_table_describes(const struct l2r_molecule_table *t, const struct l2r_csv_record *record)
{
    return t->pubchem && record->n_fields > 0 && strncmp(record->fields[0].text, "RESULT_", 7) == 0;
}

void l2r_molecule_chunk_drop(struct l2r_molecule_chunk *chunk)
{
    for (int64_t i = 0; i < chunk->n; i++) {
        struct l2r_molecule_row *row = &chunk->rows[i];
        l2r_molecule_graph_clear(&row->molecule);
        if (row->fragment) row->smiles = NULL;
        l2r_free(row->fragment);
        row->fragment = NULL;
    }
}

void l2r_molecule_chunk_clear(struct l2r_molecule_chunk *chunk)
{
    l2r_molecule_chunk_drop(chunk);
    l2r_arena_clear(&chunk->texts);
    l2r_free(chunk->rows);
    l2r_free(chunk->labels);
    l2r_free(chunk->bounds);
    l2r_free(chunk->weights);
    l2r_notes_clear(&chunk->cells);
    l2r_free(chunk->features);
    l2r_features_free(chunk->described);
    *chunk = (struct l2r_molecule_chunk){0};
}

/* A copy that ends with 0; NULL: out of memory. */
static const char *keep_text(struct l2r_molecule_chunk *chunk, const char *text, size_t length)
{
    char *copy = l2r_arena_alloc(&chunk->texts, length + 1, 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* The weight of a row; a reason where there is none. */
static void take_weight(struct l2r_molecule_chunk *chunk, struct l2r_molecule_row *row,
                        const struct l2r_csv_record *record)
{
    const struct l2r_targets *t = chunk->targets;
    double number = 1;
    if (t->weight >= 0 && (l2r_cell_read(&number, NULL, record->fields[t->weight].text,
                                         t->columns[t->weight].decimal) != L2R_CELL_NUMBER ||
                           number < 0 || number > 1e30))
        snprintf(row->reason, sizeof row->reason, "the weight in column \"%.60s\" is not a number, 0 or more",
                 chunk->table->names[t->weight]);
    chunk->weights[chunk->n] = (float)number;
}

/* The labels, the weight and the cell to split by; false: memory ran out. */
static bool take_targets(struct l2r_molecule_chunk *chunk, struct l2r_molecule_row *row,
                         const struct l2r_csv_record *record)
{
    const struct l2r_targets *t = chunk->targets;
    double number;
    int64_t first = chunk->n * t->n;
    if (!l2r_targets_read(chunk->labels + first, chunk->bounds + first, &chunk->cells, t, chunk->table, record))
        return false;
    take_weight(chunk, row, record);
    if (t->environment >= 0) {
        const struct l2r_csv_field *place = &record->fields[t->environment];
        row->environment = keep_text(chunk, place->text, place->length);
        if (!row->environment) return false;
    }
    if (t->split < 0 || row->reason[0]) return true;
    const struct l2r_csv_field *cell = &record->fields[t->split];
    if (!t->split_is_parts && l2r_cell_read(&number, NULL, cell->text, '.') == L2R_CELL_MISSING) {
        snprintf(row->reason, sizeof row->reason, "column \"%.60s\", by which to split, is empty",
                 chunk->table->names[t->split]);
        return true;
    }
    row->split = keep_text(chunk, cell->text, cell->length);
    return row->split != NULL;
}

/* The SMILES is the first word of its cell. One letter more than allowed is enough to be refused. The name is in a
 * column of its own, or follows the SMILES. */
static bool take_smiles(struct l2r_molecule_chunk *chunk, struct l2r_molecule_row *row,
                        const struct l2r_csv_record *record)
{
    const struct l2r_molecule_table *t = chunk->table;
    const char *text = record->fields[t->smiles].text;
    text += strspn(text, " \t\r\n");
    size_t length = strcspn(text, " \t\r\n");
    row->smiles = keep_text(chunk, text, length > L2R_LONGEST_SMILES ? L2R_LONGEST_SMILES + 1 : length);
    const char *title = t->title >= 0 ? record->fields[t->title].text : t->named ? text + length : "";
    title += strspn(title, " \t");
    if (chunk->targets && *title) row->title = keep_text(chunk, title, strnlen(title, L2R_LONGEST_TITLE));
    return row->smiles != NULL && (row->title != NULL || !chunk->targets || !*title);
}

/* The numbers of --feature-columns; the row gets a reason where a cell holds no number. */
static void take_features(struct l2r_molecule_chunk *chunk, struct l2r_molecule_row *row,
                          const struct l2r_csv_record *record)
{
    const struct l2r_molecule_table *t = chunk->table;
    for (int32_t i = 0; i < t->n_features && !row->reason[0]; i++) {
        double number;
        int bound;
        const char *cell = record->fields[t->features[i]].text;
        bool bad = l2r_cell_read(&number, &bound, cell, '.') == L2R_CELL_TEXT || bound != 0 || fabs(number) > 1e30;
        chunk->features[chunk->n * t->n_features + i] = (float)number;
        char shown[32], column[48];
        l2r_text_excerpt(shown, sizeof shown, cell);
        l2r_text_excerpt(column, sizeof column, t->names[t->features[i]]);
        if (bad)
            snprintf(row->reason, sizeof row->reason, "\"%s\" in column \"%s\", a feature, is not a number", shown,
                     column);
    }
}

/* What is needed of a record, into the next row; false: memory ran out. */
static bool take(struct l2r_molecule_chunk *chunk, const struct l2r_csv_record *record)
{
    struct l2r_molecule_row *row = &chunk->rows[chunk->n];
    *row = (struct l2r_molecule_row){.line = record->line, .raw_length = record->raw_length};
    if (!chunk->targets) row->raw = keep_text(chunk, record->raw, record->raw_length);
    if (!chunk->targets && !row->raw) return false;
    if (record->problem) snprintf(row->reason, sizeof row->reason, "%s", record->problem);
    if (!row->reason[0] && l2r_molecule_table_describes(chunk->table, record))
        snprintf(row->reason, sizeof row->reason, "it describes the columns and holds no molecule");
    if (!row->reason[0] && chunk->targets && !take_targets(chunk, row, record)) return false;
    if (!row->reason[0]) take_features(chunk, row, record);
    if (!row->reason[0] && !take_smiles(chunk, row, record)) return false;
    chunk->n++;
    return true;
}

/* What a record adds to its chunk's text. A function of the record alone: skipping must count as reading does. */
static size_t text_size(const struct l2r_molecule_chunk *chunk, const struct l2r_csv_record *record)
{
    int32_t smiles = chunk->table->smiles;
    size_t other = smiles < record->n_fields ? record->fields[smiles].length : 0;
    return record->raw_length + (record->problem ? strlen(record->problem) : other) + 2;
}

enum l2r_status l2r_molecule_chunk_skip(const struct l2r_molecule_chunk *chunk, struct l2r_csv *csv,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_csv_record *record;
    size_t used = 0;
    for (int64_t n = 0; n < chunk->room && used < L2R_CHUNK_BYTES; n++) {
        L2R_TRY(l2r_csv_next(&record, csv, error));
        if (!record) break;
        used += text_size(chunk, record);
    }
done:
    return status;
}

struct reading {
    struct l2r_molecule_chunk *chunk;
    enum l2r_status *status; /* [pieces] */
    struct l2r_error *errors;
    struct l2r_watched loop;
};

/* One line without control characters, cut to size: RDKit's sentences may have both. */
static void copy_reason(char *out, size_t size, const char *reason)
{
    snprintf(out, size, "%.*s", (int)size - 1, reason);
    for (; *out; out++)
        if ((unsigned char)*out < ' ' || *out == 127) *out = ' ';
}

/* The largest fragment of a mixture takes its place. */
static enum l2r_status take_fragment(struct l2r_molecule_row *row, const struct l2r_molecule_table *table,
                                     struct l2r_error *error)
{
    if (!table->largest_fragment || !strchr(row->smiles, '.')) return L2R_OK;
    enum l2r_status status = l2r_molecule_largest_fragment(&row->fragment, row->smiles, error);
    if (status == L2R_OK) row->smiles = row->fragment;
    return status;
}

static void read_piece(void *context, int64_t piece)
{
    struct reading *r = context;
    int64_t begin, end;
    if (l2r_watched_stop(&r->loop)) return;
    l2r_chunk_range(&begin, &end, r->chunk->n, ROWS_AT_ONCE, piece);
    for (int64_t i = begin; i < end; i++) {
        struct l2r_molecule_row *row = &r->chunk->rows[i];
        struct l2r_error error = {0};
        if (!row->smiles) continue;
        enum l2r_status status = take_fragment(row, r->chunk->table, &error);
        if (status == L2R_OK)
            status = l2r_molecule_features(&row->molecule, row->smiles, r->chunk->targets != NULL, &error);
        if (status == L2R_OK && r->chunk->describe)
            status = l2r_features_describe(r->chunk->described, i, r->chunk->describe, row->smiles, &error);
        if (status == L2R_OK) continue;
        copy_reason(row->reason, sizeof row->reason, error.message);
        if (status == L2R_ERR_FORMAT) continue; /* the row's own fault */
        r->status[piece] = status;
        r->errors[piece] = error;
        return;
    }
    l2r_watched_add(&r->loop, end - begin);
}

enum l2r_status l2r_molecule_chunk_make(struct l2r_molecule_chunk *chunk, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t pieces = l2r_chunk_count(chunk->n, ROWS_AT_ONCE);
    struct reading r = {.chunk = chunk};
    l2r_watched_begin(&r.loop, "molecules read", chunk->n);
    if (chunk->describe && !chunk->described) chunk->described = l2r_features_new();
    if (chunk->describe && !chunk->described) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: molecule features");
    if (chunk->describe) L2R_TRY(l2r_features_make_room(chunk->described, chunk->room, chunk->describe, error));
    r.status = l2r_alloc((size_t)pieces, sizeof *r.status);
    r.errors = l2r_alloc((size_t)pieces, sizeof *r.errors);
    if (!r.status || !r.errors) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: reading %lld SMILES", (long long)chunk->n);
    l2r_parallel(pieces, read_piece, &r);
    for (int64_t p = 0; p < pieces; p++)
        if (r.status[p] != L2R_OK) L2R_FAIL(r.status[p], "%s", r.errors[p].message);
done:
    l2r_free(r.status);
    l2r_free(r.errors);
    return l2r_watched_end(&r.loop, status, error);
}

enum l2r_status l2r_molecule_chunk_read(struct l2r_molecule_chunk *chunk, struct l2r_csv *csv, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_csv_record *record;
    size_t used = 0;
    l2r_molecule_chunk_drop(chunk);
    l2r_arena_reset(&chunk->texts);
    chunk->n = 0;
    while (chunk->n < chunk->room && used < L2R_CHUNK_BYTES) {
        L2R_TRY(l2r_csv_next(&record, csv, error));
        if (!record) break;
        if (chunk->targets && l2r_molecule_table_describes(chunk->table, record)) continue;
        used += text_size(chunk, record);
        if (!take(chunk, record)) return l2r_fail_memory(error, used, "the rows of a table");
    }
    if (chunk->n > 0) L2R_TRY(l2r_molecule_chunk_make(chunk, error));
done:
    return status;
}

enum { MOST_CLASSES = 1 << 12 };

enum l2r_status l2r_molecules_builder(struct l2r_builder **builder, const char *name, enum l2r_task task,
                                      int32_t n_tasks, int32_t n_classes, struct l2r_error *error)
{
    int64_t numbers[MOST_CLASSES];
    if (n_classes > MOST_CLASSES)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%d classes exceed the limit of %d", (int)n_classes,
                        (int)MOST_CLASSES);
    for (int32_t k = 0; k < n_classes; k++) numbers[k] = k;
    const struct l2r_schema schema = {.name = name,
                                      .task = task,
                                      .n_tasks = n_tasks,
                                      .n_classes = n_classes,
                                      .class_value = n_classes > 0 ? numbers : NULL,
                                      .n_node_columns = L2R_ATOM_COLUMNS,
                                      .n_edge_columns = L2R_BOND_COLUMNS,
                                      .node_vocabulary = l2r_atom_vocabulary,
                                      .edge_vocabulary = l2r_bond_vocabulary};
    return l2r_builder_new(builder, &schema, error);
}

struct l2r_graph_view l2r_molecule_view(const struct l2r_molecule_row *row)
{
    const struct l2r_molecule_graph *m = &row->molecule;
    return (struct l2r_graph_view){.n_nodes = m->n_atoms,
                                   .n_edges = m->n_bonds,
                                   .edges = m->bonds,
                                   .node_rows = m->atom_rows,
                                   .edge_rows = m->bond_rows,
                                   .part = L2R_PART_NONE};
}

enum l2r_status l2r_described_rows_add(struct l2r_described_rows *rows, const struct l2r_molecule_chunk *chunk,
                                       int64_t i, struct l2r_error *error)
{
    const struct l2r_molecule_row *row = &chunk->rows[i];
    int32_t n = chunk->table->n_features;
    int64_t start = (int64_t)rows->smiles.n;
    if (l2r_array_add(&rows->smiles_start, &start, 1, sizeof start) &&
        l2r_array_add(&rows->smiles, row->smiles, strlen(row->smiles) + 1, 1) &&
        (!row->title || l2r_array_add(&rows->smiles, row->title, strlen(row->title) + 1, 1)) &&
        l2r_array_add(&rows->features, chunk->features + i * n, (size_t)n, sizeof(float)))
        return L2R_OK;
    return l2r_fail_memory(error, rows->smiles.n, "a table of molecules");
}

enum l2r_status l2r_described_rows_finish(struct l2r_origin *origin, struct l2r_described_rows *rows,
                                          const struct l2r_molecule_table *table, struct l2r_error *error)
{
    int64_t end = (int64_t)rows->smiles.n;
    bool kept = l2r_array_add(&rows->smiles_start, &end, 1, sizeof end);
    for (int32_t k = 0; kept && k < table->n_features; k++) {
        const char *name = table->names[table->features[k]];
        kept = l2r_array_add(&rows->names, name, strlen(name) + 1, 1);
    }
    if (!kept) return l2r_fail_memory(error, rows->smiles.n, "a table of molecules");
    origin->smiles_start = rows->smiles_start.items;
    origin->smiles = rows->smiles.items;
    origin->n_graph_reals = table->n_features;
    origin->graph_real = rows->features.items;
    origin->graph_real_names = rows->names.items;
    origin->n_graph_real_names = rows->names.n;
    return L2R_OK;
}

void l2r_described_rows_clear(struct l2r_described_rows *rows)
{
    l2r_array_clear(&rows->smiles_start);
    l2r_array_clear(&rows->smiles);
    l2r_array_clear(&rows->features);
    l2r_array_clear(&rows->names);
}

enum l2r_status l2r_molecule_chunk_pack(struct l2r_dataset **data, const struct l2r_molecule_chunk *chunk,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_builder *builder = NULL;
    struct l2r_described_rows kept = {0};
    int64_t n_good = 0, *good = l2r_alloc((size_t)chunk->n, sizeof *good);
    *data = NULL;
    if (!good) return l2r_fail_memory(error, (size_t)chunk->n * sizeof *good, "a chunk of a table");
    L2R_TRY(l2r_molecules_builder(&builder, "molecules", L2R_TASK_BINARY, 1, 0, error));
    for (int64_t i = 0; i < chunk->n; i++) {
        if (!l2r_molecule_row_is_good(&chunk->rows[i])) continue;
        good[n_good++] = i;
        const struct l2r_graph_view graph = l2r_molecule_view(&chunk->rows[i]);
        L2R_TRY(l2r_builder_add(builder, &graph, error));
        L2R_TRY(l2r_described_rows_add(&kept, chunk, i, error));
    }
    if (n_good == 0) goto done;
    struct l2r_origin origin = {0};
    L2R_TRY(l2r_described_rows_finish(&origin, &kept, chunk->table, error));
    L2R_TRY(l2r_builder_set_origin(builder, &origin, error));
    L2R_TRY(l2r_builder_finish(data, builder, error));
    if (chunk->describe) L2R_TRY(l2r_features_take(*data, chunk->described, good, chunk->describe, error));
done:
    l2r_free(good);
    l2r_described_rows_clear(&kept);
    l2r_builder_free(builder);
    return status;
}
