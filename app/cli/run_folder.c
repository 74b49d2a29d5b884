/* SPDX-License-Identifier: MIT
 *
 * Names of run folders, and configs read back from them.
 */
#include "cli/run_folder.h"

#include "io/file.h"
#include "predict/run_names.h"
#include "train/run.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "data/PROTEINS.zip" -> "PROTEINS", "motif:mu=0.8" -> "motif". */
static void name_of_data(char *out, size_t size, const char *where)
{
    char base[256];
    snprintf(base, sizeof base, "%.*s", (int)strcspn(where, ":"), where);
    l2r_path_base(out, size, base);
    size_t length = strlen(out);
    if (length > 4 && strcmp(out + length - 4, ".zip") == 0) out[length - 4] = '\0';
    for (char *c = out; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("-_.+", *c) == NULL) *c = '-';
    if (out[0] == '\0' || out[0] == '.') snprintf(out, size, "data");
}

void cli_run_folder_name(char out[CLI_PATH], const struct l2r_config *run, const char *what, bool resume)
{
    char data[128], base[512];
    name_of_data(data, sizeof data, l2r_config_text(run, "data"));
    snprintf(base, sizeof base, "runs/%s-%s-%s-%s", data, l2r_config_text(run, "model"), l2r_config_text(run, "method"),
             what);
    snprintf(out, CLI_PATH, "%s", base);
    for (int n = 2; l2r_path_is_dir(out); n++) {
        char next[CLI_PATH];
        snprintf(next, sizeof next, "%s.%d", base, n);
        if (resume && !l2r_path_is_dir(next)) return;
        snprintf(out, CLI_PATH, "%s", next);
    }
}

void cli_run_folder_tune(char out[CLI_PATH], const struct l2r_config *run)
{
    char data[128];
    name_of_data(data, sizeof data, l2r_config_text(run, "data"));
    snprintf(out, CLI_PATH, "runs/%s-%s-tune", data, l2r_config_text(run, "model"));
}

bool cli_run_folder_config(char out[CLI_PATH], bool *many, const char *path)
{
    *many = false;
    snprintf(out, CLI_PATH, "%s", path);
    if (!l2r_path_is_dir(path)) return l2r_path_is_file(path);
    snprintf(out, CLI_PATH, "%s/" L2R_CONFIG_FILE, path);
    if (l2r_path_is_file(out)) return true;

    bool found = false;
    DIR *dir = opendir(path);
    struct dirent *entry;
    while (dir != NULL && !found && (entry = readdir(dir)) != NULL) {
        if (l2r_seed_of_folder(entry->d_name) < 0) continue;
        snprintf(out, CLI_PATH, "%s/%s/" L2R_CONFIG_FILE, path, entry->d_name);
        found = l2r_path_is_file(out);
    }
    if (dir != NULL) closedir(dir);
    *many = found;
    return found;
}

static const char *text_of(const json_t *file, const char *key)
{
    return json_string_value(json_object_get(file, key));
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Another model or method than the file's may bring defaults of its own: where the file holds a mere default, these
 * win. */
static bool has_own_default(const struct l2r_config *run, const struct l2r_config *written, const char *key)
{
    if (!l2r_config_has(run, key) || !l2r_config_has(written, key)) return false;
    bool other = !is_same(l2r_config_text(run, "model"), l2r_config_text(written, "model")) ||
                 !is_same(l2r_config_text(run, "method"), l2r_config_text(written, "method"));
    return other && l2r_config_is_changed(run, key) &&
           is_same(l2r_config_text(written, key), l2r_config_default(written, key));
}

enum l2r_status cli_run_folder_replay(struct l2r_config *run, json_t *file, const char *path, bool many,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *written = NULL; /* the options that the file's own run had */
    json_t *kept = json_object();
    const char *key;
    json_t *value;
    if (kept == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a config");
    if (text_of(file, "model") == NULL || text_of(file, "method") == NULL)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: no \"model\" and \"method\"; expected the config.json of a run", path);
    L2R_TRY(l2r_config_new(&written, error));
    L2R_TRY(l2r_run_declare(written, text_of(file, "model"), text_of(file, "method"), error));
    json_object_foreach(file, key, value)
    {
        if (l2r_config_has(written, key) && json_object_set(kept, key, value) != 0)
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a config");
    }
    L2R_TRY(l2r_config_from_json(written, kept, path, error));
    json_object_clear(kept);
    json_object_foreach(file, key, value)
    {
        bool replaced = !l2r_config_has(run, key) && l2r_config_has(written, key);
        bool chosen = strcmp(key, "model") == 0 || strcmp(key, "method") == 0;
        if (replaced || chosen || has_own_default(run, written, key) || (many && strcmp(key, "seed") == 0)) continue;
        if (json_object_set(kept, key, value) != 0) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a config");
    }
    L2R_TRY(l2r_config_from_json(run, kept, path, error));
done:
    json_decref(kept);
    l2r_config_free(written);
    return status;
}
