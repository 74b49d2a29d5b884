/* SPDX-License-Identifier: MIT
 *
 * The label columns of a table of molecules (targets.h): chosen from what columns.c has observed, and read record by
 * record. Classes written as words are numbered here:
 *
 *     two words    the one that negates the other is 0 (inactive, non-toxic, no, false); else in alphabetical order
 *     more         in alphabetical order
 *     --classes    as listed there: "low,medium,high"
 */
#include "data/formats/smiles/targets.h"

#include "base/memory.h"
#include "base/text.h"
#include "data/descriptor_labels.h"
#include "data/formats/smiles/smiles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- classes written as words ---- */

/* Is `no` the negation of `yes`? Both in small letters. */
static bool negates(const char *no, const char *yes)
{
    static const char *const pairs[][2] = {
        {"no", "yes"},   {"false", "true"}, {"f", "t"},       {"n", "y"}, {"neg", "pos"}, {"negative", "positive"},
        {"low", "high"}, {"off", "on"},     {"fail", "pass"}, {"-", "+"}};
    static const char *const prefixes[] = {"in",   "im",   "non",  "non-", "non ", "non_",
                                           "not ", "not-", "not_", "un",   "no "};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(no, pairs[i][0]) == 0 && strcmp(yes, pairs[i][1]) == 0) return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t n = strlen(prefixes[i]);
        if (strncmp(no, prefixes[i], n) == 0 && strcmp(no + n, yes) == 0) return true;
    }
    return false;
}

bool l2r_column_is_yes_or_no(const struct l2r_column *c)
{
    if (!l2r_column_has_classes(c) || c->words.n != 2) return false;
    const char *a = l2r_distinct_text(&c->words, 0), *b = l2r_distinct_text(&c->words, 1);
    return negates(a, b) || negates(b, a);
}

static int by_word(const void *a, const void *b)
{
    return strcasecmp(*(const char *const *)a, *(const char *const *)b);
}

/* Does a comma-separated list hold the word? */
static bool lists(const char *list, size_t length, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list, *stop = list + length; at <= stop;) {
        size_t here = strcspn(at, ",;");
        if (here == n && strncasecmp(at, word, n) == 0) return true;
        at += here + 1;
    }
    return false;
}

/* The part of --classes that has all words of a column; *length is 0 when none has. */
static const char *declared_classes(size_t *length, const struct l2r_column *c, const char *classes)
{
    for (const char *at = classes; at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL) {
        bool fits = true;
        *length = strcspn(at, ";");
        for (int32_t i = 0; i < c->words.n && fits; i++) fits = lists(at, *length, l2r_distinct_text(&c->words, i));
        if (fits) return at;
    }
    *length = 0;
    return NULL;
}

static const char *keep_text(struct l2r_targets *t, const char *text, size_t length)
{
    char *copy = l2r_arena_zeroed(&t->texts, length + 1, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

static bool take_declared(struct l2r_targets *t, struct l2r_target *target, const char *list, size_t length)
{
    size_t most = length / 2 + 2;
    target->words = l2r_arena_alloc(&t->texts, most, sizeof *target->words);
    for (const char *at = list; target->words && at <= list + length;) {
        size_t n = strcspn(at, ",;");
        if (n > (size_t)(list + length - at)) n = (size_t)(list + length - at);
        const char *word = keep_text(t, at, n);
        if (!word) return false;
        target->words[target->n_words++] = word;
        at += n + 1;
    }
    return target->words != NULL;
}

/* Numbers the words of a target's column. False: out of memory. */
static bool number_words(struct l2r_targets *t, struct l2r_target *target, const char *classes)
{
    const struct l2r_column *c = &t->columns[target->column];
    size_t length;
    const char *list = classes ? declared_classes(&length, c, classes) : NULL;
    if (list) return take_declared(t, target, list, length);
    target->words = l2r_arena_alloc(&t->texts, (size_t)c->words.n, sizeof *target->words);
    if (!target->words) return false;
    for (int32_t i = 0; i < c->shown.n; i++) {
        const char *word = l2r_distinct_text(&c->shown, i);
        target->words[i] = keep_text(t, word, strlen(word));
        if (!target->words[i]) return false;
    }
    target->n_words = c->shown.n;
    qsort(target->words, (size_t)target->n_words, sizeof *target->words, by_word);
    char first[128], second[128];
    if (target->n_words != 2) return true;
    snprintf(first, sizeof first, "%s", l2r_distinct_text(&c->words, 0));
    snprintf(second, sizeof second, "%s", l2r_distinct_text(&c->words, 1));
    const char *zero = negates(first, second) ? first : negates(second, first) ? second : NULL;
    if (zero && strcasecmp(target->words[0], zero) != 0) {
        const char *swap = target->words[0];
        target->words[0] = target->words[1];
        target->words[1] = swap;
    }
    return true;
}

/* ---- which columns ---- */

static void add_target(struct l2r_targets *t, int32_t column)
{
    t->target[t->n++] = (struct l2r_target){.column = column, .decimal = t->columns[column].decimal, .relation = -1};
    t->columns[column].is_target = true;
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
        if (t->columns[column].is_target)
            L2R_FAIL(L2R_ERR_ARGUMENT, "`target-columns` names column \"%s\" twice", word);
        if (column == table->smiles)
            L2R_FAIL(L2R_ERR_ARGUMENT, "`target-columns`: column \"%s\" holds the SMILES", word);
        if (l2r_molecule_table_is_feature(table, column))
            L2R_FAIL(L2R_ERR_ARGUMENT, "column \"%s\" is named by `target-columns` and by `feature-columns`", word);
        add_target(t, column);
    }
    if (t->n == 0) L2R_FAIL(L2R_ERR_ARGUMENT, "`target-columns` names no column");
done:
    return status;
}

/* A named column must mostly hold labels: otherwise more than half of them would be lost. */
static enum l2r_status check_named(struct l2r_targets *t, const struct l2r_molecule_table *table, const char *classes,
                                   struct l2r_error *error)
{
    for (int32_t i = 0; i < t->n; i++) {
        const struct l2r_column *c = &t->columns[t->target[i].column];
        const char *name = table->names[t->target[i].column];
        size_t length;
        t->target[i].decimal = c->decimal;
        bool words =
            l2r_column_has_classes(c) && (c->words.n > 1 || (classes && declared_classes(&length, c, classes)));
        if (l2r_column_has_numbers(c) || words) continue;
        if (c->odd.line == 0)
            return l2r_fail(error, L2R_ERR_FORMAT, "%s: `target-columns`: column \"%s\" holds no labels: it is empty",
                            table->source->path, name);
        if (c->n_bounds > 0 && 2 * (c->n_labels + c->n_bounds) >= c->n_numbers + c->n_bounds + c->n_void + c->n_text)
            return l2r_fail(error, L2R_ERR_FORMAT,
                            "%s:%lld: `target-columns`: most of column \"%s\" are bounds, such as \"%s\"; "
                            "`censored=true` learns them",
                            table->source->path, (long long)c->odd.line, name, c->odd.text);
        return l2r_fail(error, L2R_ERR_FORMAT,
                        "%s:%lld: `target-columns`: \"%s\" in column \"%s\" is no number, and so are more than half of "
                        "its cells; expected numbers, or the words of 2 to %d classes",
                        table->source->path, (long long)c->odd.line, c->odd.text, name, (int)L2R_FEW_WORDS);
    }
    return L2R_OK;
}

/* ---- relations ---- */

/* Does every cell say >, <, = or the like? */
static bool holds_relations(const struct l2r_column *c)
{
    bool all = c->n_text > 0 && c->n_numbers == 0 && c->words.n <= L2R_FEW;
    for (int32_t i = 0; all && i < c->shown.n; i++)
        all = l2r_cell_relation(l2r_distinct_text(&c->shown, i)) != L2R_NO_RELATION;
    return all;
}

static enum l2r_status take_relations(struct l2r_targets *t, const struct l2r_molecule_table *table, const char *list,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char word[256];
    int32_t n = 0;
    for (; l2r_next_word(word, sizeof word, &list); n++) {
        int32_t column;
        L2R_TRY(l2r_molecule_table_column(&column, table, word, "relation-column", error));
        if (!holds_relations(&t->columns[column]))
            L2R_FAIL(L2R_ERR_FORMAT,
                     "%s: `relation-column`: column \"%s\" does not hold relations; expected =, >, <, >=, <= or ~ in "
                     "every cell",
                     table->source->path, word);
        if (n < t->n) t->target[n].relation = column;
    }
    if (n != t->n)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "%s: `relation-column` names %d column%s, but there %s %d label column%s; give one for each, in the "
                 "order of `target-columns`",
                 table->source->path, (int)n, n == 1 ? "" : "s", t->n == 1 ? "is" : "are", (int)t->n,
                 t->n == 1 ? "" : "s");
done:
    return status;
}

/* A relation column with a name of its own ("IC50 relation"), or the one relation column of the one label. */
static void find_relations(struct l2r_targets *t, const struct l2r_molecule_table *table)
{
    for (int32_t k = 0; k < table->n_columns && table->has_header; k++) {
        if (!holds_relations(&t->columns[k])) continue;
        for (int32_t i = 0; i < t->n; i++) {
            const char *name = table->names[t->target[i].column];
            if (t->target[i].n_words > 0 || !l2r_column_is_relation_of(table->names[k], name, t->n == 1)) continue;
            t->target[i].relation = k;
            t->target[i].relation_reversed = l2r_column_is_known_label(name) == 0;
        }
    }
}

int l2r_target_side(const struct l2r_target *target, const struct l2r_csv_record *record)
{
    if (target->relation < 0) return 0;
    int side = l2r_cell_relation(record->fields[target->relation].text);
    return target->relation_reversed && side != L2R_NO_RELATION ? -side : side;
}

/* ---- what task ---- */

static bool are_classes(const struct l2r_column *c)
{
    double low = INFINITY, high = -INFINITY;
    if (c->fractions || c->n_different < 2 || c->n_different > L2R_FEW) return false;
    for (int i = 0; i < c->n_different; i++) {
        low = fmin(low, c->different[i]);
        high = fmax(high, c->different[i]);
    }
    return high - low <= 2 * L2R_FEW;
}

static enum l2r_task guess_task(const struct l2r_targets *t)
{
    bool binary = true;
    for (int32_t i = 0; i < t->n; i++) {
        const struct l2r_target *target = &t->target[i];
        binary = binary && (target->n_words ? target->n_words == 2 : !t->columns[target->column].not_binary);
    }
    if (binary) return L2R_TASK_BINARY;
    bool classes =
        t->n == 1 && !t->censored && (t->target[0].n_words > 2 || are_classes(&t->columns[t->target[0].column]));
    return classes ? L2R_TASK_MULTICLASS : L2R_TASK_REGRESSION;
}

static enum l2r_task chosen_task(const struct l2r_targets *t, const struct l2r_config *options)
{
    const char *word = l2r_config_text(options, "task-type");
    for (int task = L2R_TASK_MULTICLASS; task <= L2R_TASK_REGRESSION; task++)
        if (strcmp(word, l2r_task_name((enum l2r_task)task)) == 0) return (enum l2r_task)task;
    return guess_task(t);
}

static enum l2r_status check_task(const struct l2r_targets *t, const struct l2r_molecule_table *table,
                                  struct l2r_error *error)
{
    const char *path = table->source->path;
    if (t->task == L2R_TASK_MULTICLASS && t->n > 1)
        return l2r_fail(
            error, L2R_ERR_ARGUMENT,
            "%s: `task-type=multiclass` needs one column of labels, not %d; choose it with `target-columns`", path,
            (int)t->n);
    for (int32_t i = 0; i < t->n; i++) {
        const char *name = table->names[t->target[i].column];
        if (t->target[i].n_words > 0 && t->task == L2R_TASK_REGRESSION)
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "%s: column \"%s\" holds words, which a regression cannot learn; choose other columns with "
                            "`target-columns`",
                            path, name);
        if (t->target[i].n_words > 2 && t->task == L2R_TASK_BINARY)
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "%s: column \"%s\" holds %d different words, a binary task needs two; learn the column by "
                            "itself, with `target-columns`",
                            path, name, (int)t->target[i].n_words);
    }
    if (t->censored && t->n > 0 && t->task != L2R_TASK_REGRESSION)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "%s: `censored` is for regressions, but the labels are %s; `task-type=regression` learns them "
                        "as values",
                        path, l2r_task_name(t->task));
    return L2R_OK;
}

enum l2r_status l2r_targets_find(struct l2r_targets *t, const struct l2r_molecule_table *table,
                                 const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *named = l2r_config_text(options, "target-columns"), *split = l2r_config_text(options, "split-column");
    bool made = l2r_labels_are_descriptors(options);
    const char *weight = l2r_config_text(options, "weight-column"), *classes = l2r_config_text(options, "classes");
    size_t n = (size_t)table->n_columns;
    if (made) named = "none"; /* no column of the table is a label */
    *t = (struct l2r_targets){.split = -1,
                              .environment = -1,
                              .weight = -1,
                              .n_columns = table->n_columns,
                              .censored = l2r_config_flag(options, "censored"),
                              .named = named != NULL};
    l2r_arena_init(&t->texts);
    t->columns = l2r_alloc(n, sizeof *t->columns);
    t->target = l2r_alloc(n + 1, sizeof *t->target);
    if (!t->columns || !t->target) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the columns of a table");
    if (split) L2R_TRY(l2r_molecule_table_column(&t->split, table, split, "split-column", error));
    const char *place = l2r_config_text(options, "environment-column");
    if (place) L2R_TRY(l2r_molecule_table_column(&t->environment, table, place, "environment-column", error));
    if (weight) L2R_TRY(l2r_molecule_table_column(&t->weight, table, weight, "weight-column", error));
    if (named) L2R_TRY(take_named(t, table, named, error));
    L2R_TRY(l2r_columns_observe(t, table, options, error));
    if (named)
        L2R_TRY(check_named(t, table, classes, error));
    else
        L2R_TRY(l2r_targets_choose(t, table, options, error));
    for (int32_t i = 0; i < t->n; i++)
        if (!l2r_column_has_numbers(&t->columns[t->target[i].column]) && !number_words(t, &t->target[i], classes))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the classes of a table");
    t->task = chosen_task(t, options);
    L2R_TRY(check_task(t, table, error));
    const char *relations = l2r_config_text(options, "relation-column");
    if (relations)
        L2R_TRY(take_relations(t, table, relations, error));
    else if (t->task == L2R_TASK_REGRESSION)
        find_relations(t, table);
    L2R_TRY(l2r_columns_relate(t, table, error));
done:
    if (status != L2R_OK) l2r_targets_clear(t);
    return status;
}

void l2r_targets_clear(struct l2r_targets *t)
{
    l2r_columns_free(t->columns, t->n_columns);
    l2r_free(t->target);
    l2r_arena_clear(&t->texts);
    *t = (struct l2r_targets){0};
}

/* ---- labels ---- */

/* The class of a word; -1: none. */
static int32_t class_of(const struct l2r_target *target, const char *cell)
{
    char word[128];
    (void)l2r_cell_word(word, sizeof word, cell);
    for (int32_t i = 0; i < target->n_words; i++)
        if (strcasecmp(target->words[i], word) == 0) return i;
    return -1;
}

/* The label of a cell, or NULL; otherwise what was expected of it. side: what its relation column says. */
static const char *read_label(float *value, int8_t *bound, const struct l2r_targets *t, const struct l2r_target *target,
                              const char *cell, int side)
{
    double number;
    int own;
    enum l2r_cell what = l2r_cell_read(&number, &own, cell, target->decimal);
    *value = NAN;
    *bound = 0;
    if (what == L2R_CELL_MISSING) return NULL;
    if (target->n_words > 0) {
        int32_t place = class_of(target, cell);
        if (place < 0) return "one of its classes";
        *value = (float)place;
        return NULL;
    }
    if (what == L2R_CELL_TEXT) return "a number";
    if (side == L2R_NO_RELATION) return "a number with a relation such as = or >";
    if (own != 0 && !t->censored) return "a number; `censored=true` learns bounds";
    if (own == 0) own = side;
    if (own != 0 && !t->censored) return NULL; /* the note about the column counts them */
    if (fabs(number) > 1e30) return "a number below 1e30";
    if (t->task == L2R_TASK_BINARY && number != 0 && number != 1) return "0 or 1";
    if (t->task == L2R_TASK_MULTICLASS && (number != rint(number) || fabs(number) > 16777216)) return "a whole number";
    *value = (float)number;
    *bound = (int8_t)own;
    return NULL;
}

bool l2r_targets_read(float *values, int8_t *bounds, struct l2r_notes *cells, const struct l2r_targets *t,
                      const struct l2r_molecule_table *table, const struct l2r_csv_record *record)
{
    for (int32_t i = 0; i < t->n; i++) {
        const char *cell = record->fields[t->target[i].column].text;
        int side = l2r_target_side(&t->target[i], record);
        const char *expected = read_label(&values[i], &bounds[i], t, &t->target[i], cell, side);
        char whole[64], shown[34], column[48], reason[300];
        if (!expected) continue;
        snprintf(whole, sizeof whole, "%s%.60s", side == 1 ? ">" : side == -1 ? "<" : "", cell);
        l2r_text_excerpt(shown, sizeof shown, whole);
        l2r_text_excerpt(column, sizeof column, table->names[t->target[i].column]);
        const char *fault = strcmp(expected, "a number") == 0 ? l2r_cell_fault(cell) : NULL;
        snprintf(reason, sizeof reason, "\"%s\" in column \"%s\" is %s%s", shown, column, fault ? "" : "not ",
                 fault ? fault : expected);
        if (!l2r_notes_add_row(cells, table->source->path, record->line, reason)) return false;
    }
    return true;
}
