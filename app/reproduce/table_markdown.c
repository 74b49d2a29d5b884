/* SPDX-License-Identifier: MIT
 * See table.h: the table for people, and below it what is needed to judge it: differences by seed, effective sample
 * sizes, baselines without a model, times. */
#include "reproduce/table.h"

#include <math.h>
#include <string.h>

static const struct l2r_cell *cell_at(const struct l2r_table *t, size_t row, size_t column)
{
    return &t->cells[row * t->spec->n_columns + column];
}

/* A text of a spec or a results file: no markup, no cell of its own. Specs have no line breaks (spec.c). */
static void words(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\`*[]|<>", *text) != NULL) fputc('\\', out);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
}

/* Between back quotes, where only cells and back quotes can end. */
static void code(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|') fputc('\\', out);
        fputc((unsigned char)*text < ' ' ? ' ' : *text == '`' ? '\'' : *text, out);
    }
}

static void heading(FILE *out, const struct l2r_table *t, const char *first, bool metrics)
{
    fprintf(out, "| %s |", first);
    for (size_t c = 0; c < t->spec->n_columns; c++) {
        if (!t->column_shown[c]) continue;
        const char *metric = t->metric[c];
        fputc(' ', out);
        words(out, t->spec->columns[c].label);
        if (metrics && *metric != '\0') {
            fputs(", ", out);
            words(out, metric);
            fputs(l2r_table_scale(metric) == 1 ? "" : " %", out);
        }
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
    if (!isnan(cell->paper) && isnan(cell->paper_sd)) fprintf(out, " [%g]", cell->paper);
    if (!isnan(cell->paper) && !isnan(cell->paper_sd)) fprintf(out, " [%g ± %g]", cell->paper, cell->paper_sd);
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
    if (cell->gain.n > 1 && !isnan(cell->gain_in_sd)) fprintf(out, ", %+.1f sd", cell->gain_in_sd);
    fprintf(out, " |");
}

static void weights_cell(FILE *out, const struct l2r_cell *cell, const char *metric)
{
    (void)metric;
    if (isnan(cell->ess))
        fprintf(out, " – |");
    else
        fprintf(out, isnan(cell->dependence_left) ? " %.2f |" : " %.2f, %.2f |", cell->ess, cell->dependence_left);
}

static void seconds_cell(FILE *out, const struct l2r_cell *cell, const char *metric)
{
    (void)metric;
    if (cell->n == 0 || isnan(cell->seconds))
        fprintf(out, " – |");
    else
        fprintf(out, " %.*f |", cell->seconds < 10 ? 1 : 0, cell->seconds);
}

/* A share in %, of n seeds. */
static void share(FILE *out, double mean, double sd, int64_t n)
{
    if (isnan(mean))
        fprintf(out, " – |");
    else if (n > 1)
        fprintf(out, " %.2f ± %.2f |", mean, sd);
    else
        fprintf(out, " %.2f |", mean);
}

static void balanced_cell(FILE *out, const struct l2r_cell *cell, const char *metric)
{
    (void)metric;
    share(out, cell->balanced, cell->balanced_sd, cell->n);
}

static void worst_cell(FILE *out, const struct l2r_cell *cell, const char *metric)
{
    (void)metric;
    share(out, cell->worst, cell->worst_sd, cell->n);
}

static void selections_cell(FILE *out, const struct l2r_cell *cell, const char *metric)
{
    int digits = l2r_table_digits(metric);
    if (cell->n == 0 || isnan(cell->by_id))
        fprintf(out, " – |");
    else if (cell->n > 1)
        fprintf(out, " %.*f ± %.*f, %.*f ± %.*f |", digits, cell->by_id, digits, cell->by_id_sd, digits, cell->by_ood,
                digits, cell->by_ood_sd);
    else
        fprintf(out, " %.*f, %.*f |", digits, cell->by_id, digits, cell->by_ood);
}

static void best_test_cell(FILE *out, const struct l2r_cell *cell, const char *metric)
{
    int digits = l2r_table_digits(metric);
    if (cell->n == 0 || isnan(cell->best_test))
        fprintf(out, " – |");
    else if (cell->n > 1)
        fprintf(out, " %.*f ± %.*f (optimistic) |", digits, cell->best_test, digits, cell->best_test_sd);
    else
        fprintf(out, " %.*f (optimistic) |", digits, cell->best_test);
}

typedef void cell_fn(FILE *out, const struct l2r_cell *cell, const char *metric);

static bool is_compared(const struct l2r_cell *cell)
{
    return cell->gain.n > 0;
}

static bool is_weighted(const struct l2r_cell *cell)
{
    return cell->n > 0 && !isnan(cell->ess);
}

static bool has_groups(const struct l2r_cell *cell)
{
    return cell->n > 0 && !isnan(cell->worst);
}

static bool has_selections(const struct l2r_cell *cell)
{
    return cell->n > 0 && !isnan(cell->by_id);
}

static bool has_best_test(const struct l2r_cell *cell)
{
    return cell->n > 0 && !isnan(cell->best_test);
}

typedef bool cell_test(const struct l2r_cell *cell);

static bool some_in_row(const struct l2r_table *t, size_t row, cell_test *is)
{
    for (size_t c = 0; c < t->spec->n_columns; c++)
        if (is(cell_at(t, row, c))) return true;
    return false;
}

/* is: only rows with such a cell; NULL: all. The label of a difference says what is taken off. */
static void body(FILE *out, const struct l2r_table *t, cell_fn *write, cell_test *is)
{
    for (size_t r = 0; r < t->spec->n_rows; r++) {
        const struct l2r_spec_row *row = &t->spec->rows[r];
        if (!t->row_shown[r] || (is != NULL && !some_in_row(t, r, is))) continue;
        fputs("| ", out);
        words(out, row->label);
        if (is == is_compared) {
            fputs(" − ", out);
            words(out, row->backbone);
        }
        fprintf(out, " |");
        for (size_t c = 0; c < t->spec->n_columns; c++)
            if (t->column_shown[c]) write(out, cell_at(t, r, c), t->metric[c]);
        fprintf(out, "\n");
    }
}

static bool some(const struct l2r_table *t, cell_test *is)
{
    for (size_t r = 0; r < t->spec->n_rows; r++)
        if (some_in_row(t, r, is)) return true;
    return false;
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
    bool has = false;
    for (size_t c = 0; c < t->spec->n_columns; c++) has = has || (t->column_shown[c] && t->has_baselines[c]);
    if (!has) return;
    fprintf(out, "\n## Without a model\n\nAccuracy and balanced accuracy in %% on the test graphs.\n\n");
    heading(out, t, "", false);
    baseline_row(out, t, "the largest class of the training graphs", offsetof(struct l2r_baselines, constant_train));
    baseline_row(out, t, "the largest class of the test graphs", offsetof(struct l2r_baselines, constant_test));
    baseline_row(out, t, "a threshold on the number of nodes, fitted in training",
                 offsetof(struct l2r_baselines, threshold));
    fprintf(out, "\n## Balanced accuracy in %%\n\n");
    heading(out, t, "", false);
    body(out, t, balanced_cell, NULL);
}

static void options(FILE *out, const json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        fputs(json_is_false(value) ? " `--no-" : " `--", out);
        code(out, key);
        if (!json_is_boolean(value)) fputc(' ', out);
        if (json_is_string(value)) code(out, json_string_value(value));
        if (json_is_integer(value)) fprintf(out, "%lld", (long long)json_integer_value(value));
        if (json_is_real(value)) fprintf(out, "%g", json_real_value(value));
        fputc('`', out);
    }
}

static bool is_set_apart(const struct l2r_table *t, size_t row)
{
    return t->row_shown[row] && json_object_size(t->spec->rows[row].at) > 0;
}

/* What a row's "at" says of each data set. */
static void settings(FILE *out, const struct l2r_table *t)
{
    const struct l2r_spec *spec = t->spec;
    bool head = false;
    for (size_t r = 0; r < spec->n_rows && !spec->quick; r++) {
        if (!is_set_apart(t, r)) continue;
        if (!head) {
            fprintf(out, "\n## Settings of one system on one data set\n\n");
            heading(out, t, "", false);
            head = true;
        }
        fputs("| ", out);
        words(out, spec->rows[r].label);
        fputs(" |", out);
        for (size_t c = 0; c < spec->n_columns; c++) {
            if (!t->column_shown[c]) continue;
            options(out, json_object_get(spec->rows[r].at, spec->columns[c].label));
            fprintf(out, " |");
        }
        fprintf(out, "\n");
    }
}

static void caption(FILE *out, const struct l2r_table *t)
{
    const struct l2r_spec *spec = t->spec;
    fprintf(out, "\nMean ± sample standard deviation over seeds; the best in bold; in brackets the published value.");
    if (spec->note != NULL) {
        fputc(' ', out);
        words(out, spec->note);
    }
    fprintf(out, "\n\nOptions:");
    json_t *merged = json_object(); /* --quick replaces one by one */
    json_object_update(merged, (json_t *)(uintptr_t)spec->options);
    json_object_update(merged, (json_t *)(uintptr_t)spec->quick_options);
    options(out, merged);
    json_decref(merged);
    for (size_t c = 0; c < spec->n_columns; c++) {
        if (!t->column_shown[c] || spec->columns[c].options == NULL) continue;
        fputs("; ", out);
        words(out, spec->columns[c].label);
        fputc(':', out);
        options(out, spec->columns[c].options);
    }
    for (size_t r = 0; r < spec->n_rows; r++) {
        if (!t->row_shown[r] || spec->rows[r].options == NULL) continue;
        fputs("; ", out);
        words(out, spec->rows[r].label);
        fputc(':', out);
        options(out, spec->rows[r].options);
    }
    if (t->set != NULL && *t->set != '\0') {
        fputs("; overridden on the command line: `", out);
        code(out, t->set);
        fputc('`', out);
    }
    fprintf(out, ".\n\nSeeds:");
    const char *gap = "";
    for (size_t c = 0; c < spec->n_columns; c++) {
        int64_t most = 0;
        for (size_t r = 0; r < spec->n_rows; r++)
            if (cell_at(t, r, c)->n > most) most = cell_at(t, r, c)->n;
        if (!t->column_shown[c]) continue;
        fprintf(out, "%s ", gap);
        words(out, spec->columns[c].label);
        fprintf(out, " %lld", (long long)most);
        gap = ",";
    }
    fprintf(out, ". %zu of %zu runs are done", t->n_done, t->n_planned);
    if (t->n_done > 0) {
        fprintf(out, ", %.2f hours of training in total, ", t->seconds / 3600);
        words(out, t->first);
        fputs(" to ", out);
        words(out, t->last);
        fputs(", l2r ", out);
        words(out, t->version);
        if (*t->vector != '\0') fputs(", ", out);
        words(out, t->vector);
    }
    fprintf(out, ".\n");
}

void l2r_table_title(FILE *out, const struct l2r_spec *spec)
{
    fputs("# ", out);
    words(out, spec->title);
    fputs("\n\n", out);
}

void l2r_table_markdown(FILE *out, const struct l2r_table *t)
{
    l2r_table_title(out, t->spec);
    if (t->spec->quick)
        fprintf(out, "The quick version: it checks that everything works; its numbers mean nothing.\n\n");
    heading(out, t, "", true);
    body(out, t, score_cell, NULL);
    caption(out, t);
    if (some(t, is_compared)) {
        fprintf(out,
                "\n## Difference from the backbone, seed by seed\n\nMean, its 95 %% interval (Student's t), and the "
                "mean in standard deviations of the system compared with. A control is compared with the system "
                "that it controls.\n\n");
        heading(out, t, "", true);
        body(out, t, gain_cell, is_compared);
    }
    if (some(t, has_selections)) {
        fprintf(out, "\n## Either selection\n\nTest scores at the epoch that id-valid, from where the training graphs "
                     "come from, chose, and at the one that valid, from elsewhere, chose; mean ± sd over seeds.\n\n");
        heading(out, t, "", true);
        body(out, t, selections_cell, has_selections);
    }
    if (some(t, has_best_test)) {
        fprintf(out,
                "\n## Best epoch on test (optimistic)\n\nThe best test score of all epochs, as some published code "
                "reports it: test graphs chose the epoch, so it is no estimate of anything.\n\n");
        heading(out, t, "", true);
        body(out, t, best_test_cell, has_best_test);
    }
    if (some(t, has_groups)) {
        fprintf(out,
                "\n## Worst group\n\nAccuracy in %% of the group, one class in one environment, where it is lowest; "
                "mean ± sd over seeds.\n\n");
        heading(out, t, "", false);
        body(out, t, worst_cell, has_groups);
    }
    baselines(out, t);
    if (some(t, is_weighted)) {
        fprintf(out, "\n## Effective sample size, and remaining share of the dependence\n\nMeans over epochs and "
                     "seeds.\n\n");
        heading(out, t, "", false);
        body(out, t, weights_cell, is_weighted);
    }
    fprintf(out, "\n## Seconds per run\n\n");
    heading(out, t, "", false);
    body(out, t, seconds_cell, NULL);
    settings(out, t);
}
