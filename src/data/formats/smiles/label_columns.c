/* SPDX-License-Identifier: MIT
 *
 * Finds the label columns of a table if the user names none (targets.h):
 *
 *     1. a name of ChEMBL's or PubChem's (pChEMBL Value, Standard Value, PUBCHEM_ACTIVITY_OUTCOME) decides
 *     2. candidates   columns of numbers, or of yes and no; not: identifiers, splits, dates, row counts, constants,
 *                     what is computed by its name, and what RDKit computes from the structure, which is compared
 *     3. all of them  if they are alike: all yes or no (0 and 1), or values that lie in one range or have like names
 *     4. otherwise    the one with a usual name (y, label, activity, …), or an error that lists them
 *
 * A column of a few other words is a label only where there is nothing else to learn. */
#include "data/formats/smiles/targets.h"

#include "base/memory.h"
#include "data/formats/smiles/smiles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SHOWN = 8, FIRST_YEAR = 1900, LAST_YEAR = 2035, ROW_COUNT = 20 };

/* A few words, each in use: not the names of molecules. */
static bool may_be_classes(const struct l2r_column *c)
{
    return l2r_column_has_classes(c) && c->words.n >= 2 && c->words.n <= L2R_FEW && c->n_text >= 2 * c->words.n;
}

static bool is_constant(const struct l2r_column *c)
{
    return c->n_different == 1 && c->words.n == 0;
}

/* Its name does not exclude it. */
static bool may_be_label(const struct l2r_targets *t, const struct l2r_molecule_table *table, int32_t k)
{
    const char *name = table->names[k];
    return k != table->smiles && k != t->split && k != t->weight && k != t->environment &&
           !l2r_molecule_table_is_feature(table, k) &&
           !(table->has_header && (l2r_column_is_identifier(name) || l2r_column_is_split(name)));
}

/* What a column is a candidate for. */
static enum l2r_candidate candidate(struct l2r_column *c, const struct l2r_targets *t,
                                    const struct l2r_molecule_table *table, int32_t k)
{
    if (!may_be_label(t, table, k)) return L2R_CANDIDATE_NONE;
    if (!l2r_column_has_numbers(c)) {
        if (l2r_column_is_yes_or_no(c)) return L2R_CANDIDATE_BINARY;
        return may_be_classes(c) ? L2R_CANDIDATE_WORDS : L2R_CANDIDATE_NONE;
    }
    if (c->counts && c->n_labels == t->n_rows && t->n_rows >= ROW_COUNT) return L2R_CANDIDATE_NONE;
    if (is_constant(c)) c->unused = L2R_UNUSED_CONSTANT;
    if (table->has_header && l2r_column_is_computed(table->names[k])) c->unused = L2R_UNUSED_COMPUTED;
    if (c->unused) return L2R_CANDIDATE_NONE;
    return c->not_binary ? L2R_CANDIDATE_VALUES : L2R_CANDIDATE_BINARY;
}

/* Whole numbers that are probably an identifier or a year: labels only where there is no other. */
static bool is_doubtful(const struct l2r_column *c)
{
    bool years = !c->fractions && c->low >= FIRST_YEAR && c->high <= LAST_YEAR;
    return c->candidate == L2R_CANDIDATE_VALUES &&
           (years || (l2r_column_never_repeats(c) && c->high >= (double)c->n_first));
}

/* Leaves out what `leave` says, as `why`, if anything remains. */
static void leave_out(struct l2r_targets *t, bool (*leave)(const struct l2r_column *), enum l2r_unused why)
{
    int32_t n_left = 0;
    for (int32_t k = 0; k < t->n_columns; k++) {
        const struct l2r_column *c = &t->columns[k];
        bool counts = c->candidate == L2R_CANDIDATE_VALUES || c->candidate == L2R_CANDIDATE_BINARY;
        n_left += counts && !leave(c);
    }
    for (int32_t k = 0; n_left > 0 && k < t->n_columns; k++) {
        struct l2r_column *c = &t->columns[k];
        if (c->candidate == L2R_CANDIDATE_NONE || !leave(c)) continue;
        c->candidate = L2R_CANDIDATE_NONE;
        c->unused = why;
    }
}

static bool is_binary(const struct l2r_column *c)
{
    return c->candidate == L2R_CANDIDATE_BINARY;
}

static bool is_values(const struct l2r_column *c)
{
    return c->candidate == L2R_CANDIDATE_VALUES;
}

/* A count or a class. */
static bool has_few(const struct l2r_column *c)
{
    return !c->fractions && c->n_different <= L2R_FEW;
}

/* Do the values of two columns lie in one range? */
static bool are_alike(const struct l2r_column *a, const struct l2r_column *b)
{
    enum { MOST_WIDER = 30, LEAST_SHARED = 10 };
    if (has_few(a) != has_few(b) && (a->n_different > L2R_FEW || b->n_different > L2R_FEW)) return false;
    double wide = fmax(a->high - a->low, b->high - b->low), narrow = fmin(a->high - a->low, b->high - b->low);
    double shared = fmin(a->high, b->high) - fmax(a->low, b->low);
    return wide <= MOST_WIDER * narrow && LEAST_SHARED * shared >= narrow;
}

/* Are all candidates like the first one or the one before them? */
static bool are_related(const struct l2r_targets *t, const struct l2r_molecule_table *table)
{
    int32_t first = -1, before = -1;
    for (int32_t k = 0; k < t->n_columns; k++) {
        const struct l2r_column *c = &t->columns[k];
        if (!is_binary(c) && !is_values(c)) continue;
        if (first < 0) first = before = k;
        if (c->candidate != t->columns[first].candidate) return false;
        bool alike = is_binary(c) || are_alike(c, &t->columns[first]) || are_alike(c, &t->columns[before]) ||
                     (table->has_header && (l2r_columns_have_like_names(table->names[k], table->names[first]) ||
                                            l2r_columns_have_like_names(table->names[k], table->names[before])));
        if (!alike) return false;
        before = k;
    }
    return true;
}

static void take(struct l2r_targets *t, int32_t column)
{
    t->target[t->n++] = (struct l2r_target){.column = column, .decimal = t->columns[column].decimal, .relation = -1};
    t->columns[column].is_target = true;
}

/* The column `k` alone; all other candidates stay out. */
static void take_one(struct l2r_targets *t, int32_t k)
{
    for (int32_t i = 0; i < t->n_columns; i++)
        if (i != k && t->columns[i].candidate != L2R_CANDIDATE_NONE) t->columns[i].unused = L2R_UNUSED_OTHER;
    take(t, k);
}

/* The column whose name decides; -1: there is none. pChEMBL values are given for some rows; for too few, the standard
 * value is the label. */
static int32_t known_label(const struct l2r_targets *t, const struct l2r_molecule_table *table)
{
    enum { FEW_ROWS = 10 };
    int32_t best = -1, best_place = 0;
    int64_t most = 0;
    for (int pass = 0; pass < 2 && table->has_header; pass++)
        for (int32_t k = 0; k < t->n_columns; k++) {
            const struct l2r_column *c = &t->columns[k];
            int32_t place = l2r_column_is_known_label(table->names[k]);
            bool labels = l2r_column_has_numbers(c) ? c->n_different > 1 : may_be_classes(c);
            if (place < 0 || !labels || !may_be_label(t, table, k)) continue;
            int64_t n = c->n_labels + c->n_text;
            if (pass == 0 && n > most) most = n;
            if (pass == 1 && n * FEW_ROWS >= most && (best < 0 || place < best_place)) best = k, best_place = place;
        }
    return best;
}

/* The one candidate with the surest of usual names; -1: there is none, or several. */
static int32_t usual_label(const struct l2r_targets *t, const struct l2r_molecule_table *table)
{
    int32_t found = -1, best = 2, same = 0;
    for (int32_t k = 0; k < t->n_columns && table->has_header; k++) {
        int32_t rank = l2r_column_is_usual_label(table->names[k]);
        if (t->columns[k].candidate == L2R_CANDIDATE_NONE || rank < 0 || rank > best) continue;
        same = rank < best ? 1 : same + 1;
        best = rank;
        found = k;
    }
    return same == 1 ? found : -1;
}

/* "Standard Value", or its number where the name cannot be typed in a list. */
static const char *typed(char *number, size_t size, const struct l2r_molecule_table *table, int32_t k)
{
    if (table->names[k][0] && !strpbrk(table->names[k], ",`")) return table->names[k];
    snprintf(number, size, "%d", (int)k + 1);
    return number;
}

static enum l2r_status refuse(const struct l2r_targets *t, const struct l2r_molecule_table *table,
                              struct l2r_error *error)
{
    char list[700] = "", all[700] = "", one[260] = "", number[16];
    size_t used = 0, typed_used = 0;
    int32_t n = 0;
    for (int32_t k = 0; k < t->n_columns; k++) {
        if (!is_binary(&t->columns[k]) && !is_values(&t->columns[k])) continue;
        const char *name = typed(number, sizeof number, table, k);
        if (n++ == 0) snprintf(one, sizeof one, "%.250s", name);
        if (n > MOST_SHOWN) continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s\"%.60s\"", n > 1 ? ", " : "", table->names[k]);
        typed_used += (size_t)snprintf(all + typed_used, sizeof all - typed_used, "%s%.60s", n > 1 ? "," : "", name);
    }
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "%s: %d columns may be labels and are not alike: %s%s; choose with `target-columns=%s`%s%s%s",
                    table->source->path, (int)n, list, n > MOST_SHOWN ? ", …" : "", one,
                    n <= MOST_SHOWN ? " or, for all of them, `target-columns=" : "", n <= MOST_SHOWN ? all : "",
                    n <= MOST_SHOWN ? "`" : "");
}

enum l2r_status l2r_targets_choose(struct l2r_targets *t, const struct l2r_molecule_table *table,
                                   const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t n_words = 0, words = -1;
    for (int32_t k = 0; k < t->n_columns; k++) {
        struct l2r_column *c = &t->columns[k];
        c->candidate = candidate(c, t, table, k);
        if (c->candidate == L2R_CANDIDATE_WORDS) n_words++, words = k;
    }
    int32_t known = known_label(t, table);
    if (known >= 0) {
        take_one(t, known);
        return L2R_OK;
    }
    L2R_TRY(l2r_columns_find_descriptors(t, table, error));
    bool regression = l2r_config_is(options, "task-type", "regression");
    leave_out(t, is_doubtful, L2R_UNUSED_DOUBTFUL);
    if (l2r_config_is(options, "task-type", "binary")) leave_out(t, is_values, L2R_UNUSED_OTHER);
    if (regression) leave_out(t, is_binary, L2R_UNUSED_OTHER);
    if (!are_related(t, table)) {
        int32_t usual = usual_label(t, table);
        if (usual < 0) return refuse(t, table, error);
        take_one(t, usual);
        return L2R_OK;
    }
    for (int32_t k = 0; k < t->n_columns; k++)
        if (is_binary(&t->columns[k]) || is_values(&t->columns[k])) take(t, k);
    if (t->n == 0 && n_words == 1 && !regression) take(t, words);
done:
    return status;
}
