/* SPDX-License-Identifier: MIT
 *
 * See metrics.h: finding a metric, and the checks, counts and sums that metrics share. Everything is checked before a
 * formula runs: a NaN among the outputs would compare false with everything and turn up as a plausible score. */
#include "metrics/metrics.h"

#include "base/memory.h"
#include "kernels/target_scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int32_t l2r_scores_outputs(const struct l2r_scores *s)
{
    return s->task == L2R_TASK_MULTICLASS ? s->n_classes : s->n_tasks;
}

bool l2r_scores_distance(double *distance, const struct l2r_scores *s, int64_t graph, int32_t task)
{
    int64_t at = graph * s->n_tasks + task;
    if (isnan(s->labels[at])) return false;
    *distance = (double)s->output[at] - (double)s->labels[at];
    return true;
}

double l2r_scores_scaled_distance(const struct l2r_scores *s, int64_t graph, int32_t task)
{
    int64_t at = graph * s->n_tasks + task;
    double output = l2r_target_transform(s->map, task, (double)s->output[at]);
    double label = l2r_target_transform(s->map, task, (double)s->labels[at]);
    return (output - label) / (s->scale ? s->scale[task] : 1);
}

double l2r_scores_rmse(const struct l2r_scores *s, int32_t task)
{
    double sum = 0, distance;
    int64_t n = 0;
    for (int64_t g = 0; g < s->n_graphs; g++) {
        if (!l2r_scores_distance(&distance, s, g, task)) continue;
        sum += distance * distance;
        n++;
    }
    return n > 0 ? sqrt(sum / (double)n) : (double)NAN;
}

void l2r_scores_task(struct l2r_scores *one, float *room, const struct l2r_scores *s, int32_t task)
{
    float *labels = room + s->n_graphs;
    for (int64_t g = 0; g < s->n_graphs; g++) {
        room[g] = s->output[g * s->n_tasks + task];
        labels[g] = s->labels[g * s->n_tasks + task];
    }
    *one = *s;
    one->n_tasks = 1;
    one->output = room;
    one->labels = labels;
    one->scale = s->scale ? s->scale + task : NULL;
    one->map = s->map ? s->map + task : NULL;
    one->weight = s->weight ? s->weight + task : NULL;
}

int64_t l2r_scores_labelled(int64_t *positives, const struct l2r_scores *s, int32_t task)
{
    int64_t n = 0, ones = 0;
    for (int64_t g = 0; g < s->n_graphs; g++) {
        float label = s->labels[g * s->n_tasks + task];
        n += !isnan(label);
        ones += label == 1;
    }
    if (positives) *positives = ones;
    return n;
}

double l2r_mean_of_tasks(const struct l2r_scores *s, double (*of_task)(const struct l2r_scores *, int32_t))
{
    double sum = 0;
    int32_t defined = 0;
    for (int32_t task = 0; task < s->n_tasks; task++) {
        double value = of_task(s, task);
        if (isnan(value)) continue;
        sum += value;
        defined++;
    }
    return defined ? sum / defined : (double)NAN;
}

/* Class weights change the predicted class, not the probability. */
static double weighted(const float *logits, const double *weight, int32_t k)
{
    return (double)logits[k] + (weight ? log(weight[k]) : 0);
}

int32_t l2r_decide(const float *logits, const double *weight, enum l2r_task task, int32_t n_outputs, int32_t column)
{
    if (task == L2R_TASK_BINARY) return weighted(logits, weight, column) > 0;
    int32_t best = 0;
    for (int32_t k = 1; k < n_outputs; k++) {
        if (weighted(logits, weight, k) > weighted(logits, weight, best)) best = k;
    }
    return best;
}

static int32_t guessed_class(const struct l2r_scores *s, int64_t graph, int32_t task)
{
    return l2r_decide(s->output + graph * l2r_scores_outputs(s), s->weight, s->task, s->n_classes, task);
}

static void count_column(struct l2r_class_counts *t, const struct l2r_scores *s, int32_t task)
{
    t->n = 0;
    memset(t->hit, 0, sizeof *t->hit * 3 * (size_t)t->n_classes);
    for (int64_t g = 0; g < s->n_graphs; g++) {
        float label = s->labels[g * s->n_tasks + task];
        if (isnan(label)) continue;
        int32_t truth = (int32_t)label, guess = guessed_class(s, g, task);
        t->n++;
        t->truth[truth]++;
        t->guess[guess]++;
        t->hit[truth] += truth == guess;
    }
}

enum l2r_status l2r_mean_of_counts(double *value, const struct l2r_scores *s,
                                   double (*formula)(const struct l2r_class_counts *), struct l2r_error *error)
{
    bool binary = s->task == L2R_TASK_BINARY;
    struct l2r_class_counts t = {.n_classes = binary ? 2 : s->n_classes, .binary = binary};
    t.hit = l2r_alloc(3 * (size_t)t.n_classes, sizeof *t.hit);
    if (!t.hit) return l2r_fail_memory(error, 3 * (size_t)t.n_classes * sizeof *t.hit, "class counts");
    t.truth = t.hit + t.n_classes;
    t.guess = t.truth + t.n_classes;
    double sum = 0;
    int32_t defined = 0;
    for (int32_t task = 0; task < s->n_tasks; task++) {
        count_column(&t, s, task);
        if (t.n == 0) continue;
        sum += formula(&t);
        defined++;
    }
    *value = defined ? sum / defined : (double)NAN;
    l2r_free(t.hit);
    return L2R_OK;
}

const struct l2r_metric *l2r_metric_find(const char *name)
{
    for (size_t i = 0; l2r_metrics[i]; i++)
        if (strcmp(l2r_metrics[i]->name, name) == 0) return l2r_metrics[i];
    return NULL;
}

const struct l2r_metric *l2r_metric_default(enum l2r_task task, int32_t n_tasks)
{
    if (task == L2R_TASK_REGRESSION) return l2r_metric_find(n_tasks > 1 ? "nrmse" : "rmse");
    return l2r_metric_find(task == L2R_TASK_BINARY ? "rocauc" : "accuracy");
}

bool l2r_metric_suits(const struct l2r_metric *metric, enum l2r_task task)
{
    return metric->tasks >> task & 1u;
}

enum l2r_status l2r_metric_check(const struct l2r_metric *m, enum l2r_task task, int32_t n_tasks,
                                 struct l2r_error *error)
{
    if (!l2r_metric_suits(m, task))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s does not suit a %s task; %s does", m->name, l2r_task_name(task),
                        l2r_metric_default(task, n_tasks)->name);
    if (m->units && n_tasks > 1)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "%s has the unit of its target, so it has no mean over %d targets; %s has", m->name, n_tasks,
                        l2r_metric_default(task, n_tasks)->name);
    return L2R_OK;
}

bool l2r_metric_is_listed(const struct l2r_metric *metric, const char *list)
{
    size_t length = strlen(metric->name);
    for (const char *at = list; at; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, metric->name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
    }
    return !list;
}

enum l2r_status l2r_metric_check_list(const char *list, enum l2r_task task, struct l2r_error *error)
{
    for (const char *at = list; at; at = strchr(at, ',')) {
        char name[64];
        if (*at == ',') at++;
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), at);
        const struct l2r_metric *metric = l2r_metric_find(name);
        if (!metric) return l2r_fail(error, L2R_ERR_ARGUMENT, "metrics: there is no metric \"%s\"", name);
        if (!l2r_metric_suits(metric, task))
            return l2r_fail(error, L2R_ERR_ARGUMENT, "metrics: %s does not suit a %s task", name, l2r_task_name(task));
    }
    return L2R_OK;
}

bool l2r_metric_better(const struct l2r_metric *metric, double value, double best)
{
    if (isnan(value)) return false;
    if (isnan(best)) return true;
    return metric->higher_is_better ? value > best : value < best;
}

static enum l2r_status check_scores(const struct l2r_metric *m, const struct l2r_scores *s, struct l2r_error *error)
{
    int32_t n_outputs = l2r_scores_outputs(s);
    if (l2r_metric_check(m, s->task, s->n_tasks, error) != L2R_OK) return L2R_ERR_ARGUMENT;
    if (s->task == L2R_TASK_MULTICLASS && (s->n_classes < 2 || s->n_tasks != 1))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "metric %s: a multi-class task has 1 label column and 2 or more classes, not %d and %d",
                        m->name, s->n_tasks, s->n_classes);
    for (int64_t at = 0; at < s->n_graphs * n_outputs; at++) {
        if (!isfinite(s->output[at]))
            return l2r_fail(error, L2R_ERR_DIVERGED, "metric %s: output %d of graph %lld is %g, not a finite number",
                            m->name, (int)(at % n_outputs), (long long)(at / n_outputs), (double)s->output[at]);
    }
    if (s->task == L2R_TASK_REGRESSION) return L2R_OK;
    int32_t n_classes = s->task == L2R_TASK_BINARY ? 2 : s->n_classes;
    for (int64_t at = 0; at < s->n_graphs * s->n_tasks; at++) {
        float label = s->labels[at];
        if (isnan(label) || (label >= 0 && label < (float)n_classes && label == floorf(label))) continue;
        return l2r_fail(error, L2R_ERR_ARGUMENT, "metric %s: label %d of graph %lld is %g, not a class 0..%d", m->name,
                        (int)(at % s->n_tasks), (long long)(at / s->n_tasks), (double)label, n_classes - 1);
    }
    return L2R_OK;
}

enum l2r_status l2r_metric_compute(double *value, const struct l2r_metric *metric, const struct l2r_scores *scores,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double result = (double)NAN;
    L2R_TRY(check_scores(metric, scores, error));
    L2R_TRY(metric->fn(&result, scores, error));
    if (isnan(result))
        L2R_FAIL(L2R_ERR_ARGUMENT, "metric %s is undefined on these %lld graphs: it needs %s", metric->name,
                 (long long)scores->n_graphs, metric->needs);
done:
    *value = status == L2R_OK ? result : (double)NAN;
    return status;
}
