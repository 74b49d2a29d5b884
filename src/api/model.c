/* SPDX-License-Identifier: MIT
 * The public calls of l2r/model.h: predictors and explanations. Opening and scoring are in predict/predictor.c,
 * ensembles in predict/ensemble.c. */
#include <l2r/model.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "explain/explainer.h"
#include "metrics/metrics.h"
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

enum l2r_status l2r_predictor_evaluate(char **json, struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                       const int32_t *graphs, int64_t n, const char *metrics, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_scored scored = {0};
    json_t *report = NULL;
    L2R_NEED(json);
    *json = NULL;
    L2R_NEED(predictor);
    L2R_TRY(l2r_metric_check_list(metrics, l2r_predictor_task(predictor), error));
    L2R_TRY(l2r_predictor_judge(&scored, predictor, data, graphs, n, error));
    L2R_TRY(l2r_scored_report(&report, &scored, metrics, error));
    L2R_TRY(l2r_json_text(json, report, error));
done:
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
