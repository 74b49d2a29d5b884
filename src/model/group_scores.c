/* SPDX-License-Identifier: MIT
 * See group_scores.h. Rows are brought into the order of their groups, so that a group is a contiguous range and every
 * metric can score it like a part. */
#include "model/group_scores.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

struct sorted {
    int32_t n_groups;
    int64_t *start;         /* [n_groups + 1] */
    float *output, *labels; /* rows in the order of the groups; those without a label are left out */
};

static void sorted_clear(struct sorted *s)
{
    l2r_free(s->start);
    l2r_free(s->output);
    l2r_free(s->labels);
}

static enum l2r_status sort_rows(struct sorted *s, const struct l2r_scores *scores, const struct l2r_dataset *data,
                                 const int32_t *graphs, const struct l2r_environments *environments,
                                 struct l2r_error *error)
{
    size_t outputs = (size_t)l2r_scores_outputs(scores), tasks = (size_t)scores->n_tasks, n = (size_t)scores->n_graphs;
    s->n_groups = l2r_group_count(environments, data);
    s->start = l2r_alloc((size_t)s->n_groups + 2, sizeof *s->start);
    s->output = l2r_alloc_raw(n * outputs, sizeof *s->output);
    s->labels = l2r_alloc_raw(n * tasks, sizeof *s->labels);
    if (!s->start || !s->output || !s->labels) return l2r_fail_memory(error, n * outputs * 4, "scores by group");
    /* Counting sort: start[k + 1] walks from the beginning of group k to its end. */
    for (size_t i = 0; i < n; i++) {
        int32_t group = l2r_group_of(environments, data, graphs[i]);
        if (group >= 0) s->start[group + 2]++;
    }
    for (int32_t k = 1; k <= s->n_groups; k++) s->start[k + 1] += s->start[k];
    for (size_t i = 0; i < n; i++) {
        int32_t group = l2r_group_of(environments, data, graphs[i]);
        if (group < 0) continue;
        size_t to = (size_t)s->start[group + 1]++;
        memcpy(s->output + to * outputs, scores->output + i * outputs, outputs * sizeof *s->output);
        memcpy(s->labels + to * tasks, scores->labels + i * tasks, tasks * sizeof *s->labels);
    }
    return L2R_OK;
}

/* What it cannot hold for want of memory, l2r_work_failed says. */
static json_t *describe(int32_t group, int64_t n, double value, const char *metric, const struct l2r_dataset *data,
                        const struct l2r_environments *environments)
{
    json_t *object = json_object();
    int32_t per_class = environments->n > 0 ? environments->n : 1, class = group / per_class;
    const char *word = data->task != L2R_TASK_REGRESSION ? l2r_dataset_class_name(data, 0, class) : NULL;
    if (word)
        l2r_json_put(object, "class", l2r_json_name(word));
    else if (data->task != L2R_TASK_REGRESSION)
        l2r_json_put(object, "class",
                     json_integer(data->task == L2R_TASK_MULTICLASS ? data->class_value[class] : class));
    if (environments->n > 0)
        l2r_json_put(object, "environment", l2r_json_name(l2r_environments_name(environments, group % per_class)));
    l2r_json_put(object, "n", json_integer((json_int_t)n));
    l2r_json_put(object, metric, l2r_json_real(value));
    return object;
}

static enum l2r_status score_group(double *value, const struct sorted *s, int32_t group,
                                   const struct l2r_scores *scores, const struct l2r_metric *metric,
                                   struct l2r_error *error)
{
    struct l2r_scores part = *scores;
    struct l2r_error undefined = {0};
    int64_t first = s->start[group];
    part.n_graphs = s->start[group + 1] - first;
    part.output = s->output + first * l2r_scores_outputs(scores);
    part.labels = s->labels + first * scores->n_tasks;
    enum l2r_status status = l2r_metric_compute(value, metric, &part, &undefined);
    if (status == L2R_OK || status == L2R_ERR_ARGUMENT) return L2R_OK;
    return l2r_fail(error, status, "%s", undefined.message);
}

enum l2r_status l2r_group_scores(json_t **groups, const struct l2r_scored *scored, const struct l2r_dataset *data,
                                 const int32_t *graphs, int64_t n, const struct l2r_environments *environments,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_scores *scores = &scored->scores;
    bool values = data->task == L2R_TASK_REGRESSION;
    const struct l2r_metric *metric =
        values ? l2r_metric_default(data->task, data->n_tasks) : l2r_metric_find("accuracy");
    struct sorted s = {0};
    json_t *list = json_array(), *worst_group = NULL;
    double worst = NAN, sum = 0;
    int64_t count = 0;
    *groups = NULL;
    if (scores->n_graphs != n) L2R_FAIL(L2R_ERR_ARGUMENT, "the scores are of other graphs");
    L2R_TRY(sort_rows(&s, scores, data, graphs, environments, error));
    (void)l2r_work_failed();
    for (int32_t k = 0; k < s.n_groups; k++) {
        double value = NAN;
        int64_t size = s.start[k + 1] - s.start[k];
        if (size == 0) continue;
        L2R_TRY(score_group(&value, &s, k, scores, metric, error));
        if (isnan(value)) continue;
        json_t *group = describe(k, size, value, metric->name, data, environments);
        if (isnan(worst) || l2r_metric_better(metric, worst, value)) {
            worst = value;
            json_decref(worst_group);
            worst_group = json_incref(group);
        }
        sum += value;
        if (count++ < L2R_MOST_GROUPS)
            L2R_TRY(l2r_json_add(list, group, error));
        else
            json_decref(group);
    }
    if (count == 0) goto done;
    *groups = json_pack("{s:s, s:o, s:o, s:I, s:O}", "score", metric->name, "worst", l2r_json_real(worst), "mean",
                        l2r_json_real(sum / (double)count), "n", (json_int_t)count, "worst_group", worst_group);
    if (!*groups || l2r_work_failed()) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: scores by group");
    if (count <= L2R_MOST_GROUPS) L2R_TRY(l2r_json_set(*groups, "groups", json_incref(list), error));
done:
    json_decref(list);
    json_decref(worst_group);
    sorted_clear(&s);
    return status;
}

enum l2r_status l2r_report_groups(json_t *report, const struct l2r_scored *scored, const struct l2r_dataset *data,
                                  const int32_t *graphs, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_environments environments = {0};
    json_t *groups = NULL;
    if (!data->environment) return L2R_OK;
    L2R_TRY(l2r_environments_given(&environments, data, error));
    L2R_TRY(l2r_group_scores(&groups, scored, data, graphs, n, &environments, error));
    if (groups) L2R_TRY(l2r_json_set(report, "groups", groups, error));
done:
    l2r_environments_clear(&environments);
    return status;
}
