/* SPDX-License-Identifier: MIT
 * See archive.h. */
#include "io/archive.h"

#include <string.h>

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
static const int64_t grace = 1 << 12;
enum { BLOCK = 1 << 12 };
#else
static const int64_t grace = 64 << 20;
enum { BLOCK = 1 << 18 }; /* bytes read at a time */
#endif

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

bool l2r_archive_swollen(int64_t unpacked, int64_t packed)
{
    return unpacked > grace && unpacked / L2R_ARCHIVE_RATIO > packed;
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
    if (archive_read_open_filename(a, path, BLOCK) != ARCHIVE_OK)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: this is neither a folder nor an intact zip or tar archive (%s)", path,
                 l2r_archive_reason(a));
done:
    return status;
}
