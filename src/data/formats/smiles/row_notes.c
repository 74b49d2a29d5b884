/* SPDX-License-Identifier: MIT
 *
 * Notes about a table after its rows are read (rows.h): how it was read, warnings about columns (target_notes.c) and
 * molecules, and at the end the rows and cells that were skipped, each with its line. */
#include "data/formats/smiles/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "binary labels of column \"a\"" or "binary labels of 3 columns: a, b, c". */
static void describe_targets(char *out, size_t size, const struct l2r_rows *r)
{
    const struct l2r_targets *t = r->targets;
    size_t used = 0;
    if (t->n == 0) {
        snprintf(out, size, "no labels");
        return;
    }
    const char *task = l2r_task_name(t->task);
    if (t->n == 1) {
        snprintf(out, size, "%s labels of column \"%.100s\"", task, r->table->names[t->target[0].column]);
        return;
    }
    used = (size_t)snprintf(out, size, "%s labels of %d columns: ", task, (int)t->n);
    for (int32_t i = 0; i < t->n; i++) {
        const char *name = r->table->names[t->target[i].column];
        bool fits = used + strlen(name) + 8 < size;
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", fits ? name : "…");
        if (!fits) break;
    }
}

/* Rows that repeat a molecule, and what was done about them. */
static bool note_duplicates(struct l2r_notes *notes, const struct l2r_rows *r)
{
    static const char *const done[] = {
        [L2R_DUPLICATES_KEEP] = "; `duplicates=drop` or `duplicates=mean` leaves one row of each molecule",
        [L2R_DUPLICATES_DROP] = "; of each molecule the first row is kept",
        [L2R_DUPLICATES_MEAN] = "; each molecule has the mean of its labels, or the most frequent class",
    };
    char conflicts[80] = "";
    if (r->n_repeated == 0) return true;
    if (r->n_conflicts > 0)
        snprintf(conflicts, sizeof conflicts, ", %lld with other labels", (long long)r->n_conflicts);
    return l2r_notes_add(notes, "%s: %lld row%s a molecule of an earlier row (line %lld that of line %lld)%s%s",
                         r->table->source->path, (long long)r->n_repeated, r->n_repeated == 1 ? " repeats" : "s repeat",
                         (long long)r->repeated_line, (long long)r->repeated_of, conflicts, done[r->duplicates]);
}

static bool note_mixtures(struct l2r_notes *notes, const struct l2r_rows *r)
{
    const char *path = r->table->source->path;
    bool one = r->n_mixtures == 1;
    if (r->n_mixtures == 0) return true;
    if (r->table->largest_fragment)
        return l2r_notes_add(notes,
                             "%s: %lld salt%s or mixture%s became %s largest fragment%s (the first in line %lld)", path,
                             (long long)r->n_mixtures, one ? "" : "s", one ? "" : "s", one ? "its" : "their",
                             one ? "" : "s", (long long)r->mixture_line);
    return l2r_notes_add(notes,
                         "%s: %lld molecule%s several fragments, as salts and mixtures do (%sline %lld); "
                         "`largest-fragment=true` keeps the largest",
                         path, (long long)r->n_mixtures, one ? " has" : "s have", one ? "" : "the first in ",
                         (long long)r->mixture_line);
}

/* Equal cells in the same column: the lines of the first and the last. */
struct alike {
    int64_t n, first, last;
    int32_t column; /* by the order in which columns have such cells */
};

enum { MOST_OF_COLUMN = 8 };

/* Cells that are summarised. */
static bool note_rest(struct l2r_notes *notes, const struct alike *rest, const char *column, const char *path)
{
    if (rest->n == 0) return true;
    return l2r_notes_add(notes, "%s:%lld: and others%s (%lld such cells, the last in line %lld)", path,
                         (long long)rest->first, column, (long long)rest->n, (long long)rest->last);
}

/* The name of the column in a reason: ` in column "y"`, or nothing. */
static void find_column(char *out, size_t size, const char *reason)
{
    const char *column = strstr(reason, "\" in column \"");
    const char *end = column ? strstr(column + 13, "\" ") : NULL;
    snprintf(out, size, "%.*s", end ? (int)(end - column) : 0, column ? column + 1 : "");
}

static bool note_columns(struct l2r_notes *notes, const struct l2r_distinct_texts *reasons, const struct alike *all,
                         const struct l2r_distinct_texts *columns, const char *path)
{
    bool made = true;
    for (int32_t c = 0; made && c < columns->n; c++) {
        struct alike rest = {0};
        int32_t told = 0;
        for (int32_t k = 0; made && k < reasons->n; k++) {
            const struct alike *same = &all[k];
            char more[80] = "";
            if (same->column != c) continue;
            if (told++ >= MOST_OF_COLUMN) {
                if (rest.n == 0) rest.first = same->first;
                rest.n += same->n;
                if (same->last > rest.last) rest.last = same->last;
                continue;
            }
            if (same->n > 1)
                snprintf(more, sizeof more, " (%lld such cells, the last in line %lld)", (long long)same->n,
                         (long long)same->last);
            made = l2r_notes_add(notes, "%s:%lld: %s%s", path, (long long)same->first, l2r_distinct_text(reasons, k),
                                 more);
        }
        made = made && note_rest(notes, &rest, l2r_distinct_text(columns, c), path);
    }
    return made;
}

/* Cells that hold no label, a line for all that are alike, and no more than MOST_OF_COLUMN + 1 for a column. Each is
 * "PATH:LINE: reason". */
static bool note_cells(struct l2r_notes *notes, const struct l2r_notes *cells, const char *path)
{
    struct l2r_distinct_texts reasons = {0}, columns = {0};
    struct l2r_array all = {0};
    size_t prefix = strlen(path) + 1;
    bool made = true;
    for (const char *at = cells->text.text; made && at && *at;) {
        char reason[600], column[100];
        size_t length = strcspn(at, "\n");
        const char *blank = length > prefix ? memchr(at + prefix, ' ', length - prefix) : NULL;
        int64_t line = length > prefix ? strtoll(at + prefix, NULL, 10) : 0;
        if (blank) {
            snprintf(reason, sizeof reason, "%.*s", (int)(at + length - blank - 1), blank + 1);
            find_column(column, sizeof column, reason);
            int32_t before = reasons.n, k = l2r_distinct_texts_add(&reasons, reason);
            const struct alike one = {1, line, line, l2r_distinct_texts_add(&columns, column)};
            made = k >= 0 && one.column >= 0 && (k < before || l2r_array_add(&all, &one, 1, sizeof one));
            if (made && k < before) {
                struct alike *same = (struct alike *)all.items + k;
                same->n++;
                same->last = line;
            }
        }
        at += length + (at[length] == '\n');
    }
    made = made && note_columns(notes, &reasons, all.items, &columns, path);
    l2r_distinct_texts_clear(&reasons);
    l2r_distinct_texts_clear(&columns);
    l2r_array_clear(&all);
    return made;
}

/* Skipped rows: their number, then a line each. */
static bool note_passed(struct l2r_notes *notes, const struct l2r_notes *passed)
{
    l2r_text_puts(&notes->text, passed->text.text);
    return !notes->text.failed;
}

bool l2r_rows_note(struct l2r_notes *notes, const struct l2r_rows *r)
{
    const char *path = r->table->source->path;
    char labels[400];
    describe_targets(labels, sizeof labels, r);
    if (!l2r_notes_add(notes, "%s: %lld molecules of column \"%.60s\"; %s", path, (long long)r->n,
                       r->table->names[r->table->smiles], labels))
        return false;
    if (r->targets->weight >= 0 &&
        !l2r_notes_add(notes, "%s: rows count in training by the weights of column \"%.60s\"", path,
                       r->table->names[r->targets->weight]))
        return false;
    if (r->targets->western > 0 &&
        !l2r_notes_add(notes, "%s: it is not UTF-8 (line %lld); letters beyond ASCII are read as Windows-1252", path,
                       (long long)r->targets->western))
        return false;
    if (r->targets->described_line > 0 &&
        !l2r_notes_add(notes,
                       "%s: lines up to %lld describe the columns, as PubChem's tables do, and hold no molecules", path,
                       (long long)r->targets->described_line))
        return false;
    if (!l2r_targets_note(notes, r->targets, r->table) || !note_mixtures(notes, r) || !note_duplicates(notes, r))
        return false;
    if (r->n_excluded > 0 &&
        !l2r_notes_add(notes, "%s: %lld row%s left out, whose molecules are among the %d excluded ones", path,
                       (long long)r->n_left_out, r->n_left_out == 1 ? " is" : "s are", (int)r->n_excluded))
        return false;
    if (r->n_unlabelled > 0 && !l2r_notes_add(notes, "%s: %lld molecule%s no label", path, (long long)r->n_unlabelled,
                                              r->n_unlabelled == 1 ? " has" : "s have"))
        return false;
    if (r->skipped.n_rows > 0 &&
        (!l2r_notes_add(notes, "%s: %lld of %lld rows %s skipped", path, (long long)r->skipped.n_rows,
                        (long long)r->targets->n_rows, r->skipped.n_rows == 1 ? "was" : "were") ||
         !note_passed(notes, &r->skipped)))
        return false;
    if (!r->cells || r->cells->n_rows == 0) return true;
    return l2r_notes_add(notes, "%s: %lld %s as missing", path, (long long)r->cells->n_rows,
                         r->cells->n_rows == 1 ? "cell holds no label and counts" : "cells hold no label and count") &&
           note_cells(notes, r->cells, path);
}
