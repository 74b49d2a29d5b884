/* SPDX-License-Identifier: MIT
 * The public calls of l2r/train.h about whole runs. */
#include <l2r/model.h>
#include <l2r/train.h>

#include "api/evaluation.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "data/dataset.h"
#include "data/splits/split.h"
#include "fit/options.h"
#include "io/source.h"
#include "model/predictor.h"
#include "recipe/result.h"
#include "recipe/table_defaults.h"
#include "store/run.h"

#include <math.h>
#include <string.h>

/* A split says how many graphs its data has. */
static enum l2r_status check_split(const struct l2r_dataset *data, const struct l2r_split *split,
                                   struct l2r_error *error)
{
    if (!split) return L2R_OK;
    if (!data) return l2r_fail(error, L2R_ERR_ARGUMENT, "data is NULL, but split is given; a split goes with its data");
    if (split->n_graphs == data->n_graphs) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "split is for %lld graphs, but data has %lld", (long long)split->n_graphs,
                    (long long)data->n_graphs);
}

enum l2r_status l2r_train(struct l2r_result **result, struct l2r_predictor **predictor, const struct l2r_run *given,
                          struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_callbacks own = L2R_CALLBACKS_INIT;
    struct l2r_run run = L2R_RUN_INIT;
    struct l2r_result *made = NULL;
    struct l2r_config *suited = NULL;
    if (predictor) *predictor = NULL;
    L2R_NEED(result);
    *result = NULL;
    L2R_TRY(l2r_struct_take(&run, sizeof run, sizeof run, given, "run", error));
    if (run.callbacks) L2R_TRY(l2r_struct_take(&own, sizeof own, sizeof own, run.callbacks, "run.callbacks", error));
    run.callbacks = &own;
    if (run.resume && !run.out) L2R_FAIL(L2R_ERR_ARGUMENT, "`out` is NULL; a run is resumed from its folder");
    L2R_TRY(check_split(run.data, run.split, error));
    L2R_TRY(l2r_run_check(run.config, error));
    L2R_TRY(l2r_config_copy(&suited, run.config, error));
    L2R_TRY(run.data ? l2r_run_suit_data(suited, run.data, error)
                     : l2r_run_suit(suited, l2r_config_text(suited, "data"), error));
    const char *where = l2r_config_text(suited, "data");
    bool table = run.data ? run.data->smiles && run.data->source_line : l2r_run_reads_table(where);
    L2R_TRY(l2r_run_resolve(suited, table, error));
    run.config = suited;
    made = l2r_alloc(1, sizeof *made);
    if (!made) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a result");
    L2R_TRY(l2r_run_train(made, predictor, &run, error));
    *result = made;
    made = NULL;
done:
    l2r_result_free(made);
    l2r_config_free(suited);
    return status;
}

void l2r_result_free(struct l2r_result *result)
{
    if (!result) return;
    l2r_result_clear(result);
    l2r_free(result);
}

enum l2r_status l2r_result_json(char **json, const struct l2r_result *result, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(json);
    *json = NULL;
    L2R_NEED(result);
    L2R_TRY(l2r_json_text(json, l2r_result_to_json(result), error));
done:
    return status;
}

const char *l2r_result_metric(const struct l2r_result *result)
{
    return result ? result->metric : NULL;
}

double l2r_result_score(const struct l2r_result *result, int part, const char *metric)
{
    if (!result || part < L2R_PART_TRAIN || part >= L2R_N_PARTS) return (double)NAN;
    if (!metric || strcmp(metric, result->metric) == 0) return l2r_result_part(result, part);
    const json_t *value = json_object_get(json_object_get(result->more, l2r_part_name(part)), metric);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

int64_t l2r_result_best_epoch(const struct l2r_result *result)
{
    return result ? result->best_epoch : 0;
}

int64_t l2r_result_n_epochs(const struct l2r_result *result)
{
    return result ? result->epochs : 0;
}

int64_t l2r_result_n_parameters(const struct l2r_result *result)
{
    return result ? result->n_parameters : 0;
}

double l2r_result_seconds(const struct l2r_result *result)
{
    return result ? result->seconds : (double)NAN;
}

double l2r_result_graphs_per_second(const struct l2r_result *result)
{
    return result ? result->graphs_per_second : (double)NAN;
}

const char *l2r_result_conclusion(const struct l2r_result *result)
{
    return result ? json_string_value(json_object_get(result->conclusion, "sentence")) : NULL;
}

enum l2r_status l2r_result_evaluation(struct l2r_evaluation **evaluation, const struct l2r_result *result, int part,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *report = NULL, *groups;
    L2R_NEED(evaluation);
    *evaluation = NULL;
    L2R_NEED(result);
    if (part < L2R_PART_TRAIN || part >= L2R_N_PARTS)
        L2R_FAIL(L2R_ERR_ARGUMENT, "part = %d; expected L2R_PART_TRAIN, _VALID, _TEST, _ID_VALID or _ID_TEST", part);
    json_t *scores = json_object_get(result->more, l2r_part_name(part));
    if (!scores) L2R_FAIL(L2R_ERR_ARGUMENT, "the %s part was not scored", l2r_part_name(part));
    report = l2r_json_copy(scores);
    groups = json_object_get(json_object_get(result->more, "groups"), l2r_part_name(part));
    if (report && groups && json_object_set(report, "groups", groups) != 0) {
        json_decref(report);
        report = NULL;
    }
    L2R_TRY(l2r_evaluation_new(evaluation, report, error));
done:
    return status;
}

int32_t l2r_result_n_curves(const struct l2r_result *result)
{
    return result ? result->history.n_curves : 0;
}

const char *l2r_result_curve_name(const struct l2r_result *result, int32_t k)
{
    return result && k >= 0 && k < result->history.n_curves ? result->history.curves[k].name : NULL;
}

const double *l2r_result_curve(int64_t *n, const struct l2r_result *result, const char *name)
{
    const struct l2r_curve *curve = result && name ? l2r_history_curve(&result->history, name) : NULL;
    if (n) *n = curve ? curve->n : 0;
    return curve ? curve->values : NULL;
}

enum l2r_status l2r_result_history_json(char **json, const struct l2r_result *result, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(json);
    *json = NULL;
    L2R_NEED(result);
    L2R_TRY(l2r_json_text(json, result->history.lines ? json_incref(result->history.lines) : json_array(), error));
done:
    return status;
}

const struct l2r_config *l2r_result_config(const struct l2r_result *result)
{
    return result ? result->config : NULL;
}

const struct l2r_split *l2r_result_split(const struct l2r_result *result)
{
    return result && result->split.graphs ? &result->split : NULL;
}

const float *l2r_result_weights(int64_t *n, const struct l2r_result *result)
{
    if (n) *n = result && result->weights ? result->n_weights : 0;
    return result ? result->weights : NULL;
}

enum l2r_status l2r_result_chosen(struct l2r_predictor **chosen, const struct l2r_result *result,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trained *copy = NULL;
    L2R_NEED(chosen);
    *chosen = NULL;
    L2R_NEED(result);
    if (!result->chosen)
        L2R_FAIL(L2R_ERR_ARGUMENT, "the run has no model beside its own; `refit=true` trains the chosen one again");
    L2R_TRY(l2r_trained_copy(&copy, result->chosen, error));
    L2R_TRY(l2r_predictor_from_trained(chosen, copy, error));
done:
    return status;
}
