/* SPDX-License-Identifier: MIT
 * The public calls of l2r/train.h about whole runs. */
#include <l2r/model.h>
#include <l2r/train.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "data/splits/split.h"
#include "predict/predictor.h"
#include "train/result.h"
#include "train/run.h"

#include <math.h>

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

enum l2r_status l2r_train(struct l2r_result **result, struct l2r_predictor **predictor, const struct l2r_config *config,
                          const struct l2r_dataset *data, const struct l2r_split *split, const char *dir, bool resume,
                          const struct l2r_callbacks *callbacks, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_callbacks heard = L2R_CALLBACKS_INIT;
    struct l2r_result *made = NULL;
    if (predictor) *predictor = NULL;
    L2R_NEED(result);
    *result = NULL;
    if (callbacks) L2R_TRY(l2r_struct_take(&heard, sizeof heard, sizeof heard, callbacks, "callbacks", error));
    if (resume && !dir) L2R_FAIL(L2R_ERR_ARGUMENT, "dir is NULL; a run is resumed from its folder");
    L2R_TRY(check_split(data, split, error));
    const struct l2r_watch watch = {heard.context, heard.start, heard.batch, heard.epoch, heard.note, heard.stop};
    const struct l2r_run_plan plan = {.config = config,
                                      .data = data,
                                      .split = split,
                                      .dir = dir,
                                      .predictor = predictor,
                                      .resume = resume,
                                      .watch = &watch};
    made = l2r_alloc(1, sizeof *made);
    if (!made) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a result");
    L2R_TRY(l2r_run_train_plan(made, &plan, error));
    if (predictor && dir) L2R_TRY(l2r_predictor_new(predictor, dir, error));
    *result = made;
    made = NULL;
done:
    l2r_result_free(made);
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

double l2r_result_score(const struct l2r_result *result, int part)
{
    if (!result || part < L2R_PART_TRAIN || part > L2R_PART_TEST) return (double)NAN;
    return part == L2R_PART_TRAIN ? result->train : part == L2R_PART_VALID ? result->valid : result->test;
}

int64_t l2r_result_best_epoch(const struct l2r_result *result)
{
    return result ? result->best_epoch : 0;
}

int64_t l2r_result_epochs(const struct l2r_result *result)
{
    return result ? result->epochs : 0;
}
