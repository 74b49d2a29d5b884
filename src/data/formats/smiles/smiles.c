/* SPDX-License-Identifier: MIT
 *
 * Tables of SMILES: one molecule a row, labels in other columns, gzip or not.
 *
 *     smiles,p_np            table.c finds the columns in a sample, targets.c the labels in a first pass
 *     CCO,1                  a second pass makes molecules of chunks of rows, on all threads (molecules.c)
 *     c1ccccc1O,             a missing label is NaN
 *     C(C,0                  left out and noted, or an error (--on-bad-smiles)
 *
 * Besides the graphs the data set keeps each molecule's SMILES, line and scaffold, and its values of --split-column
 * and --environment-column.
 * Rows are kept in the order of the table, and scaffolds and values are numbered by first appearance in it, so threads
 * and chunks leave no trace in the data set.
 */
#include "data/formats/smiles/smiles.h"
#include "base/array.h"
#include "base/memory.h"
#include "data/reader.h"
#include "io/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The good rows on their way into a data set, with everything that is kept about them. */
struct kept {
    const struct l2r_molecule_table *table;
    const struct l2r_targets *targets;
    bool fail; /* the first bad row is an error */
    struct l2r_builder *builder;
    struct l2r_notes notes;                              /* on rows that are left out */
    struct l2r_distinct_texts scaffolds, values, places; /* values of --split-column and --environment-column */
    int64_t n;
    struct l2r_array scaffold, value, place, line; /* int32, int32, int32, int64 */
    struct l2r_described_rows rows;
};

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

/* Row i of the chunk. */
static enum l2r_status keep(struct kept *k, const struct l2r_molecule_chunk *chunk, int64_t i, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_molecule_row *row = &chunk->rows[i];
    const float *labels = chunk->labels + i * k->targets->n;
    const struct l2r_targets *t = k->targets;
    int part = t->split_is_parts ? l2r_part_of(row->split) : L2R_PART_NONE;
    int32_t scaffold = l2r_distinct_texts_add(&k->scaffolds, row->molecule.scaffold), value = 0, place = 0;
    if (t->split >= 0 && !t->split_is_parts) value = l2r_distinct_texts_add(&k->values, row->split);
    if (row->environment) place = l2r_distinct_texts_add(&k->places, row->environment);
    L2R_TRY(l2r_molecules_add(k->builder, row, t->n > 0 ? labels : NULL, part, error));
    L2R_TRY(l2r_described_rows_add(&k->rows, chunk, i, error));
    if (scaffold < 0 || value < 0 || place < 0 || !l2r_array_add(&k->place, &place, 1, sizeof place) ||
        !l2r_array_add(&k->scaffold, &scaffold, 1, sizeof scaffold) ||
        !l2r_array_add(&k->value, &value, 1, sizeof value) || !l2r_array_add(&k->line, &row->line, 1, sizeof row->line))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a table of molecules");
    k->n++;
done:
    return status;
}

/* The rows of a chunk in their order. */
static enum l2r_status keep_chunk(struct kept *k, const struct l2r_molecule_chunk *chunk, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *path = k->table->source->path;
    for (int64_t i = 0; i < chunk->n; i++) {
        const struct l2r_molecule_row *row = &chunk->rows[i];
        if (l2r_molecule_row_is_good(row)) {
            L2R_TRY(keep(k, chunk, i, error));
            continue;
        }
        if (k->fail)
            L2R_FAIL(L2R_ERR_FORMAT, "%s:%lld: %s; `on-bad-smiles=skip` skips such rows", path, (long long)row->line,
                     row->reason);
        if (!l2r_notes_add_row(&k->notes, path, row->line, row->reason))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a table of molecules");
    }
done:
    return status;
}

static enum l2r_status read_rows(struct kept *k, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_csv *csv = NULL;
    struct l2r_molecule_chunk chunk = {0};
    L2R_TRY(l2r_molecule_chunk_init(&chunk, k->table, k->targets, error));
    L2R_TRY(l2r_molecule_table_open(&csv, NULL, k->table, error));
    do {
        L2R_TRY(l2r_molecule_chunk_read(&chunk, csv, error));
        L2R_TRY(keep_chunk(k, &chunk, error));
    } while (chunk.n > 0);
done:
    l2r_molecule_chunk_clear(&chunk);
    l2r_csv_free(csv);
    return status;
}

/* A value of a column, to be sorted: as a number if all are. */
struct ranked {
    double number;
    const char *text;
    int32_t value;
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->number < y->number || x->number > y->number) return x->number < y->number ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* The numbers of values become their places in ascending order; names, if not NULL, receives the values in that
 * order, each ending with 0. */
static enum l2r_status rank_values(struct l2r_array *numbers, struct l2r_array *names,
                                   const struct l2r_distinct_texts *values, struct l2r_error *error)
{
    int32_t n = values->n, *value = numbers->items;
    struct ranked *sorted = l2r_alloc((size_t)n, sizeof *sorted);
    int32_t *rank = l2r_alloc((size_t)n, sizeof *rank);
    bool numeric = true, made = sorted && rank;
    for (int32_t i = 0; made && i < n; i++) {
        sorted[i] = (struct ranked){.text = l2r_distinct_text(values, i), .value = i};
        if (l2r_cell_read(&sorted[i].number, sorted[i].text) != L2R_CELL_NUMBER) numeric = false;
    }
    for (int32_t i = 0; made && !numeric && i < n; i++) sorted[i].number = 0;
    if (made) qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    for (int32_t i = 0; made && i < n; i++) rank[sorted[i].value] = i;
    for (size_t g = 0; made && g < numbers->n; g++) value[g] = rank[value[g]];
    for (int32_t i = 0; made && names && i < n; i++) {
        const char *text = sorted[i].text[0] ? sorted[i].text : "(empty)";
        made = l2r_array_add(names, text, strlen(text) + 1, 1);
    }
    l2r_free(sorted);
    l2r_free(rank);
    return made ? L2R_OK : l2r_fail_memory(error, (size_t)n * sizeof *sorted, "a table of molecules");
}

/* "column \"a\"" or "3 columns: a, b, c". */
static void describe_targets(char *out, size_t size, const struct kept *k)
{
    const struct l2r_targets *t = k->targets;
    size_t used = 0;
    if (t->n == 0) {
        snprintf(out, size, "no labels");
        return;
    }
    const char *task = l2r_task_name(t->task);
    if (t->n == 1) {
        snprintf(out, size, "%s labels of column \"%.100s\"", task, k->table->names[t->column[0]]);
        return;
    }
    used = (size_t)snprintf(out, size, "%s labels of %d columns: ", task, (int)t->n);
    for (int32_t i = 0; i < t->n; i++) {
        const char *name = k->table->names[t->column[i]];
        bool fits = used + strlen(name) + 8 < size;
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", fits ? name : "…");
        if (!fits) break;
    }
}

/* All notes in their order: what was understood, how many rows are left out, which. */
static bool write_notes(struct l2r_notes *notes, const struct kept *k)
{
    const char *path = k->table->source->path;
    char labels[400];
    describe_targets(labels, sizeof labels, k);
    if (!l2r_notes_add(notes, "%s: %lld molecules of column \"%.60s\"; %s", path, (long long)k->n,
                       k->table->names[k->table->smiles], labels))
        return false;
    if (k->notes.n_rows == 0) return true;
    if (!l2r_notes_add(notes, "%s: %lld of %lld rows were skipped", path, (long long)k->notes.n_rows,
                       (long long)k->targets->n_rows))
        return false;
    l2r_text_puts(&notes->text, k->notes.text.text);
    return !notes->text.failed;
}

/* The names of the targets, each ending with 0. */
static bool write_names(struct l2r_array *names, const struct kept *k)
{
    for (int32_t i = 0; i < k->targets->n; i++) {
        const char *name = k->table->names[k->targets->column[i]];
        if (!l2r_array_add(names, name, strlen(name) + 1, 1)) return false;
    }
    return true;
}

static enum l2r_status fail_empty(const struct kept *k, struct l2r_error *error)
{
    const char *path = k->table->source->path;
    if (k->notes.n_rows == 0) return l2r_fail(error, L2R_ERR_FORMAT, "%s: the table has a header but no rows", path);
    return l2r_fail(error, L2R_ERR_FORMAT, "none of the %lld rows holds a molecule; %.*s (SMILES of column \"%.60s\")",
                    (long long)k->notes.n_rows, (int)strcspn(k->notes.text.text, "\n"), k->notes.text.text,
                    k->table->names[k->table->smiles]);
}

static enum l2r_status finish(struct l2r_dataset **data, struct kept *k, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_notes notes = {0};
    struct l2r_array names = {0}, places = {0};
    bool ranked = k->targets->split >= 0 && !k->targets->split_is_parts;
    if (k->n == 0) return fail_empty(k, error);
    if (ranked) L2R_TRY(rank_values(&k->value, NULL, &k->values, error));
    if (k->places.n > 0) L2R_TRY(rank_values(&k->place, &places, &k->places, error));
    if (!write_notes(&notes, k) || !write_names(&names, k))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a table of molecules");
    struct l2r_origin origin = {.scaffold = k->scaffold.items,
                                .rank = ranked ? k->value.items : NULL,
                                .source_line = k->line.items,
                                .environment = k->places.n > 0 ? k->place.items : NULL,
                                .n_environments = k->places.n,
                                .environment_names = places.items,
                                .n_environment_names = places.n,
                                .task_names = names.items,
                                .n_task_names = names.n,
                                .notes = notes.text.text};
    L2R_TRY(l2r_described_rows_finish(&origin, &k->rows, k->table, error));
    L2R_TRY(l2r_builder_set_origin(k->builder, &origin, error));
    L2R_TRY(l2r_builder_finish(data, k->builder, error));
done:
    l2r_notes_clear(&notes);
    l2r_array_clear(&names);
    l2r_array_clear(&places);
    return status;
}

static void kept_clear(struct kept *k)
{
    struct l2r_array *arrays[] = {&k->scaffold, &k->value, &k->place, &k->line};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) l2r_array_clear(arrays[i]);
    l2r_described_rows_clear(&k->rows);
    l2r_distinct_texts_clear(&k->scaffolds);
    l2r_distinct_texts_clear(&k->values);
    l2r_distinct_texts_clear(&k->places);
    l2r_notes_clear(&k->notes);
    l2r_builder_free(k->builder);
}

static enum l2r_status read_smiles(struct l2r_dataset **data, struct l2r_source *source,
                                   const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_molecule_table table = {0};
    struct l2r_targets targets = {0};
    struct kept kept = {.table = &table, .targets = &targets, .fail = l2r_config_is(options, "on-bad-smiles", "fail")};
    char name[64];
    name_of(name, sizeof name, source->entries[0].name);
    L2R_TRY(l2r_molecule_table_find(&table, source, options, error));
    L2R_TRY(l2r_targets_find(&targets, &table, options, error));
    L2R_TRY(l2r_molecules_builder(&kept.builder, name, targets.task, targets.n > 0 ? targets.n : 1, error));
    L2R_TRY(read_rows(&kept, error));
    L2R_TRY(finish(data, &kept, error));
done:
    kept_clear(&kept);
    l2r_targets_clear(&targets);
    l2r_molecule_table_clear(&table);
    return status;
}

/* Rows begin … of the list into a chunk. The SMILES is the first word of its text, as in a table. */
static enum l2r_status take_list(struct l2r_molecule_chunk *chunk, const struct l2r_smiles_list *list, int64_t begin,
                                 struct l2r_error *error)
{
    int32_t columns = chunk->targets->n;
    l2r_molecule_chunk_drop(chunk);
    l2r_arena_reset(&chunk->texts);
    for (chunk->n = 0; chunk->n < L2R_CHUNK_ROWS && begin + chunk->n < list->n; chunk->n++) {
        int64_t at = begin + chunk->n;
        struct l2r_molecule_row *row = &chunk->rows[chunk->n];
        const char *text = list->smiles[at];
        *row = (struct l2r_molecule_row){.line = list->first + at,
                                         .split = list->split ? list->split[at] : NULL,
                                         .environment = list->environment ? list->environment[at] : NULL};
        if (!text) {
            snprintf(row->reason, sizeof row->reason, "the SMILES is NULL");
            continue;
        }
        text += strspn(text, " \t\r\n");
        size_t length = strcspn(text, " \t\r\n");
        if (length > L2R_LONGEST_SMILES) length = L2R_LONGEST_SMILES + 1;
        char *copy = l2r_arena_alloc(&chunk->texts, length + 1, 1);
        if (!copy) return l2r_fail_memory(error, length + 1, "a list of SMILES");
        memcpy(copy, text, length);
        copy[length] = '\0';
        row->smiles = copy;
        if (columns > 0 && list->labels)
            memcpy(chunk->labels + chunk->n * columns, list->labels + at * columns,
                   (size_t)columns * sizeof *list->labels);
    }
    return L2R_OK;
}

/* The columns that a table of the list would have: "smiles", then the labels by their numbers. NULL: out of memory. */
static char **list_names(struct l2r_arena *arena, const char *const *columns, int32_t n)
{
    char **names = l2r_arena_alloc(arena, (size_t)n + 1, sizeof *names);
    for (int32_t i = 0; names && i <= n; i++) {
        names[i] = l2r_arena_alloc(arena, 24, 1);
        if (!names[i]) return NULL;
        if (i == 0)
            snprintf(names[i], 24, "smiles");
        else if (columns)
            snprintf(names[i], 24, "%s", columns[i - 1]);
        else
            snprintf(names[i], 24, "label %d", (int)i - 1);
    }
    return names;
}

enum l2r_status l2r_smiles_list_read(struct l2r_dataset **data, const struct l2r_smiles_list *list,
                                     const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[4096];
    struct l2r_arena arena;
    struct l2r_source source = {.path = path};
    struct l2r_molecule_chunk chunk = {0};
    int32_t n = list->labels ? list->n_tasks : 0;
    l2r_arena_init(&arena);
    snprintf(path, sizeof path, "%s", list->path ? list->path : "smiles");
    struct l2r_molecule_table table = {
        .source = &source, .n_columns = n + 1, .names = list_names(&arena, list->columns, n)};
    struct l2r_targets targets = {
        .n = n, .task = list->task, .split = -1, .environment = -1, .n_rows = list->n, .split_is_parts = list->split};
    struct kept kept = {.table = &table, .targets = &targets, .fail = l2r_config_is(options, "on-bad-smiles", "fail")};
    targets.column = l2r_arena_alloc(&arena, (size_t)n + 1, sizeof *targets.column);
    if (!table.names || !targets.column) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a list of SMILES");
    for (int32_t k = 0; k < n; k++) targets.column[k] = k + 1;
    L2R_TRY(l2r_molecules_builder(&kept.builder, list->name ? list->name : "smiles", list->task, list->n_tasks, error));
    L2R_TRY(l2r_molecule_chunk_init(&chunk, &table, &targets, error));
    for (int64_t begin = 0; begin < list->n; begin += L2R_CHUNK_ROWS) {
        L2R_TRY(take_list(&chunk, list, begin, error));
        L2R_TRY(l2r_molecule_chunk_make(&chunk, error));
        L2R_TRY(keep_chunk(&kept, &chunk, error));
    }
    L2R_TRY(finish(data, &kept, error));
done:
    l2r_molecule_chunk_clear(&chunk);
    kept_clear(&kept);
    l2r_arena_clear(&arena);
    return status;
}

const struct l2r_reader l2r_reader_smiles = {
    .name = "smiles",
    .description = "tables of SMILES (.csv, .tsv, .txt; also .gz) with labels in other columns; needs RDKit",
    .recognise = recognise,
    .read_with = read_smiles,
};
