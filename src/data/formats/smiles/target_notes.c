/* SPDX-License-Identifier: MIT
 *
 * Notes about the columns of a table (targets.h): the labels with their classes, the columns that are not labels with
 * the reason, and likely mistakes. One line each. A table with many columns gets lines for the first MOST of a kind and
 * a number for the rest. */
#include "data/formats/smiles/targets.h"

#include "base/decimal.h"
#include "chem/describe.h"
#include "data/formats/smiles/smiles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 6 };

struct telling {
    struct l2r_notes *notes;
    const struct l2r_targets *t;
    const struct l2r_molecule_table *table;
    const char *path;
    int64_t n_left; /* columns that are not used: those without a line of their own */
    bool failed;
};

/* Why numbers are no label. */
static void describe_unused(char *out, size_t size, const struct l2r_column *c)
{
    const char *descriptor = c->unused == L2R_UNUSED_DESCRIPTOR ? l2r_descriptor_name(c->descriptor) : NULL;
    static const char *const why[] = {[L2R_UNUSED_CONSTANT] = "it is constant",
                                      [L2R_UNUSED_COMPUTED] = "by its name it is computed",
                                      [L2R_UNUSED_DOUBTFUL] = "by its numbers it is an identifier or a year",
                                      [L2R_UNUSED_OTHER] = "another column is the label"};
    if (descriptor)
        snprintf(out, size, "it is RDKit's %s of the structure; `target-columns` names it as a label", descriptor);
    else
        snprintf(out, size, "%s; `target-columns` names it as a label", why[c->unused]);
}

/* The reason why a column is not a label; false: there is nothing to report. */
static bool refusal(char *out, size_t size, const struct telling *to, int32_t k)
{
    const struct l2r_column *c = &to->t->columns[k];
    const char *name = to->table->names[k];
    int64_t filled = c->n_numbers + c->n_commas + c->n_bounds + c->n_void + c->n_text;
    bool header = to->table->has_header, parts = c->n_parts > 0 && c->n_parts == c->n_text && c->words.n > 1;
    if (to->t->named && !parts) return false; /* the user knows */
    if (filled == 0)
        snprintf(out, size, "it is empty");
    else if (c->unused != L2R_UNUSED_NONE)
        describe_unused(out, size, c);
    else if (parts)
        snprintf(out, size, "it holds parts of a split (\"%s\" in line %lld), which `split-column` would use",
                 c->odd.text, (long long)c->odd.line);
    else if (header && l2r_column_is_split(name))
        snprintf(out, size, "by its name it holds a split, which `split-column` would use");
    else if (header && l2r_column_is_identifier(name))
        snprintf(out, size, "by its name it is an identifier or a date; `target-columns` names it as a label");
    else if (l2r_column_has_numbers(c) && c->counts)
        snprintf(out, size, "it counts the rows; `target-columns` names it as a label");
    else if (l2r_column_has_classes(c) && c->words.n > 1)
        snprintf(out, size, "it holds words (\"%s\" in line %lld); `target-columns` would learn them as classes",
                 c->odd.text, (long long)c->odd.line);
    else if (c->n_commas > 0 && c->n_commas + c->n_numbers >= c->n_text)
        snprintf(out, size, "\"%s\" in line %lld may be a decimal comma or not; `decimal=comma` says so", c->comma.text,
                 (long long)c->comma.line);
    else if (c->n_bounds > 0 && c->n_numbers + c->n_bounds >= c->n_text)
        snprintf(out, size, "most cells are bounds (\"%s\" in line %lld), which `censored=true` would learn",
                 c->odd.text, (long long)c->odd.line);
    else if (c->odd.line > 0) {
        const char *fault = l2r_cell_fault(c->odd.text);
        snprintf(out, size, "\"%s\" in line %lld is %s", c->odd.text, (long long)c->odd.line,
                 fault ? fault : "not a number");
    } else
        return false;
    return true;
}

static void tell(struct telling *to, int32_t k, const char *what)
{
    if (!l2r_notes_add(to->notes, "%s: column \"%.60s\" %s", to->path, to->table->names[k], what)) to->failed = true;
}

static bool is_relation(const struct l2r_targets *t, int32_t k)
{
    bool found = false;
    for (int32_t i = 0; i < t->n; i++) found = found || t->target[i].relation == k;
    return found;
}

static void note_unused(struct telling *to)
{
    int64_t told = 0;
    char why[256], line[300];
    for (int32_t k = 0; k < to->table->n_columns; k++) {
        if (k == to->table->smiles || k == to->t->split || k == to->t->weight || k == to->t->environment ||
            l2r_molecule_table_is_feature(to->table, k) || to->t->columns[k].is_target || is_relation(to->t, k))
            continue;
        if (to->table->second == k) {
            tell(to, k, "holds SMILES too and is not used; `smiles-column` chooses between them");
            continue;
        }
        if (!refusal(why, sizeof why, to, k)) continue;
        if (told++ >= MOST) {
            to->n_left++;
            continue;
        }
        snprintf(line, sizeof line, "is not used: %s", why);
        tell(to, k, line);
    }
    if (to->n_left > 0 &&
        !l2r_notes_add(to->notes, "%s: %lld more columns are not used", to->path, (long long)to->n_left))
        to->failed = true;
}

/* 999, -9999: digits that people write where there is no value. */
static bool is_mark(double value)
{
    double size = fabs(value);
    for (int64_t nines = 99; nines < 100000000; nines = 10 * nines + 9)
        if (size == (double)nines) return true;
    return false;
}

/* Is an extreme far from all other values, and written in nines? */
static bool stands_apart(const struct l2r_column *c, double extreme, double next)
{
    double low = extreme == c->low ? next : is_mark(c->low) ? c->next_low : c->low;
    double high = extreme == c->high ? next : is_mark(c->high) ? c->next_high : c->high;
    return is_mark(extreme) && isfinite(low) && isfinite(high) && fabs(extreme - next) > 3 * (high - low);
}

static void describe_marks(char *out, size_t size, const struct l2r_column *c, bool low, bool high)
{
    char marks[100] = "";
    size_t used = 0;
    if (low)
        used = (size_t)l2r_decimal_print(marks, sizeof marks, "%.10g in %lld row%s", c->low, (long long)c->n_low,
                                         c->n_low == 1 ? "" : "s");
    if (high)
        l2r_decimal_print(marks + used, sizeof marks - used, "%s%.10g in %lld row%s", low ? " and " : "", c->high,
                          (long long)c->n_high, c->n_high == 1 ? "" : "s");
    snprintf(out, size, "holds %s, far from all other values: if that means \"missing\", leave these cells empty",
             marks);
}

/* Warnings about a label, one kind at a time; false: none of this kind. */
enum { CONSTANT, IDENTIFIER, MARK, ZEROS_AND_ONES, COMMAS, POWERS, RELATION, BOUNDS, LIMIT, N_DOUBTS };
static bool doubt(char *out, size_t size, const struct telling *to, const struct l2r_target *target, int what)
{
    const struct l2r_column *c = &to->t->columns[target->column];
    bool words = target->n_words > 0, regression = to->t->task == L2R_TASK_REGRESSION;
    bool constant = c->n_text > 0 && words ? c->words.n == 1 : c->n_different == 1;
    bool identifier = !words && l2r_column_never_repeats(c) && c->high >= (double)c->n_first;
    bool many = regression && c->n_different > L2R_FEW && !identifier;
    bool low_mark = many && stands_apart(c, c->low, c->next_low), mark = many && stands_apart(c, c->high, c->next_high);
    int64_t numbers = c->n_numbers + c->n_commas;
    bool limit = !mark && 20 * c->n_high >= numbers && c->n_high >= 5;
    bool low_limit = !low_mark && c->low != 0 && 20 * c->n_low >= numbers && c->n_low >= 5;
    switch (what) {
    case CONSTANT:
        snprintf(out, size, "is constant: there is nothing to learn in it");
        return constant;
    case IDENTIFIER:
        snprintf(
            out, size,
            "holds a different whole number in every row: if it is an identifier, leave it out with `target-columns`");
        return identifier && !constant;
    case MARK:
        describe_marks(out, size, c, low_mark, mark);
        return low_mark || mark;
    case ZEROS_AND_ONES:
        snprintf(out, size,
                 "holds only 0 and 1, but is learned as a value like the others; `target-columns` can learn it alone");
        return regression && to->t->n > 1 && !words && !c->not_binary && !constant;
    case COMMAS:
        snprintf(out, size, "has decimal commas: \"%s\" in line %lld is read as a number", c->comma.text,
                 (long long)c->comma.line);
        return c->decimal == ',' && c->n_commas > 0;
    case RELATION:
        snprintf(out, size, "goes with the relations of column \"%.60s\": %lld of its values are bounds%s",
                 target->relation >= 0 ? to->table->names[target->relation] : "", (long long)c->n_related,
                 c->n_related > 0 && !to->t->censored ? ", which `censored=true` learns and which are no labels now"
                                                      : "");
        return c->n_related > 0;
    case BOUNDS:
        snprintf(out, size,
                 "has %lld bounds among its labels: a prediction beyond one costs nothing, and scores are of exact "
                 "labels",
                 (long long)c->n_bounds);
        return to->t->censored && c->n_bounds > 0;
    case POWERS:
        l2r_decimal_print(out, size,
                          "spans %.0f powers of ten (%g to %g): `transform` trains on its logarithm, as pIC50 is one",
                          log10(c->high / c->low), c->low, c->high);
        return many && c->low > 0 && c->high / c->low >= 9e3;
    default:
        l2r_decimal_print(
            out, size,
            "holds its %s value, %.10g, in %lld rows: if that is a limit of the measurement, write %s%.10g and "
            "learn bounds with `censored=true`",
            limit ? "highest" : "lowest", limit ? c->high : c->low, (long long)(limit ? c->n_high : c->n_low),
            limit ? ">" : "<", limit ? c->high : c->low);
        return many && c->n_bounds == 0 && (limit || low_limit);
    }
}

static void note_doubts(struct telling *to)
{
    char line[256];
    for (int what = 0; what < N_DOUBTS; what++) {
        int64_t told = 0;
        for (int32_t i = 0; i < to->t->n; i++) {
            if (!doubt(line, sizeof line, to, &to->t->target[i], what)) continue;
            if (told++ < MOST) tell(to, to->t->target[i].column, line);
        }
        if (told > MOST &&
            !l2r_notes_add(to->notes, "%s: %lld more label columns like these", to->path, (long long)(told - MOST)))
            to->failed = true;
    }
}

/* ChEMBL's columns for type and unit of a value: several units in one label column are a mistake. */
static void note_mixed(struct telling *to)
{
    static const char *const names[] = {"Standard Units", "standard_units", "Standard Type", "standard_type"};
    bool known = false;
    for (int32_t i = 0; i < to->t->n; i++)
        known = known || l2r_column_is_known_label(to->table->names[to->t->target[i].column]) == 1;
    for (int32_t k = 0; known && k < to->table->n_columns; k++) {
        const struct l2r_column *c = &to->t->columns[k];
        bool about = false;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            about = about || strcmp(to->table->names[k], names[i]) == 0;
        if (!about || c->shown.n < 2) continue;
        char line[300];
        snprintf(line, sizeof line,
                 "holds several words (%.60s, %.60s%s): the labels are not comparable; keep the "
                 "rows of one",
                 l2r_distinct_text(&c->shown, 0), l2r_distinct_text(&c->shown, 1), c->shown.n > 2 ? ", …" : "");
        tell(to, k, line);
    }
}

/* `column "y" has the classes 0 = inactive, 1 = active`. */
static void note_classes(struct telling *to)
{
    for (int32_t i = 0; i < to->t->n && i < MOST; i++) {
        const struct l2r_target *target = &to->t->target[i];
        char line[400];
        size_t used = (size_t)snprintf(line, sizeof line, "has the classes");
        if (target->n_words == 0) continue;
        for (int32_t k = 0; k < target->n_words && used + 1 < sizeof line; k++)
            used += (size_t)snprintf(line + used, sizeof line - used, "%s %d = %.40s", k ? "," : "", (int)k,
                                     target->words[k]);
        tell(to, target->column, line);
    }
}

bool l2r_targets_note(struct l2r_notes *notes, const struct l2r_targets *t, const struct l2r_molecule_table *table)
{
    struct telling to = {.notes = notes, .t = t, .table = table, .path = table->source->path};
    if (!t->columns) return true;
    note_classes(&to);
    note_doubts(&to);
    note_mixed(&to);
    note_unused(&to);
    return !to.failed;
}
