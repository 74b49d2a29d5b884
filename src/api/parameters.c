/* SPDX-License-Identifier: MIT
 * The public calls of l2r/model.h that look into a model: parameters, calibration, contributions of features. */
#include <l2r/model.h>

#include "api/graph_list.h"
#include "api/parameters.h"
#include "base/misuse.h"
#include "base/watch.h"
#include "model/calibrate.h"
#include "model/feature_effects.h"
#include "model/predictor_state.h"

#include <math.h>
#include <string.h>

/* ---- parameters ---- */

enum l2r_status l2r_parameter_lend(struct l2r_parameter *parameter, const struct l2r_params *params, size_t i,
                                   bool gradients, struct l2r_error *error)
{
    if (i >= params->count)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "i = %zu; the model has %zu parameters", i, params->count);
    const struct l2r_param *p = params->items[i];
    const struct l2r_parameter own = {.name = p->name,
                                      .rows = p->rows,
                                      .columns = p->cols,
                                      .value = p->value,
                                      .gradient =
                                          gradients && p->trainable ? params->grad + (p->value - params->value) : NULL};
    return l2r_struct_give(parameter, &own, sizeof own, "parameter", error);
}

enum l2r_status l2r_parameter_find(size_t *i, const struct l2r_params *params, const char *name,
                                   struct l2r_error *error)
{
    for (*i = 0; *i < params->count; ++*i)
        if (strcmp(params->items[*i]->name, name) == 0) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "the model has no parameter \"%.96s\"", name);
}

static const struct l2r_network *member_of(const struct l2r_predictor *p, int32_t member)
{
    return p && member >= 0 && member < p->trained->n ? p->trained->networks[member] : NULL;
}

static enum l2r_status need_member(const struct l2r_network **network, const struct l2r_predictor *predictor,
                                   int32_t member, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(predictor);
    *network = member_of(predictor, member);
    if (!*network)
        L2R_FAIL(L2R_ERR_ARGUMENT, "member = %d; expected 0 … %d", (int)member, (int)predictor->trained->n - 1);
done:
    return status;
}

size_t l2r_predictor_n_parameters(const struct l2r_predictor *predictor, int32_t member)
{
    const struct l2r_network *network = member_of(predictor, member);
    return network ? network->params.count : 0;
}

enum l2r_status l2r_predictor_parameter(struct l2r_parameter *parameter, struct l2r_predictor *predictor,
                                        int32_t member, size_t i, struct l2r_error *error)
{
    const struct l2r_network *network;
    enum l2r_status status = need_member(&network, predictor, member, error);
    return status == L2R_OK ? l2r_parameter_lend(parameter, &network->params, i, false, error) : status;
}

enum l2r_status l2r_predictor_find(struct l2r_parameter *parameter, struct l2r_predictor *predictor, int32_t member,
                                   const char *name, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_network *network;
    size_t i;
    L2R_TRY(need_member(&network, predictor, member, error));
    L2R_NEED(name);
    L2R_TRY(l2r_parameter_find(&i, &network->params, name, error));
    L2R_TRY(l2r_parameter_lend(parameter, &network->params, i, false, error));
done:
    return status;
}

/* ---- calibration ---- */

static enum l2r_status check_method(const char *method, struct l2r_error *error)
{
    if (strcmp(method, "none") == 0) return L2R_OK;
    for (size_t k = 0; l2r_calibrators[k]; k++)
        if (strcmp(l2r_calibrators[k]->name, method) == 0) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "method = \"%.40s\"; expected one of %s", method, l2r_calibrator_choices);
}

enum l2r_status l2r_predictor_calibrate(struct l2r_predictor *predictor, const char *method, double coverage,
                                        const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_graph_list list = {0};
    struct l2r_dataset view;
    struct l2r_arena arena;
    const struct l2r_calibration *made;
    int32_t left_out;
    l2r_arena_init(&arena);
    L2R_NEED(predictor);
    L2R_NEED(method);
    L2R_TRY(check_method(method, error));
    L2R_TRY(l2r_graph_list_take(&list, "graphs", data, graphs, n, error));
    if (n == 0) L2R_FAIL(L2R_ERR_ARGUMENT, "n = 0; a calibration needs graphs");
    struct l2r_trained *t = predictor->trained;
    if (coverage == 0) coverage = t->calibration && t->calibration->coverage > 0 ? t->calibration->coverage : 0.9;
    if (!(coverage > 0 && coverage < 1)) L2R_FAIL(L2R_ERR_ARGUMENT, "coverage = %g; expected 0 … 1", coverage);
    const struct l2r_signature *s = l2r_predictor_signature(predictor);
    if (s->task != data->task || s->n_tasks != data->n_tasks)
        L2R_FAIL(L2R_ERR_ARGUMENT, "the data has a %s task with %d label columns, the model a %s task with %d",
                 l2r_task_name(data->task), (int)data->n_tasks, l2r_task_name(s->task), (int)s->n_tasks);
    L2R_TRY(l2r_signature_view(&view, &arena, s, data, error));
    L2R_TRY(l2r_committee_calibrate(&made, &left_out, &t->arena, &predictor->committee, method, coverage,
                                    &predictor->tape, &view, list.graphs, n, predictor->batch_size, error));
    t->calibration = made;
    predictor->committee = l2r_trained_committee(t);
done:
    l2r_arena_clear(&arena);
    l2r_graph_list_clear(&list);
    return status;
}

/* ---- features ---- */

int32_t l2r_predictor_n_features(const struct l2r_predictor *predictor, int32_t member)
{
    const struct l2r_network *network = member_of(predictor, member);
    return network ? network->signature.features.n : 0;
}

void l2r_predictor_feature_name(char *name, size_t size, const struct l2r_predictor *predictor, int32_t member,
                                int32_t i)
{
    if (!name || size == 0) return;
    name[0] = '\0';
    if (i >= 0 && i < l2r_predictor_n_features(predictor, member))
        l2r_feature_name(name, size, &member_of(predictor, member)->signature.features, i);
}

enum l2r_status l2r_predictor_contributions(float *contributions, float *values, const struct l2r_predictor *predictor,
                                            int32_t member, const struct l2r_dataset *data, const int64_t *graphs,
                                            int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_network *network;
    struct l2r_graph_list list = {0};
    struct l2r_feature_effects effects = {0};
    struct l2r_watched loop;
    l2r_watched_begin(&loop, "graphs scored", n);
    L2R_TRY(need_member(&network, predictor, member, error));
    L2R_TRY(l2r_graph_list_take(&list, "graphs", data, graphs, n, error));
    L2R_TRY(l2r_feature_effects_open(&effects, network, data, list.graphs, n, error));
    int32_t features = network->signature.features.n;
    int64_t row = (int64_t)l2r_predictor_n_outputs(predictor) * (features + 1);
    for (int64_t i = 0; i < n && !l2r_watched_stop(&loop); i++) {
        if (contributions) L2R_TRY(l2r_feature_effects_of(contributions + i * row, &effects, list.graphs[i], error));
        for (int32_t k = 0; values && k < features; k++)
            values[i * features + k] = l2r_feature_effects_value(&effects, list.graphs[i], k);
        l2r_watched_add(&loop, 1);
    }
done:
    if (effects.network) l2r_feature_effects_clear(&effects);
    l2r_graph_list_clear(&list);
    return l2r_watched_end(&loop, status, error);
}
