/* SPDX-License-Identifier: MIT
 * See staging.h. The temporary folder stands beside the target, on the same file system: rename(2) is atomic there,
 * and it replaces an empty folder but no other. */
#include "io/staging.h"

#include "base/system.h"
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    (void)remove(path);
    return 0;
}

void l2r_remove_tree(const char *path)
{
    (void)nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* The process in "NAME.tmp-<pid>"; 0: it is no such name. */
static long writer_of(const char *name)
{
    static const char mark[] = ".tmp-";
    const char *at = NULL;
    for (const char *next = name; (next = strstr(next, mark)); next++) at = next;
    if (!at || at == name) return 0;
    char *end;
    errno = 0;
    long pid = strtol(at + sizeof mark - 1, &end, 10);
    return errno == 0 && *end == '\0' && pid > 0 && pid <= INT_MAX ? pid : 0;
}

void l2r_remove_litter(const char *folder)
{
    char path[4400];
    DIR *dir = opendir(folder);
    for (const struct dirent *item; dir && (item = readdir(dir));) {
        long pid = writer_of(item->d_name);
        if (pid == 0 || kill((pid_t)pid, 0) == 0 || errno != ESRCH) continue;
        if (l2r_path_join(path, sizeof path, folder, item->d_name, NULL) == L2R_OK) l2r_remove_tree(path);
    }
    if (dir) closedir(dir);
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

    char temporary[sizeof staging->folder];
    snprintf(temporary, sizeof temporary, "%s.tmp-%ld", staging->target, (long)getpid());
    char *slash = strrchr(staging->target, '/');
    if (slash && slash != staging->target) {
        *slash = '\0';
        status = l2r_make_dirs(staging->target, error);
        l2r_remove_litter(staging->target);
        *slash = '/';
        if (status != L2R_OK) goto done;
    }
    if (l2r_sys_mkdir(temporary) != 0)
        L2R_FAIL(L2R_ERR_IO, "%s: cannot create the folder: %s", temporary, strerror(errno));
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
    staging->folder[0] = '\0';
    return status;
}
