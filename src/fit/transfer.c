/* SPDX-License-Identifier: MIT
 * See transfer.h. */
#include "fit/transfer.h"

#include "model/predictor.h"
#include "nn/model.h"

#include <stdio.h>
#include <string.h>

/* What is taken over: the first member of a committee. */
static const struct l2r_network *network_of(const struct l2r_predictor *origin)
{
    return l2r_predictor_trained(origin)->networks[0];
}

static const struct l2r_config *config_of(const struct l2r_predictor *origin)
{
    return l2r_predictor_trained(origin)->members[0]->config;
}

static bool is_head(const struct l2r_param *p)
{
    return strncmp(p->name, "head.", 5) == 0;
}

/* ---- are the two compatible? ---- */

static bool same_categories(const int32_t *a, const int32_t *b, int32_t n, const int64_t *value_a, int64_t n_a,
                            const int64_t *value_b, int64_t n_b)
{
    if (memcmp(a, b, (size_t)n * sizeof *a) != 0 || n_a != n_b) return false;
    return n_a == 0 || memcmp(value_a, value_b, (size_t)n_a * sizeof *value_a) == 0;
}

static enum l2r_status check_features(const struct l2r_signature *old, const struct l2r_signature *new, const char *run,
                                      struct l2r_error *error)
{
    if (old->n_node_columns != new->n_node_columns || old->n_edge_columns != new->n_edge_columns ||
        old->n_node_reals != new->n_node_reals || old->n_edge_reals != new->n_edge_reals)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "`from=%.300s`: its model reads %d categories and %d numbers of a node and %d categories and "
                        "%d numbers of an edge, this data has %d, %d, %d and %d",
                        run, old->n_node_columns, old->n_node_reals, old->n_edge_columns, old->n_edge_reals,
                        new->n_node_columns, new->n_node_reals, new->n_edge_columns, new->n_edge_reals);
    if (!same_categories(old->node_vocabulary, new->node_vocabulary, old->n_node_columns, old->node_value,
                         old->n_node_values, new->node_value, new->n_node_values) ||
        !same_categories(old->edge_vocabulary, new->edge_vocabulary, old->n_edge_columns, old->edge_value,
                         old->n_edge_values, new->edge_value, new->n_edge_values))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "`from=%.300s`: the categories of nodes or edges in this data are not those of its model; both "
                        "must come from the same kind of source, such as SMILES",
                        run);
    return L2R_OK;
}

static enum l2r_status check_task(const struct l2r_signature *old, const struct l2r_signature *new, const char *run,
                                  struct l2r_error *error)
{
    if (old->task == new->task && l2r_signature_outputs(old) == l2r_signature_outputs(new)) return L2R_OK;
    return l2r_fail(
        error, L2R_ERR_ARGUMENT,
        "`from=%.300s`: its model has %d outputs for %s, this data needs %d for %s; `reset=head` starts a new head",
        run, l2r_signature_outputs(old), l2r_task_name(old->task), l2r_signature_outputs(new),
        l2r_task_name(new->task));
}

static const struct l2r_param *find(const struct l2r_params *params, const char *name)
{
    for (size_t i = 0; i < params->count; i++)
        if (strcmp(params->items[i]->name, name) == 0) return params->items[i];
    return NULL;
}

static enum l2r_status check_shapes(const struct l2r_params *new, const struct l2r_params *old, bool with_head,
                                    const char *run, struct l2r_error *error)
{
    size_t n_new = 0, n_old = 0;
    for (size_t i = 0; i < old->count; i++) n_old += with_head || !is_head(old->items[i]);
    for (size_t i = 0; i < new->count; i++) {
        const struct l2r_param *p = new->items[i], *from = find(old, p->name);
        if (!with_head && is_head(p)) continue;
        n_new++;
        if (!from)
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "`from=%.300s`: its model has no %s; give the options that it was trained with", run,
                            p->name);
        if (from->rows != p->rows || from->cols != p->cols)
            return l2r_fail(
                error, L2R_ERR_ARGUMENT,
                "`from=%.300s`: its %s is %lld × %lld, this run's %lld × %lld; give the options that it was "
                "trained with",
                run, p->name, (long long)from->rows, (long long)from->cols, (long long)p->rows, (long long)p->cols);
    }
    if (n_new == n_old) return L2R_OK;
    return l2r_fail(
        error, L2R_ERR_ARGUMENT,
        "`from=%.300s`: its model has %zu tensors, this run's %zu; give the options that it was trained with", run,
        n_old, n_new);
}

/* ---- taking over ---- */

enum l2r_status l2r_transfer_open(struct l2r_predictor **origin, struct l2r_signature *signature,
                                  const struct l2r_fit_options *o, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *run = o->from, *model = o->model;
    *origin = NULL;
    if (!run && (o->freeze >= 0 || o->reset >= 0))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`%s` needs `from`, a run whose model is taken over",
                        o->freeze >= 0 ? "freeze" : "reset");
    if (o->freeze >= 0 && o->mask_atoms > 0)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`mask-atoms` trains the backbone, which `freeze` leaves as it is");
    if (!run) return L2R_OK;
    L2R_TRY(l2r_predictor_open(origin, run, error));
    if (network_of(*origin)->type->fit)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`from=%.300s`: trees are not trained further; `from` takes over networks", run);
    const char *its = l2r_config_text(config_of(*origin), "model");
    if (strcmp(its, model) != 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`from=%.300s`: its backbone is %s, this run's %s", run, its, model);
    const struct l2r_signature *old = &network_of(*origin)->signature;
    L2R_TRY(check_features(old, signature, run, error));
    signature->mean_log_degree = old->mean_log_degree;
done:
    if (status != L2R_OK) {
        l2r_predictor_free(*origin);
        *origin = NULL;
    }
    return status;
}

enum l2r_status l2r_transfer_take(struct l2r_network *network, const struct l2r_predictor *origin,
                                  const struct l2r_fit_options *o, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (!origin) return L2R_OK;
    const char *run = o->from;
    bool with_head = o->reset < 0;
    const struct l2r_params *old = &network_of(origin)->params;
    if (with_head && network->signature.features.n > 0)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "`from=%.300s`: its head reads molecule features on the scale of its own training set; `reset=head` "
                 "begins a new head",
                 run);
    if (with_head) L2R_TRY(check_task(&network_of(origin)->signature, &network->signature, run, error));
    L2R_TRY(check_shapes(&network->params, old, with_head, run, error));
    for (size_t i = 0; i < network->params.count; i++) {
        struct l2r_param *p = network->params.items[i];
        if (with_head || !is_head(p))
            memcpy(p->value, find(old, p->name)->value, (size_t)(p->rows * p->cols) * sizeof *p->value);
    }
done:
    return status;
}

/* ---- the options of the run ---- */

enum l2r_status l2r_transfer_model(char model[64], const char *run, struct l2r_error *error)
{
    struct l2r_predictor *origin = NULL;
    enum l2r_status status = l2r_predictor_open(&origin, run, error);
    if (status == L2R_OK) snprintf(model, 64, "%s", l2r_config_text(config_of(origin), "model"));
    l2r_predictor_free(origin);
    return status;
}

enum l2r_status l2r_transfer_defaults(struct l2r_config *config, const char *run, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_predictor *origin = NULL;
    struct l2r_config *model = NULL; /* the names of the backbone's options */
    const struct l2r_option *option;
    L2R_TRY(l2r_predictor_open(&origin, run, error));
    L2R_TRY(l2r_config_new(&model, error));
    L2R_TRY(l2r_model_declare(model, network_of(origin)->type, error));
    for (size_t i = 0; (option = l2r_config_option(model, i)); i++) {
        const char *value = l2r_config_text(config_of(origin), option->name);
        if (value && l2r_config_has(config, option->name))
            L2R_TRY(l2r_config_set_default(config, option->name, value, error));
    }
done:
    l2r_config_free(model);
    l2r_predictor_free(origin);
    return status;
}
