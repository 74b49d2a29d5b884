/* SPDX-License-Identifier: MIT
 * See state.h. */
#include "store/state.h"

#include "base/array.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/dataset.h"
#include "io/file.h"
#include "io/json_file.h"
#include "model/run_names.h"
#include "model/trained.h"
#include "store/checkpoint.h"
#include "store/result_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ending[] = ".safetensors";

enum l2r_status l2r_state_init(struct l2r_state *s, const char *dir, const struct l2r_config *config, bool leads,
                               struct l2r_error *error)
{
    *s = (struct l2r_state){.config = config, .leads = leads};
    json_t *options = config ? l2r_config_record(config) : NULL;
    s->options = options ? json_dumps(options, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(options);
    if (config && !s->options) return l2r_fail(error, L2R_ERR_MEMORY, "out of memory for the options of a run");
    return l2r_path_join(s->dir, sizeof s->dir, dir, L2R_STATE_FOLDER, error);
}

void l2r_state_clear(struct l2r_state *s)
{
    free(s->options);
    s->options = NULL;
}

/* ---- which run a checkpoint belongs to ---- */

/* 5 and "5" are the same value of an option, typed or not. */
static bool is_same(const json_t *a, const json_t *b)
{
    const json_t *text = json_is_string(a) ? a : b, *number = json_is_string(a) ? b : a;
    if (!json_is_string(text) || !json_is_integer(number)) return json_equal(a, b);
    char typed[32];
    snprintf(typed, sizeof typed, "%" JSON_INTEGER_FORMAT, json_integer_value(number));
    return strcmp(typed, json_string_value(text)) == 0;
}

enum l2r_status l2r_state_compare(const struct l2r_config *config, const json_t *saved, const char *path,
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

/* With the run's options that a checkpoint holds. */
static enum l2r_status check_options(const struct l2r_state *s, const struct l2r_safetensors *file, const char *path,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *saved = NULL;
    const char *text = l2r_safetensors_metadata(file, "run");
    if (!text) L2R_FAIL(L2R_ERR_FORMAT, "%s: holds no options of a run to resume with", path);
    L2R_TRY(l2r_json_parse(&saved, text, strlen(text), path, error));
    L2R_TRY(l2r_state_compare(s->config, saved, path, error));
done:
    json_decref(saved);
    return status;
}

/* ---- the folder ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_checkpoint(const char *name)
{
    size_t length = strlen(name);
    return length > sizeof ending && strcmp(name + length - (sizeof ending - 1), ending) == 0;
}

/* The names of all checkpoints, sorted, so that the result does not depend on the file system. */
static enum l2r_status list(struct l2r_array *names, const struct l2r_state *s, struct l2r_error *error)
{
    DIR *entries = opendir(s->dir);
    for (const struct dirent *item; entries && (item = readdir(entries));) {
        if (!is_checkpoint(item->d_name)) continue;
        char *name = l2r_strdup(item->d_name);
        if (name && l2r_array_add(names, &name, 1, sizeof(char *))) continue;
        l2r_free(name);
        closedir(entries);
        return l2r_fail(error, L2R_ERR_MEMORY, "out of memory: the checkpoints in %s", s->dir);
    }
    if (entries) closedir(entries);
    if (names->n > 1) qsort(names->items, names->n, sizeof(char *), by_name);
    return L2R_OK;
}

static void clear_list(struct l2r_array *names)
{
    for (size_t i = 0; i < names->n; i++) l2r_free(((char **)names->items)[i]);
    l2r_array_clear(names);
}

bool l2r_state_is_there(const struct l2r_state *s)
{
    struct l2r_array names = {0};
    bool any = list(&names, s, NULL) == L2R_OK && names.n > 0;
    clear_list(&names);
    return any;
}

enum l2r_status l2r_state_open(struct l2r_safetensors **file, char path[4096], const struct l2r_state *s,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_array names = {0};
    struct l2r_error refusal = {0};
    *file = NULL;
    L2R_TRY(list(&names, s, error));
    for (size_t i = 0; i < names.n && !*file; i++) {
        const char *name = ((char **)names.items)[i];
        struct l2r_error damage = {0};
        if (strstr(name, "-refit")) continue; /* its split has the validation graphs among the training graphs */
        L2R_TRY(l2r_path_join(path, 4096, s->dir, name, error));
        status = l2r_model_file_open(file, path, l2r_format_checkpoint, &damage);
        if (status == L2R_OK && s->config) status = check_options(s, *file, path, &damage);
        if (status == L2R_OK) break;
        l2r_safetensors_free(*file);
        *file = NULL;
        if (status == L2R_ERR_ARGUMENT) refusal = damage;
        if (status != L2R_ERR_ARGUMENT && status != L2R_ERR_FORMAT) L2R_FAIL(status, "%s", damage.message);
        status = L2R_OK;
    }
    if (!*file && *refusal.message) L2R_FAIL(L2R_ERR_ARGUMENT, "%s", refusal.message);
done:
    clear_list(&names);
    return status;
}

json_t *l2r_state_options(const char *dir)
{
    struct l2r_state state;
    struct l2r_safetensors *file = NULL;
    json_t *options = NULL, *result = NULL;
    char path[4096];
    if (l2r_state_init(&state, dir, NULL, false, NULL) == L2R_OK) (void)l2r_state_open(&file, path, &state, NULL);
    const char *text = file ? l2r_safetensors_metadata(file, "run") : NULL;
    if (text) (void)l2r_json_parse(&options, text, strlen(text), path, NULL);
    if (!file && l2r_path_join(path, sizeof path, dir, L2R_RESULT_FILE, NULL) == L2R_OK &&
        l2r_json_read(&result, path, NULL) == L2R_OK && l2r_result_check(result, path, NULL) == L2R_OK)
        options = json_incref(json_object_get(result, "options")); /* it has ended */
    json_decref(result);
    l2r_safetensors_free(file);
    l2r_state_clear(&state);
    return options;
}

/* ---- one fit ---- */

struct places {
    char last[4300], previous[4300];
};

static void find_places(struct places *p, const struct l2r_state *s, const struct l2r_fit *fit)
{
    snprintf(p->last, sizeof p->last, "%s/%s%s", s->dir, fit->name, ending);
    snprintf(p->previous, sizeof p->previous, "%s/%s-previous%s", s->dir, fit->name, ending);
}

/* L2R_ERR_FORMAT, with the reason in `damage`: it is damaged, or another run's. */
static enum l2r_status open_one(struct l2r_safetensors **file, const char *path, const struct l2r_state *s,
                                const struct l2r_fit *fit, struct l2r_error *damage)
{
    enum l2r_status status = l2r_model_file_open(file, path, l2r_format_checkpoint, damage);
    if (status != L2R_OK) return status;
    status = check_options(s, *file, path, damage);
    bool own = status == L2R_OK && l2r_checkpoint_is_of(*file, fit);
    if (own) return L2R_OK;
    l2r_safetensors_free(*file);
    *file = NULL;
    if (status == L2R_ERR_MEMORY) return status;
    return l2r_fail(damage, L2R_ERR_FORMAT, "%s: is a checkpoint of a run with other %s", path,
                    status == L2R_OK ? "graphs or another split" : "options");
}

/* The newest intact checkpoint; *file is NULL if there is none. */
static enum l2r_status open_newest(struct l2r_safetensors **file, const char **path, const struct places *places,
                                   const struct l2r_state *s, const struct l2r_fit *fit, struct l2r_error *error)
{
    const char *const paths[] = {places->last, places->previous};
    struct l2r_error damage[2] = {0};
    char note[1200];
    for (int i = 0; i < 2; i++) {
        if (!l2r_path_is_file(paths[i])) continue;
        enum l2r_status status = open_one(file, paths[i], s, fit, &damage[i]);
        if (status != L2R_OK && status != L2R_ERR_FORMAT) return l2r_fail(error, status, "%s", damage[i].message);
        if (status != L2R_OK) continue;
        *path = paths[i];
        snprintf(note, sizeof note, "%.800s; continuing from the checkpoint before it, %.200s", damage[0].message,
                 paths[1]);
        if (i == 1 && *damage[0].message) l2r_fit_note(fit->observer, note);
        return L2R_OK;
    }
    const char *first = *damage[0].message ? damage[0].message : damage[1].message;
    snprintf(note, sizeof note, "%.800s; there is no sound checkpoint: starting from the beginning", first);
    if (*first) l2r_fit_note(fit->observer, note);
    return L2R_OK;
}

enum l2r_status l2r_state_restore(const struct l2r_state *s, struct l2r_fit *fit, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_safetensors *file = NULL;
    struct places places = {0};
    const char *path = NULL;
    find_places(&places, s, fit);
    L2R_TRY(open_newest(&file, &path, &places, s, fit, error));
    if (file) L2R_TRY(l2r_checkpoint_read(fit, file, path, error));
    fit->saved = path == places.last;
done:
    l2r_safetensors_free(file);
    return status;
}

enum l2r_status l2r_state_save(const struct l2r_state *s, struct l2r_fit *fit, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct places places = {0};
    if (!s->leads) return L2R_OK;
    find_places(&places, s, fit);
    L2R_TRY(l2r_make_dirs(s->dir, error));
    L2R_TRY(l2r_checkpoint_write(places.last, fit->saved ? places.previous : NULL, fit, s->options, error));
    fit->saved = true;
done:
    return status;
}
