/* SPDX-License-Identifier: MIT
 *
 * Candidates for labels that are numbers which RDKit computes from the structure: molecular weight, logP, counts of
 * rings (targets.h). The first ROWS molecules are described, and a column is one of RDKit's descriptors if it agrees
 * with it in nearly all of them, up to the digits that are written, and varies enough to exclude chance:
 *
 *     |x − d| ≤ 0.51 · 10^−decimals + 0.001 |d|
 *
 * A column with a usual name for labels (y, activity, …) is always a label. */
#include "data/formats/smiles/targets.h"

#include "base/memory.h"
#include "base/threads.h"
#include "chem/describe.h"
#include "data/formats/smiles/smiles.h"

#include <math.h>
#include <string.h>

enum { ROWS = 48, FEWEST = 12, FEWEST_OTHERS = 4 };

struct cell {
    double number, tolerance; /* NaN: no number */
};

struct sample {
    int32_t n_columns, *column; /* [n_columns]: the candidates */
    int32_t n;                  /* molecules */
    char *smiles[ROWS];
    struct cell *cells;                     /* [ROWS × n_columns] */
    float described[ROWS][L2R_DESCRIPTORS]; /* NaN: unknown */
};

/* Half a unit of the last digit that is written. */
static double written_to(const char *text, char decimal)
{
    const char *point = strchr(text, decimal);
    size_t decimals = point ? strspn(point + 1, "0123456789") : 0;
    return strpbrk(text, "eE") ? 0 : 0.51 * pow(10, -(double)decimals);
}

/* False: out of memory. */
static bool add_row(struct sample *s, const struct l2r_targets *t, const struct l2r_molecule_table *table,
                    const struct l2r_csv_record *record)
{
    const char *text = record->fields[table->smiles].text;
    text += strspn(text, " \t");
    size_t length = strcspn(text, " \t\r\n");
    if (length == 0 || length > L2R_LONGEST_SMILES) return true;
    char *copy = l2r_alloc(length + 1, 1);
    if (!copy) return false;
    memcpy(copy, text, length);
    s->smiles[s->n] = copy;
    for (int32_t i = 0; i < s->n_columns; i++) {
        struct cell *cell = &s->cells[(int64_t)s->n * s->n_columns + i];
        const char *written = record->fields[s->column[i]].text;
        char decimal = t->columns[s->column[i]].decimal;
        if (l2r_cell_read(&cell->number, NULL, written, decimal) != L2R_CELL_NUMBER) cell->number = NAN;
        cell->tolerance = written_to(written, decimal);
    }
    s->n++;
    return true;
}

static void describe(void *context, int64_t row)
{
    struct sample *s = context;
    float *rows[L2R_DESCRIPTIONS] = {[L2R_DESCRIBE_DESCRIPTORS] = s->described[row]};
    if (l2r_molecule_describe(rows, s->smiles[row], NULL) == L2R_OK) return;
    for (int32_t d = 0; d < L2R_DESCRIPTORS; d++) s->described[row][d] = NAN;
}

/* How many cells of a column are not its most frequent number. */
static int32_t count_others(const struct sample *s, int32_t column)
{
    int32_t n = 0, most = 0;
    for (int32_t i = 0; i < s->n; i++) {
        double x = s->cells[(int64_t)i * s->n_columns + column].number;
        int32_t same = 0;
        for (int32_t j = 0; j < s->n; j++) same += s->cells[(int64_t)j * s->n_columns + column].number == x;
        if (!isnan(x)) n++;
        if (same > most) most = same;
    }
    return n - most;
}

/* most: rows in which it need not agree. */
static bool agrees(const struct sample *s, int32_t column, int32_t d, int32_t most)
{
    int32_t n = 0, missed = 0;
    for (int32_t i = 0; i < s->n; i++) {
        const struct cell *cell = &s->cells[(int64_t)i * s->n_columns + column];
        double x = (double)s->described[i][d];
        if (isnan(cell->number) || !isfinite(x)) continue;
        n++;
        missed += fabs(cell->number - x) > cell->tolerance + 1e-3 * fabs(x);
        if (missed > most) return false;
    }
    return n >= FEWEST && missed * FEWEST <= n;
}

static void compare(struct l2r_targets *t, const struct sample *s)
{
    for (int32_t i = 0; i < s->n_columns; i++) {
        struct l2r_column *c = &t->columns[s->column[i]];
        int32_t others = count_others(s, i);
        if (others < FEWEST_OTHERS || 5 * others < s->n) continue;
        for (int32_t d = 0; d < L2R_DESCRIPTORS && c->candidate != L2R_CANDIDATE_NONE; d++) {
            if (!agrees(s, i, d, c->not_binary ? ROWS / FEWEST : 0)) continue; /* 0 and 1 agree easily */
            c->candidate = L2R_CANDIDATE_NONE;
            c->unused = L2R_UNUSED_DESCRIPTOR;
            c->descriptor = d;
        }
    }
}

static enum l2r_status read_sample(struct sample *s, const struct l2r_targets *t,
                                   const struct l2r_molecule_table *table, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_csv_record *record;
    struct l2r_csv *csv = NULL;
    L2R_TRY(l2r_molecule_table_open(&csv, NULL, table, error));
    while (s->n < ROWS) {
        L2R_TRY(l2r_csv_next(&record, csv, error));
        if (!record) break;
        if (record->problem || l2r_molecule_table_describes(table, record)) continue;
        if (!add_row(s, t, table, record)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the first rows of a table");
    }
done:
    l2r_csv_free(csv);
    return status;
}

enum l2r_status l2r_columns_find_descriptors(struct l2r_targets *t, const struct l2r_molecule_table *table,
                                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t n = (size_t)t->n_columns;
    struct sample *s = l2r_alloc(1, sizeof *s);
    if (!s) return l2r_fail_memory(error, sizeof *s, "the first rows of a table");
    s->column = l2r_alloc(n, sizeof *s->column);
    if (!s->column) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the first rows of a table");
    for (int32_t k = 0; k < t->n_columns; k++) {
        enum l2r_candidate what = t->columns[k].candidate;
        bool numbers = what == L2R_CANDIDATE_VALUES || what == L2R_CANDIDATE_BINARY;
        bool usual = table->has_header && l2r_column_is_usual_label(table->names[k]) == 0;
        if (numbers && l2r_column_has_numbers(&t->columns[k]) && !usual) s->column[s->n_columns++] = k;
    }
    if (s->n_columns == 0) goto done;
    s->cells = l2r_alloc(ROWS * (size_t)s->n_columns, sizeof *s->cells);
    if (!s->cells) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the first rows of a table");
    L2R_TRY(read_sample(s, t, table, error));
    if (s->n < FEWEST) goto done;
    l2r_parallel(s->n, describe, s);
    compare(t, s);
done:
    for (int32_t i = 0; i < s->n; i++) l2r_free(s->smiles[i]);
    l2r_free(s->cells);
    l2r_free(s->column);
    l2r_free(s);
    return status;
}
