/* SPDX-License-Identifier: MIT
 *
 * See predictor.h: predictions and scores. Every call checks the graphs that it is given, translates them into the
 * model's own numbers (the signature's view) and scores them (model/committee.h). */
#include "model/predictor_state.h"

#include "metrics/probability.h"
#include "model/group_scores.h"
#include "model/scored.h"

#include <math.h>

enum l2r_task l2r_predictor_task(const struct l2r_predictor *p)
{
    return p ? l2r_predictor_signature(p)->task : L2R_TASK_MULTICLASS;
}

int32_t l2r_predictor_n_outputs(const struct l2r_predictor *p)
{
    return p ? l2r_signature_outputs(l2r_predictor_signature(p)) : 0;
}

const char *l2r_predictor_class_name(const struct l2r_predictor *p, int32_t task, int32_t k)
{
    return p ? l2r_signature_class_name(l2r_predictor_signature(p), task, k) : NULL;
}

int64_t l2r_predictor_class(const struct l2r_predictor *p, int32_t k)
{
    bool there =
        p && l2r_predictor_signature(p)->task == L2R_TASK_MULTICLASS && k >= 0 && k < l2r_predictor_n_outputs(p);
    return there ? l2r_predictor_signature(p)->class_value[k] : INT64_MIN;
}

int32_t l2r_predictor_width(const struct l2r_predictor *p)
{
    return p ? (int32_t)p->committee.members[0]->width : 0;
}

/* The arguments of every call about graphs of a data set. */
static enum l2r_status check_graphs(const struct l2r_predictor *p, const struct l2r_dataset *data,
                                    const int32_t *graphs, int64_t n, struct l2r_error *error)
{
    if (!p || !data || (!graphs && n > 0))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", !p ? "predictor" : !data ? "data" : "graphs");
    if (n < 0) return l2r_fail(error, L2R_ERR_ARGUMENT, "n = %lld; expected a number of graphs", (long long)n);
    for (int64_t i = 0; i < n; i++)
        if (graphs[i] < 0 || graphs[i] >= data->n_graphs)
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "graphs[%lld] = %d; expected 0 … %lld (the data set has %lld graphs)", (long long)i,
                            (int)graphs[i], (long long)data->n_graphs - 1, (long long)data->n_graphs);
    return L2R_OK;
}

const char l2r_not_finite[] = "the model's output for it is not a finite number";

bool l2r_all_finite(const float *values, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

/* values [n × columns] */
static enum l2r_status check_finite(const float *values, int32_t columns, const char *what, const int32_t *graphs,
                                    int64_t n, struct l2r_error *error)
{
    for (int64_t i = 0; values && i < n * columns; i++)
        if (!isfinite(values[i]))
            return l2r_fail(error, L2R_ERR_DIVERGED,
                            "%s %d of graph %d is %g, not a finite number; its input or the model's parameters are too "
                            "large",
                            what, (int)(i % columns), (int)graphs[i / columns], (double)values[i]);
    return L2R_OK;
}

enum l2r_status l2r_predictor_represent(float *output, float *z, struct l2r_predictor *p,
                                        const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_committee_rows rows = {.output = output, .z = z};
    L2R_TRY(l2r_predictor_rows(&rows, p, data, graphs, n, error));
    L2R_TRY(check_finite(output, l2r_predictor_n_outputs(p), "output", graphs, n, error));
    L2R_TRY(check_finite(z, l2r_predictor_width(p), "number", graphs, n, error));
done:
    return status;
}

enum l2r_status l2r_predictor_rows(const struct l2r_committee_rows *to, struct l2r_predictor *p,
                                   const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset view;
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    L2R_TRY(check_graphs(p, data, graphs, n, error));
    L2R_TRY(l2r_signature_view(&view, &arena, l2r_predictor_signature(p), data, error));
    L2R_TRY(l2r_committee_score(to, &p->committee, &p->tape, &view, graphs, n, p->batch_size, error));
done:
    l2r_arena_clear(&arena);
    return status;
}

void l2r_predictor_probabilities(float *output, const struct l2r_predictor *p, int64_t n)
{
    if (output) l2r_probabilities(output, l2r_predictor_task(p), n, l2r_predictor_n_outputs(p));
}

/* Class names that the model does not have become missing labels. A column with no other names, or with one of two
 * names missing, is refused: a score of the rest would measure something else. */
static enum l2r_status check_words(const struct l2r_signature *s, const struct l2r_dataset *view,
                                   const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                   struct l2r_error *error)
{
    bool binary = s->task == L2R_TASK_BINARY;
    int64_t known = 0;
    const char *unknown = NULL;
    int32_t task = 0;
    if (s->task == L2R_TASK_REGRESSION || !data->class_names) return L2R_OK;
    for (int64_t i = 0; i < n; i++)
        for (int32_t t = 0; t < data->n_tasks; t++) {
            int64_t cell = (int64_t)graphs[i] * data->n_tasks + t;
            known += !isnan(view->labels[cell]);
            if (unknown || isnan(data->labels[cell]) || !isnan(view->labels[cell])) continue;
            unknown = l2r_dataset_class_name(data, t, (int32_t)data->labels[cell]);
            task = t;
        }
    if (!unknown || (!binary && known > 0)) return L2R_OK;
    const char *first = l2r_signature_class_name(s, task, 0), *second = l2r_signature_class_name(s, task, 1);
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "\"%.60s\" is no class of the model, which has \"%.60s\", \"%.60s\"%s; rename the labels to match",
                    unknown, first ? first : "0", second ? second : "1", binary || s->n_classes == 2 ? "" : ", …");
}

enum l2r_status l2r_predictor_scored(struct l2r_scored *scored, struct l2r_predictor *p, const struct l2r_dataset *data,
                                     const int32_t *graphs, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset view;
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    L2R_TRY(check_graphs(p, data, graphs, n, error));
    const struct l2r_signature *s = l2r_predictor_signature(p);
    if (s->task != data->task || s->n_tasks != data->n_tasks)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "the model was trained on a %s task with %d label columns, the data has a %s task with %d",
                 l2r_task_name(s->task), s->n_tasks, l2r_task_name(data->task), data->n_tasks);
    L2R_TRY(l2r_signature_view(&view, &arena, s, data, error));
    L2R_TRY(check_words(s, &view, data, graphs, n, error));
    L2R_TRY(l2r_scored_make(scored, &p->committee, &p->tape, &view, graphs, n, p->batch_size, error));
done:
    l2r_arena_clear(&arena);
    return status;
}

enum l2r_status l2r_predictor_report_members(json_t *report, struct l2r_predictor *p, const struct l2r_dataset *data,
                                             const int32_t *graphs, int64_t n, const char *metrics,
                                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset view;
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    L2R_TRY(l2r_signature_view(&view, &arena, l2r_predictor_signature(p), data, error));
    L2R_TRY(l2r_report_members(report, &p->committee, &p->tape, &view, graphs, n, p->batch_size, metrics, error));
done:
    l2r_arena_clear(&arena);
    return status;
}

enum l2r_status l2r_predictor_report(json_t **report, struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                     const int32_t *graphs, int64_t n, const char *metrics, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_scored scored = {0};
    *report = NULL;
    L2R_TRY(l2r_predictor_scored(&scored, predictor, data, graphs, n, error));
    L2R_TRY(l2r_scored_report(report, &scored, metrics, error));
    L2R_TRY(l2r_report_groups(*report, &scored, data, graphs, n, error));
    L2R_TRY(l2r_predictor_report_members(*report, predictor, data, graphs, n, metrics, error));
done:
    if (status != L2R_OK) {
        json_decref(*report);
        *report = NULL;
    }
    l2r_scored_clear(&scored);
    return status;
}

enum l2r_status l2r_predictor_half_widths(double *half, const struct l2r_predictor *p, double coverage,
                                          struct l2r_error *error)
{
    const struct l2r_calibration *c = p->committee.calibration;
    if (l2r_predictor_task(p) != L2R_TASK_REGRESSION)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "a %s task has probabilities, not intervals",
                        l2r_task_name(l2r_predictor_task(p)));
    if (!c || c->n_residuals == 0)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "%s has no intervals: it was trained without validation graphs, or by an older version",
                        p->checkpoint);
    if (isnan(coverage)) coverage = c->coverage;
    if (!(coverage > 0 && coverage < 1))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "coverage = %g; expected a number between 0 and 1", coverage);
    for (int32_t k = 0; k < c->n_residuals; k++) half[k] = l2r_residuals_half(&c->residuals[k], coverage);
    return L2R_OK;
}

enum l2r_status l2r_predictor_unseen(int32_t *unseen, const struct l2r_predictor *p, const struct l2r_dataset *data,
                                     const int32_t *graphs, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset view;
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    L2R_TRY(check_graphs(p, data, graphs, n, error));
    L2R_TRY(l2r_signature_view(&view, &arena, l2r_predictor_signature(p), data, error));
    L2R_TRY(l2r_signature_unseen(unseen, l2r_predictor_signature(p), &view, graphs, n, error));
done:
    l2r_arena_clear(&arena);
    return status;
}

void l2r_predictor_category(char *out, size_t size, const struct l2r_predictor *p, int32_t category)
{
    if (out && size > 0) out[0] = '\0';
    if (p && out) l2r_signature_category_text(out, size, l2r_predictor_signature(p), category);
}
