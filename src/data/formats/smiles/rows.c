/* SPDX-License-Identifier: MIT
 * See molecule_rows.h. */
#include "data/formats/smiles/rows.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/text_numbers.h"
#include "data/builder.h"
#include "data/formats/smiles/molecules.h"
#include "data/notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4096 }; /* a chunk: a second of work for one thread, some megabytes of molecules */

struct growing {
    void *items;
    size_t n, capacity;
};

struct l2r_molecule_rows {
    const struct l2r_molecule_table *table;
    const struct l2r_targets *targets;
    bool fail;
    struct l2r_builder *builder;
    struct l2r_notes notes;
    struct l2r_text_numbers scaffolds, values; /* values: of --split-column */
    int64_t n_good;
    struct growing scaffold, value, line, smiles_start, smiles; /* int32, int32, int64, int64, char */

    struct l2r_arena texts;       /* of the chunk */
    struct l2r_molecule_row *row; /* [ROWS] */
    int64_t *row_line;            /* [ROWS] */
    float *labels;                /* [ROWS × targets] */
    const char **split;           /* [ROWS]: cell of --split-column */
};

static bool add(struct growing *array, const void *items, size_t n, size_t size)
{
    if (!l2r_reserve(&array->items, &array->capacity, array->n + n, size)) return false;
    memcpy((char *)array->items + array->n * size, items, n * size);
    array->n += n;
    return true;
}

enum l2r_status l2r_molecule_rows_new(struct l2r_molecule_rows **rows, const char *name,
                                      const struct l2r_molecule_table *table, const struct l2r_targets *targets,
                                      bool fail, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const int64_t zero = 0;
    int32_t n_tasks = targets->n > 0 ? targets->n : 1;
    struct l2r_molecule_rows *r = l2r_alloc(1, sizeof *r);
    *rows = r;
    if (!r) return l2r_fail_memory(error, sizeof *r, "a table of molecules");
    r->table = table;
    r->targets = targets;
    r->fail = fail;
    l2r_arena_init(&r->texts);
    r->row = l2r_alloc(ROWS, sizeof *r->row);
    r->row_line = l2r_alloc(ROWS, sizeof *r->row_line);
    r->labels = l2r_alloc(ROWS * (size_t)n_tasks, sizeof *r->labels);
    r->split = l2r_alloc(ROWS, sizeof *r->split);
    if (!r->row || !r->row_line || !r->labels || !r->split || !add(&r->smiles_start, &zero, 1, sizeof zero))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a table of molecules");
    L2R_TRY(l2r_molecules_builder(&r->builder, name, targets->task, n_tasks, error));
done:
    return status;
}

void l2r_molecule_rows_free(struct l2r_molecule_rows *r)
{
    if (!r) return;
    struct growing *arrays[] = {&r->scaffold, &r->value, &r->line, &r->smiles_start, &r->smiles};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) l2r_free(arrays[i]->items);
    if (r->row) l2r_molecules_clear(r->row, ROWS);
    l2r_free(r->row);
    l2r_free(r->row_line);
    l2r_free(r->labels);
    l2r_free(r->split);
    l2r_arena_clear(&r->texts);
    l2r_text_numbers_clear(&r->scaffolds);
    l2r_text_numbers_clear(&r->values);
    l2r_notes_clear(&r->notes);
    l2r_builder_free(r->builder);
    l2r_free(r);
}

/* Takes what is needed of a record; row i is bad from the start when its cells are. */
static enum l2r_status take(struct l2r_molecule_rows *r, int64_t i, const struct l2r_csv_record *record,
                            struct l2r_error *error)
{
    const struct l2r_targets *t = r->targets;
    struct l2r_molecule_row *row = &r->row[i];
    double number;
    row->smiles = NULL;
    r->row_line[i] = record->line;
    if (record->problem) {
        snprintf(row->reason, sizeof row->reason, "%s", record->problem);
        return L2R_OK;
    }
    if (!l2r_targets_read(r->labels + i * t->n, row->reason, sizeof row->reason, t, r->table, record)) return L2R_OK;
    r->split[i] = NULL;
    if (t->split >= 0) {
        const char *cell = record->fields[t->split].text;
        if (!t->split_is_parts && l2r_cell_read(&number, cell) == L2R_CELL_MISSING) {
            snprintf(row->reason, sizeof row->reason, "column \"%.60s\", by which to split, is empty",
                     r->table->names[t->split]);
            return L2R_OK;
        }
        r->split[i] = l2r_arena_strdup(&r->texts, cell);
        if (!r->split[i]) return l2r_fail_memory(error, strlen(cell), "a row of a table");
    }
    /* One letter more than allowed is enough to be refused. */
    const struct l2r_csv_field *cell = &record->fields[r->table->smiles];
    const char *text = cell->text + strspn(cell->text, " \t\r\n");
    size_t length = strcspn(text, " \t\r\n");
    if (length > L2R_LONGEST_SMILES) length = L2R_LONGEST_SMILES + 1;
    char *copy = l2r_arena_zeroed(&r->texts, length + 1, 1);
    if (!copy) return l2r_fail_memory(error, length, "a row of a table");
    memcpy(copy, text, length);
    row->smiles = copy;
    return L2R_OK;
}

static enum l2r_status keep(struct l2r_molecule_rows *r, int64_t i, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_targets *t = r->targets;
    const struct l2r_molecule_row *row = &r->row[i];
    int part = t->split_is_parts ? l2r_part_of(r->split[i]) : L2R_PART_NONE;
    int32_t scaffold = l2r_text_numbers_add(&r->scaffolds, row->molecule.scaffold), value = 0;
    if (t->split >= 0 && !t->split_is_parts) value = l2r_text_numbers_add(&r->values, r->split[i]);
    L2R_TRY(l2r_molecules_add(r->builder, row, t->n > 0 ? r->labels + i * t->n : NULL, part, error));
    if (scaffold < 0 || value < 0 || !add(&r->smiles, row->smiles, strlen(row->smiles) + 1, 1))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a table of molecules");
    int64_t end = (int64_t)r->smiles.n;
    if (!add(&r->scaffold, &scaffold, 1, sizeof scaffold) || !add(&r->value, &value, 1, sizeof value) ||
        !add(&r->line, &r->row_line[i], 1, sizeof(int64_t)) || !add(&r->smiles_start, &end, 1, sizeof end))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a table of molecules");
    r->n_good++;
done:
    return status;
}

/* The rows of a chunk in their order. */
static enum l2r_status settle(struct l2r_molecule_rows *r, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *path = r->table->source->path;
    for (int64_t i = 0; i < n; i++) {
        if (l2r_molecule_row_is_good(&r->row[i])) {
            L2R_TRY(keep(r, i, error));
            continue;
        }
        if (r->fail)
            L2R_FAIL(L2R_ERR_FORMAT, "%s:%lld: %s; --on-bad-smiles skip skips such rows", path,
                     (long long)r->row_line[i], r->row[i].reason);
        if (!l2r_notes_add_row(&r->notes, path, r->row_line[i], r->row[i].reason))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a table of molecules");
    }
done:
    return status;
}

enum l2r_status l2r_molecule_rows_read(bool *more, struct l2r_molecule_rows *r, struct l2r_csv *csv,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_csv_record *record = NULL;
    int64_t n = 0;
    l2r_molecules_clear(r->row, ROWS);
    l2r_arena_reset(&r->texts);
    for (; n < ROWS; n++) {
        L2R_TRY(l2r_csv_next(&record, csv, error));
        if (!record) break;
        L2R_TRY(take(r, n, record, error));
    }
    L2R_TRY(l2r_molecules_read(r->row, n, true, error));
    L2R_TRY(settle(r, n, error));
    *more = record != NULL;
done:
    return status;
}

/* A value of --split-column, to be sorted: as a number if all are. */
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

/* The numbers of values become their places in ascending order. */
static enum l2r_status rank_values(struct l2r_molecule_rows *r, struct l2r_error *error)
{
    int32_t n = r->values.n, *value = r->value.items;
    struct ranked *sorted = l2r_alloc((size_t)n, sizeof *sorted);
    int32_t *rank = l2r_alloc((size_t)n, sizeof *rank);
    bool numbers = true, made = sorted && rank;
    for (int32_t k = 0; made && k < n; k++) {
        sorted[k] = (struct ranked){.text = l2r_text_numbers_text(&r->values, k), .value = k};
        if (l2r_cell_read(&sorted[k].number, sorted[k].text) != L2R_CELL_NUMBER) numbers = false;
    }
    for (int32_t k = 0; made && !numbers && k < n; k++) sorted[k].number = 0;
    if (made) qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    for (int32_t k = 0; made && k < n; k++) rank[sorted[k].value] = k;
    for (size_t g = 0; made && g < r->value.n; g++) value[g] = rank[value[g]];
    l2r_free(sorted);
    l2r_free(rank);
    return made ? L2R_OK : l2r_fail_memory(error, (size_t)n * sizeof *sorted, "a table of molecules");
}

/* "column \"a\"" or "3 columns: a, b, c". */
static void describe_targets(char *out, size_t size, const struct l2r_molecule_rows *r)
{
    const struct l2r_targets *t = r->targets;
    size_t used = 0;
    if (t->n == 0) {
        snprintf(out, size, "no labels");
        return;
    }
    const char *task = l2r_task_name(t->task);
    if (t->n == 1) {
        snprintf(out, size, "%s labels of column \"%.100s\"", task, r->table->names[t->column[0]]);
        return;
    }
    used = (size_t)snprintf(out, size, "%s labels of %d columns: ", task, (int)t->n);
    for (int32_t i = 0; i < t->n; i++) {
        const char *name = r->table->names[t->column[i]];
        bool fits = used + strlen(name) + 8 < size;
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", fits ? name : "…");
        if (!fits) break;
    }
}

/* All notes in their order: what was understood, how many rows are left out, which. */
static bool write_notes(struct l2r_notes *notes, const struct l2r_molecule_rows *r)
{
    const char *path = r->table->source->path;
    char labels[400];
    describe_targets(labels, sizeof labels, r);
    if (!l2r_notes_add(notes, "%s: %lld molecules of column \"%.60s\"; %s", path, (long long)r->n_good,
                       r->table->names[r->table->smiles], labels))
        return false;
    if (r->notes.n_rows == 0) return true;
    if (!l2r_notes_add(notes, "%s: %lld of %lld rows were skipped", path, (long long)r->notes.n_rows,
                       (long long)r->targets->n_rows))
        return false;
    size_t bytes = r->notes.used;
    if (!l2r_reserve((void **)&notes->text, &notes->capacity, notes->used + bytes + 1, 1)) return false;
    memcpy(notes->text + notes->used, r->notes.text, bytes + 1);
    notes->used += bytes;
    return true;
}

/* The names of the targets, each ending with 0. */
static bool write_names(struct growing *names, const struct l2r_molecule_rows *r)
{
    for (int32_t i = 0; i < r->targets->n; i++) {
        const char *name = r->table->names[r->targets->column[i]];
        if (!add(names, name, strlen(name) + 1, 1)) return false;
    }
    return true;
}

static enum l2r_status fail_empty(const struct l2r_molecule_rows *r, struct l2r_error *error)
{
    const char *path = r->table->source->path;
    if (r->notes.n_rows == 0) return l2r_fail(error, L2R_ERR_FORMAT, "%s: the table has a header but no rows", path);
    return l2r_fail(error, L2R_ERR_FORMAT, "none of the %lld rows holds a molecule; %.*s (SMILES of column \"%.60s\")",
                    (long long)r->notes.n_rows, (int)strcspn(r->notes.text, "\n"), r->notes.text,
                    r->table->names[r->table->smiles]);
}

enum l2r_status l2r_molecule_rows_finish(struct l2r_dataset **data, struct l2r_molecule_rows *r,
                                         struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_notes notes = {0};
    struct growing names = {0};
    bool ranked = r->targets->split >= 0 && !r->targets->split_is_parts;
    if (r->n_good == 0) return fail_empty(r, error);
    if (ranked) L2R_TRY(rank_values(r, error));
    if (!write_notes(&notes, r) || !write_names(&names, r))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a table of molecules");
    const struct l2r_origin origin = {.scaffold = r->scaffold.items,
                                      .rank = ranked ? r->value.items : NULL,
                                      .source_line = r->line.items,
                                      .smiles_start = r->smiles_start.items,
                                      .smiles = r->smiles.items,
                                      .task_names = names.items,
                                      .n_task_names = names.n,
                                      .notes = notes.text};
    L2R_TRY(l2r_builder_set_origin(r->builder, &origin, error));
    L2R_TRY(l2r_builder_finish(data, r->builder, error));
done:
    l2r_notes_clear(&notes);
    l2r_free(names.items);
    return status;
}
