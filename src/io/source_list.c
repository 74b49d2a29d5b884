/* SPDX-License-Identifier: MIT
 * See source_list.h. Hidden files are left out (editors and file managers leave some). What could make a reader leave
 * the folder or the archive, or fill the memory, is refused here, by name. */
#include "io/source_list.h"

#include "base/memory.h"
#include "io/archive.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MAX_ENTRIES = 10000, /* a data set has a dozen files; more means that the wrong folder was given */
    MAX_HEADERS = 100000,
    MAX_DEPTH = 4, /* NAME/split/scaffold/train.csv.gz has three folders */
    MAX_PATH = L2R_SOURCE_PATH
};

/* Makes "./A//B.txt" into "A/B.txt". False when a part is hidden or climbs ("..", ".git"). */
static bool clean_name(char *out, size_t size, const char *name)
{
    size_t length = 0;
    while (*name) {
        size_t part = strcspn(name, "/");
        if (part > 0 && !(part == 1 && name[0] == '.')) {
            if (name[0] == '.') return false;
            if (length + part + 2 > size) return false;
            if (length > 0) out[length++] = '/';
            memcpy(out + length, name, part);
            length += part;
        }
        name += part;
        if (*name == '/') name++;
    }
    out[length] = '\0';
    return length > 0;
}

enum l2r_status l2r_source_add(struct l2r_source *source, const struct l2r_entry *entry, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char name[MAX_PATH];
    if (!clean_name(name, sizeof name, entry->name)) return L2R_OK;
    if (source->n_entries >= MAX_ENTRIES)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s holds more than %d files; give the folder of one data set", source->path,
                 (int)MAX_ENTRIES);
    if (!l2r_reserve((void **)&source->entries, &source->capacity, source->n_entries + 1, sizeof *source->entries))
        return l2r_fail_memory(error, sizeof *source->entries, "the list of files");
    struct l2r_entry *added = &source->entries[source->n_entries];
    *added = *entry;
    added->name = l2r_strdup(name);
    if (!added->name) return l2r_fail_memory(error, strlen(name), "a file name");
    source->n_entries++;
done:
    return status;
}

/* A link whose target lies elsewhere: a data set that was unpacked from an archive must not read other files. */
static bool leads_outside(const struct l2r_source *source, const char *path)
{
    struct stat info;
    if (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode)) return false;
    char *root = realpath(source->path, NULL), *target = realpath(path, NULL);
    size_t length = root ? strlen(root) : 0;
    bool outside = !root || !target || strncmp(root, target, length) != 0 || (target[length] != '/' && length > 1);
    free(root);
    free(target);
    return outside;
}

static enum l2r_status list_below(struct l2r_source *source, const char *below, int depth, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[MAX_PATH * 2], name[MAX_PATH];
    snprintf(path, sizeof path, "%s/%s", source->path, below);
    DIR *folder = opendir(path);
    if (!folder) L2R_FAIL(L2R_ERR_IO, "%s: the folder cannot be read: %s", path, strerror(errno));
    for (struct dirent *item; (item = readdir(folder));) {
        struct stat info;
        if (item->d_name[0] == '.') continue;
        int length = snprintf(name, sizeof name, "%s%s%s", below, below[0] ? "/" : "", item->d_name);
        if (length >= (int)sizeof name) continue;
        snprintf(path, sizeof path, "%s/%s", source->path, name);
        if (stat(path, &info) != 0) continue; /* a dangling link */
        if (leads_outside(source, path))
            L2R_FAIL(L2R_ERR_FORMAT,
                     "%s: is a symbolic link that leads out of the data set's folder; put the file itself there", path);
        if (S_ISDIR(info.st_mode) && depth < MAX_DEPTH) L2R_TRY(list_below(source, name, depth + 1, error));
        if (!S_ISREG(info.st_mode)) continue;
        const struct l2r_entry entry = {.name = name,
                                        .size = info.st_size,
                                        .modified =
                                            (int64_t)info.st_mtim.tv_sec * 1000000000 + (int64_t)info.st_mtim.tv_nsec};
        L2R_TRY(l2r_source_add(source, &entry, error));
    }
done:
    if (folder) closedir(folder);
    return status;
}

enum l2r_status l2r_source_list_folder(struct l2r_source *source, struct l2r_error *error)
{
    return list_below(source, "", 0, error);
}

/* One header: refused, left out (a folder), or added. *total: bytes that the headers so far announce. */
static enum l2r_status list_header(struct l2r_source *source, struct archive_entry *header, int64_t position,
                                   int64_t *total, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *name = archive_entry_pathname(header);
    char copy[MAX_PATH];
    if (position >= MAX_HEADERS)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: has more than %d entries; it is refused", source->path, (int)MAX_HEADERS);
    if (!name || strlen(name) >= sizeof copy) return L2R_OK;
    const char *problem = l2r_archive_problem(header, name);
    if (problem) L2R_FAIL(L2R_ERR_FORMAT, "%s: entry %.200s %s; the archive is refused", source->path, name, problem);
    int64_t size = archive_entry_size_is_set(header) ? archive_entry_size(header) : -1;
    if (size > 0 && __builtin_add_overflow(*total, size, total)) *total = INT64_MAX;
    if (l2r_archive_swollen(*total, source->packed))
        L2R_FAIL(
            L2R_ERR_FORMAT,
            "%s: unpacks to %lld bytes up to entry %.200s, more than %d times its own %lld bytes, which no data set "
            "does; unpack it yourself if it is meant",
            source->path, (long long)*total, name, (int)L2R_ARCHIVE_RATIO, (long long)source->packed);
    if (archive_entry_filetype(header) != AE_IFREG) return L2R_OK;
    memcpy(copy, name, strlen(name) + 1);
    const struct l2r_entry entry = {.name = copy, .size = size, .position = position};
    L2R_TRY(l2r_source_add(source, &entry, error));
done:
    return status;
}

enum l2r_status l2r_source_list_archive(struct l2r_source *source, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct archive *archive = NULL;
    struct archive_entry *header;
    int64_t total = 0;
    int code = ARCHIVE_OK;
    L2R_TRY(l2r_archive_open(&archive, source->path, error));
    for (int64_t position = 0;
         (code = archive_read_next_header(archive, &header)) == ARCHIVE_OK || code == ARCHIVE_WARN; position++)
        L2R_TRY(list_header(source, header, position, &total, error));
    if (code != ARCHIVE_EOF)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: this is not a folder and not a whole zip or tar archive (%s)", source->path,
                 l2r_archive_reason(archive));
done:
    if (archive) archive_read_free(archive);
    return status;
}
