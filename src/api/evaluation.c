/* SPDX-License-Identifier: MIT
 * See evaluation.h. */
#include "api/evaluation.h"

#include "api/graph_list.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "metrics/metrics.h"
#include "model/ensemble.h"

#include <math.h>
#include <string.h>

struct l2r_evaluation {
    json_t *report;
    json_t *words; /* array: the classes of the groups as text */
};

static const json_t *groups_of(const struct l2r_evaluation *e)
{
    return e ? json_object_get(json_object_get(e->report, "groups"), "groups") : NULL;
}

/* A class is a word or a number; callers get text. */
static bool name_classes(struct l2r_evaluation *e)
{
    size_t i;
    json_t *group;
    char number[32];
    e->words = json_array();
    json_array_foreach(groups_of(e), i, group)
    {
        const json_t *of_class = json_object_get(group, "class");
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(of_class));
        const char *word = json_is_string(of_class) ? json_string_value(of_class) : number;
        if (json_array_append_new(e->words, of_class ? json_string(word) : json_null()) != 0) return false;
    }
    return e->words != NULL;
}

enum l2r_status l2r_evaluation_new(struct l2r_evaluation **evaluation, json_t *report, struct l2r_error *error)
{
    struct l2r_evaluation *e = l2r_alloc(1, sizeof *e);
    if (e) e->report = report;
    *evaluation = e;
    if (report && e && name_classes(e)) return L2R_OK;
    if (!e) json_decref(report);
    l2r_evaluation_free(e);
    *evaluation = NULL;
    return l2r_fail(error, L2R_ERR_MEMORY, "out of memory for the scores");
}

void l2r_evaluation_free(struct l2r_evaluation *e)
{
    if (!e) return;
    json_decref(e->report);
    json_decref(e->words);
    l2r_free(e);
}

enum l2r_status l2r_predictor_evaluate(struct l2r_evaluation **evaluation, struct l2r_predictor *predictor,
                                       const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                       const char *metrics, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_graph_list list = {0};
    json_t *report = NULL;
    L2R_NEED(evaluation);
    *evaluation = NULL;
    L2R_NEED(predictor);
    L2R_TRY(l2r_graph_list_take(&list, "graphs", data, graphs, n, error));
    L2R_TRY(l2r_metric_check_list(metrics, l2r_predictor_task(predictor), error));
    L2R_TRY(l2r_predictor_report(&report, predictor, data, list.graphs, n, metrics, error));
    L2R_TRY(l2r_evaluation_new(evaluation, report, error));
done:
    l2r_graph_list_clear(&list);
    return status;
}

enum l2r_status l2r_ensemble_evaluate(struct l2r_evaluation **evaluation, struct l2r_ensemble *ensemble,
                                      const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                      const char *metrics, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_graph_list list = {0};
    json_t *report = NULL;
    L2R_NEED(evaluation);
    *evaluation = NULL;
    L2R_NEED(ensemble);
    L2R_TRY(l2r_graph_list_take(&list, "graphs", data, graphs, n, error));
    L2R_TRY(l2r_metric_check_list(metrics, ensemble->task, error));
    L2R_TRY(l2r_ensemble_report(&report, ensemble, data, list.graphs, n, metrics, error));
    L2R_TRY(l2r_evaluation_new(evaluation, report, error));
done:
    l2r_graph_list_clear(&list);
    return status;
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = key ? json_object_get(object, key) : NULL;
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* Metrics come first in a report, "loss" ends them (model/scored.c). */
static const char *metric_at(const struct l2r_evaluation *e, int32_t wanted, int32_t *n)
{
    const char *key, *found = NULL;
    json_t *value;
    *n = 0;
    if (!e) return NULL;
    json_object_foreach(e->report, key, value)
    {
        if ((*n)++ == wanted) found = key;
        if (strcmp(key, "loss") == 0) break;
    }
    return found;
}

static bool is_metric(const struct l2r_evaluation *e, const char *metric)
{
    int32_t n;
    const char *key;
    for (int32_t i = 0; metric && (key = metric_at(e, i, &n)); i++)
        if (strcmp(key, metric) == 0) return true;
    return false;
}

int64_t l2r_evaluation_n_graphs(const struct l2r_evaluation *e)
{
    return e ? json_integer_value(json_object_get(e->report, "n")) : 0;
}

int32_t l2r_evaluation_n_metrics(const struct l2r_evaluation *e)
{
    int32_t n;
    (void)metric_at(e, -1, &n);
    return n;
}

const char *l2r_evaluation_metric(const struct l2r_evaluation *e, int32_t i)
{
    int32_t n;
    return metric_at(e, i, &n);
}

/* The object of a label column; of a single one the report itself. NULL: there is no such column. */
static const json_t *task_of(const struct l2r_evaluation *e, int32_t task)
{
    const json_t *tasks = e ? json_object_get(e->report, "tasks") : NULL;
    if (!e || task < 0) return NULL;
    if (!tasks) return task == 0 ? e->report : NULL;
    return json_array_get(tasks, (size_t)task);
}

int32_t l2r_evaluation_n_tasks(const struct l2r_evaluation *e)
{
    const json_t *tasks = e ? json_object_get(e->report, "tasks") : NULL;
    return !e ? 0 : tasks ? (int32_t)json_array_size(tasks) : 1;
}

double l2r_evaluation_value(const struct l2r_evaluation *e, const char *metric, int32_t task)
{
    if (!is_metric(e, metric)) return (double)NAN;
    return number(task == -1 ? e->report : task_of(e, task), metric);
}

const char *l2r_evaluation_task_name(const struct l2r_evaluation *e, int32_t task)
{
    return json_string_value(json_object_get(task_of(e, task), "name"));
}

int64_t l2r_evaluation_n_labels(const struct l2r_evaluation *e, int32_t task)
{
    return json_integer_value(json_object_get(task_of(e, task), "n"));
}

int32_t l2r_evaluation_n_members(const struct l2r_evaluation *e)
{
    return e ? (int32_t)json_array_size(json_object_get(e->report, "members")) : 0;
}

double l2r_evaluation_member_value(const struct l2r_evaluation *e, int32_t k, const char *metric)
{
    if (k < 0 || !is_metric(e, metric)) return (double)NAN;
    return number(json_array_get(json_object_get(e->report, "members"), (size_t)k), metric);
}

int32_t l2r_evaluation_n_groups(const struct l2r_evaluation *e)
{
    return (int32_t)json_array_size(groups_of(e));
}

enum l2r_status l2r_evaluation_group(struct l2r_group_score *group, const struct l2r_evaluation *evaluation, int32_t i,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(group);
    L2R_NEED(evaluation);
    int32_t n = l2r_evaluation_n_groups(evaluation);
    if (i < 0 || i >= n) L2R_FAIL(L2R_ERR_ARGUMENT, "i = %d; the evaluation has %d groups", (int)i, (int)n);
    const json_t *of = json_array_get(groups_of(evaluation), (size_t)i);
    const char *metric = json_string_value(json_object_get(json_object_get(evaluation->report, "groups"), "score"));
    const struct l2r_group_score own = {.class_name = json_string_value(json_array_get(evaluation->words, (size_t)i)),
                                        .environment = json_string_value(json_object_get(of, "environment")),
                                        .n = json_integer_value(json_object_get(of, "n")),
                                        .metric = metric,
                                        .value = number(of, metric)};
    L2R_TRY(l2r_struct_give(group, &own, sizeof own, "group", error));
done:
    return status;
}

enum l2r_status l2r_evaluation_json(char **json, const struct l2r_evaluation *evaluation, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(json);
    *json = NULL;
    L2R_NEED(evaluation);
    L2R_TRY(l2r_json_text(json, json_incref(evaluation->report), error));
done:
    return status;
}
