/* SPDX-License-Identifier: MIT
 * See run_folders.h. */
#include "serve/run_folders.h"

#include "base/memory.h"
#include "model/run_names.h"
#include "serve/runs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH = 4096 };

void l2r_run_folders_clear(struct l2r_run_folders *folders)
{
    for (size_t i = 0; i < folders->n; i++) l2r_free(folders->items[i].name);
    l2r_free(folders->items);
    *folders = (struct l2r_run_folders){0};
}

static int by_name(const void *a, const void *b)
{
    const struct l2r_run_folder *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* 0: there is no config.json. */
static uint64_t stamp_of(const char *path)
{
    static const char *const names[] = {L2R_CONFIG_FILE, L2R_METRICS_FILE, L2R_RESULT_FILE};
    uint64_t stamp = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char file[PATH + 32];
        struct stat s;
        snprintf(file, sizeof file, "%s/%s", path, names[i]);
        bool there = stat(file, &s) == 0 && S_ISREG(s.st_mode);
        if (i == 0 && !there) return 0;
        const uint64_t parts[] = {there ? (uint64_t)s.st_size : 0, there ? (uint64_t)s.st_mtim.tv_sec : 0,
                                  there ? (uint64_t)s.st_mtim.tv_nsec : 0};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) stamp = (stamp ^ parts[k]) * 0x9e3779b97f4a7c15u;
    }
    return stamp ? stamp : 1;
}

/* name: the path below dir of the folder that is looked into, or "". */
static enum l2r_status look(struct l2r_run_folders *f, const char *dir, const char *name, int depth,
                            struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[PATH], below[PATH];
    snprintf(path, sizeof path, "%s%s%s", dir, *name ? "/" : "", name);
    DIR *folder = opendir(path);
    if (!folder && *name) return L2R_OK; /* it has gone meanwhile */
    if (!folder) return l2r_fail(error, L2R_ERR_IO, "%s: cannot be read: %s", dir, strerror(errno));
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct stat s;
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, L2R_STATE_FOLDER) == 0) continue;
        if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN) continue;
        if (snprintf(below, sizeof below, "%s%s%s", name, *name ? "/" : "", entry->d_name) >= (int)sizeof below)
            continue;
        if (snprintf(path, sizeof path, "%s/%s", dir, below) >= (int)sizeof path) continue;
        if (lstat(path, &s) != 0 || !S_ISDIR(s.st_mode) || strchr(below, ',')) continue;
        uint64_t stamp = stamp_of(path);
        if (stamp == 0) {
            if (depth + 1 < L2R_RUN_DEPTH) L2R_TRY(look(f, dir, below, depth + 1, error));
            continue;
        }
        if (!l2r_reserve((void **)&f->items, &f->capacity, f->n + 1, sizeof *f->items) ||
            !(f->items[f->n].name = l2r_strdup(below)))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the folders of runs");
        f->items[f->n++].stamp = stamp;
    }
done:
    closedir(folder);
    return status;
}

enum l2r_status l2r_run_folders_find(struct l2r_run_folders *folders, const char *dir, struct l2r_error *error)
{
    *folders = (struct l2r_run_folders){0};
    enum l2r_status status = look(folders, dir, "", 0, error);
    if (status == L2R_OK && folders->n > 1) qsort(folders->items, folders->n, sizeof *folders->items, by_name);
    if (status != L2R_OK) l2r_run_folders_clear(folders);
    return status;
}
