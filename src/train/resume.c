/* SPDX-License-Identifier: MIT
 * See resume.h. */
#include "train/resume.h"

#include "base/file.h"
#include "base/json.h"
#include "train/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that may change without changing a single number. The data may have moved; its split is checked against it. */
static bool is_free(const char *name)
{
    static const char *const names[] = {"data", "cache", "eval-batch-size", "checkpoint-seconds"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
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

/* Compares the config of the run, kept in its checkpoint, with the one at hand. */
static enum l2r_status same_options(const struct l2r_config *config, const struct l2r_safetensors *file,
                                    const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *saved = NULL, *now = l2r_config_to_json(config), *value;
    const char *text = l2r_safetensors_metadata(file, "config"), *name;
    if (!text) L2R_FAIL(L2R_ERR_FORMAT, "%s: holds no config to resume with", path);
    L2R_TRY(l2r_json_parse(&saved, text, strlen(text), path, error));
    json_object_foreach(now, name, value)
    {
        json_t *before = json_object_get(saved, name);
        if (is_free(name) || !before || is_same(before, value)) continue;
        char *old = json_dumps(before, JSON_ENCODE_ANY), *new = json_dumps(value, JSON_ENCODE_ANY);
        status = l2r_fail(
            error, L2R_ERR_ARGUMENT,
            "--resume: --%s is %s here but %s in the run; a run goes on with its own options, others need a new --out",
            name, new ? new : "?", old ? old : "?");
        free(old);
        free(new);
        goto done;
    }
done:
    json_decref(saved);
    json_decref(now);
    return status;
}

enum l2r_status l2r_resume_options(const struct l2r_config *config, const char *last_path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_safetensors *file = NULL;
    L2R_TRY(l2r_safetensors_read(&file, last_path, error));
    L2R_TRY(same_options(config, file, last_path, error));
done:
    l2r_safetensors_free(file);
    return status;
}

enum l2r_status l2r_resume(struct l2r_trainer *t, struct l2r_snapshot *best, const char *best_path,
                           const char *last_path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_safetensors *best_file = NULL, *last_file = NULL;
    int64_t epoch = 0;
    L2R_TRY(l2r_safetensors_read(&last_file, last_path, error));
    L2R_TRY(same_options(t->config, last_file, last_path, error));
    if (l2r_path_is_file(best_path)) {
        L2R_TRY(l2r_safetensors_read(&best_file, best_path, error));
        L2R_TRY(l2r_checkpoint_read_params(&t->network.params, &epoch, best_file, best_path, error));
        L2R_TRY(l2r_snapshot_take(best, &t->network.params, epoch, error));
    }
    L2R_TRY(l2r_checkpoint_read_state(t, last_path, error));
    /* The best is written first, so it is as new as the position knows, or newer. */
    if (t->at.best_epoch > 0 && epoch < t->at.best_epoch)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: expected the best model, of epoch %lld, which %s names; it is missing or older",
                 best_path, (long long)t->at.best_epoch, last_path);
done:
    l2r_safetensors_free(best_file);
    l2r_safetensors_free(last_file);
    return status;
}
