/* SPDX-License-Identifier: MIT
 *
 * See file.h. Errors of the operating system are reported with the path first and the system's own words last:
 * "runs/a/config.json: cannot be opened: No such file or directory".
 *
 * A file is replaced in four steps, in this order, so that a crash at any moment leaves the old or the new content
 * and never a mixture:  write a temporary  →  fsync it  →  rename it over PATH  →  fsync the folder.
 */
#include "io/file.h"

#include "base/memory.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum l2r_status l2r_path_join(char *out, size_t size, const char *dir, const char *name, struct l2r_error *error)
{
    size_t length = strlen(dir);
    const char *slash = length == 0 || dir[length - 1] == '/' ? "" : "/";
    int written = snprintf(out, size, "%s%s%s", dir, slash, name);
    if (written >= 0 && (size_t)written < size) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "%.200s%s%.200s: the path is longer than %zu bytes", dir, slash, name,
                    size - 1);
}

bool l2r_path_is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

bool l2r_path_is_dir(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

bool l2r_path_is_there(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

void l2r_path_base(char *out, size_t size, const char *path)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/') begin--;
    if (begin == end && end > 0) begin--; /* "/" is its own base */
    snprintf(out, size, "%.*s", (int)(end - begin), path + begin);
}

enum l2r_status l2r_make_dirs(const char *path, struct l2r_error *error)
{
    char part[4096];
    size_t length = strlen(path);
    if (length == 0) return l2r_fail(error, L2R_ERR_ARGUMENT, "the name of a folder is empty");
    if (length >= sizeof part)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%.200s…: the path is longer than %zu bytes", path, sizeof part - 1);
    memcpy(part, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (part[i] != '/' && part[i] != '\0') continue;
        part[i] = '\0';
        /* Read-only parents answer EROFS or EACCES although they exist: what counts is that there is a folder. */
        int reason = l2r_sys_mkdir(part) == 0 ? 0 : errno;
        if (reason == 0) {
            l2r_sync_folder_of(part); /* without this a file flushed into the new folder could still be lost */
        } else if (!l2r_path_is_dir(part)) {
            if (reason == EEXIST) reason = ENOTDIR;
            return l2r_fail(error, L2R_ERR_IO, "%s: cannot create the folder: %s", part, strerror(reason));
        }
        part[i] = path[i];
    }
    return L2R_OK;
}

/* Reads to the end of the stream. The size found before is only a guess: pipes have none, and files may grow. */
static enum l2r_status read_all(char **content, size_t *length, FILE *stream, size_t guess, const char *path,
                                size_t limit, struct l2r_error *error)
{
    size_t capacity = 0, used = 0;
    for (size_t wanted = guess;;) {
        if (wanted > limit) wanted = limit;
        /* One byte for the NUL, one more so that a file of exactly the guessed size ends without growing. */
        if (!l2r_reserve((void **)content, &capacity, wanted + 2, 1)) return l2r_fail_memory(error, wanted + 2, path);
        used += fread(*content + used, 1, capacity - 1 - used, stream);
        if (ferror(stream)) return l2r_fail(error, L2R_ERR_IO, "%s: cannot be read: %s", path, l2r_sys_reason(errno));
        if (used > limit)
            return l2r_fail(error, L2R_ERR_FORMAT, "%s: the file is larger than %zu bytes, the limit here", path,
                            limit);
        if (feof(stream)) break;
        wanted = 2 * capacity;
    }
    (*content)[used] = '\0';
    *length = used;
    return L2R_OK;
}

enum l2r_status l2r_file_read(char **content, size_t *length, const char *path, size_t limit, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct stat about;
    *content = NULL;
    *length = 0;
    int fd;
    FILE *stream = l2r_sys_stream(&fd, path, O_RDONLY);
    if (!stream) L2R_FAIL(L2R_ERR_IO, "%s: cannot be opened: %s", path, l2r_sys_reason(errno));
    if (fstat(fd, &about) != 0) L2R_FAIL(L2R_ERR_IO, "%s: cannot be read: %s", path, l2r_sys_reason(errno));
    if (S_ISDIR(about.st_mode)) L2R_FAIL(L2R_ERR_IO, "%s: is a folder; expected a file", path);
    if (about.st_size > 0 && (uintmax_t)about.st_size > limit)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the file has %jd bytes, at most %zu are accepted here", path,
                 (intmax_t)about.st_size, limit);
    L2R_TRY(read_all(content, length, stream, (size_t)about.st_size, path, limit, error));
done:
    if (stream) fclose(stream);
    if (status != L2R_OK) {
        l2r_free(*content);
        *content = NULL;
        *length = 0;
    }
    return status;
}

/* The file that is meant: a link leads to its target; a path that is not there yet is taken as it is. */
static bool resolve(char *out, size_t size, const char *path)
{
    struct stat entry;
    char *target = lstat(path, &entry) == 0 && S_ISLNK(entry.st_mode) ? realpath(path, NULL) : NULL;
    int written = snprintf(out, size, "%s", target ? target : path);
    free(target);
    return written >= 0 && (size_t)written < size;
}

/* The lock outlives the stream: it is held until the file has its name. */
static FILE *open_temporary(struct l2r_atomic *writer, const struct stat *old)
{
    writer->lock = l2r_temporary_new(writer->temporary, writer->path, false);
    if (writer->lock < 0) return NULL;
    if (old && old->st_uid == geteuid()) (void)fchmod(writer->lock, old->st_mode & 0777);
    FILE *stream = l2r_sys_stream_of(&writer->fd, writer->lock, O_WRONLY);
    if (stream) return stream;
    int reason = errno;
    unlink(writer->temporary);
    (void)l2r_sys_close(writer->lock);
    errno = reason;
    return NULL;
}

enum l2r_status l2r_atomic_open(struct l2r_atomic *writer, const char *path, struct l2r_error *error)
{
    struct stat entry;
    writer->stream = NULL;
    if (!resolve(writer->path, sizeof writer->path, path))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%.200s…: the path is longer than %zu bytes", path,
                        sizeof writer->path - 1);
    bool there = stat(writer->path, &entry) == 0;
    if (there && S_ISDIR(entry.st_mode))
        return l2r_fail(error, L2R_ERR_IO, "%s: is a folder; cannot write a file there", path);
    writer->keep = NULL;
    writer->temporary[0] = '\0';
    if (there && !S_ISREG(entry.st_mode)) { /* a pipe or a device is written to, never replaced */
        writer->lock = -1;
        writer->stream = l2r_sys_stream(&writer->fd, writer->path, O_WRONLY);
    } else {
        writer->stream = open_temporary(writer, there ? &entry : NULL);
    }
    if (writer->stream) return L2R_OK;
    return l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", path, l2r_sys_reason(errno));
}

static bool is_direct(const struct l2r_atomic *writer)
{
    return writer->lock < 0;
}

/* The file as it is gets a second name, which replaces the one before it. Where there are no hard links it is moved,
 * and until the new one is there `keep` is the only one. */
static bool keep_previous(const char *path, const char *keep)
{
    char beside[L2R_TEMPORARY_PATH];
    if (!l2r_path_is_file(path)) return true;
    int lock = l2r_temporary_link(beside, path, keep);
    if (lock >= 0) {
        bool kept = l2r_sys_rename(beside, keep) == 0;
        int reason = errno;
        unlink(beside); /* there after a failure, and where `keep` was the same file: rename(2) does nothing then */
        (void)l2r_sys_close(lock);
        errno = reason;
        return kept;
    }
    bool unknown = errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK;
    return unknown && l2r_sys_rename(path, keep) == 0;
}

/* Everything up to the rename; 0, or the errno of the step that failed. */
static int commit(struct l2r_atomic *writer)
{
    errno = 0;
    bool good = fflush(writer->stream) == 0 && !ferror(writer->stream);
    if (good && l2r_sys_fsync(writer->fd) != 0) good = is_direct(writer);
    int reason = errno;
    if (fclose(writer->stream) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (!good) return reason ? reason : l2r_sys_write_reason();
    if (is_direct(writer)) return 0;
    if (writer->keep && !keep_previous(writer->path, writer->keep)) return errno;
    return l2r_sys_rename(writer->temporary, writer->path) == 0 ? 0 : errno;
}

void l2r_sync_folder_of(const char *path)
{
    char parent[4200];
    snprintf(parent, sizeof parent, "%s", path);
    char *slash = strrchr(parent, '/');
    if (slash) slash[slash == parent] = '\0';
    int folder = l2r_sys_open(slash ? parent : ".", O_RDONLY | O_DIRECTORY);
    if (folder < 0) return;
    (void)l2r_sys_fsync(folder);
    (void)l2r_sys_close(folder);
}

enum l2r_status l2r_atomic_close(struct l2r_atomic *writer, enum l2r_status status, struct l2r_error *error)
{
    if (!writer->stream) return status;
    if (status == L2R_OK) {
        int reason = commit(writer);
        if (reason)
            status = l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", writer->path, strerror(reason));
        else
            l2r_sync_folder_of(writer->path);
    } else {
        fclose(writer->stream);
    }
    if (status != L2R_OK && !is_direct(writer)) unlink(writer->temporary);
    if (!is_direct(writer)) (void)l2r_sys_close(writer->lock);
    writer->stream = NULL;
    return status;
}

enum l2r_status l2r_file_write(const char *path, const char *text, size_t length, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_atomic writer = {.stream = NULL};
    L2R_TRY(l2r_atomic_open(&writer, path, error));
    /* A short write leaves the stream's error flag set, which the close sees. */
    (void)fwrite(text, 1, length, writer.stream);
done:
    return l2r_atomic_close(&writer, status, error);
}

bool l2r_is_sha256(const char *text)
{
    return strlen(text) == 64 && strspn(text, "0123456789abcdefABCDEF") == 64;
}

enum l2r_status l2r_file_sha256(char hex[65], const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    enum { CHUNK = 1 << 16 };
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned char *chunk = l2r_alloc_raw(CHUNK, 1);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int fd;
    FILE *stream = l2r_sys_stream(&fd, path, O_RDONLY);
    if (!stream) L2R_FAIL(L2R_ERR_IO, "%s: cannot be opened: %s", path, l2r_sys_reason(errno));
    if (!chunk || !context || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the checksum of %s", path);
    for (size_t n; (n = fread(chunk, 1, CHUNK, stream)) > 0;) EVP_DigestUpdate(context, chunk, n);
    if (ferror(stream)) L2R_FAIL(L2R_ERR_IO, "%s: cannot be read: %s", path, l2r_sys_reason(errno));
    EVP_DigestFinal_ex(context, digest, NULL);
    for (int i = 0; i < 32; i++) snprintf(hex + 2 * i, 3, "%02x", digest[i]);
done:
    if (stream) fclose(stream);
    EVP_MD_CTX_free(context);
    l2r_free(chunk);
    return status;
}
