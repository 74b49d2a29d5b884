/* SPDX-License-Identifier: MIT
 * See run.h. */
#include "store/run.h"

#include "base/memory.h"
#include "base/watch.h"
#include "data/reader.h"
#include "fit/ranks.h"
#include "io/file.h"
#include "model/predictor.h"
#include "recipe/recipe.h"
#include "recipe/summary.h"
#include "store/store.h"

#include <string.h>

enum l2r_status l2r_run_load(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_comm *comm,
                             struct l2r_error *error)
{
    if (!l2r_config_text(config, "data"))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "`data` is missing: a folder, a zip, or a generator such as motif:mu=0.8");
    if (comm) return l2r_ranks_load(data, config, comm, error);
    return l2r_dataset_load_with(data, l2r_config_text(config, "data"), config, l2r_config_flag(config, "cache"),
                                 error);
}

/* After a stop or a divergence: adds to the error what was saved and where. */
static enum l2r_status end_early(enum l2r_status status, struct l2r_recipe *recipe, const struct l2r_store *store,
                                 struct l2r_error *error)
{
    if (status == L2R_ERR_INTERRUPTED && error) {
        const struct l2r_error stopped = *error;
        return l2r_fail(error, status, "%s; %s%s", stopped.message,
                        store->dir ? "everything is saved in " : "nothing is kept", store->dir ? store->dir : "");
    }
    if (status != L2R_ERR_DIVERGED) return status;
    if (recipe->model && store->dir && store->leads) (void)l2r_trained_write(recipe->model, store->best, NULL);
    l2r_comm_barrier(recipe->comm); /* a rank that ends in error would stop rank 0 */
    return status;
}

static enum l2r_status take_weights(struct l2r_result *result, const struct l2r_trained *model, struct l2r_error *error)
{
    if (!model->weights) return L2R_OK;
    result->weights = l2r_alloc_raw((size_t)model->n_weights, sizeof *result->weights);
    if (!result->weights) return l2r_fail(error, L2R_ERR_MEMORY, "out of memory for the weights of graphs");
    memcpy(result->weights, model->weights, (size_t)model->n_weights * sizeof *result->weights);
    result->n_weights = model->n_weights;
    return L2R_OK;
}

/* A run that had finished before gives its model and the rest again, from its folder. */
static enum l2r_status reread(struct l2r_result *result, struct l2r_predictor **predictor,
                              const struct l2r_store *store, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_predictor *model = NULL;
    L2R_TRY(l2r_store_reread(result, store, error));
    if (!predictor && !l2r_path_is_file(store->best)) goto done; /* no epoch was chosen */
    L2R_TRY(l2r_predictor_open(&model, store->dir, error));
    L2R_TRY(take_weights(result, l2r_predictor_trained(model), error));
    if (!predictor) goto done;
    *predictor = model;
    model = NULL;
done:
    l2r_predictor_free(model);
    return status;
}

/* With a folder the model is read from its file, so that it finds the other files of the run. */
static enum l2r_status give_model(struct l2r_predictor **predictor, struct l2r_recipe *recipe, const char *dir,
                                  struct l2r_error *error)
{
    if (dir) return l2r_predictor_open(predictor, dir, error);
    struct l2r_trained *model = recipe->model;
    recipe->model = NULL;
    return l2r_predictor_from_trained(predictor, model, error);
}

/* The scores, and what else a caller may want to know of the run. */
static enum l2r_status take_result(struct l2r_result *result, struct l2r_recipe *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *result = r->result;
    r->result = (struct l2r_result){0};
    result->history = r->history;
    r->history = (struct l2r_history){0};
    result->chosen = r->chosen;
    r->chosen = NULL;
    L2R_TRY(l2r_history_finish(&result->history, error));
    L2R_TRY(l2r_config_copy(&result->config, r->config, error));
    L2R_TRY(l2r_split_copy(&result->split, r->split, error));
    L2R_TRY(take_weights(result, r->model, error));
done:
    return status;
}

enum l2r_status l2r_run_train(struct l2r_result *result, struct l2r_predictor **predictor, const struct l2r_run *plan,
                              struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_store store = {0};
    struct l2r_recipe recipe = {0};
    struct l2r_dataset *own = NULL;
    struct l2r_split split = {0};
    if (!result) return l2r_fail(error, L2R_ERR_ARGUMENT, "result is NULL");
    *result = (struct l2r_result){0};
    L2R_TRY(l2r_run_check(plan->config, error));
    L2R_TRY(l2r_recipe_check(plan->config, error));
    L2R_TRY(l2r_store_open(&store, result, plan, error));
    if (*result->metric) {
        L2R_TRY(reread(result, predictor, &store, error));
        goto done;
    }
    if (!plan->data) L2R_TRY(l2r_run_load(&own, plan->config, plan->comm, error));
    const struct l2r_dataset *data = plan->data ? plan->data : own;
    L2R_TRY(l2r_store_split(&split, &store, data, error));
    L2R_TRY(l2r_recipe_build(&recipe, plan->config, data, &split, plan->comm, plan->callbacks, error));
    L2R_TRY(l2r_split_keep_environments(&split, &recipe.members[0].fit.trainer.environments, error));
    L2R_TRY(l2r_store_begin(&store, &recipe, error));
    l2r_summary_start(&recipe, plan->out);
    const struct l2r_watch *watch = l2r_watch_swap(NULL); /* a run has callbacks of its own */
    status = l2r_recipe_train(&recipe, store.dir ? &store.hooks : NULL, error);
    (void)l2r_watch_swap(watch);
    if (status != L2R_OK) {
        status = end_early(status, &recipe, &store, error);
        goto done;
    }
    L2R_TRY(l2r_store_finish(&store, &recipe, error));
    L2R_TRY(take_result(result, &recipe, error));
    if (predictor) L2R_TRY(give_model(predictor, &recipe, plan->out, error));
done:
    status = l2r_store_close(&store, status, error);
    if (status != L2R_OK) l2r_result_clear(result); /* it may be that of another run in this folder */
    l2r_recipe_clear(&recipe);
    l2r_split_clear(&split);
    l2r_dataset_free(own);
    return status;
}
