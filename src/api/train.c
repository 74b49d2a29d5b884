/* SPDX-License-Identifier: MIT
 * The public calls of l2r/train.h about whole runs. */
#include <l2r/model.h>
#include <l2r/train.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "data/dataset.h"
#include "data/splits/split.h"
#include "io/source.h"
#include "model/predictor.h"
#include "model/run_options.h"
#include "recipe/result.h"
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
    bool table = run.data ? run.data->smiles && run.data->source_line : where && l2r_source_is_table(where);
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

int64_t l2r_result_epochs(const struct l2r_result *result)
{
    return result ? result->epochs : 0;
}

int64_t l2r_result_parameters(const struct l2r_result *result)
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
