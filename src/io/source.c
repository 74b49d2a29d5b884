/* SPDX-License-Identifier: MIT
 * See source.h. */
#include "io/source.h"

#include "base/memory.h"
#include "io/source_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <xxhash.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct l2r_entry *)a)->name, ((const struct l2r_entry *)b)->name);
}

/* Sorted; two entries of one name could not be told apart. */
static enum l2r_status sort_entries(struct l2r_source *source, struct l2r_error *error)
{
    if (source->n_entries > 0) qsort(source->entries, source->n_entries, sizeof *source->entries, by_name);
    for (size_t i = 1; i < source->n_entries; i++)
        if (by_name(&source->entries[i - 1], &source->entries[i]) == 0)
            return l2r_fail(error, L2R_ERR_FORMAT, "%s: holds the entry %.200s twice", source->path,
                            source->entries[i].name);
    return L2R_OK;
}

bool l2r_source_is_table(const char *path)
{
    static const char *const endings[] = {".csv", ".tsv", ".tab", ".txt", ".smi"};
    size_t length = strlen(path);
    if (length > 3 && strcasecmp(path + length - 3, ".gz") == 0) length -= 3;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]);
        if (length > n && path[length - n - 1] != '/' && strncasecmp(path + length - n, endings[i], n) == 0)
            return true;
    }
    return false;
}

/* A table is its own only entry. */
static enum l2r_status list_table(struct l2r_source *source, const struct stat *info, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char name[L2R_SOURCE_PATH];
    const char *slash = strrchr(source->path, '/');
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : source->path);
    const struct l2r_entry entry = {.name = name,
                                    .size = info->st_size,
                                    .modified =
                                        (int64_t)info->st_mtim.tv_sec * 1000000000 + (int64_t)info->st_mtim.tv_nsec};
    L2R_TRY(l2r_source_add(source, &entry, error));
    if (source->n_entries == 0) L2R_FAIL(L2R_ERR_ARGUMENT, "%s: a hidden file is not a data set", source->path);
done:
    return status;
}

static uint64_t fingerprint(const struct l2r_source *source, const struct stat *info)
{
    uint64_t hash = 0;
    int64_t numbers[2] = {info->st_size, (int64_t)info->st_mtim.tv_sec * 1000000000 + (int64_t)info->st_mtim.tv_nsec};
    if (source->kind == L2R_SOURCE_ARCHIVE) return XXH3_64bits(numbers, sizeof numbers);
    for (size_t i = 0; i < source->n_entries; i++) {
        const struct l2r_entry *entry = &source->entries[i];
        numbers[0] = entry->size;
        numbers[1] = entry->modified;
        hash = XXH3_64bits_withSeed(entry->name, strlen(entry->name) + 1, hash);
        hash = XXH3_64bits_withSeed(numbers, sizeof numbers, hash);
    }
    return hash;
}

static enum l2r_status source_new(struct l2r_source **source, const char *path, enum l2r_source_kind kind,
                                  struct l2r_error *error)
{
    struct l2r_source *s = l2r_alloc(1, sizeof *s);
    *source = s;
    if (!s) return l2r_fail_memory(error, sizeof *s, "a source");
    s->kind = kind;
    s->path = l2r_strdup(path);
    if (!s->path) return l2r_fail_memory(error, strlen(path), "a path");
    for (size_t n = strlen(s->path); n > 1 && s->path[n - 1] == '/'; n--) s->path[n - 1] = '\0';
    return L2R_OK;
}

enum l2r_status l2r_source_open(struct l2r_source **source, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_source *s = NULL;
    struct stat info;
    if (stat(path, &info) != 0) L2R_FAIL(L2R_ERR_IO, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) /* a pipe can be read once only, and may never begin */
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s: this is neither a regular file nor a folder; save its contents to a file first",
                 path);
    if (strlen(path) >= L2R_SOURCE_PATH)
        L2R_FAIL(L2R_ERR_ARGUMENT, "the path is longer than %d bytes", (int)L2R_SOURCE_PATH);
    enum l2r_source_kind kind = S_ISDIR(info.st_mode)       ? L2R_SOURCE_FOLDER
                                : l2r_source_is_table(path) ? L2R_SOURCE_FILE
                                                            : L2R_SOURCE_ARCHIVE;
    L2R_TRY(source_new(&s, path, kind, error));
    s->packed = info.st_size;
    L2R_TRY(kind == L2R_SOURCE_FOLDER ? l2r_source_list_folder(s, error)
            : kind == L2R_SOURCE_FILE ? list_table(s, &info, error)
                                      : l2r_source_list_archive(s, error));
    L2R_TRY(sort_entries(s, error));
    s->fingerprint = fingerprint(s, &info);
done:
    if (status != L2R_OK) {
        l2r_source_free(s);
        s = NULL;
    }
    *source = s;
    return status;
}

enum l2r_status l2r_source_from_memory(struct l2r_source **source, const char *path,
                                       const struct l2r_memory_file *files, size_t n_files, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_source *s = NULL;
    L2R_TRY(source_new(&s, path, L2R_SOURCE_MEMORY, error));
    for (size_t i = 0; i < n_files; i++) {
        char name[L2R_SOURCE_PATH];
        snprintf(name, sizeof name, "%s", files[i].name);
        const struct l2r_entry entry = {.name = name, .size = (int64_t)files[i].size, .memory = files[i].bytes};
        L2R_TRY(l2r_source_add(s, &entry, error));
    }
    L2R_TRY(sort_entries(s, error));
done:
    if (status != L2R_OK) {
        l2r_source_free(s);
        s = NULL;
    }
    *source = s;
    return status;
}

void l2r_source_free(struct l2r_source *source)
{
    if (!source) return;
    for (size_t i = 0; i < source->n_entries; i++) l2r_free(source->entries[i].name);
    l2r_free(source->entries);
    l2r_free(source->path);
    l2r_free(source);
}

const struct l2r_entry *l2r_source_find2(const struct l2r_source *source, const char *prefix, const char *suffix)
{
    size_t length = strlen(prefix);
    for (size_t i = 0; i < source->n_entries; i++) {
        const char *name = source->entries[i].name;
        if (strncmp(name, prefix, length) == 0 && strcmp(name + length, suffix) == 0) return &source->entries[i];
    }
    return NULL;
}

const struct l2r_entry *l2r_source_find(const struct l2r_source *source, const char *name)
{
    return l2r_source_find2(source, "", name);
}

const struct l2r_entry *l2r_source_match(const struct l2r_source *source, const char *suffix, int depth, size_t *from)
{
    size_t want = strlen(suffix);
    while (*from < source->n_entries) {
        const struct l2r_entry *entry = &source->entries[(*from)++];
        size_t length = strlen(entry->name);
        int slashes = 0;
        for (const char *c = entry->name; *c; c++) slashes += *c == '/';
        if (length > want && slashes <= depth && strcmp(entry->name + length - want, suffix) == 0) return entry;
    }
    return NULL;
}
