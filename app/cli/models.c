/* SPDX-License-Identifier: MIT
 *
 * Finds the models of a command (selection.h).
 */
#include "base/array.h"
#include "base/memory.h"
#include "cli/runs.h"
#include "cli/selection.h"
#include "io/file.h"
#include "model/run_names.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum l2r_status add_model(struct cli_models *models, const char *path, struct l2r_error *error)
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

/* A run in a folder of several. */
struct member {
    enum l2r_sibling kind;
    int64_t number;
};

static int by_number(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* The runs seed-K, fold-K or replicate-K of a folder that have a model; none is no error. */
static enum l2r_status add_members(struct cli_models *models, const char *folder, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct member *members = NULL, next;
    size_t capacity = 0, n = 0;
    DIR *dir = opendir(folder);
    struct dirent *entry;
    char path[CLI_PATH];
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        next.number = l2r_sibling_of_folder(&next.kind, entry->d_name);
        if (next.number < 0) continue;
        snprintf(path, sizeof path, "%s/%s/" L2R_BEST_FILE, folder, entry->d_name);
        if (!l2r_path_is_file(path)) continue;
        if (!l2r_reserve((void **)&members, &capacity, n + 1, sizeof *members)) {
            status = l2r_fail_memory(error, n * sizeof *members, "a list of runs");
            goto done;
        }
        members[n++] = next;
    }
    if (n > 1) qsort(members, n, sizeof *members, by_number);
    for (size_t i = 0; i < n; i++) {
        (void)l2r_sibling_folder(path, sizeof path, folder, members[i].kind, members[i].number);
        L2R_TRY(add_model(models, path, error));
    }
done:
    if (dir != NULL) closedir(dir);
    l2r_free(members);
    return status;
}

enum l2r_status cli_models_beside(struct cli_models *models, const char *folder, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct dirent **entries = NULL;
    char path[CLI_PATH];
    *models = (struct cli_models){0};
    snprintf(path, sizeof path, "%s/" L2R_BEST_FILE, folder);
    int n = l2r_path_is_dir(folder) && !l2r_path_is_file(path) ? scandir(folder, &entries, NULL, alphasort) : 0;
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        snprintf(path, sizeof path, "%s/%s/" L2R_BEST_FILE, folder, name);
        if (name[0] == '.' || l2r_sibling_of_folder(NULL, name) >= 0 || !l2r_path_is_file(path)) continue;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        L2R_TRY(add_model(models, path, error));
    }
done:
    for (int i = 0; i < n; i++) free(entries[i]);
    free((void *)entries);
    if (status != L2R_OK) cli_models_clear(models);
    return status;
}

enum l2r_status cli_models_of(struct cli_models *models, const struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *models = (struct cli_models){0};
    for (int i = 0; i < call->n_arguments; i++) {
        char best[CLI_PATH];
        int before = models->n;
        snprintf(best, sizeof best, "%s/" L2R_BEST_FILE, call->arguments[i]);
        if (l2r_path_is_dir(call->arguments[i]) && !l2r_path_is_file(best))
            L2R_TRY(add_members(models, call->arguments[i], error));
        if (models->n == before) L2R_TRY(add_model(models, call->arguments[i], error));
    }
done:
    if (status != L2R_OK) cli_models_clear(models);
    return status;
}

enum l2r_status cli_models_given(struct cli_models *models, struct cli_call *call, bool several,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(cli_models_of(models, call, error));
    if (models->n > 1 && !several) {
        status = cli_misuse(call, error,
                            call->n_arguments > 1
                                ? "%s and the others are %d models; use --ensemble for their mean and spread"
                                : "%s holds %d models; use --ensemble for their mean and spread, or name one of them",
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

enum l2r_status cli_open_member(struct l2r_predictor **predictor, const char *path, int64_t member,
                                struct l2r_error *error)
{
    struct l2r_predictor *all = NULL;
    enum l2r_status status = l2r_predictor_open(predictor, path, error);
    if (status != L2R_OK || member == 0) return status;
    all = *predictor;
    *predictor = NULL;
    if (member > l2r_predictor_n_members(all))
        status = l2r_fail(error, L2R_ERR_ARGUMENT, "--member %lld: the model has %d member%s", (long long)member,
                          (int)l2r_predictor_n_members(all), l2r_predictor_n_members(all) > 1 ? "s" : "");
    else
        status = l2r_predictor_member(predictor, all, (int32_t)member - 1, error);
    l2r_predictor_free(all);
    return status;
}
