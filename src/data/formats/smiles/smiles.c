/* SPDX-License-Identifier: MIT
 *
 * Tables of SMILES: one molecule a row, labels in other columns, gzip or not; and SD files, which become such tables
 * (sdf.c).
 *
 *     smiles,p_np            table.c finds the columns in a sample, targets.c the labels in a first pass
 *     CCO,1                  a second pass makes molecules of chunks of rows, on all threads (molecules.c)
 *     c1ccccc1O,             a missing label is NaN
 *     C(C,0                  left out and noted, or an error (--on-bad-smiles)
 *
 * Besides the graphs the data set keeps each molecule's SMILES, line and scaffold, and its values of --split-column
 * and --environment-column (rows.c). A list of SMILES that a program holds takes the same way.
 */
#include "data/formats/smiles/smiles.h"

#include "base/memory.h"
#include "base/watch.h"
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

/* The chunk outlives the last call: its notes are told at the end. */
static enum l2r_status read_rows(struct l2r_dataset **data, struct l2r_rows *rows, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_csv *csv = NULL;
    struct l2r_molecule_chunk chunk = {0};
    struct l2r_watched loop;
    l2r_watched_begin(&loop, "molecules read", -1);
    L2R_TRY(l2r_molecule_chunk_init(&chunk, rows->table, rows->targets, error));
    L2R_TRY(l2r_molecule_table_open(&csv, NULL, rows->table, error));
    do {
        L2R_TRY(l2r_molecule_chunk_read(&chunk, csv, error));
        L2R_TRY(l2r_rows_add(rows, &chunk, error));
    } while (chunk.n > 0);
    L2R_TRY(l2r_rows_finish(data, rows, error));
done:
    l2r_molecule_chunk_clear(&chunk);
    l2r_csv_free(csv);
    return l2r_watched_end(&loop, status, error);
}

static enum l2r_status read_smiles(struct l2r_dataset **data, struct l2r_source *source,
                                   const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_molecule_table table = {0};
    struct l2r_targets targets = {0};
    struct l2r_rows rows = {0};
    char name[64];
    name_of(name, sizeof name, source->entries[0].name);
    L2R_TRY(l2r_molecule_table_find(&table, source, options, error));
    L2R_TRY(l2r_targets_find(&targets, &table, options, error));
    L2R_TRY(l2r_rows_init(&rows, name, &table, &targets, options, error));
    L2R_TRY(read_rows(data, &rows, error));
done:
    l2r_rows_clear(&rows);
    l2r_targets_clear(&targets);
    l2r_molecule_table_clear(&table);
    return status;
}

/* As from a column of names. */
static bool keep_name(struct l2r_molecule_chunk *chunk, struct l2r_molecule_row *row, const char *name)
{
    size_t length = strnlen(name, L2R_LONGEST_TITLE);
    char *copy = l2r_arena_zeroed(&chunk->texts, length + 1, 1);
    if (copy && length > 0) row->title = memcpy(copy, name, length);
    return copy != NULL;
}

/* Rows begin … of the list into a chunk. The SMILES is the first word of its text, as in a table. */
static enum l2r_status take_list(struct l2r_molecule_chunk *chunk, const struct l2r_smiles_list *list, int64_t begin,
                                 struct l2r_error *error)
{
    int32_t columns = chunk->targets->n;
    l2r_molecule_chunk_drop(chunk);
    l2r_arena_reset(&chunk->texts);
    for (chunk->n = 0; chunk->n < chunk->room && begin + chunk->n < list->n; chunk->n++) {
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
        chunk->weights[chunk->n] = 1;
        memset(chunk->bounds + chunk->n * columns, 0, (size_t)columns);
        if (columns > 0 && list->bounds)
            memcpy(chunk->bounds + chunk->n * columns, list->bounds + at * columns, (size_t)columns);
        if (list->names && list->names[at] && !keep_name(chunk, row, list->names[at]))
            return l2r_fail_memory(error, 0, "a list of SMILES");
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
        char number[24];
        snprintf(number, sizeof number, "label %d", (int)i - 1);
        names[i] = l2r_arena_strdup(arena, i == 0 ? "smiles" : columns ? columns[i - 1] : number);
        if (!names[i]) return NULL;
    }
    return names;
}

enum l2r_status l2r_smiles_list_read(struct l2r_dataset **data, const struct l2r_smiles_list *list,
                                     const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_watched loop;
    l2r_watched_begin(&loop, "molecules read", list->n);
    char path[4096];
    struct l2r_arena arena;
    struct l2r_source source = {.path = path};
    struct l2r_molecule_chunk chunk = {0};
    struct l2r_rows rows = {0};
    int32_t n = list->labels ? list->n_tasks : 0;
    l2r_arena_init(&arena);
    snprintf(path, sizeof path, "%s", list->path ? list->path : "smiles");
    struct l2r_molecule_table table = {.source = &source,
                                       .n_columns = n + 1,
                                       .names = list_names(&arena, list->columns, n),
                                       .second = -1,
                                       .largest_fragment = l2r_config_flag(options, "largest-fragment")};
    struct l2r_targets targets = {.n = n,
                                  .task = list->task,
                                  .split = -1,
                                  .split_is_parts = list->split != NULL,
                                  .environment = -1,
                                  .weight = -1,
                                  .n_rows = list->n};
    targets.target = l2r_arena_zeroed(&arena, (size_t)n + 1, sizeof *targets.target);
    if (!table.names || !targets.target) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a list of SMILES");
    for (int32_t k = 0; k < n; k++) targets.target[k].column = k + 1;
    L2R_TRY(l2r_rows_init(&rows, list->name ? list->name : "smiles", &table, &targets, options, error));
    L2R_TRY(l2r_molecule_chunk_init(&chunk, &table, &targets, error));
    for (int64_t begin = 0; begin < list->n; begin += chunk.n) {
        if (l2r_watched_stop(&loop)) goto done;
        L2R_TRY(take_list(&chunk, list, begin, error));
        L2R_TRY(l2r_molecule_chunk_make(&chunk, error));
        L2R_TRY(l2r_rows_add(&rows, &chunk, error));
    }
    L2R_TRY(l2r_rows_finish(data, &rows, error));
done:
    l2r_molecule_chunk_clear(&chunk);
    l2r_rows_clear(&rows);
    l2r_arena_clear(&arena);
    return l2r_watched_end(&loop, status, error);
}

const struct l2r_reader l2r_reader_smiles = {
    .name = "smiles",
    .description =
        "tables of SMILES (.csv, .tsv, .txt) with labels in other columns, and SD files (.sdf); also .gz; needs RDKit",
    .recognise = recognise,
    .read_with = read_smiles,
};
