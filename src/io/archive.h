/* SPDX-License-Identifier: MIT
 *
 * Untrusted archives: opening them, and the one policy on what is refused. Accepted are zip and tar, the latter also
 * packed with gzip, bzip2, xz or zstd; formats whose decoding would start another program are left out on purpose. Data
 * sets are read from archives in place (source.h); downloads are unpacked (unpack.h). Both use this policy.
 *
 * A zip names its entries twice: in a header before each entry's data, and in a directory at the end of the file.
 *
 *     [header A | data A] [header B | data B] … [directory: A at 0, B at 812, …] [end record: where it begins]
 *
 * With the directory kept, an entry is opened where it begins, without a walk over the headers before it.
 */
#ifndef L2R_IO_ARCHIVE_H
#define L2R_IO_ARCHIVE_H

#include "base/status.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <stdint.h>

/* Limits that no data set needs: archives beyond them are treated as zip bombs, which are small and unpack to a full
 * disk. */
struct l2r_archive_limits {
    int64_t max_bytes; /* in all, unpacked */
    int64_t max_ratio; /* unpacked : packed, once more than `grace` bytes are unpacked */
    int64_t grace;
    int64_t max_entries;
};
extern const struct l2r_archive_limits l2r_archive_defaults;
bool l2r_archive_is_bomb(const struct l2r_archive_limits *limits, int64_t unpacked, int64_t packed);

/* Why an entry of this name must not be taken, or NULL: links and devices, absolute names, names that climb with
 * "..". */
const char *l2r_archive_problem(struct archive_entry *entry, const char *name);

/* *archive must be freed with archive_read_free, also after a failure, unless it is NULL. */
enum l2r_status l2r_archive_open(struct archive **archive, const char *path, struct l2r_error *error);
/* libarchive's message for the error, never NULL. */
const char *l2r_archive_reason(struct archive *archive);

/* The directory of a zip, in the order of its headers. */
struct l2r_zip_directory {
    struct l2r_zip_place {
        int64_t offset;   /* of the header */
        const char *name; /* [length], in bytes */
        size_t length;
    } * places; /* [n] */
    size_t n;
    char *bytes;
};
/* Empty when the file has none or an unusual one (larger than 4 GB): such archives are walked. Out of memory counts
 * so. */
void l2r_zip_directory_read(struct l2r_zip_directory *directory, const char *path);
void l2r_zip_directory_clear(struct l2r_zip_directory *directory);
/* Opens the zip entry whose header begins at `offset` of the file, which must stay open; NULL: it must be walked to. */
struct archive *l2r_zip_open_at(int fd, int64_t offset);

#endif
