/* SPDX-License-Identifier: MIT
 *
 * See unpack.h. libarchive reads the zip through its central directory (the streaming mode would accept an archive
 * that was cut off between two entries) and compares each entry's CRC when its data has been read to the end.
 *
 * Nothing outside the folder can be reached: only plain files and folders are made, their names have no "..", no
 * leading slash and no backslash, and files are opened with O_EXCL | O_NOFOLLOW, so that no entry can write through
 * another.
 */
#include "io/unpack.h"

#include "base/memory.h"
#include "base/system.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { CHUNK = 1 << 10 };
#else
enum { CHUNK = 1 << 16 };
#endif

struct walk {
    const struct l2r_unpack *job;
    struct archive *archive;
    char *chunk; /* [CHUNK] */
    int64_t packed, unpacked, entries;
};

static enum l2r_status archive_failed(const struct walk *walk, const char *entry, struct l2r_error *error)
{
    const char *reason = archive_error_string(walk->archive);
    return l2r_fail(error, L2R_ERR_FORMAT, "%.400s: %s%.200s%sis damaged or not a zip archive: %s", walk->job->archive,
                    entry ? "entry " : "", entry ? entry : "", entry ? " " : "", reason ? reason : "unknown reason");
}

/* Folders are made as files need them; an entry that exists already can only come from this archive. */
static enum l2r_status open_output(int *fd, const char *folder, const char *name, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[4096];
    L2R_TRY(l2r_path_join(path, sizeof path, folder, name, error));
    char *slash = strrchr(path, '/');
    *slash = '\0';
    L2R_TRY(l2r_make_dirs(path, error));
    *slash = '/';
    *fd = l2r_sys_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (*fd < 0)
        L2R_FAIL(errno == EEXIST ? L2R_ERR_FORMAT : L2R_ERR_IO, "%s: %s", path,
                 errno == EEXIST ? "the archive holds this entry twice" : strerror(errno));
done:
    return status;
}

/* After each chunk: is this a bomb, and does the caller want to go on? */
static enum l2r_status count_bytes(struct walk *walk, const char *name, int64_t more, struct l2r_error *error)
{
    walk->unpacked += more;
    if (l2r_archive_is_bomb(walk->job->limits, walk->unpacked, walk->packed))
        return l2r_fail(error, L2R_ERR_FORMAT,
                        "%.400s: unpacks to more than %" PRId64 " bytes from %" PRId64
                        " (at entry %.200s), which no data set does; it is refused",
                        walk->job->archive, walk->unpacked - more, walk->packed, name);
    if (!walk->job->progress) return L2R_OK;
    int64_t done = archive_filter_bytes(walk->archive, -1);
    if (walk->job->progress(walk->job->context, walk->job->folder ? "unpack" : "check",
                            done < walk->packed ? done : walk->packed, walk->packed))
        return L2R_OK;
    return l2r_fail(error, L2R_ERR_INTERRUPTED, "%.400s: stopped while it was read", walk->job->archive);
}

static enum l2r_status write_chunk(int fd, const char *bytes, size_t n, const char *name, struct l2r_error *error)
{
    for (size_t written = 0; written < n;) {
        ssize_t more = l2r_sys_write(fd, bytes + written, n - written);
        if (more <= 0) return l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", name, l2r_sys_reason(errno));
        written += (size_t)more;
    }
    return L2R_OK;
}

/* Reads one entry to its end, into the folder if there is one. */
static enum l2r_status take_entry(struct walk *walk, struct archive_entry *entry, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int fd = -1;
    const char *folder = walk->job->folder, *name = archive_entry_pathname(entry);
    if (!name) name = archive_entry_pathname_utf8(entry);
    if (!name) name = "(a name that is not text)";
    const char *problem = l2r_archive_problem(entry, name);
    if (problem)
        L2R_FAIL(L2R_ERR_FORMAT, "%.400s: entry %.200s %s; the archive is refused", walk->job->archive, name, problem);
    if (folder && archive_entry_filetype(entry) == AE_IFDIR) goto done; /* made when a file needs it */
    if (folder) L2R_TRY(open_output(&fd, folder, name, error));
    for (;;) {
        la_ssize_t n = archive_read_data(walk->archive, walk->chunk, CHUNK);
        if (n == 0) break;
        if (n < 0) {
            status = archive_failed(walk, name, error);
            goto done;
        }
        L2R_TRY(count_bytes(walk, name, n, error));
        if (fd >= 0) L2R_TRY(write_chunk(fd, walk->chunk, (size_t)n, name, error));
    }
done:
    if (fd >= 0 && l2r_sys_close(fd) != 0 && status == L2R_OK)
        status = l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", name, l2r_sys_reason(errno));
    return status;
}

static enum l2r_status walk_entries(struct walk *walk, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (;;) {
        struct archive_entry *entry;
        int result = archive_read_next_header(walk->archive, &entry);
        if (result == ARCHIVE_EOF) break;
        if (result < ARCHIVE_WARN) return archive_failed(walk, NULL, error); /* warnings: names in odd encodings */
        if (++walk->entries > walk->job->limits->max_entries)
            return l2r_fail(error, L2R_ERR_FORMAT, "%s: has more than %" PRId64 " entries; it is refused",
                            walk->job->archive, walk->job->limits->max_entries);
        L2R_TRY(take_entry(walk, entry, error));
    }
    if (walk->entries == 0) return l2r_fail(error, L2R_ERR_FORMAT, "%s: the archive is empty", walk->job->archive);
done:
    return status;
}

enum l2r_status l2r_unpack(const struct l2r_unpack *job, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct stat about;
    struct walk walk = {.job = job, .archive = archive_read_new(), .chunk = l2r_alloc_raw(CHUNK, 1)};
    if (!walk.archive || !walk.chunk) {
        status = l2r_fail_memory(error, CHUNK, "unpacking");
        goto done;
    }
    if (stat(job->archive, &about) != 0)
        L2R_FAIL(L2R_ERR_IO, "%s: cannot be opened: %s", job->archive, l2r_sys_reason(errno));
    walk.packed = about.st_size;
    archive_read_support_format_zip_seekable(walk.archive);
    if (archive_read_open_filename(walk.archive, job->archive, CHUNK) != ARCHIVE_OK) {
        status = archive_failed(&walk, NULL, error);
        goto done;
    }
    status = walk_entries(&walk, error);
done:
    archive_read_free(walk.archive);
    l2r_free(walk.chunk);
    return status;
}
