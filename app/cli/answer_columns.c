/* SPDX-License-Identifier: MIT
 * See answer_columns.h. */
#include "cli/answer_columns.h"

#include "io/csv.h"

#include <math.h>

/* "p", "p_3", "p_NR-AR": by class, by the task's name or by its number. */
static void name_column(char *out, size_t size, const struct cli_columns *columns, int32_t k, const char *suffix)
{
    const struct l2r_committee *c = columns->committee;
    const char *name = c->task == L2R_TASK_REGRESSION ? "value" : c->logits ? "logit" : "p";
    const char *task = c->task != L2R_TASK_MULTICLASS ? l2r_predictor_task_name(c->models[0], k) : NULL;
    if (c->n_outputs == 1)
        snprintf(out, size, "%s%s%s", columns->prefix, name, suffix);
    else if (task != NULL)
        snprintf(out, size, "%s%s_%s%s", columns->prefix, name, task, suffix);
    else
        snprintf(out, size, "%s%s_%lld%s", columns->prefix, name,
                 (long long)(c->task == L2R_TASK_MULTICLASS ? l2r_predictor_class(c->models[0], k) : k), suffix);
}

static void names(FILE *out, const struct cli_columns *columns, const char *suffix)
{
    char name[512];
    for (int32_t k = 0; k < columns->committee->n_outputs; k++) {
        name_column(name, sizeof name, columns, k, suffix);
        l2r_csv_write_text(out, columns->delimiter, name);
    }
}

void cli_columns_output_names(FILE *out, const struct cli_columns *columns)
{
    if (columns->committee->task == L2R_TASK_MULTICLASS) fprintf(out, "%c%sclass", columns->delimiter, columns->prefix);
    names(out, columns, "");
    if (columns->committee->n_models > 1) names(out, columns, "_sd");
}

void cli_columns_domain_names(FILE *out, const struct cli_columns *columns)
{
    if (columns->committee->has_domain)
        fprintf(out, "%c%sdistance%c%sapplicability", columns->delimiter, columns->prefix, columns->delimiter,
                columns->prefix);
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
    for (int32_t k = 0; k < n; k++) l2r_csv_write_float(out, columns->delimiter, row[k]);
    for (int32_t k = 0; many && k < n; k++) l2r_csv_write_float(out, columns->delimiter, answers->spread[i * n + k]);
}

void cli_columns_domain(FILE *out, const struct cli_columns *columns, const struct l2r_answers *answers, int64_t i)
{
    if (!columns->committee->has_domain) return;
    if (answers == NULL) {
        empty(out, columns, 2);
        return;
    }
    l2r_csv_write_float(out, columns->delimiter, answers->distance[i]);
    l2r_csv_write_float(out, columns->delimiter, answers->applicability[i]);
}

void cli_label_field(FILE *out, const struct l2r_dataset *data, int64_t graph, int32_t task)
{
    float label = data->labels[graph * data->n_tasks + task];
    if (isnan(label))
        fputc(',', out);
    else if (data->task == L2R_TASK_MULTICLASS)
        fprintf(out, ",%lld", (long long)data->class_value[(int32_t)label]);
    else
        l2r_csv_write_float(out, ',', label);
}
