/* SPDX-License-Identifier: MIT
 *
 * Zip archives for tests, good and hostile: entry names are written as they are given.
 */
#ifndef L2R_TESTS_ZIP_FILE_H
#define L2R_TESTS_ZIP_FILE_H

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <string.h>

struct zip_entry {
    const char *name;
    const char *content; /* NULL: `zeros` bytes of 0 */
    const char *link;    /* a symbolic link to this */
    size_t zeros;
};

/* Entries until a NULL name. store: not compressed. Returns 0, or -1 when libarchive refuses. */
static inline int zip_write(const char *path, const struct zip_entry *entries, bool store)
{
    static const char zero[4096];
    struct archive *out = archive_write_new();
    int result = archive_write_set_format_zip(out);
    if (store) result |= archive_write_set_options(out, "zip:compression=store");
    result |= archive_write_open_filename(out, path);
    for (; entries->name && result == ARCHIVE_OK; entries++) {
        struct archive_entry *entry = archive_entry_new();
        size_t size = entries->link ? 0 : entries->content ? strlen(entries->content) : entries->zeros;
        archive_entry_set_pathname(entry, entries->name);
        archive_entry_set_filetype(entry, entries->link ? AE_IFLNK : AE_IFREG);
        if (entries->link) archive_entry_set_symlink(entry, entries->link);
        archive_entry_set_size(entry, (la_int64_t)size);
        archive_entry_set_perm(entry, 0644);
        result |= archive_write_header(out, entry);
        for (size_t done = 0; done < size;) {
            size_t n = entries->content ? size : size - done < sizeof zero ? size - done : sizeof zero;
            if (archive_write_data(out, entries->content ? entries->content : zero, n) != (la_ssize_t)n) result = -1;
            done += n;
        }
        archive_entry_free(entry);
    }
    result |= archive_write_close(out);
    archive_write_free(out);
    return result == ARCHIVE_OK ? 0 : -1;
}

#endif
