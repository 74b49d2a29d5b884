/* SPDX-License-Identifier: MIT
 * See models_given.h. */
#include "cli/models_given.h"

#include "base/array.h"
#include "base/memory.h"
#include "cli/run_folder.h"
#include "io/file.h"
#include "predict/run_names.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum l2r_status add(struct cli_models *models, const char *path, struct l2r_error *error)
{
    void *items = (void *)models->paths;
    if (!l2r_reserve(&items, &models->capacity, (size_t)models->n + 1, sizeof *models->paths))
        return l2r_fail_memory(error, sizeof *models->paths, "a list of models");
    models->paths = (char **)items;
    models->paths[models->n] = l2r_strdup(path);
    if (models->paths[models->n] == NULL) return l2r_fail_memory(error, strlen(path), "a list of models");
    models->n++;
    return L2R_OK;
}

/* The runs seed-K of a folder that have a model; none is no error. */
static enum l2r_status add_seeds(struct cli_models *models, const char *folder, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t *seeds = NULL;
    size_t capacity = 0, n = 0;
    DIR *dir = opendir(folder);
    struct dirent *entry;
    char path[CLI_PATH];
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (l2r_seed_of_folder(entry->d_name) < 0) continue;
        snprintf(path, sizeof path, "%s/%s/" L2R_BEST_FILE, folder, entry->d_name);
        if (!l2r_path_is_file(path)) continue;
        if (!l2r_reserve((void **)&seeds, &capacity, n + 1, sizeof *seeds)) {
            status = l2r_fail_memory(error, n * sizeof *seeds, "a list of seeds");
            goto done;
        }
        seeds[n++] = l2r_seed_of_folder(entry->d_name);
    }
    if (n > 1) qsort(seeds, n, sizeof *seeds, l2r_compare_i64);
    for (size_t i = 0; i < n; i++) {
        (void)l2r_seed_folder(path, sizeof path, folder, seeds[i]);
        L2R_TRY(add(models, path, error));
    }
done:
    if (dir != NULL) closedir(dir);
    l2r_free(seeds);
    return status;
}

enum l2r_status cli_models_given(struct cli_models *models, struct cli_call *call, bool several,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *models = (struct cli_models){0};
    for (int i = 0; i < call->n_arguments; i++) {
        char best[CLI_PATH];
        int before = models->n;
        snprintf(best, sizeof best, "%s/" L2R_BEST_FILE, call->arguments[i]);
        if (l2r_path_is_dir(call->arguments[i]) && !l2r_path_is_file(best))
            L2R_TRY(add_seeds(models, call->arguments[i], error));
        if (models->n == before) L2R_TRY(add(models, call->arguments[i], error));
    }
    if (models->n > 1 && !several) {
        status = cli_misuse(call, error,
                            call->n_arguments > 1
                                ? "%s and the others are %d models; --ensemble takes their mean and spread"
                                : "%s holds %d models; --ensemble takes their mean and spread, or name one of them",
                            call->arguments[0], models->n);
        goto done;
    }
    if (models->n == 1 && several)
        status = cli_misuse(call, error, "--ensemble needs at least two models, %s is one", call->arguments[0]);
done:
    if (status != L2R_OK) cli_models_clear(models);
    return status;
}

void cli_models_clear(struct cli_models *models)
{
    for (int i = 0; i < models->n; i++) l2r_free(models->paths[i]);
    l2r_free((void *)models->paths);
    *models = (struct cli_models){0};
}
