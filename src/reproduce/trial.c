/* SPDX-License-Identifier: MIT
 * See trial.h. */
#include "reproduce/trial.h"

#include "base/config.h"
#include "base/file.h"

static enum l2r_status set_all(struct l2r_config *config, const char *const *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (; options != NULL && *options != NULL; options += 2)
        L2R_TRY(l2r_config_set(config, options[0], options[1], error));
done:
    return status;
}

enum l2r_status l2r_trial_run(struct l2r_result *result, char path[L2R_TRIAL_PATH], const struct l2r_trial *trial,
                              const struct l2r_reproduce *job, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *config = NULL;
    char begun[L2R_TRIAL_PATH];
    L2R_TRY(l2r_path_join(path, L2R_TRIAL_PATH, job->dir, trial->name, error));
    L2R_TRY(l2r_path_join(begun, sizeof begun, path, "config.json", error));
    L2R_TRY(l2r_config_new(&config, error));
    L2R_TRY(l2r_run_declare(config, trial->model, trial->method, error));
    L2R_TRY(set_all(config, trial->options, error));
    L2R_TRY(set_all(config, trial->own, error));
    if (job->step != NULL) job->step(job->context, trial->name);
    L2R_TRY(l2r_run_train(result, config, path, l2r_path_is_file(begun), job->watch, error));
done:
    l2r_config_free(config);
    return status;
}
