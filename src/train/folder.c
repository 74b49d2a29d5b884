/* SPDX-License-Identifier: MIT
 * See folder.h. */
#include "train/folder.h"

#include "base/system.h"
#include "data/dataset.h"
#include "io/file.h"
#include "io/json_file.h"
#include "io/safetensors.h"
#include "io/temporary.h"
#include "model/data_place.h"
#include "model/run_names.h"
#include "train/ownership.h"
#include "train/result.h"
#include "train/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

static enum l2r_status saved_init(struct l2r_saved *saved, const char *dir, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *saved = (struct l2r_saved){0};
    L2R_TRY(l2r_path_join(saved->last, sizeof saved->last, dir, L2R_LAST_FILE, error));
    L2R_TRY(l2r_path_join(saved->previous, sizeof saved->previous, dir, L2R_PREVIOUS_FILE, error));
    L2R_TRY(l2r_path_join(saved->best, sizeof saved->best, dir, L2R_BEST_FILE, error));
done:
    return status;
}

bool l2r_saved_is_there(const struct l2r_saved *saved)
{
    return l2r_path_is_file(saved->last) || l2r_path_is_file(saved->previous);
}

void l2r_saved_close(struct l2r_saved *saved)
{
    l2r_safetensors_free(saved->file);
    saved->file = NULL;
}

enum l2r_status l2r_folder_init(struct l2r_folder *folder, const char *dir, bool leads,
                                const struct l2r_callbacks *watch, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *folder = (struct l2r_folder){.dir = dir, .lock = -1, .leads = leads, .watch = watch};
    L2R_TRY(saved_init(&folder->saved, dir, error));
    L2R_TRY(l2r_path_join(folder->result, sizeof folder->result, dir, L2R_RESULT_FILE, error));
    L2R_TRY(l2r_path_join(folder->split, sizeof folder->split, dir, L2R_SPLIT_FILE, error));
    L2R_TRY(l2r_path_join(folder->config, sizeof folder->config, dir, L2R_CONFIG_FILE, error));
done:
    return status;
}

void l2r_folder_clear(struct l2r_folder *folder)
{
    l2r_saved_close(&folder->saved);
    if (folder->lock >= 0) (void)l2r_sys_close(folder->lock);
    folder->lock = -1;
}

enum l2r_status l2r_folder_lock(struct l2r_folder *folder, struct l2r_error *error)
{
    if (folder->lock >= 0 || !folder->leads) return L2R_OK;
    enum l2r_status status = l2r_make_dirs(folder->dir, error);
    if (status != L2R_OK) return status;
    folder->lock = l2r_sys_open(folder->dir, O_RDONLY | O_DIRECTORY);
    if (folder->lock < 0) return l2r_fail(error, L2R_ERR_IO, "%s: cannot be opened: %s", folder->dir, strerror(errno));
    if (flock(folder->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) /* some file systems cannot lock */
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s: another run is in progress there; choose another `out`",
                        folder->dir);
    l2r_remove_litter(folder->dir);
    return l2r_folder_refuse_links(folder->dir, error);
}

/* 5 and "5" are the same value of an option, typed or not. */
static bool is_same(const json_t *a, const json_t *b)
{
    const json_t *text = json_is_string(a) ? a : b, *number = json_is_string(a) ? b : a;
    if (!json_is_string(text) || !json_is_integer(number)) return json_equal(a, b);
    char typed[32];
    snprintf(typed, sizeof typed, "%" JSON_INTEGER_FORMAT, json_integer_value(number));
    return strcmp(typed, json_string_value(text)) == 0;
}

/* Are the options at hand those that the file at `path` was written with? */
static enum l2r_status compare_options(const struct l2r_config *config, const json_t *saved, const char *path,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *now = l2r_config_to_json(config), *value;
    const char *name;
    if (!now) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the options of a run");
    json_object_foreach(now, name, value)
    {
        json_t *before = json_object_get(saved, name);
        if (l2r_config_is_neutral(config, name) || !before || is_same(before, value)) continue;
        char *old = json_dumps(before, JSON_ENCODE_ANY), *new = json_dumps(value, JSON_ENCODE_ANY);
        status = l2r_fail(error, L2R_ERR_ARGUMENT,
                          "`resume`: `%s` is %s here but %s in the run; a run continues with its own options; to "
                          "change them, choose a new `out` (the run's stand in %s)",
                          name, new ? new : "?", old ? old : "?", path);
        free(old);
        free(new);
        goto done;
    }
done:
    json_decref(now);
    return status;
}

/* The same with the config that a checkpoint or a model holds. */
static enum l2r_status check_options(const struct l2r_config *config, const struct l2r_safetensors *file,
                                     const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *saved = NULL;
    const char *text = l2r_safetensors_metadata(file, "config");
    if (!text) L2R_FAIL(L2R_ERR_FORMAT, "%s: holds no config to resume with", path);
    L2R_TRY(l2r_json_parse(&saved, text, strlen(text), path, error));
    L2R_TRY(compare_options(config, saved, path, error));
done:
    json_decref(saved);
    return status;
}

enum l2r_status l2r_folder_check_begun(const struct l2r_folder *folder, const struct l2r_config *config,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *before = NULL;
    if (l2r_path_is_file(folder->config)) {
        struct l2r_error damage = {0};
        status = l2r_json_read(&before, folder->config, &damage);
        bool known = l2r_saved_is_there(&folder->saved); /* damaged, as the checkpoints are */
        if (status == L2R_ERR_FORMAT && known) return L2R_OK;
        if (status != L2R_OK) L2R_FAIL(status, "%s", damage.message);
        L2R_TRY(compare_options(config, before, folder->config, error));
    } else if (!l2r_saved_is_there(&folder->saved)) {
        L2R_TRY(l2r_folder_refuse_files(folder->dir, error));
    }
done:
    json_decref(before);
    return status;
}

/* Opens one of the two; L2R_ERR_FORMAT, with the reason in `damage`: it is damaged, or another run's. */
static enum l2r_status open_one(struct l2r_safetensors **file, const char *path, const struct l2r_config *config,
                                struct l2r_error *damage)
{
    enum l2r_status status = l2r_model_file_open(file, path, l2r_format_checkpoint, damage);
    if (status != L2R_OK || !config) return status;
    status = check_options(config, *file, path, damage);
    if (status == L2R_OK) return L2R_OK;
    l2r_safetensors_free(*file);
    *file = NULL;
    if (status == L2R_ERR_MEMORY) return status;
    return l2r_fail(damage, L2R_ERR_FORMAT, "%s: is a checkpoint of a run with other options", path);
}

static enum l2r_status open_newest(struct l2r_saved *saved, const struct l2r_config *config, struct l2r_error *error)
{
    const char *const paths[] = {saved->last, saved->previous};
    struct l2r_error damage[2] = {0};
    for (int i = 0; i < 2; i++) {
        if (!l2r_path_is_file(paths[i])) continue;
        enum l2r_status status = open_one(&saved->file, paths[i], config, &damage[i]);
        if (status != L2R_OK && status != L2R_ERR_FORMAT) return l2r_fail(error, status, "%s", damage[i].message);
        if (status != L2R_OK) continue;
        saved->path = paths[i];
        if (i == 1 && *damage[0].message)
            snprintf(saved->note, sizeof saved->note, "%.800s; continuing from the checkpoint before it, %.200s",
                     damage[0].message, paths[1]);
        return L2R_OK;
    }
    const char *first = *damage[0].message ? damage[0].message : damage[1].message;
    if (*first)
        snprintf(saved->note, sizeof saved->note, "%.800s; there is no sound checkpoint: starting from the beginning",
                 first);
    return L2R_OK;
}

enum l2r_status l2r_saved_open(struct l2r_saved *saved, const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = open_newest(saved, config, error);
    /* None has these options: then it is for the options to be refused, not for the checkpoints to be overwritten. */
    if (status == L2R_OK && !saved->file && config) {
        saved->note[0] = '\0';
        status = open_newest(saved, NULL, error);
    }
    return status;
}

json_t *l2r_resume_config(const char *dir)
{
    struct l2r_saved saved;
    json_t *config = NULL;
    if (saved_init(&saved, dir, NULL) == L2R_OK && l2r_saved_open(&saved, NULL, NULL) == L2R_OK && saved.file) {
        const char *text = l2r_safetensors_metadata(saved.file, "config");
        if (text) (void)l2r_json_parse(&config, text, strlen(text), saved.path, NULL);
    }
    l2r_saved_close(&saved);
    return config;
}

/* Is this what the checkpoint was trained on? Older ones do not say. */
static bool is_noted(const struct l2r_saved *saved, const char *key, uint64_t fingerprint)
{
    char found[17];
    const char *expected = l2r_safetensors_metadata(saved->file, key);
    snprintf(found, sizeof found, "%016" PRIx64, fingerprint);
    return !expected || strcmp(found, expected) == 0;
}

static bool is_the_runs(const struct l2r_split *split, const struct l2r_saved *saved)
{
    return is_noted(saved, "split", l2r_split_fingerprint(split));
}

static enum l2r_status check_data(const struct l2r_saved *saved, const struct l2r_dataset *data,
                                  struct l2r_error *error)
{
    if (is_noted(saved, "data", l2r_dataset_fingerprint(data))) return L2R_OK;
    return l2r_fail(
        error, L2R_ERR_ARGUMENT,
        "`resume`: the graphs or labels of data set \"%s\" have changed since %s was written; restore them, "
        "or train on the new ones with another `out`",
        data->name, saved->path);
}

static enum l2r_status resume_split(struct l2r_split *split, bool *made, const struct l2r_saved *saved,
                                    const char *path, const struct l2r_dataset *data, const struct l2r_config *config,
                                    struct l2r_error *error)
{
    struct l2r_error problem = {0};
    enum l2r_status status = l2r_split_read(split, path, data, &problem);
    *made = false;
    if (status == L2R_OK && is_the_runs(split, saved)) return L2R_OK;
    if (status == L2R_OK) {
        l2r_split_clear(split);
        l2r_fail(&problem, L2R_ERR_FORMAT, "%s: not the split that %s was trained on", path, saved->path);
    }
    bool damaged = status == L2R_OK || status == L2R_ERR_FORMAT || !l2r_path_is_file(path);
    bool known = l2r_safetensors_metadata(saved->file, "split") != NULL;
    if (!damaged || !known || l2r_split_make(split, data, config, NULL) != L2R_OK)
        return l2r_fail(error, problem.status, "%s", problem.message);
    *made = is_the_runs(split, saved);
    if (*made) return L2R_OK;
    l2r_split_clear(split);
    return l2r_fail(error, problem.status, "%s; nor are the data, or the options, those of the run", problem.message);
}

static enum l2r_status write_config(const struct l2r_folder *folder, const struct l2r_config *config,
                                    struct l2r_error *error)
{
    json_t *object = l2r_config_to_json(config);
    enum l2r_status status = l2r_json_write(object, folder->config, error);
    json_decref(object);
    return status;
}

enum l2r_status l2r_folder_write(const struct l2r_folder *folder, const struct l2r_config *config,
                                 const struct l2r_split *split, struct l2r_error *error)
{
    enum l2r_status status = write_config(folder, config, error); /* first: it says that the folder is a run's */
    if (status == L2R_OK) status = l2r_data_place_write(folder->dir, l2r_config_text(config, "data"), error);
    return status == L2R_OK ? l2r_split_write(split, folder->split, error) : status;
}

static enum l2r_status mend_config(const struct l2r_folder *folder, const struct l2r_config *config,
                                   struct l2r_error *error)
{
    if (!folder->leads) return L2R_OK;
    json_t *object = NULL;
    struct l2r_error damage = {0};
    enum l2r_status status = l2r_data_place_write(folder->dir, l2r_config_text(config, "data"), error);
    if (status != L2R_OK) return status;
    status = l2r_json_read(&object, folder->config, &damage);
    bool foreign = status == L2R_OK && compare_options(config, object, folder->config, &damage) != L2R_OK;
    json_decref(object);
    if (status == L2R_OK && !foreign) return L2R_OK;
    if (status != L2R_OK && status != L2R_ERR_FORMAT && l2r_path_is_file(folder->config))
        return l2r_fail(error, status, "%s", damage.message);
    l2r_watch_note(folder->watch, foreign ? "config.json is not this run's; it is written again"
                                          : "config.json is missing or damaged; it is written again");
    return write_config(folder, config, error);
}

enum l2r_status l2r_folder_split(struct l2r_split *split, const struct l2r_folder *folder,
                                 const struct l2r_config *config, const struct l2r_dataset *data,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool made = false;
    if (!folder->saved.file) return l2r_split_make(split, data, config, error);
    L2R_TRY(check_data(&folder->saved, data, error));
    L2R_TRY(resume_split(split, &made, &folder->saved, folder->split, data, config, error));
    if (!made || !folder->leads) goto done;
    l2r_watch_note(
        folder->watch,
        "split.json is missing or damaged; it is made again from the options and the data, as the checkpoint knows it");
    L2R_TRY(l2r_split_write(split, folder->split, error));
done:
    return status;
}

/* A finished run is given back only to a caller with its own data and split, where these are known. */
static enum l2r_status check_origin(const struct l2r_folder *folder, const struct l2r_safetensors *best,
                                    const struct l2r_run *plan, struct l2r_error *error)
{
    const struct l2r_saved saved = {.file = (struct l2r_safetensors *)(uintptr_t)best};
    const char *other = NULL;
    if (plan->data && !is_noted(&saved, "data", l2r_dataset_fingerprint(plan->data))) other = "data";
    if (plan->split && !is_noted(&saved, "split", l2r_split_fingerprint(plan->split))) other = "a split";
    if (!other) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "%s holds a run on %s other than here; remove it, or choose another `out`",
                    folder->dir, other);
}

/* The model of a finished run, and the other files that its result lists: are they what the run left? A file that only
 * a checkpoint can mend is no reason to train again where there is none. */
static enum l2r_status check_files(const struct l2r_folder *folder, const json_t *about, const struct l2r_run *plan,
                                   struct l2r_error *refusal, struct l2r_error *damage)
{
    enum l2r_status status = L2R_OK;
    struct l2r_safetensors *best = NULL;
    char sentence[400];
    const char *model = json_string_value(json_object_get(about, "model")), *sum;
    status = l2r_model_file_open(&best, folder->saved.best, l2r_format_model, damage);
    if (status != L2R_OK) return status;
    sum = l2r_safetensors_metadata(best, "xxh3");
    if (model && (!sum || strcmp(model, sum) != 0))
        status = l2r_fail(damage, L2R_ERR_FORMAT, "%s: is not the model of this run", folder->saved.best);
    if (status == L2R_OK && check_options(plan->config, best, folder->saved.best, refusal) != L2R_OK)
        status = L2R_ERR_ARGUMENT;
    if (status == L2R_OK) status = check_origin(folder, best, plan, refusal);
    l2r_safetensors_free(best);
    const char *changed = status == L2R_OK ? l2r_manifest_check(json_object_get(about, "files"), folder->dir) : NULL;
    if (changed && l2r_saved_is_there(&folder->saved))
        return l2r_fail(damage, L2R_ERR_FORMAT, "%s/%s: is missing, or not as the run left it", folder->dir, changed);
    if (changed) {
        snprintf(sentence, sizeof sentence, "%s is missing, or not as the run left it", changed);
        l2r_watch_note(folder->watch, sentence);
    }
    if (status == L2R_OK && !model)
        l2r_watch_note(folder->watch, "result.json has no checksums, because an older version of l2r wrote it");
    return status;
}

enum l2r_status l2r_folder_result(struct l2r_result *result, const struct l2r_folder *folder,
                                  const struct l2r_run *plan, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *about = NULL;
    struct l2r_error damage = {0};
    status = l2r_result_read(result, &about, folder->result, &damage);
    if (status == L2R_OK) status = check_files(folder, about, plan, error, &damage);
    json_decref(about);
    if (status == L2R_OK) l2r_watch_note(folder->watch, "the run is already finished");
    if (status == L2R_OK || status == L2R_ERR_ARGUMENT) return status;
    l2r_result_clear(result);
    bool missing = status == L2R_ERR_IO && !l2r_path_is_file(folder->saved.best);
    if (status != L2R_ERR_FORMAT && !missing) return l2r_fail(error, status, "%s", damage.message);
    char sentence[1200];
    snprintf(sentence, sizeof sentence, "%.1000s; it is written again", damage.message);
    l2r_watch_note(folder->watch, sentence);
    return L2R_OK;
}

enum l2r_status l2r_folder_resume(struct l2r_trainer *t, struct l2r_snapshot *best, struct l2r_snapshot *other,
                                  const struct l2r_folder *folder, struct l2r_error *error)
{
    const struct l2r_saved *saved = &folder->saved;
    enum l2r_status status = L2R_OK;
    L2R_TRY(check_options(t->config, saved->file, saved->path, error));
    L2R_TRY(l2r_checkpoint_read(t, saved->file, saved->path, error));
    int64_t epoch = t->at.best_epoch;
    if (epoch > 0) L2R_TRY(l2r_checkpoint_read_snapshot(best, "best.", &t->network.params, epoch, saved->file, error));
    if (t->at.other_epoch > 0)
        L2R_TRY(
            l2r_checkpoint_read_snapshot(other, "other.", &t->network.params, t->at.other_epoch, saved->file, error));
    L2R_TRY(mend_config(folder, t->config, error));
done:
    return status;
}
