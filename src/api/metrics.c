/* SPDX-License-Identifier: MIT
 * The public calls of l2r/metrics.h. */
#include <l2r/metrics.h>

#include "base/memory.h"
#include "base/misuse.h"
#include "metrics/metrics.h"

#include <math.h>

enum { MOST_COLUMNS = 1 << 20 };

static enum l2r_status find(const struct l2r_metric **metric, const char *name, struct l2r_error *error)
{
    *metric = name ? l2r_metric_find(name) : NULL;
    if (*metric) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    name ? "there is no metric \"%.60s\"; the registry L2R_METRICS has them all" : "metric is NULL",
                    name);
}

enum l2r_status l2r_metric_describe(struct l2r_metric_info *info, const char *metric, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_metric *m;
    L2R_TRY(find(&m, metric, error));
    const struct l2r_metric_info own = {.name = m->name,
                                        .title = m->title,
                                        .higher_is_better = m->higher_is_better,
                                        .for_multiclass = l2r_metric_suits(m, L2R_TASK_MULTICLASS),
                                        .for_binary = l2r_metric_suits(m, L2R_TASK_BINARY),
                                        .for_regression = l2r_metric_suits(m, L2R_TASK_REGRESSION),
                                        .for_several = !m->units,
                                        .needs = m->needs};
    L2R_TRY(l2r_struct_give(info, &own, sizeof own, "info", error));
done:
    return status;
}

const char *l2r_metric_for(enum l2r_task task, int32_t n_tasks)
{
    bool known = (int)task >= L2R_TASK_MULTICLASS && (int)task <= L2R_TASK_REGRESSION;
    return known ? l2r_metric_default(task, n_tasks)->name : NULL;
}

static enum l2r_status check(const struct l2r_scored *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool several = s->task == L2R_TASK_MULTICLASS;
    if ((int)s->task < L2R_TASK_MULTICLASS || (int)s->task > L2R_TASK_REGRESSION)
        L2R_FAIL(L2R_ERR_ARGUMENT, "scored.task = %d is no task", (int)s->task);
    if (s->n_rows < 1 || s->n_rows >= INT32_MAX)
        L2R_FAIL(L2R_ERR_ARGUMENT, "scored.n_rows = %lld; expected 1 … %d", (long long)s->n_rows, INT32_MAX - 1);
    if (s->n_tasks < 1 || s->n_tasks > MOST_COLUMNS)
        L2R_FAIL(L2R_ERR_ARGUMENT, "scored.n_tasks = %d; expected 1 … %d", (int)s->n_tasks, MOST_COLUMNS);
    if (several && (s->n_classes < 2 || s->n_classes > MOST_COLUMNS))
        L2R_FAIL(L2R_ERR_ARGUMENT, "scored.n_classes = %d; expected 2 … %d", (int)s->n_classes, MOST_COLUMNS);
    if (!s->outputs || !s->labels) L2R_FAIL(L2R_ERR_ARGUMENT, "scored.%s is NULL", s->outputs ? "labels" : "outputs");
    if (s->are_probabilities && s->task == L2R_TASK_REGRESSION)
        L2R_FAIL(L2R_ERR_ARGUMENT, "scored.are_probabilities is true, but the task is a regression");
    int32_t n = several ? s->n_classes : s->n_tasks;
    for (int32_t k = 0; s->class_weights && k < n; k++)
        if (!(s->class_weights[k] > 0) || isinf(s->class_weights[k]))
            L2R_FAIL(L2R_ERR_ARGUMENT, "scored.class_weights[%d] = %g; expected a number above 0", (int)k,
                     s->class_weights[k]);
    for (int32_t k = 0; s->scales && k < s->n_tasks; k++)
        if (!(s->scales[k] > 0) || isinf(s->scales[k]))
            L2R_FAIL(L2R_ERR_ARGUMENT, "scored.scales[%d] = %g; expected a number above 0", (int)k, s->scales[k]);
done:
    return status;
}

/* log p, or log p − log(1 − p) of a binary task; 0 and 1 are as far out as a float goes. */
static enum l2r_status take_probabilities(float *logits, const struct l2r_scored *s, int64_t n, struct l2r_error *error)
{
    const double least = 1e-30;
    for (int64_t i = 0; i < n; i++) {
        double p = (double)s->outputs[i];
        if (!(p >= 0 && p <= 1))
            return l2r_fail(error, L2R_ERR_ARGUMENT, "scored.outputs[%lld] = %g is no probability", (long long)i, p);
        double logit = log(fmax(p, least));
        if (s->task == L2R_TASK_BINARY) logit -= log(fmax(1 - p, least));
        logits[i] = (float)logit;
    }
    return L2R_OK;
}

enum l2r_status l2r_metric_value(double *value, const char *metric, const struct l2r_scored *scored,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_metric *m;
    struct l2r_scored s;
    float *logits = NULL;
    L2R_NEED(value);
    *value = (double)NAN;
    L2R_TRY(find(&m, metric, error));
    L2R_TRY(l2r_struct_take(&s, sizeof s, sizeof s, scored, "scored", error));
    L2R_TRY(check(&s, error));
    int64_t n = s.n_rows * (s.task == L2R_TASK_MULTICLASS ? s.n_classes : s.n_tasks);
    if (s.are_probabilities) {
        logits = l2r_alloc((size_t)n, sizeof *logits);
        if (!logits) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %lld outputs", (long long)n);
        L2R_TRY(take_probabilities(logits, &s, n, error));
    }
    const struct l2r_scores scores = {.task = s.task,
                                      .n_graphs = s.n_rows,
                                      .n_tasks = s.n_tasks,
                                      .n_classes = s.n_classes,
                                      .output = logits ? logits : s.outputs,
                                      .labels = s.labels,
                                      .scale = s.scales,
                                      .weight = s.class_weights};
    L2R_TRY(l2r_metric_compute(value, m, &scores, error));
done:
    l2r_free(logits);
    return status;
}
