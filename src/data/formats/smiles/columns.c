/* SPDX-License-Identifier: MIT
 *
 * Statistics of the cells of each column (targets.h), over the whole table, not a sample: one 0.5 in row 90,000 turns a
 * binary column into a regression, and finding that out halfway would be too late. A table may have thousands of
 * columns, so each cell is read once, and a column keeps only a few of its values. */
#include "data/formats/smiles/targets.h"

#include "base/memory.h"
#include "base/text.h"
#include "data/formats/smiles/smiles.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void show(struct l2r_example *example, int64_t line, const char *cell)
{
    if (example->line != 0) return;
    example->line = line;
    l2r_text_excerpt(example->text, sizeof example->text, cell);
}

/* The first numbers, as long as they are whole and all different. False: out of memory. */
static bool remember_number(struct l2r_column *c, double number)
{
    if (c->n_first < 0 || c->n_first == L2R_FIRST_NUMBERS) return true;
    bool different = number == rint(number);
    for (int32_t i = 0; different && i < c->n_first; i++) different = c->numbers[i] != number;
    if (!different) {
        c->n_first = -1;
        return true;
    }
    if (!l2r_reserve((void **)&c->numbers, &c->numbers_room, (size_t)c->n_first + 1, sizeof *c->numbers)) return false;
    c->numbers[c->n_first++] = number;
    return true;
}

/* The lowest and the highest number, how often they occur, and what comes next to them. */
static void observe_extremes(struct l2r_column *c, double number, bool first)
{
    if (first) c->low = c->high = number, c->next_low = INFINITY, c->next_high = -INFINITY;
    if (number < c->low) {
        c->next_low = c->low;
        c->low = number;
        c->n_low = 0;
    } else if (number > c->low) {
        c->next_low = fmin(c->next_low, number);
    }
    if (number > c->high) {
        c->next_high = c->high;
        c->high = number;
        c->n_high = 0;
    } else if (number < c->high) {
        c->next_high = fmax(c->next_high, number);
    }
    c->n_low += number == c->low;
    c->n_high += number == c->high;
}

static bool observe_number(struct l2r_column *c, double number)
{
    bool first = c->n_numbers + c->n_commas + c->n_bounds == 1, known = false;
    observe_extremes(c, number, first);
    if (first) c->first = c->last = number;
    c->counts = first ? number == 0 || number == 1 : c->counts && number == c->last + 1;
    c->last = number;
    if (number != rint(number)) c->fractions = true;
    if (number != 0 && number != 1) c->not_binary = true;
    for (int i = 0; i < c->n_different && i < L2R_FEW && !known; i++) known = c->different[i] == number;
    if (!known && c->n_different < L2R_FEW) c->different[c->n_different] = number;
    if (!known && c->n_different <= L2R_FEW) c->n_different++;
    return remember_number(c, number);
}

/* Words are compared in small letters; beyond a few they are not kept. */
static bool observe_word(struct l2r_column *c, const char *cell)
{
    char word[128] = "", small[128];
    if (c->words.n > L2R_FEW_WORDS) return true;
    (void)l2r_cell_word(word, sizeof word, cell);
    for (size_t i = 0; i < sizeof word; i++) small[i] = (char)tolower((unsigned char)word[i]);
    int32_t before = c->words.n;
    if (l2r_distinct_texts_add(&c->words, small) < 0) return false;
    return c->words.n == before || l2r_distinct_texts_add(&c->shown, word) >= 0;
}

static bool observe(struct l2r_column *c, const char *cell, int64_t line)
{
    double number;
    int bound;
    bool thousands;
    enum l2r_cell what = l2r_cell_read(&number, &bound, cell, '.');
    c->n_missing += what == L2R_CELL_MISSING;
    c->n_numbers += what == L2R_CELL_NUMBER;
    c->n_bounds += what == L2R_CELL_BOUND;
    if (what == L2R_CELL_MISSING) return true;
    if (what != L2R_CELL_NUMBER) show(&c->odd, line, cell);
    if (what != L2R_CELL_TEXT) {
        c->n_points += strchr(cell, '.') != NULL;
        return observe_number(c, number);
    }
    if (l2r_cell_has_comma(&thousands, cell)) {
        c->n_commas++;
        c->n_thousands += thousands;
        show(&c->comma, line, cell);
        (void)l2r_cell_read(&number, &bound, cell, ',');
        return observe_number(c, number);
    }
    if (l2r_cell_is_void(cell)) {
        char word[4];
        c->n_void++;
        c->n_minus += l2r_cell_word(word, sizeof word, cell) && strcmp(word, "-") == 0;
        return true;
    }
    c->n_text++;
    c->n_parts += l2r_part_of(cell) >= 0;
    return observe_word(c, cell);
}

/* Beside + alone, - is a class and not the lack of a value. */
static bool conclude_signs(struct l2r_column *c)
{
    if (c->words.n != 1 || strcmp(l2r_distinct_text(&c->words, 0), "+") != 0) return true;
    if (c->n_minus == 0 || c->n_minus < c->n_void || c->n_numbers + c->n_commas + c->n_bounds > 0) return true;
    c->n_text += c->n_minus;
    c->n_void = 0;
    return l2r_distinct_texts_add(&c->words, "-") >= 0 && l2r_distinct_texts_add(&c->shown, "-") >= 0;
}

/* How the numbers of a column are written, once all are known: decimal commas if there are any and no point
 * contradicts, and if not all may as well separate thousands. False: out of memory. */
static bool conclude(struct l2r_column *c, const struct l2r_config *options)
{
    bool declared = l2r_config_is(options, "decimal", "comma");
    bool found = l2r_config_is(options, "decimal", "auto") && c->n_commas > c->n_thousands && c->n_points == 0;
    c->decimal = declared || found ? ',' : '.';
    c->n_labels = c->n_numbers - (c->decimal == ',' ? c->n_points : 0);
    if (c->decimal == ',') c->n_labels += c->n_commas;
    if (l2r_config_flag(options, "censored")) c->n_labels += c->n_bounds;
    return conclude_signs(c);
}

enum l2r_status l2r_columns_observe(struct l2r_targets *t, const struct l2r_molecule_table *table,
                                    const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_csv_record *record;
    struct l2r_csv *csv = NULL;
    L2R_TRY(l2r_molecule_table_open(&csv, NULL, table, error));
    t->split_is_parts = t->split >= 0;
    for (;;) {
        L2R_TRY(l2r_csv_next(&record, csv, error));
        if (!record) break;
        if (l2r_molecule_table_describes(table, record)) {
            t->described_line = record->line;
            continue;
        }
        t->n_rows++;
        if (record->problem) continue;
        for (int32_t k = 0; k < table->n_columns; k++)
            if (k != table->smiles && !observe(&t->columns[k], record->fields[k].text, record->line))
                L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the columns of a table");
        if (t->split >= 0 && l2r_part_of(record->fields[t->split].text) < 0) t->split_is_parts = false;
    }
    for (int32_t k = 0; k < table->n_columns; k++)
        if (!conclude(&t->columns[k], options)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the columns of a table");
    t->western = l2r_csv_western(csv);
done:
    l2r_csv_free(csv);
    return status;
}

/* A value that its relation makes a bound is no exact one. */
static void relate(struct l2r_column *c, const struct l2r_target *target, const struct l2r_csv_record *record,
                   bool censored)
{
    double number;
    char shown[64];
    int side = l2r_target_side(target, record);
    const char *cell = record->fields[target->column].text;
    if (side == 0 || l2r_cell_read(&number, NULL, cell, target->decimal) != L2R_CELL_NUMBER) return;
    c->n_bounds += side != L2R_NO_RELATION;
    c->n_related += side != L2R_NO_RELATION;
    c->n_labels -= side == L2R_NO_RELATION || !censored;
    snprintf(shown, sizeof shown, "%s%.50s", side == 1 ? ">" : side == -1 ? "<" : "", cell);
    show(&c->odd, record->line, shown);
}

enum l2r_status l2r_columns_relate(struct l2r_targets *t, const struct l2r_molecule_table *table,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_csv_record *record;
    struct l2r_csv *csv = NULL;
    L2R_TRY(l2r_molecule_table_open(&csv, NULL, table, error));
    for (;;) {
        L2R_TRY(l2r_csv_next(&record, csv, error));
        if (!record) break;
        if (record->problem || l2r_molecule_table_describes(table, record)) continue;
        for (int32_t i = 0; i < t->n; i++)
            if (t->target[i].relation >= 0)
                relate(&t->columns[t->target[i].column], &t->target[i], record, t->censored);
    }
done:
    l2r_csv_free(csv);
    return status;
}

void l2r_columns_free(struct l2r_column *columns, int32_t n)
{
    for (int32_t k = 0; columns && k < n; k++) {
        l2r_distinct_texts_clear(&columns[k].words);
        l2r_distinct_texts_clear(&columns[k].shown);
        l2r_free(columns[k].numbers);
    }
    l2r_free(columns);
}

bool l2r_column_has_numbers(const struct l2r_column *c)
{
    int64_t filled = c->n_numbers + c->n_commas + c->n_bounds + c->n_void + c->n_text;
    return c->n_labels > 0 && 2 * c->n_labels >= filled;
}

bool l2r_column_has_classes(const struct l2r_column *c)
{
    int64_t numbers = c->n_numbers + c->n_commas + c->n_bounds;
    bool repeat = c->words.n <= 2 || c->n_text >= 2 * c->words.n; /* names of molecules do not */
    return c->words.n >= 1 && c->words.n <= L2R_FEW_WORDS && c->n_text > numbers && repeat;
}

bool l2r_column_never_repeats(const struct l2r_column *c)
{
    return c->n_first >= 20 && c->low >= 0 && !c->fractions;
}
