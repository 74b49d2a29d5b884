/* SPDX-License-Identifier: MIT
 * See runs.h: folders, and what is in them. */
#include "serve/runs.h"

#include "base/memory.h"
#include "base/system.h"
#include "io/file.h"
#include "io/json_file.h"
#include "model/run_names.h"
#include "report/groups.h"
#include "report/page.h"
#include "serve/run_folders.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { LONGEST_LINE = 1 << 16, PATH = 4096 };

/* ---- one run ---- */

/* The end of a file, at most LONGEST_LINE bytes and a 0; NULL: it cannot be read. */
static char *read_end(const char *path)
{
    int fd;
    FILE *stream = l2r_sys_stream(&fd, path, O_RDONLY);
    if (!stream) return NULL;
    char *text = l2r_alloc(LONGEST_LINE + 1, 1);
    if (text && fseek(stream, -LONGEST_LINE, SEEK_END) != 0) rewind(stream);
    if (text) text[fread(text, 1, LONGEST_LINE, stream)] = '\0';
    fclose(stream);
    return text;
}

/* The last whole line of metrics.jsonl, or NULL: new reference. */
static json_t *last_epoch(const char *dir)
{
    char path[PATH];
    struct l2r_error error;
    json_t *line = NULL;
    if (l2r_path_join(path, sizeof path, dir, L2R_METRICS_FILE, &error) != L2R_OK) return NULL;
    char *text = read_end(path), *end = text ? strrchr(text, '\n') : NULL;
    if (end) {
        *end = '\0';
        char *begin = strrchr(text, '\n');
        begin = begin ? begin + 1 : text;
        if (l2r_json_parse(&line, begin, strlen(begin), path, &error) != L2R_OK) line = NULL;
    }
    l2r_free(text);
    return line;
}

static void copy_key(json_t *to, const json_t *from, const char *key)
{
    json_t *value = json_object_get(from, key);
    json_object_set(to, key, value ? value : json_null());
}

static json_t *read_if_there(const char *dir, const char *name)
{
    char path[PATH];
    json_t *root = NULL;
    struct l2r_error error;
    if (l2r_path_join(path, sizeof path, dir, name, &error) != L2R_OK || !l2r_path_is_file(path)) return NULL;
    return l2r_json_read(&root, path, &error) == L2R_OK ? root : NULL;
}

/* "running" where its record grew in the last two minutes. */
static const char *state_of(const char *dir, const json_t *result)
{
    char path[PATH + 32];
    struct stat s;
    struct timespec now;
    if (result) return "finished";
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(path, sizeof path, "%s/%s", dir, L2R_METRICS_FILE);
    if (stat(path, &s) != 0) snprintf(path, sizeof path, "%s/%s", dir, L2R_CONFIG_FILE);
    return stat(path, &s) == 0 && now.tv_sec - s.st_mtim.tv_sec < 120 ? "running" : "stopped";
}

static json_t *describe(const char *dir, const char *name)
{
    static const char *const options[] = {"model", "method", "data", "seed", "members"};
    static const char *const scores[] = {"metric", "train", "valid", "test", "best_epoch", "seconds"};
    char model[64];
    json_t *config = read_if_there(dir, L2R_CONFIG_FILE), *result = read_if_there(dir, L2R_RESULT_FILE);
    json_t *epoch = result ? NULL : last_epoch(dir), *object = json_object();
    l2r_json_put(object, "name", l2r_json_name(name));
    l2r_json_put(object, "state", json_string(state_of(dir, result)));
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) copy_key(object, config, options[i]);
    l2r_json_put(object, "what", l2r_json_name(l2r_run_model(model, config)));
    for (size_t i = 0; i < sizeof scores / sizeof *scores; i++) copy_key(object, result, scores[i]);
    copy_key(object, result ? result : epoch, result ? "epochs" : "epoch");
    json_object_set(object, "of", json_object_get(config, "epochs") ? json_object_get(config, "epochs") : json_null());
    json_decref(config);
    json_decref(result);
    json_decref(epoch);
    return object;
}

enum l2r_status l2r_runs_list(json_t **list, const char *dir, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_run_folders folders = {0};
    char path[PATH];
    *list = json_array();
    L2R_TRY(l2r_run_folders_find(&folders, dir, error));
    for (size_t i = 0; i < folders.n; i++) {
        L2R_TRY(l2r_path_join(path, sizeof path, dir, folders.items[i].name, error));
        l2r_json_append(*list, describe(path, folders.items[i].name));
    }
done:
    l2r_run_folders_clear(&folders);
    if (status != L2R_OK) json_decref(*list), *list = NULL;
    return status;
}

/* ---- several ---- */

/* Below the folder, whatever its parts are called, and not hidden. */
static bool is_below(const char *name)
{
    for (const char *part = name; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (*part == '.' || *part == '/' || *part == '\0') return false;
    return true;
}

static enum l2r_status path_of(char path[PATH], const char *dir, const char *name, struct l2r_error *error)
{
    if (!is_below(name) || l2r_path_join(path, PATH, dir, name, NULL) != L2R_OK || !l2r_path_is_dir(path))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "there is no such run; /api/runs lists those that are there");
    return L2R_OK;
}

enum l2r_status l2r_runs_serve(json_t **answer, const char *dir, struct l2r_shelf *shelf, const char *body,
                               size_t length, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *root = NULL;
    char path[PATH];
    *answer = NULL;
    L2R_TRY(l2r_json_parse(&root, body, length, "the body", error));
    const char *run = json_string_value(json_object_get(root, "run"));
    if (!run || json_object_size(root) != 1) L2R_FAIL(L2R_ERR_FORMAT, "the body is no {\"run\": NAME}");
    L2R_TRY(path_of(path, dir, run, error));
    int k = 0;
    while (k < shelf->n && strcmp(shelf->paths[k], path) != 0) k++;
    const char *const file = path;
    if (k == shelf->n) L2R_TRY(l2r_shelf_add(shelf, path, &file, 1, error));
    *answer = json_object();
    l2r_json_put(*answer, "name", json_string(shelf->names[k]));
done:
    json_decref(root);
    return status;
}

static enum l2r_status load(struct l2r_run_list *list, const char *dir, const char *names, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[PATH], name[PATH / 2];
    for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t length = strcspn(at, ",");
        if (length == 0 || length >= sizeof name) L2R_FAIL(L2R_ERR_ARGUMENT, "runs: expected names of runs");
        memcpy(name, at, length);
        name[length] = '\0';
        L2R_TRY(path_of(path, dir, name, error));
        L2R_TRY(l2r_run_list_add(list, path, error));
        if (list->n > L2R_MOST_COMPARED)
            L2R_FAIL(L2R_ERR_ARGUMENT, "at most %d runs are compared", (int)L2R_MOST_COMPARED);
    }
done:
    return status;
}

enum l2r_status l2r_runs_compare(json_t **data, const char *dir, const char *names, struct l2r_error *error)
{
    struct l2r_run_list list = {0};
    *data = NULL;
    enum l2r_status status = load(&list, dir, names, error);
    if (status == L2R_OK) status = l2r_report_data(data, &list, error);
    l2r_run_list_clear(&list);
    return status;
}

enum l2r_status l2r_runs_weights(json_t **answer, const char *dir, const char *name, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_report_settings settings = {.extremes = 4, .cache = true};
    char path[PATH];
    json_t *weights = NULL;
    *answer = NULL;
    L2R_TRY(path_of(path, dir, name, error));
    L2R_TRY(l2r_report_weights(&weights, path, &settings, error));
    *answer = json_object();
    l2r_json_put(*answer, "run", l2r_json_name(name));
    l2r_json_put(*answer, "weights", weights);
done:
    return status;
}

enum l2r_status l2r_runs_report(char **html, const char *dir, const char *names, struct l2r_error *error)
{
    struct l2r_run_list list = {0};
    const struct l2r_report_settings settings = {.predictions = true, .extremes = 4, .cache = true};
    *html = NULL;
    enum l2r_status status = load(&list, dir, names, error);
    if (status == L2R_OK) status = l2r_report_page(html, &list, &settings, error);
    l2r_run_list_clear(&list);
    return status;
}
