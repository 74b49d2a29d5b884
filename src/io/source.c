/* SPDX-License-Identifier: MIT
 * See source.h. Hidden files are left out (editors and file managers leave some). Entries that could make a reader
 * leave the folder or the archive, or fill the memory, are refused here, by name. */
#include "io/source.h"

#include "base/memory.h"
#include "base/system.h"
#include "io/archive.h"
#include "io/file.h"
#include "io/input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* The time of the last change (ctime) is the system's own: tools that restore the other one cannot set it. */
static uint64_t stamp_of(const struct stat *info)
{
    const int64_t numbers[] = {(int64_t)info->st_size,         (int64_t)info->st_mtim.tv_sec,
                               (int64_t)info->st_mtim.tv_nsec, (int64_t)info->st_ctim.tv_sec,
                               (int64_t)info->st_ctim.tv_nsec, (int64_t)info->st_ino};
    return XXH3_64bits(numbers, sizeof numbers);
}

enum {
    MAX_ENTRIES = 10000, /* a data set has a dozen files; more means that the wrong folder was given */
    MAX_DEPTH = 4,       /* NAME/split/scaffold/train.csv.gz has three folders */
    MAX_PATH = 4096      /* the longest name and path, with its end */
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

/* Adds a copy with a cleaned name; a hidden one is left out. */
static enum l2r_status add_entry(struct l2r_source *source, const struct l2r_entry *entry, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char name[MAX_PATH];
    if (!clean_name(name, sizeof name, entry->name)) return L2R_OK;
    if (source->n_entries >= MAX_ENTRIES)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s holds more than %d files; name the folder of one data set", source->path,
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

/* Is it a link whose target lies elsewhere? A data set that was unpacked from an archive must not read other files. */
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
        if (stat(path, &info) != 0) {
            if (errno == ENOENT && !l2r_path_is_there(path)) continue; /* removed meanwhile */
            L2R_FAIL(L2R_ERR_IO, "%s: cannot be read: %s%s", path, strerror(errno),
                     errno == ENOENT ? " (a link that leads nowhere); restore its target or remove it" : "");
        }
        if (leads_outside(source, path))
            L2R_FAIL(L2R_ERR_FORMAT,
                     "%s: is a symbolic link that points outside the data set's folder; copy the file there instead",
                     path);
        if (S_ISDIR(info.st_mode) && depth < MAX_DEPTH) L2R_TRY(list_below(source, name, depth + 1, error));
        if (S_ISDIR(info.st_mode)) continue;
        if (!S_ISREG(info.st_mode))
            L2R_FAIL(L2R_ERR_IO, "%s: cannot be read: %s", path, l2r_sys_reason(L2R_NOT_A_FILE));
        const struct l2r_entry entry = {.name = name, .size = info.st_size, .stamp = stamp_of(&info)};
        L2R_TRY(add_entry(source, &entry, error));
    }
done:
    if (folder) closedir(folder);
    return status;
}

/* One header: refused, left out (a folder), or added. *total: bytes that the headers so far announce. */
static enum l2r_status list_header(struct l2r_source *source, struct archive_entry *header, int64_t position,
                                   const struct l2r_zip_directory *zip, int64_t *total, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_archive_limits *limits = &l2r_archive_defaults;
    const char *name = archive_entry_pathname(header);
    char copy[MAX_PATH];
    if (position >= limits->max_entries)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: has more than %lld entries; it is refused", source->path,
                 (long long)limits->max_entries);
    if (!name || strlen(name) >= sizeof copy) return L2R_OK;
    const char *problem = l2r_archive_problem(header, name);
    if (problem) L2R_FAIL(L2R_ERR_FORMAT, "%s: entry %.200s %s; the archive is refused", source->path, name, problem);
    int64_t size = archive_entry_size_is_set(header) ? archive_entry_size(header) : -1;
    if (size > 0 && __builtin_add_overflow(*total, size, total)) *total = INT64_MAX;
    if (l2r_archive_is_bomb(limits, *total, source->packed))
        L2R_FAIL(L2R_ERR_FORMAT,
                 "%s: unpacks to %lld bytes up to entry %.200s, more than %lld times its own %lld bytes, which no data "
                 "set does; unpack it yourself if this is intended",
                 source->path, (long long)*total, name, (long long)limits->max_ratio, (long long)source->packed);
    if (archive_entry_filetype(header) != AE_IFREG) return L2R_OK;
    memcpy(copy, name, strlen(name) + 1);
    struct l2r_entry entry = {.name = copy, .size = size, .position = position, .offset = -1};
    const struct l2r_zip_place *place = position < (int64_t)zip->n ? &zip->places[position] : NULL;
    if (place && place->length == strlen(name) && memcmp(place->name, name, place->length) == 0)
        entry.offset = place->offset;
    L2R_TRY(add_entry(source, &entry, error));
done:
    return status;
}

/* The only walk over an archive's headers, unless it has no directory or an unusual one. Entries keep the number of
 * their header, so that they can be found again after sorting. */
static enum l2r_status list_archive(struct l2r_source *source, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct archive *archive = NULL;
    struct archive_entry *header;
    struct l2r_zip_directory zip;
    int64_t total = 0;
    int code = ARCHIVE_OK;
    l2r_zip_directory_read(&zip, source->path);
    L2R_TRY(l2r_archive_open(&archive, source->path, error));
    for (int64_t position = 0;
         (code = archive_read_next_header(archive, &header)) == ARCHIVE_OK || code == ARCHIVE_WARN; position++)
        L2R_TRY(list_header(source, header, position, &zip, &total, error));
    if (code != ARCHIVE_EOF)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: this is neither a folder nor an intact zip or tar archive (%s)", source->path,
                 l2r_archive_reason(archive));
done:
    if (archive) archive_read_free(archive);
    l2r_zip_directory_clear(&zip);
    return status;
}

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

bool l2r_source_ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), n = strlen(ending);
    if (length > 3 && strcasecmp(name + length - 3, ".gz") == 0) length -= 3;
    return length > n && name[length - n - 1] != '/' && strncasecmp(name + length - n, ending, n) == 0;
}

bool l2r_source_is_table(const char *path)
{
    static const char *const endings[] = {".csv", ".tsv", ".tab", ".txt", ".smi", ".sdf", ".sd"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (l2r_source_ends_with(path, endings[i])) return true;
    return false;
}

/* A file that is not an archive: a table, or JSON. */
static bool is_single(const char *path)
{
    return l2r_source_is_table(path) || l2r_source_ends_with(path, ".json");
}

/* Such a file is its own only entry. */
static enum l2r_status list_table(struct l2r_source *source, const struct stat *info, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char name[MAX_PATH];
    const char *slash = strrchr(source->path, '/');
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : source->path);
    const struct l2r_entry entry = {.name = name, .size = info->st_size, .stamp = stamp_of(info)};
    L2R_TRY(add_entry(source, &entry, error));
    if (source->n_entries == 0) L2R_FAIL(L2R_ERR_ARGUMENT, "%s: a hidden file is not a data set", source->path);
done:
    return status;
}

/* Size and time of every file, not its content: this is cheap, and build tools rely on it, too. An archive counts as
 * one file.
 * */
/* What a file holds: all of it, or pieces evenly spaced where it is long. A file that cannot be read hashes as nothing
 * here, and its reader says why. */
static uint64_t hash_content(uint64_t hash, const char *path)
{
    enum { PIECE = 1 << 14, MOST_PIECES = 64 };
    struct stat info;
    int fd = l2r_sys_open(path, O_RDONLY | O_NONBLOCK);
    char *piece = l2r_alloc_raw(PIECE, 1);
    if (fd >= 0 && piece && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
        int64_t n = (info.st_size + PIECE - 1) / PIECE, taken = n < MOST_PIECES ? n : MOST_PIECES;
        for (int64_t k = 0; k < taken; k++) {
            int64_t number = taken > 1 ? k * (n - 1) / (taken - 1) : 0;
            ssize_t got = pread(fd, piece, PIECE, number * PIECE);
            if (got > 0) hash = XXH3_64bits_withSeed(piece, (size_t)got, hash);
        }
    }
    l2r_free(piece);
    if (fd >= 0) (void)l2r_sys_close(fd);
    return hash;
}

static uint64_t fingerprint(const struct l2r_source *source, const struct stat *info)
{
    char path[MAX_PATH * 2];
    uint64_t hash = 0;
    if (source->kind != L2R_SOURCE_FOLDER) return hash_content(stamp_of(info), source->path);
    for (size_t i = 0; i < source->n_entries; i++) {
        const struct l2r_entry *entry = &source->entries[i];
        hash = XXH3_64bits_withSeed(entry->name, strlen(entry->name) + 1, hash ^ entry->stamp);
        snprintf(path, sizeof path, "%s/%s", source->path, entry->name);
        hash = hash_content(hash, path);
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
    if (strlen(path) >= MAX_PATH) L2R_FAIL(L2R_ERR_ARGUMENT, "the path is longer than %d bytes", (int)MAX_PATH);
    enum l2r_source_kind kind = S_ISDIR(info.st_mode) ? L2R_SOURCE_FOLDER
                                : is_single(path)     ? L2R_SOURCE_FILE
                                                      : L2R_SOURCE_ARCHIVE;
    L2R_TRY(source_new(&s, path, kind, error));
    s->packed = info.st_size;
    L2R_TRY(kind == L2R_SOURCE_FOLDER ? list_below(s, "", 0, error)
            : kind == L2R_SOURCE_FILE ? list_table(s, &info, error)
                                      : list_archive(s, error));
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
        char name[MAX_PATH];
        snprintf(name, sizeof name, "%s", files[i].name);
        const struct l2r_entry entry = {.name = name, .size = (int64_t)files[i].size, .memory = files[i].bytes};
        L2R_TRY(add_entry(s, &entry, error));
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

enum l2r_status l2r_source_from_input(struct l2r_source **source, int descriptor, const char *path,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_source *s = NULL;
    char name[] = "input.csv";
    const struct l2r_entry entry = {.name = name, .size = -1};
    L2R_TRY(source_new(&s, path, L2R_SOURCE_INPUT, error));
    L2R_TRY(add_entry(s, &entry, error));
    L2R_TRY(l2r_input_open(&s->input, descriptor, path, error));
done:
    if (status != L2R_OK) {
        l2r_source_free(s);
        s = NULL;
    }
    *source = s;
    return status;
}

void l2r_source_read_on(const struct l2r_source *source)
{
    if (source->input) l2r_input_read_on(source->input);
}

void l2r_source_free(struct l2r_source *source)
{
    if (!source) return;
    l2r_input_free(source->input);
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
