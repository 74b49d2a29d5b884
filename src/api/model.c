/* SPDX-License-Identifier: MIT
 * The public calls of l2r/model.h: predictors, ensembles, explanations. */
#include <l2r/model.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "explain/explainer.h"
#include "metrics/metrics.h"
#include "predict/committee.h"
#include "predict/domain.h"
#include "predict/predictor.h"

#include <math.h>
#include <string.h>

enum l2r_status l2r_predictor_open(struct l2r_predictor **predictor, const char *path, struct l2r_error *error)
{
    return l2r_predictor_new(predictor, path, error);
}

enum l2r_status l2r_predictor_open_memory(struct l2r_predictor **predictor, const void *bytes, size_t n,
                                          struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(predictor);
    *predictor = NULL;
    L2R_NEED(bytes);
    L2R_TRY(l2r_predictor_parse(predictor, bytes, n, error));
done:
    return status;
}

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

enum l2r_status l2r_predictor_config_json(char **json, const struct l2r_predictor *predictor, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(json);
    *json = NULL;
    L2R_NEED(predictor);
    L2R_TRY(l2r_json_text(json, l2r_config_to_json(l2r_predictor_config(predictor)), error));
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
    json_t *report = NULL;
    L2R_NEED(json);
    *json = NULL;
    L2R_NEED(predictor);
    L2R_TRY(l2r_metric_check_list(metrics, l2r_predictor_task(predictor), error));
    L2R_TRY(l2r_predictor_report(&report, predictor, data, graphs, n, metrics, error));
    L2R_TRY(l2r_json_text(json, report, error));
done:
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

struct l2r_ensemble {
    struct l2r_committee committee;
};

enum l2r_status l2r_ensemble_open(struct l2r_ensemble **ensemble, const char *const *paths, int32_t n,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_ensemble *e = NULL;
    L2R_NEED(ensemble);
    *ensemble = NULL;
    L2R_NEED(paths);
    if (n < 1 || n > 10000) L2R_FAIL(L2R_ERR_ARGUMENT, "n = %d; expected 1 … 10000 models", (int)n);
    for (int32_t k = 0; k < n; k++)
        if (!paths[k]) L2R_FAIL(L2R_ERR_ARGUMENT, "paths[%d] is NULL", (int)k);
    e = l2r_alloc(1, sizeof *e);
    if (!e) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for an ensemble");
    L2R_TRY(l2r_committee_new(&e->committee, paths, n, error));
    *ensemble = e;
    e = NULL;
done:
    l2r_free(e);
    return status;
}

void l2r_ensemble_free(struct l2r_ensemble *ensemble)
{
    if (!ensemble) return;
    l2r_committee_clear(&ensemble->committee);
    l2r_free(ensemble);
}

int32_t l2r_ensemble_outputs(const struct l2r_ensemble *ensemble)
{
    return ensemble ? ensemble->committee.n_outputs : 0;
}

enum l2r_status l2r_ensemble_score(float *output, float *spread, struct l2r_ensemble *ensemble,
                                   const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(output);
    L2R_NEED(ensemble);
    const struct l2r_answers answers = {.output = output, .spread = spread};
    /* No graph at all: the first model still says what is wrong with the arguments. */
    if (n <= 0) L2R_TRY(l2r_predictor_score(output, ensemble->committee.models[0], data, graphs, n, error));
    if (n > 0 && (!data || !graphs)) L2R_FAIL(L2R_ERR_ARGUMENT, "%s is NULL", data ? "graphs" : "data");
    if (n > 0) L2R_TRY(l2r_committee_ask(&answers, &ensemble->committee, data, graphs, n, error));
done:
    return status;
}

enum l2r_status l2r_explanation_new(struct l2r_explanation **explanation, const struct l2r_predictor *predictor,
                                    const struct l2r_dataset *data, int32_t graph, const struct l2r_config *options,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *defaults = NULL;
    struct l2r_explanation *e = NULL;
    L2R_NEED(explanation);
    *explanation = NULL;
    L2R_NEED(predictor);
    L2R_NEED(data);
    if (graph < 0 || graph >= l2r_dataset_graphs(data))
        L2R_FAIL(L2R_ERR_ARGUMENT, "graph = %d; expected 0 … %lld (the data set has %lld graphs)", (int)graph,
                 (long long)l2r_dataset_graphs(data) - 1, (long long)l2r_dataset_graphs(data));
    if (options && !l2r_config_has(options, "restarts"))
        L2R_FAIL(L2R_ERR_ARGUMENT, "options are not those of an explanation; l2r_config_for_explanation makes them");
    if (!options) L2R_TRY(l2r_config_for_explanation(&defaults, error));
    const struct l2r_explain_settings settings = l2r_explain_settings_of(options ? options : defaults);
    e = l2r_alloc(1, sizeof *e);
    if (!e) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for an explanation");
    L2R_TRY(l2r_explain(e, predictor, data, &graph, 1, &settings, NULL, error));
    *explanation = e;
    e = NULL;
done:
    l2r_free(e);
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
