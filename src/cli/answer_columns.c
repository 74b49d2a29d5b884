/* SPDX-License-Identifier: MIT
 * See answer_columns.h. */
#include "cli/answer_columns.h"

#include "cli/csv.h"

static void names(FILE *out, const struct cli_columns *columns, const char *suffix)
{
    const struct l2r_committee *c = columns->committee;
    bool classes = c->task == L2R_TASK_MULTICLASS;
    const char *name = c->task == L2R_TASK_REGRESSION ? "value" : c->logits ? "logit" : "p";
    for (int32_t k = 0; k < c->n_outputs; k++) {
        fprintf(out, "%c%s", columns->delimiter, name);
        if (c->n_outputs > 1) fprintf(out, "_%lld", (long long)(classes ? l2r_predictor_class(c->models[0], k) : k));
        fputs(suffix, out);
    }
}

void cli_columns_output_names(FILE *out, const struct cli_columns *columns)
{
    if (columns->committee->task == L2R_TASK_MULTICLASS) fprintf(out, "%cclass", columns->delimiter);
    names(out, columns, "");
    if (columns->committee->n_models > 1) names(out, columns, "_sd");
}

void cli_columns_domain_names(FILE *out, const struct cli_columns *columns)
{
    if (columns->committee->has_domain)
        fprintf(out, "%cdistance%capplicability", columns->delimiter, columns->delimiter);
}

static int32_t largest(const float *values, int32_t n)
{
    int32_t best = 0;
    for (int32_t k = 1; k < n; k++)
        if (values[k] > values[best]) best = k;
    return best;
}

static void empty(FILE *out, const struct cli_columns *columns, int32_t n)
{
    for (int32_t k = 0; k < n; k++) fputc(columns->delimiter, out);
}

void cli_columns_output(FILE *out, const struct cli_columns *columns, const struct l2r_answers *answers, int64_t i)
{
    const struct l2r_committee *c = columns->committee;
    bool classes = c->task == L2R_TASK_MULTICLASS, many = c->n_models > 1;
    int32_t n = c->n_outputs;
    if (answers == NULL) {
        empty(out, columns, n * (many ? 2 : 1) + (classes ? 1 : 0));
        return;
    }
    const float *row = answers->output + i * n;
    if (classes)
        fprintf(out, "%c%lld", columns->delimiter, (long long)l2r_predictor_class(c->models[0], largest(row, n)));
    for (int32_t k = 0; k < n; k++) cli_csv_field(out, columns->delimiter, row[k]);
    for (int32_t k = 0; many && k < n; k++) cli_csv_field(out, columns->delimiter, answers->spread[i * n + k]);
}

void cli_columns_domain(FILE *out, const struct cli_columns *columns, const struct l2r_answers *answers, int64_t i)
{
    if (!columns->committee->has_domain) return;
    if (answers == NULL) {
        empty(out, columns, 2);
        return;
    }
    cli_csv_field(out, columns->delimiter, answers->distance[i]);
    cli_csv_field(out, columns->delimiter, answers->applicability[i]);
}
