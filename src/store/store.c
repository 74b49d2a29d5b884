/* SPDX-License-Identifier: MIT
 * See store.h. */
#include "store/store.h"

#include "base/system.h"
#include "data/dataset.h"
#include "io/file.h"
#include "io/json_file.h"
#include "io/temporary.h"
#include "model/data_place.h"
#include "model/model_options.h"
#include "model/run_names.h"
#include "recipe/summary.h"
#include "store/result_file.h"
#include "store/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

static void note(const struct l2r_store *s, const char *sentence)
{
    l2r_summary_note(s->plan->callbacks, sentence);
}

/* Makes the folder; one run at a time holds its lock. Removes unfinished files of a killed run. */
static enum l2r_status take_lock(struct l2r_store *s, struct l2r_error *error)
{
    if (s->lock >= 0 || !s->leads) return L2R_OK;
    enum l2r_status status = l2r_make_dirs(s->dir, error);
    if (status != L2R_OK) return status;
    s->lock = l2r_sys_open(s->dir, O_RDONLY | O_DIRECTORY);
    if (s->lock < 0) return l2r_fail(error, L2R_ERR_IO, "%s: cannot be opened: %s", s->dir, strerror(errno));
    if (flock(s->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) /* some file systems cannot lock */
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s: another run is in progress there; choose another `out`", s->dir);
    l2r_remove_litter(s->dir);
    l2r_remove_litter(s->state.dir);
    return l2r_folder_refuse_links(s->dir, error);
}

/* ---- a run that has ended ---- */

/* The result of a finished run is returned only to a caller with the same data and split, if these are given. */
static enum l2r_status check_origin(const struct l2r_store *s, const struct l2r_safetensors *best,
                                    struct l2r_error *error)
{
    const struct l2r_run *plan = s->plan;
    const char *data = l2r_safetensors_metadata(best, "data"), *split = l2r_safetensors_metadata(best, "split");
    char found[2][L2R_FINGERPRINT_TEXT] = {"", ""};
    if (plan->data && data) l2r_fingerprint_text(found[0], l2r_dataset_fingerprint(plan->data));
    if (plan->split && split) l2r_fingerprint_text(found[1], l2r_split_fingerprint(plan->split));
    const char *other = data && *found[0] && strcmp(found[0], data) != 0     ? "data"
                        : split && *found[1] && strcmp(found[1], split) != 0 ? "a split"
                                                                             : NULL;
    if (!other) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "%s holds a run on %s other than here; remove it, or choose another `out`",
                    s->dir, other);
}

/* Are these the options that the result records or, where there is none (about: NULL), those of the model? */
static enum l2r_status check_options(const struct l2r_store *s, const struct l2r_safetensors *best, const json_t *about,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char now[L2R_OPTIONS_TEXT];
    const char *before = l2r_safetensors_metadata(best, "options");
    const json_t *saved = json_object_get(about, "options");
    if (saved) return l2r_state_compare(s->plan->config, saved, s->result, error);
    L2R_TRY(l2r_options_fingerprint(now, s->plan->config, error));
    if (before && strcmp(before, now) != 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`resume`: %s was trained with other options; choose a new `out`", s->best);
done:
    return status;
}

static enum l2r_status write_config(const struct l2r_store *s, struct l2r_error *error)
{
    json_t *object = l2r_config_record(s->plan->config);
    enum l2r_status status = l2r_json_write(object, s->config, error);
    json_decref(object);
    return status;
}

/* Makes split.json of a finished run again from the options and the data, if these still give its model's split. */
static enum l2r_status write_split(const struct l2r_store *s, const char *expected, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *own = NULL;
    struct l2r_split split = {0};
    char found[L2R_FINGERPRINT_TEXT];
    const struct l2r_run *plan = s->plan;
    if (!plan->data) L2R_TRY(l2r_run_load(&own, plan->config, plan->comm, error));
    const struct l2r_dataset *data = plan->data ? plan->data : own;
    L2R_TRY(plan->split ? l2r_split_copy(&split, plan->split, error)
                        : l2r_split_make(&split, data, plan->config, error));
    l2r_fingerprint_text(found, l2r_split_fingerprint(&split));
    if (expected && strcmp(found, expected) == 0) L2R_TRY(l2r_split_write(&split, s->split, error));
done:
    l2r_split_clear(&split);
    l2r_dataset_free(own);
    return status;
}

/* Writes a file again whose content follows from the options and the data. False: it is not one of these. */
static bool mend_listed(const struct l2r_store *s, const char *name, const char *split)
{
    char sentence[160];
    bool config = strcmp(name, L2R_CONFIG_FILE) == 0, parts = strcmp(name, L2R_SPLIT_FILE) == 0;
    bool place = strcmp(name, L2R_DATA_FILE) == 0;
    if (!s->leads || !(config || parts || place)) return false;
    snprintf(sentence, sizeof sentence, "%s is missing, or not as the run left it; it is written again", name);
    note(s, sentence);
    if (config) return write_config(s, NULL) == L2R_OK;
    if (parts) return write_split(s, split, NULL) == L2R_OK;
    return l2r_data_place_write(s->dir, l2r_config_text(s->plan->config, "data"), NULL) == L2R_OK;
}

/* The other files that a result lists; a damaged model has to be trained again. */
static enum l2r_status check_listed(const struct l2r_store *s, const json_t *about, const char *split,
                                    struct l2r_error *damage)
{
    char sentence[400];
    const json_t *files = json_object_get(about, "files");
    const char *changed = l2r_manifest_check(files, s->dir), *before = NULL;
    while (changed && changed != before && mend_listed(s, changed, split)) {
        before = changed;
        changed = l2r_manifest_check(files, s->dir);
    }
    if (changed && strcmp(changed, L2R_CHOSEN_FILE) == 0)
        return l2r_fail(damage, L2R_ERR_FORMAT, "%s/%s: is missing, or not as the run left it", s->dir, changed);
    snprintf(sentence, sizeof sentence, "%s is missing, or not as the run left it", changed ? changed : "");
    if (changed) note(s, sentence);
    return L2R_OK;
}

/* Checks the model of a finished run, and the other files that its result lists. */
static enum l2r_status check_files(const struct l2r_store *s, const json_t *about, struct l2r_error *refusal,
                                   struct l2r_error *damage)
{
    struct l2r_safetensors *best = NULL;
    const char *model = json_string_value(json_object_get(about, "model")), *sum;
    enum l2r_status status = l2r_model_file_open(&best, s->best, l2r_format_model, damage);
    if (status != L2R_OK) return status;
    sum = l2r_safetensors_metadata(best, "xxh3");
    if (!model || !sum || strcmp(model, sum) != 0)
        status = l2r_fail(damage, L2R_ERR_FORMAT, "%s: is not the model of this run", s->best);
    if (status == L2R_OK && check_options(s, best, about, refusal) != L2R_OK) status = L2R_ERR_ARGUMENT;
    if (status == L2R_OK) status = check_origin(s, best, refusal);
    if (status == L2R_OK) status = check_listed(s, about, l2r_safetensors_metadata(best, "split"), damage);
    l2r_safetensors_free(best);
    return status;
}

static enum l2r_status replay(struct l2r_result *result, const struct l2r_store *s, struct l2r_error *error)
{
    json_t *about = NULL;
    struct l2r_error damage = {0};
    char sentence[1200];
    enum l2r_status status = l2r_result_read(result, &about, s->result, &damage);
    if (status == L2R_OK) status = check_files(s, about, error, &damage);
    json_decref(about);
    if (status == L2R_OK) {
        note(s, "the run is already finished");
        if (s->leads) l2r_remove_tree(s->state.dir); /* it was killed after its result */
        return L2R_OK;
    }
    l2r_result_clear(result);
    if (status == L2R_ERR_ARGUMENT) return status;
    bool missing = status == L2R_ERR_IO && !l2r_path_is_file(s->best);
    if (status != L2R_ERR_FORMAT && !missing) return l2r_fail(error, status, "%s", damage.message);
    snprintf(sentence, sizeof sentence, "%.1000s; it is made again", damage.message);
    note(s, sentence);
    return L2R_OK;
}

/* ---- opening ---- */

/* Without a checkpoint: config.json must have the current options. If there is none, there must be no file that a run
 * would overwrite. */
static enum l2r_status check_begun(const struct l2r_store *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *before = NULL;
    struct l2r_error damage = {0};
    struct l2r_safetensors *best = NULL;
    bool known = l2r_state_is_there(&s->state);
    if (!known && l2r_model_file_open(&best, s->best, l2r_format_model, NULL) == L2R_OK)
        known = check_options(s, best, NULL, NULL) == L2R_OK; /* a model of this run, whose result is missing */
    l2r_safetensors_free(best);
    if (!l2r_path_is_file(s->config)) return known ? L2R_OK : l2r_folder_refuse_files(s->dir, error);
    status = l2r_json_read(&before, s->config, &damage);
    if (status == L2R_ERR_FORMAT && known) return L2R_OK; /* damaged, as the checkpoints are */
    if (status != L2R_OK) L2R_FAIL(status, "%s", damage.message);
    L2R_TRY(l2r_state_compare(s->plan->config, before, s->config, error));
done:
    json_decref(before);
    return status;
}

/* Waits until all ranks have read the folder before one writes there, and checks that they agree. */
static enum l2r_status agree(const struct l2r_store *s, bool finished, struct l2r_error *error)
{
    return l2r_comm_agree(s->plan->comm,
                          finished       ? 2
                          : s->under_way ? 1
                                         : 0,
                          "finds a different run in the folder than rank 0; can all ranks see the folder of the run?",
                          error);
}

static enum l2r_status find_paths(struct l2r_store *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_path_join(s->result, sizeof s->result, s->dir, L2R_RESULT_FILE, error));
    L2R_TRY(l2r_path_join(s->split, sizeof s->split, s->dir, L2R_SPLIT_FILE, error));
    L2R_TRY(l2r_path_join(s->config, sizeof s->config, s->dir, L2R_CONFIG_FILE, error));
    L2R_TRY(l2r_path_join(s->best, sizeof s->best, s->dir, L2R_BEST_FILE, error));
    L2R_TRY(l2r_path_join(s->chosen, sizeof s->chosen, s->dir, L2R_CHOSEN_FILE, error));
    L2R_TRY(l2r_state_init(&s->state, s->dir, s->plan->config, s->leads, error));
done:
    return status;
}

static enum l2r_status restore(void *context, struct l2r_fit *fit, struct l2r_error *error)
{
    const struct l2r_store *s = context;
    return s->under_way ? l2r_state_restore(&s->state, fit, error) : L2R_OK;
}

static enum l2r_status save(void *context, struct l2r_fit *fit, struct l2r_error *error)
{
    return l2r_state_save(&((struct l2r_store *)context)->state, fit, error);
}

static enum l2r_status record(void *context, const char *fit, const json_t *line, struct l2r_error *error)
{
    struct l2r_store *s = context;
    return s->leads ? l2r_record_epoch(&s->record, fit, line, error) : L2R_OK;
}

enum l2r_status l2r_store_open(struct l2r_store *s, struct l2r_result *finished, const struct l2r_run *plan,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_safetensors *file = NULL;
    char path[4096];
    *s = (struct l2r_store){.dir = plan->out, .plan = plan, .lock = -1, .leads = l2r_comm_leads(plan->comm)};
    if (!s->dir) return L2R_OK;
    s->hooks = (struct l2r_recipe_store){.context = s, .restore = restore, .save = save, .record = record};
    L2R_TRY(find_paths(s, error));
    s->under_way = l2r_state_is_there(&s->state);
    bool ended = l2r_path_is_file(s->result);
    if (!plan->resume && (s->under_way || ended))
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s already holds a run; continue it with `resume` or choose another `out`", s->dir);
    if (!plan->resume) L2R_TRY(l2r_folder_refuse_files(s->dir, error));
    if (plan->resume) L2R_TRY(l2r_folder_refuse_old(s->dir, error));
    if (plan->resume && l2r_path_is_dir(s->dir)) L2R_TRY(take_lock(s, error));
    if (ended) L2R_TRY(replay(finished, s, error));
    ended = *finished->metric != '\0';
    if (!ended) L2R_TRY(l2r_state_open(&file, path, &s->state, error));
    if (plan->resume && !ended && !file) L2R_TRY(check_begun(s, error));
    L2R_TRY(agree(s, ended, error));
done:
    l2r_safetensors_free(file);
    return status;
}

/* ---- the split ---- */

static bool is_noted(const struct l2r_safetensors *file, const char *key, uint64_t fingerprint)
{
    char found[L2R_FINGERPRINT_TEXT];
    const char *expected = l2r_safetensors_metadata(file, key);
    l2r_fingerprint_text(found, fingerprint);
    return !expected || strcmp(found, expected) == 0;
}

/* From split.json or, if that is damaged, made again; in both cases checked against the checkpoint. */
static enum l2r_status resume_split(struct l2r_split *split, bool *made, const struct l2r_store *s,
                                    const struct l2r_safetensors *file, const char *path,
                                    const struct l2r_dataset *data, struct l2r_error *error)
{
    struct l2r_error problem = {0};
    enum l2r_status status = l2r_split_read(split, s->split, data, &problem);
    *made = false;
    if (status == L2R_OK && is_noted(file, "split", l2r_split_fingerprint(split))) return L2R_OK;
    if (status == L2R_OK) {
        l2r_split_clear(split);
        l2r_fail(&problem, L2R_ERR_FORMAT, "%s: not the split that %s was trained on", s->split, path);
    }
    bool damaged = status == L2R_OK || status == L2R_ERR_FORMAT || !l2r_path_is_file(s->split);
    if (!damaged || l2r_split_make(split, data, s->plan->config, NULL) != L2R_OK)
        return l2r_fail(error, problem.status, "%s", problem.message);
    *made = is_noted(file, "split", l2r_split_fingerprint(split));
    if (*made) return L2R_OK;
    l2r_split_clear(split);
    return l2r_fail(error, problem.status, "%s; nor are the data, or the options, those of the run", problem.message);
}

enum l2r_status l2r_store_split(struct l2r_split *split, const struct l2r_store *s, const struct l2r_dataset *data,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_safetensors *file = NULL;
    const struct l2r_run *plan = s->plan;
    char path[4096];
    bool made = false;
    if (s->under_way) L2R_TRY(l2r_state_open(&file, path, &s->state, error));
    if (file && !is_noted(file, "data", l2r_dataset_fingerprint(data)))
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "`resume`: the graphs or labels of data set \"%s\" have changed since %s was written; restore them, "
                 "or train on the new ones with another `out`",
                 data->name, path);
    if (plan->split && file && !is_noted(file, "split", l2r_split_fingerprint(plan->split)))
        L2R_FAIL(L2R_ERR_ARGUMENT, "split is not the one that the run in %s began with", s->dir);
    if (plan->split) L2R_TRY(l2r_split_copy(split, plan->split, error));
    if (plan->split) goto done;
    if (file)
        L2R_TRY(resume_split(split, &made, s, file, path, data, error));
    else
        L2R_TRY(l2r_split_make(split, data, plan->config, error));
    if (!made || !s->leads) goto done;
    note(s, "split.json is missing or damaged; it is made again from the options and the data, as the checkpoint knows "
            "it");
    L2R_TRY(l2r_split_write(split, s->split, error));
done:
    l2r_safetensors_free(file);
    return status;
}

/* ---- a finished run ---- */

/* The lines of metrics.jsonl or fits.jsonl, which were found to be whole. */
static enum l2r_status reread_lines(struct l2r_history *history, const char *dir, const char *name,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[4200], *text = NULL, *rest, *line;
    size_t length = 0;
    json_t *object = NULL;
    L2R_TRY(l2r_path_join(path, sizeof path, dir, name, error));
    if (!l2r_path_is_file(path)) goto done;
    L2R_TRY(l2r_file_read(&text, &length, path, (size_t)1 << 30, error));
    for (rest = text; (line = strsep(&rest, "\n")) != NULL;) {
        if (!*line || l2r_json_parse(&object, line, strlen(line), path, NULL) != L2R_OK) continue;
        json_object_del(object, "check");
        L2R_TRY(l2r_history_add(history, NULL, object, error));
        json_decref(object);
        object = NULL;
    }
done:
    json_decref(object);
    l2r_free(text);
    return status;
}

enum l2r_status l2r_store_reread(struct l2r_result *result, const struct l2r_store *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(reread_lines(&result->history, s->dir, L2R_METRICS_FILE, error));
    L2R_TRY(reread_lines(&result->history, s->dir, L2R_FITS_FILE, error));
    L2R_TRY(l2r_history_finish(&result->history, error));
    L2R_TRY(l2r_config_copy(&result->config, s->plan->config, error));
    if (s->plan->data) L2R_TRY(l2r_split_read(&result->split, s->split, s->plan->data, error));
done:
    return status;
}

/* ---- beginning and end ---- */

/* Writes config.json of a run under way again, if it is missing, damaged or another run's. */
static enum l2r_status mend_config(const struct l2r_store *s, struct l2r_error *error)
{
    json_t *object = NULL;
    struct l2r_error damage = {0};
    enum l2r_status status = l2r_json_read(&object, s->config, &damage);
    bool foreign = status == L2R_OK && l2r_state_compare(s->plan->config, object, s->config, &damage) != L2R_OK;
    json_decref(object);
    if (status == L2R_OK && !foreign) return L2R_OK;
    if (status != L2R_OK && status != L2R_ERR_FORMAT && l2r_path_is_file(s->config))
        return l2r_fail(error, status, "%s", damage.message);
    note(s, foreign ? "config.json is not this run's; it is written again"
                    : "config.json is missing or damaged; it is written again");
    return write_config(s, error);
}

enum l2r_status l2r_store_begin(struct l2r_store *s, const struct l2r_recipe *recipe, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (!s->dir) return L2R_OK;
    L2R_TRY(take_lock(s, error));
    /* A run that held the lock meanwhile may have left files. Rank 0 alone looks: it writes its own next. */
    if (s->leads && !s->under_way && l2r_state_is_there(&s->state))
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s already holds a run; continue it with `resume` or choose another `out`", s->dir);
    if (s->leads && !s->plan->resume) L2R_TRY(l2r_folder_refuse_files(s->dir, error));
    if (s->plan->resume && !s->under_way)
        note(s, "there is no checkpoint to continue from: starting from the beginning");
    L2R_TRY(l2r_identity_of(s->run, recipe, error));
    if (!s->leads) goto done;
    if (s->under_way)
        L2R_TRY(mend_config(s, error));
    else
        L2R_TRY(write_config(s, error)); /* first: it marks the folder as a run's */
    L2R_TRY(l2r_data_place_write(s->dir, l2r_config_text(s->plan->config, "data"), error));
    if (!s->under_way) L2R_TRY(l2r_split_write(recipe->split, s->split, error));
    L2R_TRY(l2r_record_open(&s->record, s->dir, s->run, recipe->members[0].fit.name, error));
done:
    return status;
}

enum l2r_status l2r_store_finish(struct l2r_store *s, const struct l2r_recipe *recipe, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char checksum[L2R_CHECKSUM_TEXT] = "";
    if (!s->dir || !s->leads) goto done;
    L2R_TRY(l2r_record_close(&s->record, L2R_OK, error));
    if (recipe->chosen) L2R_TRY(l2r_trained_write(recipe->chosen, s->chosen, error));
    if (recipe->members[0].best_epoch > 0) L2R_TRY(l2r_trained_checksum(checksum, recipe->model, error));
    if (recipe->members[0].best_epoch > 0) L2R_TRY(l2r_trained_write(recipe->model, s->best, error));
    L2R_TRY(l2r_result_write(&recipe->result, recipe->config, s->result, s->dir, s->run, checksum, error));
    l2r_remove_tree(s->state.dir);
    l2r_sync_folder_of(s->result);
done:
    if (status == L2R_OK) l2r_comm_barrier(s->plan->comm); /* the others may read the files now */
    return status;
}

enum l2r_status l2r_store_close(struct l2r_store *s, enum l2r_status status, struct l2r_error *error)
{
    if (!s->dir) return status;
    status = l2r_record_close(&s->record, status, error);
    if (s->lock >= 0) (void)l2r_sys_close(s->lock);
    s->lock = -1;
    l2r_state_clear(&s->state);
    return status;
}
