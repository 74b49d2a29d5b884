/* SPDX-License-Identifier: MIT
 *
 * The label columns of a table of molecules (smiles.h). The whole table is looked at, not a sample: one 0.5 in row
 * 90,000 turns a binary column into a regression, and finding that out halfway would be too late. */
#include "data/formats/smiles/smiles.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { FEW = 10 }; /* more different values are not classes, unless the user says so */

/* What the cells of a column have in common. */
struct kind {
    bool words, fractions, not_binary;
    int64_t n_values;
    int n_different; /* FEW + 1: more than few */
    double different[FEW];
};

static void observe(struct kind *kind, const char *cell)
{
    double number;
    enum l2r_cell what = l2r_cell_read(&number, cell);
    if (what == L2R_CELL_TEXT) kind->words = true;
    if (what != L2R_CELL_NUMBER) return;
    kind->n_values++;
    if (number != rint(number)) kind->fractions = true;
    if (number != 0 && number != 1) kind->not_binary = true;
    for (int i = 0; i < kind->n_different && i < FEW; i++)
        if (kind->different[i] == number) return;
    if (kind->n_different < FEW) kind->different[kind->n_different] = number;
    if (kind->n_different <= FEW) kind->n_different++;
}

static bool are_classes(const struct kind *kind)
{
    double low = INFINITY, high = -INFINITY;
    if (kind->fractions || kind->n_different < 2 || kind->n_different > FEW) return false;
    for (int i = 0; i < kind->n_different; i++) {
        low = fmin(low, kind->different[i]);
        high = fmax(high, kind->different[i]);
    }
    return high - low <= 2 * FEW;
}

static enum l2r_task guess_task(const struct l2r_targets *t, const struct kind *kinds)
{
    bool binary = true;
    for (int32_t i = 0; i < t->n; i++) binary = binary && !kinds[t->column[i]].not_binary;
    if (binary) return L2R_TASK_BINARY;
    return t->n == 1 && are_classes(&kinds[t->column[0]]) ? L2R_TASK_MULTICLASS : L2R_TASK_REGRESSION;
}

static enum l2r_task chosen_task(const struct l2r_targets *t, const struct kind *kinds,
                                 const struct l2r_config *options)
{
    const char *word = l2r_config_text(options, "task-type");
    for (int task = L2R_TASK_MULTICLASS; task <= L2R_TASK_REGRESSION; task++)
        if (strcmp(word, l2r_task_name((enum l2r_task)task)) == 0) return (enum l2r_task)task;
    return guess_task(t, kinds);
}

/* Columns that count rows, or say where they belong. */
static bool is_no_target(const char *name)
{
    static const char *const names[] = {"",      "id",  "idx", "index", "unnamed: 0", "mol_id",
                                        "molid", "cid", "row", "split", "fold"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(name, names[i]) == 0) return true;
    return false;
}

static enum l2r_status take_named(struct l2r_targets *t, const struct l2r_molecule_table *table, const char *list,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char word[256];
    if (strcmp(list, "none") == 0 && !l2r_molecule_table_has(table, list)) return L2R_OK;
    while (l2r_next_word(word, sizeof word, &list)) {
        int32_t column;
        L2R_TRY(l2r_molecule_table_column(&column, table, word, "target-columns", error));
        for (int32_t i = 0; i < t->n; i++)
            if (t->column[i] == column) L2R_FAIL(L2R_ERR_ARGUMENT, "`target-columns` names column \"%s\" twice", word);
        if (column == table->smiles)
            L2R_FAIL(L2R_ERR_ARGUMENT, "`target-columns`: column \"%s\" holds the SMILES", word);
        if (l2r_molecule_table_is_feature(table, column))
            L2R_FAIL(L2R_ERR_ARGUMENT, "column \"%s\" is named by `target-columns` and by `feature-columns`", word);
        t->column[t->n++] = column;
    }
    if (t->n == 0) L2R_FAIL(L2R_ERR_ARGUMENT, "`target-columns` names no column");
done:
    return status;
}

static enum l2r_status check_named(const struct l2r_targets *t, const struct l2r_molecule_table *table,
                                   const struct kind *kinds, struct l2r_error *error)
{
    for (int32_t i = 0; i < t->n; i++)
        if (kinds[t->column[i]].n_values == 0)
            return l2r_fail(error, L2R_ERR_FORMAT,
                            "%s: `target-columns`: column \"%s\" holds no numbers; number the classes 0, 1, …",
                            table->source->path, table->names[t->column[i]]);
    return L2R_OK;
}

static void take_numeric(struct l2r_targets *t, const struct l2r_molecule_table *table, const struct kind *kinds)
{
    for (int32_t k = 0; k < table->n_columns; k++)
        if (k != table->smiles && k != t->split && k != t->environment && !l2r_molecule_table_is_feature(table, k) &&
            !kinds[k].words && kinds[k].n_values > 0 && !(table->has_header && is_no_target(table->names[k])))
            t->column[t->n++] = k;
}

/* One pass over the table. */
static enum l2r_status observe_all(struct l2r_targets *t, struct kind *kinds, const struct l2r_molecule_table *table,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_csv_record *record;
    struct l2r_csv *csv = NULL;
    L2R_TRY(l2r_molecule_table_open(&csv, NULL, table, error));
    t->split_is_parts = t->split >= 0;
    for (;;) {
        L2R_TRY(l2r_csv_next(&record, csv, error));
        if (!record) break;
        t->n_rows++;
        if (record->problem) continue;
        for (int32_t k = 0; k < table->n_columns; k++)
            if (k != table->smiles) observe(&kinds[k], record->fields[k].text);
        if (t->split >= 0 && l2r_part_of(record->fields[t->split].text) < 0) t->split_is_parts = false;
    }
done:
    l2r_csv_free(csv);
    return status;
}

enum l2r_status l2r_targets_find(struct l2r_targets *t, const struct l2r_molecule_table *table,
                                 const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *named = l2r_config_text(options, "target-columns"), *split = l2r_config_text(options, "split-column");
    struct kind *kinds = l2r_alloc((size_t)table->n_columns, sizeof *kinds);
    *t = (struct l2r_targets){.split = -1, .environment = -1};
    /* A name may be listed several times before that is refused: room for one more than there are columns. */
    t->column = l2r_alloc((size_t)table->n_columns + 1, sizeof *t->column);
    if (!kinds || !t->column) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the columns of a table");
    if (split) L2R_TRY(l2r_molecule_table_column(&t->split, table, split, "split-column", error));
    const char *place = l2r_config_text(options, "environment-column");
    if (place) L2R_TRY(l2r_molecule_table_column(&t->environment, table, place, "environment-column", error));
    if (named) L2R_TRY(take_named(t, table, named, error));
    L2R_TRY(observe_all(t, kinds, table, error));
    if (named)
        L2R_TRY(check_named(t, table, kinds, error));
    else
        take_numeric(t, table, kinds);
    t->task = chosen_task(t, kinds, options);
    if (t->task == L2R_TASK_MULTICLASS && t->n > 1)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "%s: `task-type=multiclass` needs one column of labels, not %d; choose it with `target-columns`",
                 table->source->path, (int)t->n);
done:
    l2r_free(kinds);
    if (status != L2R_OK) l2r_targets_clear(t);
    return status;
}

void l2r_targets_clear(struct l2r_targets *t)
{
    l2r_free(t->column);
    *t = (struct l2r_targets){0};
}

bool l2r_targets_read(float *values, char *reason, size_t size, const struct l2r_targets *t,
                      const struct l2r_molecule_table *table, const struct l2r_csv_record *record)
{
    for (int32_t i = 0; i < t->n; i++) {
        const char *cell = record->fields[t->column[i]].text, *expected = NULL;
        double number;
        if (l2r_cell_read(&number, cell) == L2R_CELL_TEXT || fabs(number) > 1e30)
            expected = "a number";
        else if (t->task == L2R_TASK_BINARY && !isnan(number) && number != 0 && number != 1)
            expected = "0 or 1";
        else if (t->task == L2R_TASK_MULTICLASS && !isnan(number) &&
                 (number != rint(number) || fabs(number) > 16777216))
            expected = "a whole number";
        values[i] = (float)number;
        if (!expected) continue;
        char shown[32], column[48];
        l2r_text_excerpt(shown, sizeof shown, cell);
        l2r_text_excerpt(column, sizeof column, table->names[t->column[i]]);
        snprintf(reason, size, "\"%s\" in column \"%s\" is not %s", shown, column, expected);
        return false;
    }
    return true;
}

int l2r_part_of(const char *cell)
{
    static const struct {
        const char *name;
        int part;
    } names[] = {{"train", L2R_PART_TRAIN},      {"training", L2R_PART_TRAIN},   {"valid", L2R_PART_VALID},
                 {"validation", L2R_PART_VALID}, {"val", L2R_PART_VALID},        {"dev", L2R_PART_VALID},
                 {"test", L2R_PART_TEST},        {"ood-valid", L2R_PART_VALID},  {"ood_val", L2R_PART_VALID},
                 {"ood-test", L2R_PART_TEST},    {"ood_test", L2R_PART_TEST},    {"id-valid", L2R_PART_ID_VALID},
                 {"id_val", L2R_PART_ID_VALID},  {"iid_val", L2R_PART_ID_VALID}, {"id-test", L2R_PART_ID_TEST},
                 {"id_test", L2R_PART_ID_TEST},  {"iid_test", L2R_PART_ID_TEST}};
    double number;
    char word[16];
    enum l2r_cell what = l2r_cell_read(&number, cell);
    if (what == L2R_CELL_MISSING) return L2R_PART_NONE;
    while (isspace((unsigned char)*cell)) cell++;
    size_t length = strcspn(cell, " \t\r\n");
    if (length >= sizeof word || cell[length + strspn(cell + length, " \t\r\n")] != '\0') return -1;
    memcpy(word, cell, length);
    word[length] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(word, names[i].name) == 0) return names[i].part;
    return -1;
}
