/* SPDX-License-Identifier: MIT
 * The public calls of l2r/model.h: predictors and explanations. Opening and scoring are in predict/predictor.c, ensembles in
 * predict/ensemble.c. */
#include <l2r/model.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "explain/explainer.h"
#include "predict/domain.h"
#include "predict/predictor.h"
#include "predict/score.h"

#include <math.h>
#include <string.h>

enum l2r_status l2r_predictor_copy(struct l2r_predictor **copy, const struct l2r_predictor *predictor,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(copy);
    *copy = NULL;
    L2R_NEED(predictor);
    L2R_TRY(l2r_predictor_from_network(copy, l2r_predictor_network(predictor), l2r_predictor_config(predictor), error));
done:
    return status;
}

enum l2r_status l2r_predictor_signature_json(char **json, const struct l2r_predictor *predictor,
                                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(json);
    *json = NULL;
    L2R_NEED(predictor);
    L2R_TRY(l2r_json_text(json, l2r_signature_to_json(&l2r_predictor_network(predictor)->signature), error));
done:
    return status;
}

/* Is the metric among those with commas between them? */
static bool is_wanted(const char *metrics, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = metrics; at; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
    }
    return !metrics;
}

static enum l2r_status check_metrics(const char *metrics, enum l2r_task task, struct l2r_error *error)
{
    for (const char *at = metrics; at; at = strchr(at, ',')) {
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

static enum l2r_status add_metrics(json_t *object, const struct l2r_scored *scored, const char *metrics,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (size_t i = 0; l2r_metrics[i]; i++) {
        double value;
        if (!l2r_metric_suits(l2r_metrics[i], scored->scores.task) || !is_wanted(metrics, l2r_metrics[i]->name))
            continue;
        L2R_TRY(l2r_scored_metric(&value, scored, l2r_metrics[i], error));
        json_object_set_new(object, l2r_metrics[i]->name, l2r_json_real(value));
    }
done:
    return status;
}

/* Each task by itself: one column of outputs and labels at a time. */
static enum l2r_status add_tasks(json_t *object, const struct l2r_scored *all, const struct l2r_predictor *p,
                                 const char *metrics, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t n = all->scores.n_graphs;
    int32_t tasks = all->scores.n_tasks;
    json_t *list = json_array();
    float *column = l2r_alloc(2 * (size_t)n, sizeof *column);
    json_object_set_new(object, "tasks", list);
    if (!column || !list) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the scores of %d tasks", (int)tasks);
    for (int32_t k = 0; k < tasks; k++) {
        struct l2r_scored one = {.scores = all->scores};
        one.scores.n_tasks = 1;
        one.scores.output = column;
        one.scores.labels = column + n;
        for (int64_t i = 0; i < n; i++) {
            column[i] = all->scores.output[i * tasks + k];
            column[n + i] = all->scores.labels[i * tasks + k];
        }
        const char *name = l2r_predictor_task_name(p, k);
        json_t *row = json_pack("{s:i, s:s?}", "task", (int)k, "name", name);
        json_array_append_new(list, row);
        L2R_TRY(add_metrics(row, &one, metrics, error));
    }
done:
    l2r_free(column);
    return status;
}

enum l2r_status l2r_predictor_evaluate(char **json, struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                       const int32_t *graphs, int64_t n, const char *metrics, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_scored scored = {0};
    json_t *object = json_object();
    L2R_NEED(json);
    *json = NULL;
    L2R_NEED(predictor);
    if (!object) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for scores");
    L2R_TRY(check_metrics(metrics, l2r_predictor_task(predictor), error));
    L2R_TRY(l2r_predictor_judge(&scored, predictor, data, graphs, n, error));
    L2R_TRY(add_metrics(object, &scored, metrics, error));
    json_object_set_new(object, "loss", l2r_json_real(scored.loss));
    json_object_set_new(object, "n", json_integer(n));
    if (scored.scores.n_tasks > 1) L2R_TRY(add_tasks(object, &scored, predictor, metrics, error));
    status = l2r_json_text(json, object, error);
    object = NULL;
done:
    json_decref(object);
    l2r_scored_clear(&scored);
    return status;
}

enum l2r_status l2r_predictor_applicability(float *distance, float *applicability, struct l2r_predictor *predictor,
                                            const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                            struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_domain *domain;
    float *z = NULL, *far = NULL;
    L2R_NEED(predictor);
    if (n < 0) L2R_FAIL(L2R_ERR_ARGUMENT, "n = %lld; expected a number of graphs", (long long)n);
    z = l2r_alloc((size_t)n, (size_t)l2r_predictor_width(predictor) * sizeof *z);
    far = l2r_alloc((size_t)n, sizeof *far);
    if (!z || !far) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the representations of %lld graphs", (long long)n);
    L2R_TRY(l2r_predictor_represent(NULL, z, predictor, data, graphs, n, error));
    L2R_TRY(l2r_predictor_domain(&domain, predictor, error));
    l2r_domain_distances(far, domain, z, n);
    for (int64_t i = 0; i < n; i++) {
        if (distance) distance[i] = far[i];
        if (applicability) applicability[i] = l2r_domain_applicability(domain, far[i]);
    }
done:
    l2r_free(z);
    l2r_free(far);
    return status;
}

enum l2r_status l2r_explanation_new(struct l2r_explanation **explanation, const struct l2r_predictor *predictor,
                                    const struct l2r_dataset *data, int32_t graph, const struct l2r_config *options,
                                    struct l2r_error *error)
{
    if (!explanation) return l2r_fail(error, L2R_ERR_ARGUMENT, "explanation is NULL");
    return l2r_explain(explanation, predictor, data, &graph, 1, options, NULL, error);
}

static enum l2r_status check_graphs(const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                    struct l2r_error *error)
{
    int64_t most = l2r_dataset_graphs(data);
    for (int64_t i = 0; i < n; i++)
        if (graphs[i] < 0 || graphs[i] >= most)
            return l2r_fail(error, L2R_ERR_ARGUMENT, "graph = %d; expected 0 … %lld (the data set has %lld graphs)",
                            (int)graphs[i], (long long)most - 1, (long long)most);
    return L2R_OK;
}

enum l2r_status l2r_explain(struct l2r_explanation **explanations, const struct l2r_predictor *predictor,
                            const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                            const struct l2r_config *options, const struct l2r_explain_callbacks *callbacks,
                            struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *defaults = NULL;
    struct l2r_explanation *found = NULL;
    struct l2r_explain_callbacks heard = L2R_EXPLAIN_CALLBACKS_INIT;
    bool made = false;
    L2R_NEED(explanations);
    if (n < 1 || n > INT32_MAX) L2R_FAIL(L2R_ERR_ARGUMENT, "n = %lld; expected a number of graphs", (long long)n);
    memset((void *)explanations, 0, (size_t)n * sizeof *explanations);
    L2R_NEED(predictor);
    L2R_NEED(data);
    L2R_NEED(graphs);
    L2R_TRY(check_graphs(data, graphs, n, error));
    if (callbacks) L2R_TRY(l2r_struct_take(&heard, sizeof heard, sizeof heard, callbacks, "callbacks", error));
    if (options && !l2r_config_has(options, "restarts"))
        L2R_FAIL(L2R_ERR_ARGUMENT, "options are not those of an explanation; l2r_config_for_explanation makes them");
    if (!options) L2R_TRY(l2r_config_for_explanation(&defaults, error));
    const struct l2r_explain_settings settings = l2r_explain_settings_of(options ? options : defaults);
    found = l2r_alloc((size_t)n, sizeof *found);
    if (!found) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %lld explanations", (long long)n);
    for (int64_t i = 0; i < n; i++)
        if (!(explanations[i] = l2r_alloc(1, sizeof **explanations)))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %lld explanations", (long long)n);
    L2R_TRY(l2r_explain_graphs(found, predictor, data, graphs, n, &settings, &heard, error));
    for (int64_t i = 0; i < n; i++) *explanations[i] = found[i];
    made = true;
done:
    for (int64_t i = 0; explanations && found && !made && i < n; i++) {
        l2r_free(explanations[i]);
        explanations[i] = NULL;
    }
    l2r_free(found);
    l2r_config_free(defaults);
    return status;
}

void l2r_explanation_free(struct l2r_explanation *explanation)
{
    if (!explanation) return;
    l2r_explanations_clear(explanation, 1);
    l2r_free(explanation);
}

const int32_t *l2r_explanation_ends(int64_t *n, const struct l2r_explanation *explanation)
{
    if (n) *n = explanation ? explanation->n_edges : 0;
    return explanation ? explanation->ends : NULL;
}

const float *l2r_explanation_edges(int64_t *n, const struct l2r_explanation *explanation)
{
    if (n) *n = explanation ? explanation->n_edges : 0;
    return explanation ? explanation->edge : NULL;
}

const float *l2r_explanation_nodes(int64_t *n, const struct l2r_explanation *explanation)
{
    if (n) *n = explanation ? explanation->n_nodes : 0;
    return explanation ? explanation->node : NULL;
}

const float *l2r_explanation_columns(int64_t *n, const struct l2r_explanation *explanation)
{
    if (n) *n = explanation ? explanation->n_columns : 0;
    return explanation ? explanation->column : NULL;
}
