/* SPDX-License-Identifier: MIT
 * See archive.h. */
#include "data/archive.h"

#include <string.h>

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
    if (archive_read_open_filename(a, path, 1 << 18) != ARCHIVE_OK)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: this is not a folder and not a whole zip or tar archive (%s)", path,
                 l2r_archive_reason(a));
done:
    return status;
}
