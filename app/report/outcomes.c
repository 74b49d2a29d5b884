/* SPDX-License-Identifier: MIT
 * See outcomes.h. */
#include "report/outcomes.h"

#include "base/memory.h"
#include "model/predictor.h"

#include <math.h>
#include <string.h>

/* The label of a task, or 1 and 0 for "is of class k". */
static float label_of(const struct l2r_run_scores *e, int32_t graph, int32_t column)
{
    const struct l2r_dataset *data = e->data;
    int64_t cell = (int64_t)graph * data->n_tasks + column;
    if (data->task != L2R_TASK_MULTICLASS)
        return data->bound != NULL && data->bound[cell] != 0 ? NAN : data->labels[cell];
    float label = data->labels[graph];
    return isnan(label) ? label
                        : (float)(data->class_value[(int64_t)label] == l2r_predictor_class(e->predictor, column));
}

/* Room for so many more rows. */
static bool grow(struct l2r_outcomes *o, int64_t more, int32_t choices)
{
    size_t n = (size_t)(o->n + more), cells = n * (size_t)o->columns;
    return l2r_reserve((void **)&o->p, &o->room[0], cells, sizeof *o->p) &&
           l2r_reserve((void **)&o->label, &o->room[1], cells, sizeof *o->label) &&
           l2r_reserve((void **)&o->graph, &o->room[2], n, sizeof *o->graph) &&
           (choices == 0 || l2r_reserve((void **)&o->choice, &o->room[3], n * (size_t)choices, sizeof *o->choice));
}

enum l2r_status l2r_outcomes_add(struct l2r_outcomes *outcomes, const struct l2r_run_scores *scores, int part,
                                 struct l2r_error *error)
{
    struct l2r_outcomes *o = outcomes;
    int64_t n = scores->output[part] != NULL ? l2r_split_size(&scores->split, part) : 0;
    const int32_t *graphs = l2r_split_part(&scores->split, part), *choice = scores->choice[part];
    o->columns = l2r_predictor_n_outputs(scores->predictor);
    if (n == 0) return L2R_OK;
    int32_t choices = choice == NULL ? 0 : scores->data->task == L2R_TASK_BINARY ? o->columns : 1;
    o->binary = scores->data->task == L2R_TASK_BINARY;
    if (!grow(o, n, choices)) return l2r_fail_memory(error, (size_t)n * sizeof *o->p, "predictions");
    for (int64_t i = 0; i < n; i++) {
        const float *row = scores->output[part] + i * o->columns;
        for (int32_t c = 0; c < o->columns; c++) {
            int64_t cell = (o->n + i) * o->columns + c;
            o->p[cell] = row[c];
            o->label[cell] = isfinite(row[c]) ? label_of(scores, graphs[i], c) : NAN;
        }
        o->graph[o->n + i] = graphs[i];
        for (int32_t c = 0; c < choices; c++) o->choice[(o->n + i) * choices + c] = choice[i * choices + c];
    }
    o->n += n;
    return L2R_OK;
}

void l2r_outcomes_clear(struct l2r_outcomes *outcomes)
{
    l2r_free(outcomes->p);
    l2r_free(outcomes->label);
    l2r_free(outcomes->choice);
    l2r_free(outcomes->graph);
    *outcomes = (struct l2r_outcomes){0};
}

void l2r_outcomes_column(float *p, float *label, const struct l2r_outcomes *outcomes, int32_t column)
{
    for (int64_t i = 0; i < outcomes->n; i++) {
        p[i] = outcomes->p[i * outcomes->columns + column];
        label[i] = outcomes->label[i * outcomes->columns + column];
    }
}

void l2r_outcomes_count(int64_t *count, const struct l2r_outcomes *outcomes, int32_t column, int32_t k)
{
    memset(count, 0, (size_t)(k * k) * sizeof *count);
    for (int64_t i = 0; i < outcomes->n; i++) {
        const float *label = outcomes->label + i * outcomes->columns;
        int32_t truth = -1, predicted = outcomes->choice[outcomes->binary ? i * outcomes->columns + column : i];
        for (int32_t c = 0; !outcomes->binary && c < k; c++)
            if (label[c] == 1) truth = c;
        if (outcomes->binary && !isnan(label[column])) truth = label[column] > 0;
        if (truth >= 0 && predicted >= 0) count[truth * k + predicted]++;
    }
}
