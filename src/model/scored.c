/* SPDX-License-Identifier: MIT
 * See scored.h. */
#include "model/scored.h"

#include "base/json.h"
#include "base/memory.h"
#include "metrics/probability.h"

#include <math.h>
#include <string.h>

/* Labels of the graphs; a bound is no exact label and does not count. */
static void copy_labels(float *labels, const struct l2r_dataset *data, const int32_t *graphs, int64_t n)
{
    int64_t tasks = data->n_tasks;
    for (int64_t i = 0; i < n * tasks; i++) {
        int64_t from = graphs[i / tasks] * tasks + i % tasks;
        labels[i] = data->bound && data->bound[from] != 0 ? NAN : data->labels[from];
    }
}

enum l2r_status l2r_scored_make(struct l2r_scored *scored, const struct l2r_committee *committee, struct l2r_tape *tape,
                                const struct l2r_dataset *data, const int32_t *graphs, int64_t n, int64_t batch_size,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_signature *s = l2r_committee_signature(committee);
    size_t outputs = (size_t)l2r_signature_outputs(s), tasks = (size_t)data->n_tasks;
    *scored = (struct l2r_scored){.output = l2r_alloc((size_t)n * outputs, sizeof(float)),
                                  .labels = l2r_alloc((size_t)n * tasks, sizeof(float)),
                                  .signature = s};
    if (!scored->output || !scored->labels) {
        status = l2r_fail_memory(error, (size_t)n * outputs * sizeof(float), "the scores");
        goto done;
    }
    copy_labels(scored->labels, data, graphs, n);
    scored->scores = (struct l2r_scores){.task = data->task,
                                         .n_graphs = n,
                                         .n_tasks = data->n_tasks,
                                         .n_classes = data->n_classes,
                                         .output = scored->output,
                                         .labels = scored->labels,
                                         .scale = s->target.sd,
                                         .map = s->target.map,
                                         .weight = s->class_weight};
    const struct l2r_committee_rows rows = {.output = scored->output};
    if (n > 0) L2R_TRY(l2r_committee_score(&rows, committee, tape, data, graphs, n, batch_size, error));
done:
    return status;
}

enum l2r_status l2r_scored_network(struct l2r_scored *scored, const struct l2r_network *network, struct l2r_tape *tape,
                                   const struct l2r_dataset *data, const int32_t *graphs, int64_t n, int64_t batch_size,
                                   struct l2r_error *error)
{
    const struct l2r_committee alone = {.members = &network, .n = 1};
    return l2r_scored_make(scored, &alone, tape, data, graphs, n, batch_size, error);
}

void l2r_scored_clear(struct l2r_scored *scored)
{
    l2r_free(scored->output);
    l2r_free(scored->labels);
    *scored = (struct l2r_scored){0};
}

enum l2r_status l2r_scored_metric(double *value, const struct l2r_scored *scored, const struct l2r_metric *metric,
                                  struct l2r_error *error)
{
    *value = NAN;
    if (scored->scores.n_graphs == 0) return L2R_OK;
    enum l2r_status status = l2r_metric_compute(value, metric, &scored->scores, error);
    return status == L2R_ERR_ARGUMENT ? L2R_OK : status; /* undefined on these labels: NaN */
}

static enum l2r_status add_metrics(json_t *object, const struct l2r_scores *scores, const char *list,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_scored scored = {.scores = *scores};
    for (size_t i = 0; l2r_metrics[i]; i++) {
        const struct l2r_metric *metric = l2r_metrics[i];
        double value;
        if (!l2r_metric_suits(metric, scores->task) || !l2r_metric_is_listed(metric, list)) continue;
        L2R_TRY(l2r_scored_metric(&value, &scored, metric, error));
        L2R_TRY(l2r_json_set(object, metric->name, l2r_json_real(value), error));
    }
    L2R_TRY(l2r_json_set(object, "loss", l2r_json_real(l2r_scores_loss(scores)), error));
done:
    return status;
}

/* Each task by itself: one column of outputs and labels at a time. */
static enum l2r_status add_tasks(json_t *tasks, const struct l2r_scored *all, const char *list, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_scores *s = &all->scores;
    float *room = l2r_alloc(2 * (size_t)s->n_graphs, sizeof *room);
    if (!room) return l2r_fail_memory(error, 2 * (size_t)s->n_graphs * sizeof *room, "the scores of a task");
    for (int32_t k = 0; k < s->n_tasks; k++) {
        struct l2r_scores one;
        int64_t positives, n = l2r_scores_labelled(&positives, s, k);
        l2r_scores_task(&one, room, s, k);
        json_t *row = json_pack("{s:i, s:s?, s:I}", "task", (int)k, "name", l2r_signature_task_name(all->signature, k),
                                "n", (json_int_t)n);
        L2R_TRY(l2r_json_add(tasks, row, error));
        if (s->task == L2R_TASK_BINARY) L2R_TRY(l2r_json_set(row, "positives", json_integer(positives), error));
        L2R_TRY(add_metrics(row, &one, list, error));
    }
done:
    l2r_free(room);
    return status;
}

/* Of each binary task: p above which a graph is of class 1 (l2r_decide): weight · p > 1 − p. */
static enum l2r_status add_thresholds(json_t *report, const struct l2r_scores *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *thresholds = json_array();
    L2R_TRY(l2r_json_set(report, "thresholds", thresholds, error));
    for (int32_t k = 0; k < s->n_tasks; k++)
        L2R_TRY(l2r_json_add(thresholds, json_real(1 / (1 + (s->weight ? s->weight[k] : 1))), error));
done:
    return status;
}

enum l2r_status l2r_scored_report(json_t **report, const struct l2r_scored *scored, const char *list,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *report = json_object();
    L2R_TRY(add_metrics(*report, &scored->scores, list, error));
    L2R_TRY(l2r_json_set(*report, "n", json_integer(scored->scores.n_graphs), error));
    if (scored->scores.task == L2R_TASK_BINARY) L2R_TRY(add_thresholds(*report, &scored->scores, error));
    if (scored->scores.n_tasks <= 1) goto done;
    json_t *tasks = json_array();
    L2R_TRY(l2r_json_set(*report, "tasks", tasks, error));
    L2R_TRY(add_tasks(tasks, scored, list, error));
done:
    if (status != L2R_OK) {
        json_decref(*report);
        *report = NULL;
    }
    return status;
}

enum l2r_status l2r_report_members(json_t *report, const struct l2r_committee *committee, struct l2r_tape *tape,
                                   const struct l2r_dataset *data, const int32_t *graphs, int64_t n, int64_t batch_size,
                                   const char *list, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_scored scored = {0};
    json_t *members = committee->n > 1 ? json_array() : NULL;
    for (int32_t k = 0; committee->n > 1 && k < committee->n; k++) {
        L2R_TRY(l2r_scored_network(&scored, committee->members[k], tape, data, graphs, n, batch_size, error));
        json_t *row = json_pack("{s:i, s:s}", "member", (int)k + 1, "model", committee->members[k]->type->name);
        L2R_TRY(l2r_json_add(members, row, error));
        L2R_TRY(add_metrics(row, &scored.scores, list, error));
        l2r_scored_clear(&scored);
    }
    if (members) L2R_TRY(l2r_json_set(report, "members", json_incref(members), error));
done:
    l2r_scored_clear(&scored);
    json_decref(members);
    return status;
}
