/* SPDX-License-Identifier: MIT
 *
 * Opens an archive for reading with the formats this project accepts: zip and tar, the latter also packed with gzip,
 * bzip2, xz or zstd. Formats whose decoding would start another program are left out on purpose.
 */
#ifndef L2R_IO_ARCHIVE_H
#define L2R_IO_ARCHIVE_H

#include "base/status.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <stdint.h>

/* *archive must be freed with archive_read_free, also after a failure, unless it is NULL. */
enum l2r_status l2r_archive_open(struct archive **archive, const char *path, struct l2r_error *error);

/* Why an entry of this name must not be taken, or NULL: links and devices, absolute names, names that climb with
 * "..". */
const char *l2r_archive_problem(struct archive_entry *entry, const char *name);

/* Unpacked bytes that no data set of so many packed ones has: more than L2R_ARCHIVE_RATIO times as many, beyond a
 * grace. */
enum { L2R_ARCHIVE_RATIO = 200 };
bool l2r_archive_swollen(int64_t unpacked, int64_t packed);

/* The library's words for what went wrong, never NULL. */
const char *l2r_archive_reason(struct archive *archive);

#endif
