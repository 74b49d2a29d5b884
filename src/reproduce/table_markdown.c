/* SPDX-License-Identifier: MIT
 * See table.h: the table for people, and below it what belongs to an honest reading: differences by seed, effective sample sizes,
 * what no model at all reaches, times. */
#include "reproduce/table.h"

#include <math.h>
#include <string.h>

static const struct l2r_cell *cell_at(const struct l2r_table *t, size_t row, size_t column)
{
    return &t->cells[row * t->spec->n_columns + column];
}

static void heading(FILE *out, const struct l2r_table *t, const char *first, bool metrics)
{
    fprintf(out, "| %s |", first);
    for (size_t c = 0; c < t->spec->n_columns; c++) {
        if (!t->column_shown[c]) continue;
        const char *metric = t->metric[c];
        fprintf(out, " %s", t->spec->columns[c].label);
        if (metrics && *metric != '\0') fprintf(out, ", %s%s", metric, l2r_table_scale(metric) == 1 ? "" : " %");
        fprintf(out, " |");
    }
    fprintf(out, "\n|---|");
    for (size_t c = 0; c < t->spec->n_columns; c++)
        if (t->column_shown[c]) fprintf(out, "---|");
    fprintf(out, "\n");
}

static void score_cell(FILE *out, const struct l2r_cell *cell, const char *metric)
{
    int digits = l2r_table_digits(metric);
    const char *bold = cell->best ? "**" : "";
    if (cell->n == 0) {
        fprintf(out, " –");
    } else {
        fprintf(out, " %s%.*f", bold, digits, cell->mean);
        if (cell->n > 1) fprintf(out, " ± %.*f", digits, cell->sd);
        fprintf(out, "%s", bold);
    }
    if (!isnan(cell->paper)) fprintf(out, " [%g ± %g]", cell->paper, cell->paper_sd);
    if (cell->n > 0 && cell->n < cell->n_planned)
        fprintf(out, " (%lld of %lld seeds)", (long long)cell->n, (long long)cell->n_planned);
    fprintf(out, " |");
}

static void gain_cell(FILE *out, const struct l2r_cell *cell, const char *metric)
{
    int digits = l2r_table_digits(metric);
    if (cell->gain.n == 0) {
        fprintf(out, " – |");
        return;
    }
    fprintf(out, " %+.*f", digits, cell->gain.mean);
    if (cell->gain.n > 1) fprintf(out, " (%+.*f to %+.*f)", digits, cell->gain.low, digits, cell->gain.high);
    fprintf(out, " |");
}

static void weights_cell(FILE *out, const struct l2r_cell *cell, const char *metric)
{
    (void)metric;
    if (isnan(cell->ess))
        fprintf(out, " – |");
    else
        fprintf(out, " %.2f, %.2f |", cell->ess, cell->dependence_left);
}

static void seconds_cell(FILE *out, const struct l2r_cell *cell, const char *metric)
{
    (void)metric;
    if (cell->n == 0)
        fprintf(out, " – |");
    else
        fprintf(out, " %.*f |", cell->seconds < 10 ? 1 : 0, cell->seconds);
}

static void balanced_cell(FILE *out, const struct l2r_cell *cell, const char *metric)
{
    (void)metric;
    if (isnan(cell->balanced))
        fprintf(out, " – |");
    else if (cell->n > 1)
        fprintf(out, " %.2f ± %.2f |", cell->balanced, cell->balanced_sd);
    else
        fprintf(out, " %.2f |", cell->balanced);
}

typedef void cell_fn(FILE *out, const struct l2r_cell *cell, const char *metric);

/* compared: only rows with a backbone; for differences their label says which. */
static void body(FILE *out, const struct l2r_table *t, cell_fn *write, bool compared)
{
    for (size_t r = 0; r < t->spec->n_rows; r++) {
        const struct l2r_spec_row *row = &t->spec->rows[r];
        if (!t->row_shown[r] || (compared && row->backbone == NULL)) continue;
        fprintf(out, "| %s", row->label);
        if (compared && write == gain_cell) fprintf(out, " − %s", row->backbone);
        fprintf(out, " |");
        for (size_t c = 0; c < t->spec->n_columns; c++)
            if (t->column_shown[c]) write(out, cell_at(t, r, c), t->metric[c]);
        fprintf(out, "\n");
    }
}

static bool any(const struct l2r_table *t, bool (*is)(const struct l2r_cell *cell))
{
    for (size_t i = 0; i < t->spec->n_rows * t->spec->n_columns; i++)
        if (t->cells[i].n > 0 && is(&t->cells[i])) return true;
    return false;
}

static bool is_compared(const struct l2r_cell *cell)
{
    return cell->gain.n > 0;
}

static bool is_weighted(const struct l2r_cell *cell)
{
    return !isnan(cell->ess);
}

static void baseline_row(FILE *out, const struct l2r_table *t, const char *label, size_t offset)
{
    fprintf(out, "| %s |", label);
    for (size_t c = 0; c < t->spec->n_columns; c++) {
        if (!t->column_shown[c]) continue;
        struct l2r_baseline b;
        memcpy(&b, (const char *)&t->baselines[c] + offset, sizeof b);
        if (t->has_baselines[c])
            fprintf(out, " %.2f, balanced %.2f |", 100 * b.accuracy, 100 * b.balanced_accuracy);
        else
            fprintf(out, " – |");
    }
    fprintf(out, "\n");
}

static void baselines(FILE *out, const struct l2r_table *t)
{
    bool some = false;
    for (size_t c = 0; c < t->spec->n_columns; c++) some = some || (t->column_shown[c] && t->has_baselines[c]);
    if (!some) return;
    fprintf(out, "\n## Without a model\n\nAccuracy and balanced accuracy in %% on the test graphs.\n\n");
    heading(out, t, "", false);
    baseline_row(out, t, "the largest class of the training graphs", offsetof(struct l2r_baselines, constant_train));
    baseline_row(out, t, "the largest class of the test graphs", offsetof(struct l2r_baselines, constant_test));
    baseline_row(out, t, "a threshold on the number of nodes, from training",
                 offsetof(struct l2r_baselines, threshold));
    fprintf(out, "\n## Balanced accuracy in %%\n\n");
    heading(out, t, "", false);
    body(out, t, balanced_cell, false);
}

static void options(FILE *out, const json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (json_is_string(value)) fprintf(out, " `--%s %s`", key, json_string_value(value));
        if (json_is_integer(value)) fprintf(out, " `--%s %lld`", key, (long long)json_integer_value(value));
        if (json_is_real(value)) fprintf(out, " `--%s %g`", key, json_real_value(value));
        if (json_is_boolean(value)) fprintf(out, " `--%s%s`", json_is_true(value) ? "" : "no-", key);
    }
}

static void caption(FILE *out, const struct l2r_table *t)
{
    const struct l2r_spec *spec = t->spec;
    fprintf(out, "\nMean ± sample standard deviation over seeds; the best in bold; in brackets the paper's value.");
    if (spec->note != NULL) fprintf(out, " %s", spec->note);
    fprintf(out, "\n\nOptions:");
    json_t *merged = json_object(); /* --quick replaces one by one */
    json_object_update(merged, (json_t *)(uintptr_t)spec->options);
    json_object_update(merged, (json_t *)(uintptr_t)spec->quick_options);
    options(out, merged);
    json_decref(merged);
    for (size_t c = 0; c < spec->n_columns; c++) {
        if (!t->column_shown[c] || spec->columns[c].options == NULL) continue;
        fprintf(out, "; %s:", spec->columns[c].label);
        options(out, spec->columns[c].options);
    }
    for (size_t r = 0; r < spec->n_rows; r++) {
        if (!t->row_shown[r] || spec->rows[r].options == NULL) continue;
        fprintf(out, "; %s:", spec->rows[r].label);
        options(out, spec->rows[r].options);
    }
    if (t->set != NULL && *t->set != '\0') fprintf(out, "; in place of these, typed: `%s`", t->set);
    fprintf(out, ".\n\nSeeds:");
    const char *gap = "";
    for (size_t c = 0; c < spec->n_columns; c++) {
        int64_t most = 0;
        for (size_t r = 0; r < spec->n_rows; r++)
            if (cell_at(t, r, c)->n > most) most = cell_at(t, r, c)->n;
        if (!t->column_shown[c]) continue;
        fprintf(out, "%s %s %lld", gap, spec->columns[c].label, (long long)most);
        gap = ",";
    }
    fprintf(out, ". %zu of %zu runs are done", t->n_done, t->n_planned);
    if (t->n_done > 0)
        fprintf(out, ", %.2f hours of training together, %.10s to %.10s, l2r %s", t->seconds / 3600, t->first, t->last,
                t->version);
    fprintf(out, ".\n");
}

void l2r_table_markdown(FILE *out, const struct l2r_table *t)
{
    fprintf(out, "# %s\n\n", t->spec->title);
    if (t->spec->quick) fprintf(out, "The quick version: it shows that all works, its numbers mean nothing.\n\n");
    heading(out, t, "", true);
    body(out, t, score_cell, false);
    caption(out, t);
    if (any(t, is_compared)) {
        fprintf(out,
                "\n## Difference from the backbone, seed by seed\n\nMean, and its 95 %% interval (Student's t).\n\n");
        heading(out, t, "", true);
        body(out, t, gain_cell, true);
    }
    baselines(out, t);
    if (any(t, is_weighted)) {
        fprintf(out, "\n## Effective sample size, and share of the dependence that is left\n\nMeans over epochs and "
                     "seeds.\n\n");
        heading(out, t, "", false);
        body(out, t, weights_cell, true);
    }
    fprintf(out, "\n## Seconds a run\n\n");
    heading(out, t, "", false);
    body(out, t, seconds_cell, false);
}
