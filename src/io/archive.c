/* SPDX-License-Identifier: MIT
 *
 * See archive.h. libarchive reads the entries; the zip directory is read here, because libarchive would walk all
 * headers before an entry. A directory is only a hint: its names are compared with the headers' own (source.c) before
 * an offset is used, and whatever looks unusual falls back to the walk.
 */
#include "io/archive.h"

#include "base/memory.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { BLOCK = 1 << 12, GRACE = 1 << 12 };
#else
enum { BLOCK = 1 << 18 /* bytes read at a time */, GRACE = 64 << 20 };
#endif

const struct l2r_archive_limits l2r_archive_defaults = {
    .max_bytes = INT64_C(64) << 30, .max_ratio = 200, .grace = GRACE, .max_entries = 100000};

static const char *name_problem(const char *name)
{
    if (name[0] == '\0') return "has an empty name";
    if (name[0] == '/') return "has an absolute path";
    for (const char *c = name; *c; c++)
        if (*c == '\\' || (unsigned char)*c < ' ') return "has a backslash or a control character in its name";
    for (const char *part = name; *part;) {
        size_t length = strcspn(part, "/");
        if (length == 2 && part[0] == '.' && part[1] == '.') return "climbs out of the folder with \"..\"";
        part += length + (part[length] == '/');
    }
    return NULL;
}

const char *l2r_archive_problem(struct archive_entry *entry, const char *name)
{
    if (archive_entry_hardlink(entry)) return "is a hard link";
    if (archive_entry_filetype(entry) == AE_IFLNK) return "is a symbolic link";
    if (archive_entry_filetype(entry) != AE_IFREG && archive_entry_filetype(entry) != AE_IFDIR)
        return "is neither a file nor a folder";
    return name_problem(name);
}

bool l2r_archive_is_bomb(const struct l2r_archive_limits *limits, int64_t unpacked, int64_t packed)
{
    if (unpacked > limits->max_bytes) return true;
    return unpacked > limits->grace && unpacked / limits->max_ratio > packed;
}

const char *l2r_archive_reason(struct archive *archive)
{
    const char *text = archive_error_string(archive);
    return text && *text ? text : "unknown format";
}

enum l2r_status l2r_archive_open(struct archive **archive, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct archive *a = archive_read_new();
    *archive = a;
    if (!a) return l2r_fail_memory(error, 0, "an archive");
    archive_read_support_filter_gzip(a);
    archive_read_support_filter_bzip2(a);
    archive_read_support_filter_xz(a);
    archive_read_support_filter_zstd(a);
    archive_read_support_format_zip(a);
    archive_read_support_format_tar(a);
    int fd = l2r_sys_open(path, O_RDONLY); /* libarchive would wait for the other end of a pipe */
    if (fd < 0) L2R_FAIL(L2R_ERR_IO, "%s: cannot be opened: %s", path, l2r_sys_reason(errno));
    (void)l2r_sys_close(fd);
    if (archive_read_open_filename(a, path, BLOCK) != ARCHIVE_OK)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: this is neither a folder nor an intact zip or tar archive (%s)", path,
                 l2r_archive_reason(a));
done:
    return status;
}

/* Numbers of a zip: little endian, at any address. */
static uint32_t u16(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8;
}

static uint32_t u32(const char *bytes)
{
    return u16(bytes) | u16(bytes + 2) << 16;
}

/* The end record closes the file, unless an archive comment of up to 64 KB follows it, so it is searched for from the
 * back. What it says is used only if it lies inside the file. The whole directory in *bytes (l2r_free); returns its
 * length, 0: none. */
static size_t read_directory(char **bytes, int fd, int64_t file_size)
{
    enum { END = 22, LONGEST_COMMENT = 0xffff, MOST = 16 << 20 };
    int64_t tail = file_size < END + LONGEST_COMMENT ? file_size : END + LONGEST_COMMENT, at = tail - END;
    char *end = l2r_alloc_raw((size_t)tail + 1, 1);
    size_t length = 0;
    if (end && at >= 0 && pread(fd, end, (size_t)tail, file_size - tail) == tail) {
        while (at >= 0 && memcmp(end + at, "PK\5\6", 4) != 0) at--;
        int64_t size = at >= 0 ? u32(end + at + 12) : 0, begin = at >= 0 ? u32(end + at + 16) : 0;
        if (size > 0 && size <= MOST && begin + size <= file_size) *bytes = l2r_alloc_raw((size_t)size, 1);
        if (*bytes && pread(fd, *bytes, (size_t)size, begin) == size) length = (size_t)size;
    }
    l2r_free(end);
    return length;
}

static int by_offset(const void *a, const void *b)
{
    const struct l2r_zip_place *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

void l2r_zip_directory_read(struct l2r_zip_directory *d, const char *path)
{
    enum { FIXED = 46 }; /* bytes of a directory entry before its name */
    struct stat about;
    size_t length = 0, capacity = 0;
    int fd = l2r_sys_open(path, O_RDONLY);
    *d = (struct l2r_zip_directory){0};
    if (fd >= 0 && fstat(fd, &about) == 0) length = read_directory(&d->bytes, fd, about.st_size);
    if (fd >= 0) (void)l2r_sys_close(fd);
    for (size_t at = 0; at + FIXED <= length && memcmp(d->bytes + at, "PK\1\2", 4) == 0;) {
        const char *entry = d->bytes + at;
        size_t name = u16(entry + 28), rest = u16(entry + 30) + u16(entry + 32);
        if (at + FIXED + name > length) break;
        if (!l2r_reserve((void **)&d->places, &capacity, d->n + 1, sizeof *d->places)) break;
        d->places[d->n++] = (struct l2r_zip_place){u32(entry + 42), entry + FIXED, name};
        at += FIXED + name + rest;
    }
    if (d->n > 0) qsort(d->places, d->n, sizeof *d->places, by_offset);
}

void l2r_zip_directory_clear(struct l2r_zip_directory *d)
{
    l2r_free(d->places);
    l2r_free(d->bytes);
    *d = (struct l2r_zip_directory){0};
}

/* Can the entry be read from here on alone? Not if it is encrypted, nor if only the directory knows where it ends. */
static bool stands_alone(int fd, int64_t offset)
{
    enum { ENCRYPTED = 1, SIZE_AT_END = 8, STORED = 0 };
    char header[30];
    if (pread(fd, header, sizeof header, offset) != (ssize_t)sizeof header) return false;
    uint32_t flags = u16(header + 6), method = u16(header + 8);
    if (memcmp(header, "PK\3\4", 4) != 0 || flags & ENCRYPTED) return false;
    return method != STORED || !(flags & SIZE_AT_END);
}

struct archive *l2r_zip_open_at(int fd, int64_t offset)
{
    struct archive_entry *entry;
    if (!stands_alone(fd, offset) || lseek(fd, offset, SEEK_SET) != offset) return NULL;
    struct archive *a = archive_read_new();
    if (a && archive_read_support_format_zip_streamable(a) == ARCHIVE_OK &&
        archive_read_open_fd(a, fd, BLOCK) == ARCHIVE_OK && archive_read_next_header(a, &entry) >= ARCHIVE_WARN)
        return a;
    if (a) archive_read_free(a);
    return NULL;
}
