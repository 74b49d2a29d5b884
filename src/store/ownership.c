/* SPDX-License-Identifier: MIT
 * See ownership.h. */
#include "store/ownership.h"

#include "base/memory.h"
#include "data/dataset.h"
#include "io/file.h"
#include "io/temporary.h"
#include "model/model_options.h"
#include "model/run_names.h"
#include "store/events.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { LARGEST_FILE = 1 << 30 };

/* The files that a run writes, besides event files and its folder of checkpoints. */
static const char *const run_files[] = {L2R_CONFIG_FILE, L2R_SPLIT_FILE, L2R_DATA_FILE,   L2R_METRICS_FILE,
                                        L2R_FITS_FILE,   L2R_BEST_FILE,  L2R_CHOSEN_FILE, L2R_RESULT_FILE};
enum { N_RUN_FILES = sizeof run_files / sizeof *run_files };
/* What older versions left there. */
static const char *const old_files[] = {"last.safetensors", "previous.safetensors", "members", "refit"};
enum { N_OLD_FILES = sizeof old_files / sizeof *old_files };

/* ---- identity and seals ---- */

static char *canonical(const json_t *object)
{
    return json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
}

enum l2r_status l2r_identity_of(char identity[L2R_IDENTITY_TEXT], const struct l2r_recipe *recipe,
                                struct l2r_error *error)
{
    char options[L2R_OPTIONS_TEXT];
    enum l2r_status status = l2r_options_fingerprint(options, recipe->config, error);
    if (status != L2R_OK) return status;
    uint64_t parts[3] = {strtoull(options, NULL, 16), l2r_dataset_fingerprint(recipe->data),
                         l2r_split_fingerprint(recipe->split)};
    snprintf(identity, L2R_IDENTITY_TEXT, "%016" PRIx64, (uint64_t)XXH3_64bits(parts, sizeof parts));
    return L2R_OK;
}

/* Of all keys but "check"; false: out of memory. */
static bool seal_of(char seal[L2R_IDENTITY_TEXT], const json_t *object, const char *identity)
{
    json_t *rest = l2r_json_copy(object);
    if (rest) json_object_del(rest, "check");
    char *text = rest ? canonical(rest) : NULL;
    json_decref(rest);
    if (!text) return false;
    uint64_t key = XXH3_64bits(identity, strlen(identity));
    snprintf(seal, L2R_IDENTITY_TEXT, "%016" PRIx64, (uint64_t)XXH3_64bits_withSeed(text, strlen(text), key));
    free(text);
    return true;
}

bool l2r_seal(json_t *object, const char *identity)
{
    char seal[L2R_IDENTITY_TEXT];
    return seal_of(seal, object, identity) && json_object_set_new(object, "check", json_string(seal)) == 0;
}

enum l2r_seal_state l2r_seal_check(const json_t *object, const char *identity)
{
    char seal[L2R_IDENTITY_TEXT];
    const json_t *found = json_object_get(object, "check");
    if (!found) return L2R_SEAL_NONE;
    bool whole =
        json_is_string(found) && seal_of(seal, object, identity) && strcmp(seal, json_string_value(found)) == 0;
    return whole ? L2R_SEAL_WHOLE : L2R_SEAL_BROKEN;
}

/* ---- manifest ---- */

static const char *const listed[] = {L2R_CONFIG_FILE,  L2R_SPLIT_FILE, L2R_DATA_FILE,
                                     L2R_METRICS_FILE, L2R_FITS_FILE,  L2R_CHOSEN_FILE};
enum { N_LISTED = sizeof listed / sizeof *listed };

/* "": there is no such file, or it cannot be read. */
static void sum_file(char sum[L2R_IDENTITY_TEXT], const char *dir, const char *name)
{
    char path[4200], *content = NULL;
    size_t length = 0;
    sum[0] = '\0';
    if (l2r_path_join(path, sizeof path, dir, name, NULL) != L2R_OK || !l2r_path_is_file(path) ||
        l2r_file_read(&content, &length, path, LARGEST_FILE, NULL) != L2R_OK)
        return;
    snprintf(sum, L2R_IDENTITY_TEXT, "%016" PRIx64, (uint64_t)XXH3_64bits(content, length));
    l2r_free(content);
}

json_t *l2r_manifest_make(const char *dir)
{
    json_t *manifest = json_object();
    for (int i = 0; i < N_LISTED; i++) {
        char sum[L2R_IDENTITY_TEXT];
        sum_file(sum, dir, listed[i]);
        if (*sum) json_object_set_new(manifest, listed[i], json_string(sum));
    }
    return manifest;
}

const char *l2r_manifest_check(const json_t *manifest, const char *dir)
{
    char sum[L2R_IDENTITY_TEXT];
    const char *name;
    json_t *expected;
    json_object_foreach((json_t *)(uintptr_t)manifest, name, expected)
    {
        sum_file(sum, dir, name);
        if (!json_is_string(expected) || strcmp(sum, json_string_value(expected)) != 0) return name;
    }
    return NULL;
}

/* ---- files that are in the way ---- */

typedef bool entry_test(const char *path);

static bool is_there(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

static bool is_elsewhere(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

static bool is_no_folder(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

/* The first file of a run for which the test holds. False: there is none. */
static bool find_file(char path[4200], const char *dir, entry_test *test)
{
    for (int i = 0; i < N_RUN_FILES; i++)
        if (l2r_path_join(path, 4200, dir, run_files[i], NULL) == L2R_OK && test(path)) return true;
    DIR *entries = opendir(dir);
    bool found = false;
    for (const struct dirent *item; !found && entries && (item = readdir(entries));)
        found = l2r_events_is_name(item->d_name) && l2r_path_join(path, 4200, dir, item->d_name, NULL) == L2R_OK &&
                test(path);
    if (entries) closedir(entries);
    return found;
}

enum l2r_status l2r_folder_refuse_files(const char *dir, struct l2r_error *error)
{
    char path[4200];
    bool state = l2r_path_join(path, sizeof path, dir, L2R_STATE_FOLDER, NULL) == L2R_OK && is_there(path);
    if (!state && !find_file(path, dir, is_there)) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "%s is already there, and a new run would overwrite it; choose another `out`, or continue the run "
                    "that it belongs to with `resume`",
                    path);
}

enum l2r_status l2r_folder_refuse_old(const char *dir, struct l2r_error *error)
{
    char path[4200];
    for (int i = 0; i < N_OLD_FILES; i++)
        if (l2r_path_join(path, sizeof path, dir, old_files[i], NULL) == L2R_OK && is_there(path))
            return l2r_fail(error, L2R_ERR_FORMAT,
                            "%s is of a run that an older version of l2r began; train again with another `out`", path);
    return L2R_OK;
}

enum l2r_status l2r_folder_refuse_links(const char *dir, struct l2r_error *error)
{
    char path[4200];
    bool state = l2r_path_join(path, sizeof path, dir, L2R_STATE_FOLDER, NULL) == L2R_OK && is_no_folder(path);
    if (!state && !find_file(path, dir, is_elsewhere)) return L2R_OK;
    return l2r_fail(error, L2R_ERR_IO,
                    "%s is a link, a device or of another kind than a run writes; a run writes only into its own "
                    "folder: remove it",
                    path);
}

void l2r_folder_release(const char *dir)
{
    char path[4200];
    while (find_file(path, dir, is_there) && unlink(path) == 0) continue;
    if (l2r_path_join(path, sizeof path, dir, L2R_STATE_FOLDER, NULL) == L2R_OK) l2r_remove_tree(path);
    for (int i = 0; i < N_OLD_FILES; i++)
        if (l2r_path_join(path, sizeof path, dir, old_files[i], NULL) == L2R_OK) l2r_remove_tree(path);
}
