/* SPDX-License-Identifier: MIT
 * See table.h: tables for programs and for papers.
 *
 *     CSV     one line a cell with everything that is known of it; empty fields where there is nothing
 *     LaTeX   the main table, with the packages booktabs and xcolor; the paper's values are grey
 */
#include "reproduce/table.h"

#include "io/csv.h"

#include <math.h>
#include <string.h>

static void field(FILE *out, double value)
{
    char number[32];
    fputc(',', out);
    if (isnan(value)) return;
    l2r_json_number(number, value);
    fputs(number, out);
}

static void line(FILE *out, const struct l2r_spec_row *row, const char *column, const char *metric,
                 const struct l2r_cell *cell)
{
    const char *const texts[] = {column, row->model, row->method, metric};
    l2r_csv_write_first(out, ',', row->label);
    for (int i = 0; i < 4; i++) l2r_csv_write_text(out, ',', texts[i]);
    fprintf(out, ",%lld", (long long)cell->n);
    field(out, cell->mean);
    field(out, cell->sd);
    field(out, cell->valid);
    field(out, cell->paper);
    field(out, cell->paper_sd);
    l2r_csv_write_text(out, ',', row->backbone != NULL ? row->backbone : "");
    fprintf(out, ",%lld", (long long)cell->gain.n);
    field(out, cell->gain.n > 0 ? cell->gain.mean : (double)NAN);
    field(out, cell->gain.n > 1 ? cell->gain.low : (double)NAN);
    field(out, cell->gain.n > 1 ? cell->gain.high : (double)NAN);
    field(out, cell->gain.n > 1 ? cell->gain_in_sd : (double)NAN);
    field(out, cell->balanced);
    field(out, cell->balanced_sd);
    field(out, cell->ess);
    field(out, cell->dependence_left);
    fprintf(out, ",%lld", (long long)cell->parameters);
    field(out, cell->seconds);
    field(out, cell->worst);
    field(out, cell->worst_sd);
    field(out, cell->by_id);
    field(out, cell->by_ood);
    field(out, cell->best_test);
    fputc('\n', out);
}

void l2r_table_csv(FILE *out, const struct l2r_table *t)
{
    fputs("system,set,model,method,metric,seeds,mean,sd,valid,paper,paper_sd,backbone,pairs,gain,gain_low,gain_high,"
          "gain_in_sd,"
          "balanced_accuracy,balanced_accuracy_sd,ess,dependence_left,parameters,seconds,worst_group,worst_group_sd,"
          "test_by_id_valid,test_by_ood_valid,best_on_test\n",
          out);
    for (size_t r = 0; r < t->spec->n_rows; r++)
        for (size_t c = 0; c < t->spec->n_columns; c++)
            if (t->row_shown[r] && t->column_shown[c])
                line(out, &t->spec->rows[r], t->spec->columns[c].label, t->metric[c],
                     &t->cells[r * t->spec->n_columns + c]);
}

/* ---- LaTeX ---- */

/* Text that TeX sets and never obeys. A comment ends with its line; specs have no line breaks (spec.c). */
static void escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *name = *text == '\\'  ? "\\textbackslash{}"
                           : *text == '^' ? "\\textasciicircum{}"
                           : *text == '~' ? "\\textasciitilde{}"
                                          : NULL;
        if (strchr("&%$#_{}", *text) != NULL) fputc('\\', out);
        if (name != NULL)
            fputs(name, out);
        else
            fputc(*text, out);
    }
}

static void score(FILE *out, const struct l2r_cell *cell, int digits)
{
    fprintf(out, " & ");
    if (cell->n == 0)
        fprintf(out, "--");
    else if (cell->n == 1)
        fprintf(out, cell->best ? "$\\mathbf{%.*f}$" : "$%.*f$", digits, cell->mean);
    else
        fprintf(out, cell->best ? "$\\mathbf{%.*f \\pm %.*f}$" : "$%.*f \\pm %.*f$", digits, cell->mean, digits,
                cell->sd);
    if (isnan(cell->paper)) return;
    fprintf(out, " \\textcolor{gray}{\\small $%g", cell->paper);
    if (!isnan(cell->paper_sd)) fprintf(out, " \\pm %g", cell->paper_sd);
    fputs("$}", out);
}

static void gain(FILE *out, const struct l2r_cell *cell, int digits)
{
    fprintf(out, " & ");
    if (cell->gain.n == 0)
        fprintf(out, "--");
    else if (cell->gain.n == 1)
        fprintf(out, "$%+.*f$", digits, cell->gain.mean);
    else
        fprintf(out, "$%+.*f$ {\\small $[%+.*f, %+.*f]$}", digits, cell->gain.mean, digits, cell->gain.low, digits,
                cell->gain.high);
}

static void rows(FILE *out, const struct l2r_table *t, bool gains)
{
    for (size_t r = 0; r < t->spec->n_rows; r++) {
        const struct l2r_spec_row *row = &t->spec->rows[r];
        if (!t->row_shown[r] || (gains && row->backbone == NULL)) continue;
        escaped(out, row->label);
        if (gains) {
            fprintf(out, " $-$ ");
            escaped(out, row->backbone);
        }
        for (size_t c = 0; c < t->spec->n_columns; c++) {
            const struct l2r_cell *cell = &t->cells[r * t->spec->n_columns + c];
            if (t->column_shown[c]) (gains ? gain : score)(out, cell, l2r_table_digits(t->metric[c]));
        }
        fprintf(out, " \\\\\n");
    }
}

void l2r_table_latex(FILE *out, const struct l2r_table *t)
{
    fprintf(out, "%% \\usepackage{booktabs,xcolor}\n\\begin{tabular}{l");
    for (size_t c = 0; c < t->spec->n_columns; c++)
        if (t->column_shown[c]) fputc('r', out);
    fprintf(out, "}\n\\toprule\n");
    for (size_t c = 0; c < t->spec->n_columns; c++) {
        if (!t->column_shown[c]) continue;
        fprintf(out, " & ");
        escaped(out, t->spec->columns[c].label);
    }
    fprintf(out, " \\\\\n\\midrule\n");
    rows(out, t, false);
    fprintf(out, "\\midrule\n");
    rows(out, t, true);
    fprintf(out, "\\bottomrule\n\\end{tabular}\n%% ");
    fprintf(out,
            "%s. Mean and standard deviation over seeds; grey: the paper; differences seed by seed with 95 %% "
            "intervals.\n",
            t->spec->title);
}
