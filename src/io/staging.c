/* SPDX-License-Identifier: MIT
 * See staging.h. The temporary folder stands beside the target, on the same file system: rename(2) is atomic there,
 * and it replaces an empty folder but no other. */
#include "io/staging.h"

#include "base/system.h"
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool l2r_path_is_occupied(const char *path)
{
    struct stat about;
    if (lstat(path, &about) != 0) return false;
    DIR *dir = opendir(path);
    if (!dir) return true;
    int entries = 0;
    while (entries < 3 && readdir(dir)) entries++; /* "." and ".." are always there */
    closedir(dir);
    return entries > 2;
}

enum l2r_status l2r_staging_open(struct l2r_staging *staging, const char *target, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t length = strlen(target);
    staging->folder[0] = '\0';
    while (length > 1 && target[length - 1] == '/') length--;
    if (length == 0) L2R_FAIL(L2R_ERR_ARGUMENT, "the name of the output folder is empty");
    if (length >= sizeof staging->target) L2R_FAIL(L2R_ERR_ARGUMENT, "%.60s…: the path is too long", target);
    memcpy(staging->target, target, length);
    staging->target[length] = '\0';
    if (l2r_path_is_occupied(staging->target))
        L2R_FAIL(L2R_ERR_IO, "%s: exists and is not an empty folder; choose another name or remove it first",
                 staging->target);

    char *slash = strrchr(staging->target, '/');
    if (slash && slash != staging->target) {
        *slash = '\0';
        status = l2r_make_dirs(staging->target, error);
        *slash = '/';
        if (status != L2R_OK) goto done;
    }
    l2r_remove_litter_at(staging->target);
    char temporary[sizeof staging->folder];
    staging->lock = l2r_temporary_new(temporary, staging->target, true);
    if (staging->lock < 0) L2R_FAIL(L2R_ERR_IO, "%s: cannot create the folder: %s", staging->target, strerror(errno));
    memcpy(staging->folder, temporary, sizeof temporary);
done:
    return status;
}

enum l2r_status l2r_staging_close(struct l2r_staging *staging, const char *inner, enum l2r_status status,
                                  struct l2r_error *error)
{
    if (staging->folder[0] == '\0') return status;
    char from[4400];
    snprintf(from, sizeof from, "%s%s%s", staging->folder, inner ? "/" : "", inner ? inner : "");
    if (status == L2R_OK && l2r_sys_rename(from, staging->target) != 0)
        status = l2r_fail(error, L2R_ERR_IO, "%s: cannot be moved into place: %s", staging->target, strerror(errno));
    if (status == L2R_OK) l2r_sync_folder_of(staging->target);
    l2r_remove_tree(staging->folder);
    (void)l2r_sys_close(staging->lock);
    staging->folder[0] = '\0';
    return status;
}
