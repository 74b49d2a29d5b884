/* SPDX-License-Identifier: MIT
 * See answers.h. */
#include "cli/answers.h"

#include "base/memory.h"
#include "io/csv.h"
#include "predict/predictor.h"

#include <math.h>

enum l2r_status cli_answers_make(struct l2r_answers *a, const struct cli_question *q, int64_t n,
                                 struct l2r_error *error)
{
    size_t rows = (size_t)n, cells = rows * (size_t)q->n_outputs;
    *a = (struct l2r_answers)L2R_ANSWERS_INIT;
    a->logits = q->logits;
    a->comm = q->comm;
    a->output = l2r_alloc(cells, sizeof(float));
    if (q->many) a->spread = l2r_alloc(cells, sizeof(float));
    if (q->measured) a->distance = l2r_alloc(rows, sizeof(float));
    if (q->measured) a->applicability = l2r_alloc(rows, sizeof(float));
    if (q->measured) a->unseen = l2r_alloc(rows, sizeof(int32_t));
    if (q->bounded) a->low = l2r_alloc(cells, sizeof(float));
    if (q->bounded) a->high = l2r_alloc(cells, sizeof(float));
    if (q->task == L2R_TASK_MULTICLASS) a->choice = l2r_alloc(rows, sizeof(int32_t));
    a->coverage = q->coverage;
    if (a->output && (a->spread || !q->many) && (!q->measured || (a->distance && a->applicability && a->unseen)) &&
        (!q->bounded || (a->low && a->high)) && (a->choice || q->task != L2R_TASK_MULTICLASS))
        return L2R_OK;
    return l2r_fail_memory(error, cells * sizeof(float), "predictions");
}

void cli_answers_clear(struct l2r_answers *a)
{
    l2r_free(a->output);
    l2r_free(a->spread);
    l2r_free(a->distance);
    l2r_free(a->applicability);
    l2r_free(a->unseen);
    l2r_free(a->low);
    l2r_free(a->high);
    l2r_free(a->choice);
}

/* "p", "p_3", "p_NR-AR": by class, by the task's name or by its number. */
static void name_column(char *out, size_t size, const struct cli_columns *columns, int32_t k, const char *suffix)
{
    const struct cli_question *q = columns->question;
    const char *name = q->task == L2R_TASK_REGRESSION ? "value" : q->logits ? "logit" : "p";
    const char *task = q->task != L2R_TASK_MULTICLASS ? l2r_predictor_task_name(q->model, k) : NULL;
    if (q->n_outputs == 1)
        snprintf(out, size, "%s%s%s", columns->prefix, name, suffix);
    else if (task != NULL)
        snprintf(out, size, "%s%s_%s%s", columns->prefix, name, task, suffix);
    else
        snprintf(out, size, "%s%s_%lld%s", columns->prefix, name,
                 (long long)(q->task == L2R_TASK_MULTICLASS ? l2r_predictor_class(q->model, k) : k), suffix);
}

static void names(FILE *out, const struct cli_columns *columns, const char *suffix)
{
    char name[512];
    for (int32_t k = 0; k < columns->question->n_outputs; k++) {
        name_column(name, sizeof name, columns, k, suffix);
        l2r_csv_write_text(out, columns->delimiter, name);
    }
}

void cli_columns_output_names(FILE *out, const struct cli_columns *columns)
{
    if (columns->question->task == L2R_TASK_MULTICLASS) fprintf(out, "%c%sclass", columns->delimiter, columns->prefix);
    names(out, columns, "");
    if (columns->question->many) names(out, columns, "_sd");
    if (columns->question->bounded) names(out, columns, "_low");
    if (columns->question->bounded) names(out, columns, "_high");
}

void cli_columns_domain_names(FILE *out, const struct cli_columns *columns)
{
    if (columns->question->measured)
        fprintf(out, "%c%sdistance%c%sapplicability%c%sunseen", columns->delimiter, columns->prefix, columns->delimiter,
                columns->prefix, columns->delimiter, columns->prefix);
}

static void empty(FILE *out, const struct cli_columns *columns, int32_t n)
{
    for (int32_t k = 0; k < n; k++) fputc(columns->delimiter, out);
}

/* Empty where validation graphs were too few for an interval of this coverage. */
static void write_bounds(FILE *out, const struct cli_columns *columns, const float *row)
{
    for (int32_t k = 0; k < columns->question->n_outputs; k++) {
        if (isfinite(row[k]))
            l2r_csv_write_float(out, columns->delimiter, row[k]);
        else
            fputc(columns->delimiter, out);
    }
}

void cli_columns_output(FILE *out, const struct cli_columns *columns, const struct l2r_answers *answers, int64_t i)
{
    const struct cli_question *q = columns->question;
    bool classes = q->task == L2R_TASK_MULTICLASS, many = q->many;
    int32_t n = q->n_outputs;
    if (answers == NULL) {
        empty(out, columns, n * (1 + (many ? 1 : 0) + (q->bounded ? 2 : 0)) + (classes ? 1 : 0));
        return;
    }
    const float *row = answers->output + i * n;
    if (classes)
        fprintf(out, "%c%lld", columns->delimiter, (long long)l2r_predictor_class(q->model, answers->choice[i]));
    for (int32_t k = 0; k < n; k++) l2r_csv_write_float(out, columns->delimiter, row[k]);
    for (int32_t k = 0; many && k < n; k++) l2r_csv_write_float(out, columns->delimiter, answers->spread[i * n + k]);
    if (q->bounded) write_bounds(out, columns, answers->low + i * n);
    if (q->bounded) write_bounds(out, columns, answers->high + i * n);
}

void cli_columns_domain(FILE *out, const struct cli_columns *columns, const struct l2r_answers *answers, int64_t i)
{
    if (!columns->question->measured) return;
    if (answers == NULL) {
        empty(out, columns, 3);
        return;
    }
    l2r_csv_write_float(out, columns->delimiter, answers->distance[i]);
    l2r_csv_write_float(out, columns->delimiter, answers->applicability[i]);
    char unseen[64];
    l2r_predictor_category(unseen, sizeof unseen, columns->question->model, answers->unseen[i]);
    l2r_csv_write_text(out, columns->delimiter, unseen);
}

bool cli_answers_are_finite(const struct l2r_answers *answers, const struct cli_question *q, int64_t i)
{
    int64_t n = q->n_outputs;
    return l2r_all_finite(answers->output + i * n, n) && (!q->many || l2r_all_finite(answers->spread + i * n, n)) &&
           (!q->measured || l2r_all_finite(answers->distance + i, 1));
}
