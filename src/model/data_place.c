/* SPDX-License-Identifier: MIT
 * See data_place.h. */
#include "model/data_place.h"

#include "io/file.h"
#include "io/json_file.h"
#include "model/run_names.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The way from one absolute folder to an absolute path: "/a/b/c", "/a/d" -> "../../d". */
static void way(char *out, size_t size, const char *from, const char *to)
{
    size_t same = 0, used = 0;
    out[0] = '\0';
    for (size_t i = 0;; i++) {
        bool ends = (from[i] == '\0' || from[i] == '/') && (to[i] == '\0' || to[i] == '/');
        if (ends) same = i;
        if (from[i] == '\0' || to[i] == '\0' || from[i] != to[i]) break;
    }
    for (const char *rest = from + same; *rest; rest++)
        if (*rest == '/' && rest[1] && used + 4 < size) used += (size_t)snprintf(out + used, size - used, "../");
    snprintf(out + used, size - used, "%s", to[same] == '/' ? to + same + 1 : to + same);
}

enum l2r_status l2r_data_place_write(const char *run, const char *where, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[PATH_MAX + 64], folder[PATH_MAX], data[PATH_MAX], from_run[2 * PATH_MAX];
    if (!where || !realpath(where, data) || !realpath(run, folder)) return L2R_OK;
    way(from_run, sizeof from_run, folder, data);
    L2R_TRY(l2r_path_join(path, sizeof path, run, L2R_DATA_FILE, error));
    json_t *object = json_pack("{s:s, s:s}", "path", data, "from_run", from_run);
    if (!object) return L2R_OK; /* not UTF-8: as typed, then */
    status = l2r_json_write(object, path, error);
    json_decref(object);
done:
    return status;
}

void l2r_data_place_find(char *out, size_t size, const char *run, const char *typed)
{
    char file[PATH_MAX + 64], now[PATH_MAX], moved[2 * PATH_MAX];
    json_t *object = NULL;
    snprintf(out, size, "%s", typed);
    snprintf(file, sizeof file, "%s/" L2R_DATA_FILE, run);
    if (!l2r_path_is_file(file) || l2r_json_read(&object, file, NULL) != L2R_OK) return;
    const char *path = json_string_value(json_object_get(object, "path"));
    const char *from_run = json_string_value(json_object_get(object, "from_run"));
    bool same = path && realpath(typed, now) && strcmp(now, path) == 0;
    snprintf(moved, sizeof moved, "%s/%s", run, from_run ? from_run : "");
    if (!same && path && l2r_path_is_there(path))
        snprintf(out, size, "%s", path);
    else if (!same && from_run && l2r_path_is_there(moved) && realpath(moved, now))
        snprintf(out, size, "%s", now);
    json_decref(object);
}
