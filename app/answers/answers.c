/* SPDX-License-Identifier: MIT
 * See answers.h. */
#include "answers/answers.h"

#include "base/memory.h"
#include "io/csv.h"
#include "model/predictor.h"

#include <math.h>

enum l2r_status l2r_answers_make(struct l2r_answers *a, const struct l2r_question *q, int64_t n,
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
    if (q->task != L2R_TASK_REGRESSION)
        a->choice = l2r_alloc(q->task == L2R_TASK_BINARY ? cells : rows, sizeof(int32_t));
    a->coverage = q->coverage;
    a->by_spread = q->by_spread;
    if (a->output && (a->spread || !q->many) && (!q->measured || (a->distance && a->applicability && a->unseen)) &&
        (!q->bounded || (a->low && a->high)) && (a->choice || q->task == L2R_TASK_REGRESSION))
        return L2R_OK;
    return l2r_fail_memory(error, cells * sizeof(float), "predictions");
}

void l2r_answers_clear(struct l2r_answers *a)
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

/* One field of a row: its name and its value. */
struct cell {
    const char *stem, *suffix; /* of its name */
    int32_t k;                 /* task or class in the name; -1: none */
    enum { NOTHING, TEXT, NUMBER, INTEGER } kind;
    const char *text;
    float number;
    int64_t integer;
};

/* Where fields go: names to a CSV's header, values to its rows, or both to a JSON object. */
struct sink {
    const struct l2r_columns *columns;
    FILE *out;
    bool names;
    json_t *row; /* NULL: CSV */
};

/* "p", "p_3", "p_NR-AR": by class, by the task's name or by its number. */
static void name_cell(char *out, size_t size, const struct l2r_columns *columns, const struct cell *cell)
{
    const struct l2r_question *q = columns->question;
    const char *task = q->task != L2R_TASK_MULTICLASS ? l2r_predictor_task_name(q->model, cell->k)
                                                      : l2r_predictor_class_name(q->model, 0, cell->k);
    const char *model = q->together != NULL ? q->together : "";
    if ((q->n_outputs == 1 && (q->together == NULL || task == NULL)) || cell->k < 0)
        snprintf(out, size, "%s%s%s%s", columns->prefix, model, cell->stem, cell->suffix);
    else if (task != NULL)
        snprintf(out, size, "%s%s%s_%s%s", columns->prefix, model, cell->stem, task, cell->suffix);
    else
        snprintf(out, size, "%s%s%s_%lld%s", columns->prefix, model, cell->stem,
                 (long long)(q->task == L2R_TASK_MULTICLASS ? l2r_predictor_class(q->model, cell->k) : cell->k),
                 cell->suffix);
}

static void put(const struct sink *to, struct cell cell)
{
    char name[512] = "";
    if (cell.suffix == NULL) cell.suffix = "";
    if (to->names || to->row != NULL) name_cell(name, sizeof name, to->columns, &cell);
    if (to->row != NULL)
        json_object_set_new(to->row, name,
                            cell.kind == TEXT      ? l2r_json_name(cell.text)
                            : cell.kind == NUMBER  ? l2r_json_real((double)cell.number)
                            : cell.kind == INTEGER ? json_integer(cell.integer)
                                                   : json_null());
    else if (to->names)
        l2r_csv_write_text(to->out, to->columns->delimiter, name);
    else if (cell.kind == NUMBER)
        l2r_csv_write_float(to->out, to->columns->delimiter, cell.number);
    else if (cell.kind == INTEGER)
        fprintf(to->out, "%c%lld", to->columns->delimiter, (long long)cell.integer);
    else
        l2r_csv_write_text(to->out, to->columns->delimiter, cell.kind == TEXT ? cell.text : "");
}

/* values [n_outputs]; NULL: empty fields. A value that is not finite, where validation graphs were too few for an
 * interval of this coverage, leaves its field empty. */
static void put_values(const struct sink *to, const char *stem, const char *suffix, const float *values)
{
    for (int32_t k = 0; k < to->columns->question->n_outputs; k++)
        put(to, (struct cell){.stem = stem,
                              .suffix = suffix,
                              .k = k,
                              .kind = values != NULL && isfinite(values[k]) ? NUMBER : NOTHING,
                              .number = values != NULL ? values[k] : 0});
}

/* The class that is predicted (l2r_decide): its word, or the source's integer. */
static void put_classes(const struct sink *to, const struct l2r_answers *answers, int64_t i)
{
    const struct l2r_question *q = to->columns->question;
    struct cell cell = {.stem = "class", .k = -1};
    if (q->task == L2R_TASK_MULTICLASS) {
        int32_t choice = answers != NULL ? answers->choice[i] : 0;
        cell.text = l2r_predictor_class_name(q->model, 0, choice);
        cell.integer = l2r_predictor_class(q->model, choice);
        cell.kind = answers == NULL ? NOTHING : cell.text != NULL ? TEXT : INTEGER;
        put(to, cell);
    }
    for (int32_t k = 0; q->task == L2R_TASK_BINARY && k < q->n_outputs; k++) {
        int32_t choice = answers != NULL ? answers->choice[i * q->n_outputs + k] : -1;
        cell.k = k;
        cell.text = l2r_predictor_class_name(q->model, k, choice == 1);
        cell.integer = choice;
        cell.kind = choice < 0 ? NOTHING : cell.text != NULL ? TEXT : INTEGER;
        put(to, cell);
    }
}

static void put_output(const struct sink *to, const struct l2r_answers *answers, int64_t i)
{
    const struct l2r_question *q = to->columns->question;
    const char *stem = q->task == L2R_TASK_REGRESSION ? "value" : q->logits ? "logit" : "p";
    int64_t first = i * q->n_outputs;
    put_classes(to, answers, i);
    put_values(to, stem, "", answers != NULL ? answers->output + first : NULL);
    if (q->many) put_values(to, stem, "_sd", answers != NULL ? answers->spread + first : NULL);
    if (q->bounded) put_values(to, stem, "_low", answers != NULL ? answers->low + first : NULL);
    if (q->bounded) put_values(to, stem, "_high", answers != NULL ? answers->high + first : NULL);
}

static void put_domain(const struct sink *to, const struct l2r_answers *answers, int64_t i)
{
    char unseen[64] = "";
    if (!to->columns->question->measured) return;
    if (answers != NULL)
        l2r_predictor_category(unseen, sizeof unseen, to->columns->question->model, answers->unseen[i]);
    struct cell cell = {.stem = "distance", .k = -1, .kind = answers != NULL ? NUMBER : NOTHING};
    if (answers != NULL) cell.number = answers->distance[i];
    put(to, cell);
    cell.stem = "applicability";
    if (answers != NULL) cell.number = answers->applicability[i];
    put(to, cell);
    put(to, (struct cell){.stem = "unseen", .k = -1, .kind = *unseen ? TEXT : NOTHING, .text = unseen});
}

void l2r_columns_output_names(FILE *out, const struct l2r_columns *columns)
{
    put_output(&(struct sink){.columns = columns, .out = out, .names = true}, NULL, 0);
}

void l2r_columns_domain_names(FILE *out, const struct l2r_columns *columns)
{
    put_domain(&(struct sink){.columns = columns, .out = out, .names = true}, NULL, 0);
}

void l2r_columns_output(FILE *out, const struct l2r_columns *columns, const struct l2r_answers *answers, int64_t i)
{
    put_output(&(struct sink){.columns = columns, .out = out}, answers, i);
}

void l2r_columns_domain(FILE *out, const struct l2r_columns *columns, const struct l2r_answers *answers, int64_t i)
{
    put_domain(&(struct sink){.columns = columns, .out = out}, answers, i);
}

void l2r_columns_json(json_t *row, const struct l2r_columns *columns, const struct l2r_answers *answers, int64_t i,
                      const char *problem)
{
    const struct sink to = {.columns = columns, .row = row};
    put_output(&to, answers, i);
    put_domain(&to, answers, i);
    put(&to, (struct cell){.stem = "problem", .k = -1, .kind = problem != NULL ? TEXT : NOTHING, .text = problem});
}

void l2r_json_line(FILE *out, json_t *row)
{
    if (row != NULL) json_dumpf(row, out, JSON_COMPACT | JSON_REAL_PRECISION(9));
    fputc('\n', out);
    json_decref(row);
}

bool l2r_answers_are_finite(const struct l2r_answers *answers, const struct l2r_question *q, int64_t i)
{
    int64_t n = q->n_outputs;
    bool apart = false; /* by more than a number holds; the spread of a single model is NaN, which is no problem */
    for (int64_t k = 0; q->many && k < n; k++) apart = apart || isinf(answers->spread[i * n + k]);
    return !apart && l2r_all_finite(answers->output + i * n, n) &&
           (!q->measured || l2r_all_finite(answers->distance + i, 1));
}
